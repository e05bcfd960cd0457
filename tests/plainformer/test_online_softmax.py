"""Streaming softmax: any pieces, in any order, give the same result as the whole."""

import functools
import itertools
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.online_softmax import Partial, merge_outputs, merge_tree, stream
from tests.plainformer.tensors import SEEDS, coins, normal

EXACT = {"rtol": 1e-12, "atol": 1e-14}


def whole(scores, value, mask=None):
    """Compute output and log-sum-exp at once, with PyTorch."""
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    lse = torch.logsumexp(scores, -1)
    return torch.nan_to_num(torch.softmax(scores, -1), nan=0.0) @ value, lse


def pieces(scores, value, mask, cuts):
    """Cut the keys at some places, and summarise each piece."""
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


@given(
    seed=SEEDS,
    k=st.integers(0, 12),
    width=st.integers(1, 13),
    slack=st.sampled_from([0.0, 0.5, 5.0]),
    size=st.sampled_from([1.0, 10.0, 1e3]),
)
def test_a_loop_over_blocks_of_any_width_and_slack_equals_the_whole(seed, k, width, slack, size):
    scores, value = normal(2, 3, k, seed=seed) * size, normal(2, k, 4, seed=seed + 1)
    mask = coins(3, k, seed=seed)
    streamed = stream(scores, value, mask, width=width, slack=slack)
    output, lse = whole(scores, value, mask)
    torch.testing.assert_close(streamed.output, output, **EXACT)
    torch.testing.assert_close(streamed.lse, lse, **EXACT)


def test_slack_keeps_the_old_sums_while_the_maximum_rises_by_no_more():
    value = normal(1, 2, seed=0)
    first = Partial.of(torch.zeros(2, 1, dtype=torch.float64), value)
    rise = torch.tensor([[3.0], [3.5]], dtype=torch.float64)
    after = first.extend(rise, value, slack=3.0)
    assert after.largest.squeeze().tolist() == [0.0, 3.5]
    assert after.total[0].item() == pytest.approx(1 + math.exp(3))
    assert after.total[1].item() == pytest.approx(1 + math.exp(-3.5))
    assert Partial.nothing(first.weighted).extend(rise - 9, value, slack=99.0).largest[0] == -6


@given(seed=SEEDS, score=st.sampled_from([-torch.inf, -100.0, 0.0, 3.0, 100.0, 700.0]))
def test_a_sink_is_one_more_key_whose_value_is_zero(seed, score):
    scores, value, mask = normal(3, 5, seed=seed), normal(5, 2, seed=1), coins(3, 5, seed=seed)
    keys = Partial.of(scores.float(), value.float(), mask)
    merged = keys.merge(Partial.sink(torch.tensor(score), keys.output))
    wider = torch.cat([scores.masked_fill(~mask, -torch.inf), torch.full((3, 1), score)], dim=-1)
    output, lse = whole(wider, torch.cat([value, torch.zeros(1, 2)]))
    torch.testing.assert_close(merged.output, output.float())
    torch.testing.assert_close(merged.lse, lse.float())


def test_a_sink_of_each_head_learns_what_one_more_key_would():
    scores, value = normal(2, 3, 4, seed=0), normal(2, 4, 5, seed=1)
    sink = torch.tensor([[[0.5]], [[-1.0]]], dtype=torch.float64, requires_grad=True)
    keys = Partial.of(scores, value)
    ours = keys.merge(Partial.sink(sink, keys.output))
    wider = torch.cat([scores, sink.expand(2, 3, 1)], dim=-1)
    plain = torch.softmax(wider, dim=-1)[..., :-1] @ value
    weight = normal(2, 3, 5, seed=2)
    (got,) = torch.autograd.grad(ours.output, sink, weight, retain_graph=True)
    torch.testing.assert_close(got, torch.autograd.grad(plain, sink, weight)[0], **EXACT)
    (got,) = torch.autograd.grad(ours.lse.sum(), sink)
    lse = torch.logsumexp(torch.cat([scores, sink.expand(2, 3, 1)], dim=-1), dim=-1).sum()
    torch.testing.assert_close(got, torch.autograd.grad(lse, sink)[0], **EXACT)


@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 13])
def test_a_tree_of_any_number_of_parts_is_the_whole(n):
    scores, value = normal(3, n, seed=n), normal(n, 2, seed=1)
    parts = [Partial.of(scores[:, [j]], value[[j]]) for j in range(n)]
    output, lse = whole(scores, value)
    torch.testing.assert_close(merge_tree(parts).output, output, **EXACT)
    torch.testing.assert_close(merge_tree(parts).lse, lse, **EXACT)


def test_a_tree_counts_equal_scores_where_a_loop_in_float16_stops():
    one = torch.ones(1, 1, dtype=torch.float16)
    parts = [Partial(largest=one * 0, total=one, weighted=one)] * 4096
    assert functools.reduce(Partial.merge, parts).total.item() == 2048
    assert merge_tree(parts).total.item() == 4096


def test_what_cannot_be_done_is_refused():
    scores, value = normal(1, 2, seed=0), normal(2, 1, seed=1)
    with pytest.raises(ValueError, match="width=0"):
        stream(scores, value, width=0)
    with pytest.raises(ValueError, match=r"slack=-1\.0"):
        stream(scores, value, width=1, slack=-1.0)
    with pytest.raises(ValueError, match="no parts"):
        merge_tree([])


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
