"""Ambiguous masks are refused by dtype, shape or polarity, once, and with the same message."""

import pytest
import torch

from plainformer import flash, masks
from plainformer.attention import attend_heads
from plainformer.mask_rules import Rule
from plainformer.sdpa import sdpa
from tests.plainformer.tensors import normal


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.uint8])
def test_a_mask_that_is_not_boolean_is_refused_with_the_way_out(dtype):
    mask = torch.ones(2, 2, dtype=dtype)
    for use in (lambda: masks.combine(mask), lambda: masks.check(mask, torch.zeros(2, 2))):
        with pytest.raises(ValueError, match=r"expected torch.bool, True = may look.*mask == 0"):
            use()


@pytest.mark.parametrize(
    "shape", [(3, 4, 5), (2, 4, 5), (6, 1, 4, 5), (2, 3, 4), (2, 5), (1, 2, 3, 4, 5), (2, 3, 5, 4)]
)
def test_a_mask_that_does_not_fit_is_refused_naming_the_axes(shape):
    if shape == (3, 4, 5):  # one matrix per head: fits h=3, and is therefore allowed
        masks.check(torch.ones(shape, dtype=torch.bool), torch.zeros(2, 3, 4, 5))
        return
    with pytest.raises(ValueError, match=r"does not broadcast to scores.*b=2, h=3, q=4, k=5"):
        masks.check(torch.ones(shape, dtype=torch.bool), torch.zeros(2, 3, 4, 5))


ADVICE = {
    (2, 5): "[:, None, None, :]",
    (2, 4, 5): "[:, None]",
    (2, 1, 5): "[:, None]",
    (5, 5): "[..., -4:, :]",
    (2, 1, 5, 5): "[..., -4:, :]",
}


@pytest.mark.parametrize("name", ["mask", "bias"])
@pytest.mark.parametrize("shape", ADVICE)
def test_the_index_that_a_message_names_makes_the_shape_fit(name, shape):
    given = torch.zeros(shape) if name == "bias" else torch.ones(shape, dtype=torch.bool).tril()
    query, key = torch.zeros(2, 3, 4, 2), torch.zeros(2, 3, 5, 2)
    with pytest.raises(ValueError, match="does not broadcast") as refused:
        attend_heads(query, key, key, **{name: given})
    advice = name + ADVICE[shape]
    assert advice in str(refused.value)
    mended = eval(advice, {name: given})
    assert attend_heads(query, key, key, **{name: mended}).shape == query.shape


@pytest.mark.parametrize("shape", [(6, 1, 4, 5), (2, 3, 4), (1, 2, 3, 4, 5), (2, 2, 4, 5)])
def test_no_index_is_named_where_none_helps(shape):
    with pytest.raises(ValueError, match="does not broadcast") as refused:
        masks.check(torch.ones(shape, dtype=torch.bool), torch.zeros(2, 3, 4, 5))
    assert "[" not in str(refused.value)


def test_a_mask_with_the_columns_of_another_cache_is_told_how_many_keys_there_are():
    with pytest.raises(
        ValueError, match="It has 4 columns, and there are 5 keys, those of a cache"
    ):
        masks.check(torch.ones(4, 4, dtype=torch.bool), torch.zeros(2, 3, 4, 5))


def test_scores_with_many_axes_are_still_described():
    with pytest.raises(ValueError, match=r"does not broadcast.*\(q=3, k=4\)"):
        masks.check(torch.ones(9, dtype=torch.bool), torch.zeros(1, 1, 2, 3, 4))


@pytest.mark.parametrize("n", [2, 3, 6])
def test_a_causal_mask_upside_down_is_refused(n):
    with pytest.raises(ValueError, match=r"upside down.*pass ~mask"):
        masks.check(~masks.causal(n), torch.zeros(n, n))


def test_masks_that_only_look_odd_are_let_through():
    masks.check(torch.zeros(3, 3, dtype=torch.bool), torch.zeros(3, 3))
    masks.check(torch.eye(3, dtype=torch.bool), torch.zeros(3, 3))
    masks.check(torch.zeros(1, 1, dtype=torch.bool), torch.zeros(3, 3))
    masks.check(masks.causal(2, 4), torch.zeros(2, 4))


UNFIT = {
    "does not broadcast to scores": {"mask": torch.ones(2, 6, dtype=torch.bool)},
    "mask has dtype": {"mask": torch.ones(6, 6)},
    "upside down": {"mask": torch.ones(6, 6, dtype=torch.bool).triu(1)},
    "lengths of 3 sequences, but there are 2: expected 2, or 1": {
        "mask": Rule(lengths=torch.ones(3).int())
    },
    "starts of 0 sequences, but there are 2": {"mask": Rule(starts=torch.ones(0).int())},
    r"bias of shape \(3, 6, 6\) does not": {"bias": torch.zeros(3, 6, 6)},
    "bias has dtype torch.bool": {"bias": torch.ones(6, 6, dtype=torch.bool)},
}


@pytest.mark.parametrize("words", UNFIT)
def test_the_fast_back_ends_refuse_with_the_same_words(words):
    inputs, said = [normal(2, 4, 6, 5, seed=i) for i in range(3)], []
    for attend in (sdpa, flash.attend):
        with pytest.raises(ValueError, match=words) as refused:
            attend(*inputs, **UNFIT[words])
        said.append(str(refused.value))
    assert said[0] == said[1]


@pytest.mark.parametrize("attend", [sdpa, flash.attend])
def test_a_mask_that_passed_is_not_read_again_until_it_changes(attend, monkeypatch):
    inputs, mask, read = [normal(2, 4, 6, 5, seed=i) for i in range(3)], masks.causal(6), []
    tril = torch.Tensor.tril
    monkeypatch.setattr(torch.Tensor, "tril", lambda x: (read.append(x), tril(x))[1])
    for _ in range(3):
        attend(*inputs, mask)
    assert len(read) == 1
    attend(*inputs, mask.clone())
    assert len(read) == 2
    attend(*inputs, mask)
    mask.logical_not_()
    with pytest.raises(ValueError, match="upside down"):
        attend(*inputs, mask)
    with pytest.raises(ValueError, match="upside down"):  # a refused mask is checked again
        attend(*inputs, mask)
    with torch.inference_mode():
        changing = masks.causal(6)
        attend(*inputs, changing)
        changing.logical_not_()
        with pytest.raises(ValueError, match="upside down"):
            attend(*inputs, changing)
