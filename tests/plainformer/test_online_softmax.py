"""Streaming softmax: any pieces, in any order, give what the whole gives."""

import functools
import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.online_softmax import Partial, merge_outputs
from tests.plainformer.tensors import SEEDS, coins, normal

EXACT = {"rtol": 1e-12, "atol": 1e-14}


def whole(scores, value, mask=None):
    """Compute output and log-sum-exp at once, with PyTorch."""
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    lse = torch.logsumexp(scores, -1)
    return torch.nan_to_num(torch.softmax(scores, -1), nan=0.0) @ value, lse


def pieces(scores, value, mask, cuts):
    """Cut the keys at some places, and sum up each piece."""
    ends = [0, *sorted(cuts), scores.shape[-1]]
    slices = [slice(a, b) for a, b in itertools.pairwise(ends)]
    return [Partial.of(scores[..., s], value[..., s, :], mask[..., s]) for s in slices]


@given(
    seed=SEEDS,
    k=st.integers(1, 12),
    cuts=st.lists(st.integers(0, 12), max_size=5),
    order=st.randoms(),
    size=st.sampled_from([1.0, 1e3, 1e300, 1e-310]),
)
def test_any_partition_in_any_order_equals_the_softmax_of_the_whole(seed, k, cuts, order, size):
    scores, value = normal(2, 3, k, seed=seed) * size, normal(2, k, 4, seed=seed + 1)
    mask = coins(2, 3, k, seed=seed)
    parts = pieces(scores, value, mask, [min(c, k) for c in cuts])
    order.shuffle(parts)
    merged = functools.reduce(Partial.merge, parts)
    output, lse = whole(scores, value, mask)
    torch.testing.assert_close(merged.output, output, **EXACT)
    torch.testing.assert_close(merged.lse, lse, **EXACT)
    finished = (torch.stack([p.output for p in parts]), torch.stack([p.lse for p in parts]))
    output_again, lse_again = merge_outputs(*finished)
    torch.testing.assert_close(output_again, output, rtol=1e-9, atol=1e-12)
    torch.testing.assert_close(lse_again, lse, **EXACT)


@given(seed=SEEDS)
def test_merging_is_commutative_and_associative(seed):
    a, b, c = pieces(normal(3, 9, seed=seed), normal(9, 2, seed=1), coins(3, 9, seed=seed), [2, 5])
    for one, other in [(a.merge(b), b.merge(a)), (a.merge(b).merge(c), a.merge(b.merge(c)))]:
        torch.testing.assert_close(one.output, other.output, **EXACT)
        torch.testing.assert_close(one.lse, other.lse, **EXACT)


@pytest.mark.parametrize("left", [True, False])
def test_nothing_is_neutral(left):
    some = Partial.of(normal(3, 5, seed=0), normal(5, 2, seed=1))
    nothing = Partial.nothing(some.weighted)
    merged = nothing.merge(some) if left else some.merge(nothing)
    assert torch.equal(merged.output, some.output)
    assert torch.equal(merged.lse, some.lse)


def test_an_empty_block_and_a_masked_one_are_nothing():
    value = normal(4, 2, seed=0)
    empty = Partial.of(torch.zeros(3, 0, dtype=torch.float64), value[:0])
    masked = Partial.of(normal(3, 4, seed=1), value, torch.zeros(3, 4, dtype=torch.bool))
    for partial in (empty, masked, empty.merge(masked), Partial.nothing(empty.weighted)):
        assert torch.equal(partial.output, torch.zeros(3, 2, dtype=torch.float64))
        assert torch.equal(partial.lse, torch.full((3,), -torch.inf, dtype=torch.float64))
    output, lse = merge_outputs(empty.output[None], empty.lse[None])
    assert torch.equal(output, empty.output)
    assert torch.equal(lse, empty.lse)


def test_gradients_flow_through_merging_as_through_the_whole():
    scores, value = normal(3, 6, seed=0).requires_grad_(), normal(6, 2, seed=1).requires_grad_()
    mask = coins(3, 6, seed=2)
    mask[:, 0] = True
    weight = normal(3, 2, seed=3)
    merged = functools.reduce(Partial.merge, pieces(scores, value, mask, [2, 2, 5]))
    ours = torch.autograd.grad(merged.output, [scores, value], weight)
    plain = torch.softmax(scores.masked_fill(~mask, -torch.inf), -1) @ value
    torch.testing.assert_close(ours, torch.autograd.grad(plain, [scores, value], weight), **EXACT)


def test_float32_pieces_err_no_more_than_twice_the_whole_in_float32():
    scores, value = normal(64, 512, seed=0) * 20, normal(512, 8, seed=1)
    exact = whole(scores, value)[0]
    mask = torch.ones(64, 512, dtype=torch.bool)
    parts = pieces(scores.float(), value.float(), mask, list(range(32, 512, 32)))
    ours = functools.reduce(Partial.merge, parts).output
    plain = whole(scores.float(), value.float())[0]
    assert (ours - exact).abs().max() <= 2 * (plain - exact).abs().max()
