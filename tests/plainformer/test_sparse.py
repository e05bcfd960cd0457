"""Sparse attention uses only the chosen keys, like attention with a mask."""

from inspect import unwrap

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer.attention import attend_heads, attention_weights
from plainformer.mask_rules import Rule
from plainformer.scores import dot
from plainformer.sparse import attend_selected, index_loss, index_scores, select
from tests.plainformer.tensors import AWKWARD_SIZES, SEEDS, coins, normal


def drawn(b, g, r, q, k, *, seed, d=3, e=2):
    return (
        normal(b, g * r, q, d, seed=seed),
        normal(b, g, k, d, seed=seed + 1),
        normal(b, g, k, e, seed=seed + 2),
    )


def by_hand(scores, count, allowed, block):
    """Choose in loops: rank the blocks that have an allowed key, earlier blocks first in ties."""
    chosen = torch.zeros_like(allowed)
    for row in torch.cartesian_prod(*(torch.arange(n) for n in scores.shape[:3])).tolist():
        line, may = scores[tuple(row)].tolist(), allowed[tuple(row)].tolist()
        blocks = [range(i * block, min((i + 1) * block, len(may))) for i in range(len(line))]
        open_ = [i for i, keys in enumerate(blocks) if any(may[j] for j in keys)]
        for i in sorted(open_, key=lambda i: (-line[i], i))[:count]:
            for j in blocks[i]:
                chosen[(*row, j)] = may[j]
    return chosen


def heads(chosen, h):
    return chosen.repeat_interleave(h // chosen.shape[1], dim=1)


@settings(max_examples=60)
@given(
    seed=SEEDS,
    sizes=st.tuples(AWKWARD_SIZES, AWKWARD_SIZES, AWKWARD_SIZES),
    block=st.sampled_from([1, 2, 4]),
    count=st.integers(1, 9),
    shared=st.booleans(),
    kind=st.sampled_from(["none", "causal", "window", "coins"]),
)
def test_it_equals_dense_attention_under_the_mask_of_the_selection(
    seed, sizes, block, count, shared, kind
):
    b, g, k = sizes
    q, r, s = min(k, 3), 2, 1 if shared else g
    masks = {"none": None, "causal": Rule(), "window": Rule(window=2, sinks=1),
             "coins": coins(b, s, q, k, seed=seed)}  # fmt: skip
    mask = masks[kind]
    inputs = [x.requires_grad_() for x in drawn(b, g, r, q, k, seed=seed % 1000)]
    # Scores with few distinct values, so that many are equal.
    scores = normal(b, s, q, -(-k // block), seed=seed).round()
    allowed = torch.ones(b, s, q, k, dtype=torch.bool)
    if mask is not None:
        allowed = allowed & (mask if kind == "coins" else mask.dense(q, k))
    chosen = select(scores, count, mask, block=block, keys=k)
    assert torch.equal(chosen, by_hand(scores, count, allowed, block))
    sparse = attend_selected(*inputs, scores, mask, count=count, block=block)
    dense = attend_heads(*inputs, heads(chosen, g * r))
    torch.testing.assert_close(sparse, dense, rtol=1e-10, atol=1e-12)
    above = normal(*sparse.shape, seed=seed)
    for mine, theirs in zip(
        torch.autograd.grad(sparse, inputs, above),
        torch.autograd.grad(dense, inputs, above),
        strict=True,
    ):
        torch.testing.assert_close(mine, theirs, rtol=1e-10, atol=1e-12)


def test_gradients_are_those_of_finite_differences_and_scores_have_none():
    inputs = [x.requires_grad_() for x in drawn(2, 2, 2, 3, 7, seed=0)]
    scores = normal(2, 2, 3, 4, seed=5).requires_grad_()

    def attend(*inputs):
        return attend_selected(*inputs, scores, Rule(), count=2, block=2, score=dot)

    assert torch.autograd.gradcheck(attend, inputs)
    attend(*inputs).sum().backward()
    assert scores.grad is None


def test_as_many_blocks_as_there_are_is_dense_attention():
    inputs = drawn(2, 3, 1, 5, 5, seed=1)
    sparse = attend_selected(*inputs, normal(2, 1, 5, 5, seed=2), Rule(), count=5)
    torch.testing.assert_close(sparse, attend_heads(*inputs, Rule()))


def test_a_query_that_may_look_nowhere_gets_zeros():
    inputs, nowhere = drawn(1, 1, 2, 2, 3, seed=1), torch.zeros(1, 1, 2, 3, dtype=torch.bool)
    assert not attend_selected(*inputs, normal(1, 1, 2, 3, seed=2), nowhere, count=2).any()


def test_the_indexer_is_the_weighted_sum_of_its_heads():
    query, key, weight = (
        normal(2, 3, 4, 5, seed=0),
        normal(2, 6, 5, seed=1),
        normal(2, 4, 3, seed=2),
    )
    scores = index_scores(query, key, weight)
    for b, q, k in ((0, 0, 0), (1, 3, 5), (0, 2, 4)):
        each = [max(0.0, float(query[b, j, q] @ key[b, k])) for j in range(3)]
        by_hand = sum(float(weight[b, q, j]) * each[j] for j in range(3))
        assert scores[b, 0, q, k].item() == pytest.approx(by_hand)


def test_the_loss_is_zero_exactly_for_the_shares_of_the_heads():
    query, key, _ = drawn(2, 1, 3, 4, 4, seed=3)
    causal = torch.ones(4, 4, dtype=torch.bool).tril()
    weights = attention_weights(query, key.expand(-1, 3, -1, -1), causal)
    right = weights.mean(dim=1, keepdim=True).clamp_min(1e-300).log()
    assert index_loss(right, weights, causal).abs() < 1e-12
    assert index_loss(normal(2, 1, 4, 4, seed=4), weights, causal) > 0.01


def test_the_gradient_of_the_loss_is_the_difference_of_the_shares():
    scores = normal(1, 1, 3, 5, seed=0).requires_grad_()
    weights = normal(1, 4, 3, 5, seed=1).softmax(dim=-1).requires_grad_()
    chosen = select(scores, 3, coins(1, 1, 3, 5, seed=2))
    chosen[..., 2, :] = False  # a query without keys
    index_loss(scores, weights, chosen).backward()
    shares = weights.sum(dim=1, keepdim=True) * chosen
    shares = shares / shares.sum(dim=-1, keepdim=True).clamp_min(1e-9)
    right = scores.masked_fill(~chosen, -torch.inf).softmax(dim=-1).nan_to_num() - shares
    torch.testing.assert_close(scores.grad, right.detach() / 3)
    assert weights.grad is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"count": 0}, "count=0: expected at least 1"),
        ({"count": 1.5}, r"count=1\.5: expected a whole number"),
        ({"block": 0}, "block=0: expected at least 1"),
        ({"block": 3}, "scores of 6 blocks: expected 2, 6 keys by 3"),
        ({"scores": normal(2, 3, 4, 6, seed=0)}, r"scores of shape \(2, 3, 4, 6\): expected"),
        ({"scores": normal(4, 6, seed=0)}, r"scores of shape \(4, 6\): expected"),
        ({"scores": torch.full((2, 1, 4, 6), torch.nan)}, "scores: expected finite numbers"),
        ({"scores": torch.full((2, 1, 4, 6), -torch.inf)}, "scores: expected finite numbers"),
        ({"mask": torch.ones(4, 6)}, r"mask has dtype torch\.float32; expected torch\.bool"),
        ({"mask": torch.ones(4, 5, dtype=torch.bool)}, "mask"),
        ({"mask": torch.ones(2, 4, 4, 6, dtype=torch.bool)}, "mask"),
        ({"key": normal(2, 2, 5, 3, seed=0)}, "query, key, value of shapes"),
        ({"query": normal(2, 3, 4, 3, seed=0)}, "is not divisible by"),
    ],
)
def test_bad_input_is_refused_by_name(change, said):
    query, key, value = drawn(2, 2, 2, 4, 6, seed=0)
    good = {"query": query, "key": key, "value": value, "scores": normal(2, 1, 4, 6, seed=3),
            "mask": None, "count": 2}  # fmt: skip
    attend = unwrap(attend_selected)  # as without the tests' checks of shapes
    attend(**good)
    with pytest.raises(ValueError, match=said):
        attend(**good | change)
