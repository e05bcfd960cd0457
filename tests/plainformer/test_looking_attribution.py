import pytest
import torch

from plainformer.looking import ablated, logit_attribution
from tests.plainformer.test_looking_recording import decoder, tokens


def plain(**changes):
    model = decoder(norm="rms", placement="pre", bias=False, **changes)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "norm" in name:
                weight.copy_(torch.linspace(0.5, 2, weight.numel()))
    return model


@pytest.mark.parametrize("changes", [{}, {"n_kv_heads": 1}, {"output_scale": 0.5}])
def test_the_shares_sum_to_the_logit_above_the_mean_of_the_vocabulary(changes):
    model, x = plain(**changes), tokens()
    targets = x.roll(-1, dims=1)
    shares = logit_attribution(model, x, targets)
    logits = model(x)
    above = logits.gather(-1, targets[..., None])[..., 0] - logits.mean(dim=-1)
    torch.testing.assert_close(sum(shares.values()), above)
    heads = [f"{layer}.{head}" for layer in range(3) for head in range(3)]
    assert set(shares) == {"embedding", *heads, *(f"feed-forward {layer}" for layer in range(3))}


def test_a_silenced_head_has_no_share_and_the_others_have_theirs():
    model, x = plain(), tokens()
    with ablated(model, [(1, 2)]):
        shares = logit_attribution(model, x, x)
    assert (shares["1.2"] == 0).all()
    assert all((share != 0).any() for part, share in shares.items() if part != "1.2")


@pytest.mark.parametrize("changes", [{"norm": "layer"}, {"placement": "post"}, {"bias": True}])
def test_a_stream_that_is_no_such_sum_is_refused(changes):
    settings = {"norm": "rms", "placement": "pre", "bias": False, **changes}
    with pytest.raises(ValueError, match="expected a pre-norm decoder with RMSNorm"):
        logit_attribution(decoder(**settings), tokens(), tokens())
