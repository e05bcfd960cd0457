import pytest
import torch

from plainformer.cache import ContiguousCache
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
    with recorded(model) as before:
        model(x)
    with ablated(model, [(0, 1)], by="mean"), recorded(model) as after:
        model(x)
    out, whole = after.outputs[0], before.outputs[0]
    torch.testing.assert_close(out[:, 1], whole[:, 1].mean((0, 1)).expand(2, 7, 4))
    torch.testing.assert_close(out[:, [0, 2]], whole[:, [0, 2]])


@pytest.mark.parametrize("n", [1, 3, 7])
def test_the_mean_over_all_positions_is_refused_where_a_cache_holds_some_of_them(n):
    model, x = decoder(), tokens()
    caches = [ContiguousCache() for _ in range(3)]
    with (
        ablated(model, [(0, 1)], by="mean"),
        pytest.raises(ValueError, match="give the record, by=record"),
    ):
        model(x[:, :n], caches=caches)


def test_a_record_gives_the_mean_and_a_cached_step_can_take_it():
    model, x = decoder(), tokens()
    with recorded(model) as record:
        model(x)
    with ablated(model, [(0, 1)], by="mean"):
        right = model(x)
    caches = [ContiguousCache() for _ in range(3)]
    with ablated(model, [(0, 1)], by=record):
        torch.testing.assert_close(model(x), right)
        steps = [model(x[:, i : i + 1], caches=caches) for i in range(7)]
    torch.testing.assert_close(torch.cat(steps, 1), right)


def test_a_record_of_another_model_is_refused():
    with recorded(decoder(n_layers=1)) as record:
        decoder(n_layers=1)(tokens())
    with (
        pytest.raises(ValueError, match=r"holds no call of blocks\.1\.attention"),
        ablated(decoder(), [(1, 0)], by=record),
    ):
        pass


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
