import pytest
import torch

from plainformer.looking import ablated, recorded
from tests.plainformer.test_looking_recording import decoder, tokens


def silent_by_hand(model, layer, head):
    """Zero the columns of the output projection that read one head."""
    d = model.config.width_of_heads
    with torch.no_grad():
        model.blocks[layer].attention.output.weight[:, head * d : (head + 1) * d] = 0
    return model


@pytest.mark.parametrize(("layer", "head"), [(0, 0), (1, 2), (2, 1)])
def test_zeroing_a_head_is_zeroing_what_the_last_projection_reads_of_it(layer, head):
    model, x = decoder(), tokens()
    with ablated(model, [(layer, head)]):
        seen = model(x)
    torch.testing.assert_close(seen, silent_by_hand(decoder(), layer, head)(x))
    assert not torch.allclose(seen, model(x)), "the model is as it was"


def test_mean_ablation_keeps_the_mean_and_takes_the_differences():
    model, x = decoder(), tokens()
    with ablated(model, [(0, 1)], by="mean"), recorded(model):
        pass  # both replace back ends, and both put them back
    with ablated(model, [(0, 1)], by="mean"):
        layer = model.blocks[0].attention
        query, (key, value) = (
            torch.randn(2, 3, 7, 4).double(),
            layer.keys_values(model.embedding(x)),
        )
        out = layer.backend(query, key, value)
    whole = layer.backend(query, key, value)
    torch.testing.assert_close(out[:, 1], whole[:, 1].mean((0, 1)).expand(2, 7, 4))
    torch.testing.assert_close(out[:, [0, 2]], whole[:, [0, 2]])


@pytest.mark.parametrize("place", [(3, 0), (0, 3), (-1, 0)])
def test_a_head_that_is_not_there_is_named(place):
    with (
        pytest.raises(ValueError, match=r"no head .* there are 3 layers, with \[3, 3, 3\]"),
        ablated(decoder(), [place]),
    ):
        pass


def test_an_unknown_way_to_silence_is_named():
    with pytest.raises(ValueError, match=r"by='noise'"), ablated(decoder(), [], by="noise"):
        pass
