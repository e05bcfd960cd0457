"""Linear attention and the gated delta rule: by the equation, in steps, in chunks and at once."""

from functools import partial
from inspect import unwrap

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from plainformer.linear_attention import chunked, parallel, recurrent, step
from tests.plainformer.tensors import SEEDS, coins, normal

FORMS = {"recurrent": recurrent, "parallel": parallel, "chunks of 3": partial(chunked, chunk=3)}


def drawn(b, h, n, *, seed, d=3, e=2):
    """Draw queries, keys of norm 1, values, gates and an initial state."""
    beta = 2 * normal(b, h, n, seed=seed + 3).sigmoid()
    alpha = normal(b, h, n, seed=seed + 4).sigmoid()
    return [
        normal(b, h, n, d, seed=seed),
        F.normalize(normal(b, h, n, d, seed=seed + 1), dim=-1),
        normal(b, h, n, e, seed=seed + 2),
        beta,
        alpha,
        normal(b, h, e, d, seed=seed + 5),
    ]


def by_the_equation(query, key, value, beta, alpha, state, *, delta, mask=None):
    """Multiply each state by its whole matrix, one sequence, head and position at a time."""
    b, h, n, d = query.shape
    outputs, states = [], []
    for i in range(b):
        for j in range(h):
            S = state[i, j]
            for t in range(n):
                k, v = key[i, j, t], value[i, j, t]
                if mask is None or mask[i, j, t]:
                    erase = torch.outer(k, k) if delta else torch.zeros(d, d, dtype=k.dtype)
                    keep = torch.eye(d, dtype=k.dtype) - beta[i, j, t] * erase
                    S = alpha[i, j, t] * (S @ keep) + beta[i, j, t] * torch.outer(v, k)
                outputs.append(S @ query[i, j, t])
            states.append(S)
    return torch.stack(outputs).reshape(value.shape), torch.stack(states).reshape(state.shape)


def same(mine, theirs):
    for x, y in zip(mine, theirs, strict=True):
        torch.testing.assert_close(x, y, rtol=1e-9, atol=1e-11)


@settings(max_examples=60)
@given(
    seed=SEEDS,
    sizes=st.tuples(st.integers(1, 2), st.integers(1, 2), st.integers(1, 9)),
    widths=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    chunk=st.integers(1, 11),
    delta=st.booleans(),
    padded=st.booleans(),
)
def test_all_forms_and_their_gradients_are_those_of_the_equation(
    seed, sizes, widths, chunk, delta, padded
):
    inputs = [x.requires_grad_() for x in drawn(*sizes, seed=seed % 1000, d=widths[0], e=widths[1])]
    mask = coins(*sizes, seed=seed) if padded else None
    right = by_the_equation(*inputs, delta=delta, mask=mask)
    above = [normal(*x.shape, seed=seed % 1000 + i) for i, x in enumerate(right)]
    slopes = torch.autograd.grad(right, inputs, above, allow_unused=True, materialize_grads=True)
    for form in (recurrent, parallel, partial(chunked, chunk=chunk)):
        found = form(*inputs[:5], state=inputs[5], mask=mask, delta=delta)
        same(found, right)
        same(torch.autograd.grad(found, inputs, above), slopes)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("delta", [True, False])
def test_gradients_are_those_of_finite_differences(form, delta):
    inputs = [x.requires_grad_() for x in drawn(1, 2, 5, seed=3)]
    assert torch.autograd.gradcheck(lambda *x: form(*x[:5], state=x[5], delta=delta), inputs)


@pytest.mark.parametrize("delta", [True, False])
def test_steps_with_their_state_equal_the_whole_and_continue_it(delta):
    *inputs, state = drawn(2, 3, 7, seed=1)
    whole = parallel(*inputs, state=state, delta=delta)
    _, state = chunked(*(x[:, :, :4] for x in inputs), state=state, delta=delta, chunk=3)
    for t in range(4, 7):
        output, state = step(*(x[:, :, t] for x in inputs), state=state, delta=delta)
        same([output], [whole[0][:, :, t]])
    same([state], [whole[1]])


def test_left_out_gates_are_ones_and_a_left_out_state_zeros():
    query, key, value, beta, alpha, state = drawn(2, 1, 5, seed=2)
    for form in FORMS.values():
        gates = torch.ones_like(beta), torch.ones_like(alpha)
        same(form(query, key, value),
             form(query, key, value, *gates, state=torch.zeros_like(state)))  # fmt: skip


def test_linear_attention_is_causal_attention_with_products_for_weights():
    query, key, value, *_ = drawn(2, 2, 6, seed=4)
    right = (query @ key.mT).tril() @ value
    for form in FORMS.values():
        same([form(query, key, value, delta=False)[0]], [right])


def test_orthogonal_keys_have_nothing_to_overwrite():
    """The two differ only by the delta term, which is zero if keys do not overlap earlier ones."""
    _, _, value, beta, _, _ = drawn(1, 1, 4, seed=5)
    query = key = torch.eye(4, dtype=torch.float64)[None, None]
    for form in FORMS.values():
        same(form(query, key, value, beta), form(query, key, value, beta, delta=False))


def test_a_key_written_again_holds_the_new_value_alone():
    _, key, value, *_ = drawn(1, 1, 2, seed=6)
    key = key[:, :, :1].expand(-1, -1, 2, -1)
    for form in FORMS.values():
        same([form(key, key, value)[0][:, :, 1]], [value[:, :, 1]])
        same([form(key, key, value, delta=False)[0][:, :, 1]], [value.sum(dim=2)])


def test_padding_may_hold_anything_and_changes_nothing():
    *inputs, state = drawn(1, 2, 6, seed=7)
    mask = torch.tensor([False, True, True, False, True, False]).expand(1, 2, 6)
    seen = [x[:, :, mask[0, 0]] for x in inputs]
    spoilt = [inputs[0]] + [
        x.masked_fill(~mask.reshape(*mask.shape, *[1] * (x.ndim - 3)), torch.nan)
        for x in inputs[1:]
    ]
    for form in FORMS.values():
        right, last = form(*seen, state=state)
        found, end = form(*spoilt, state=state, mask=mask)
        same([found[:, :, mask[0, 0]], end], [right, last])


def test_gates_so_small_that_their_product_vanishes_give_finite_gradients():
    query, key, value, beta, alpha, _ = drawn(1, 1, 6, seed=8)
    inputs = [x.float().requires_grad_() for x in (query, key, value, beta, 1e-30 * alpha)]
    for form in FORMS.values():
        output = form(*inputs)[0]
        grads = torch.autograd.grad(output.sum(), inputs)
        assert output.isfinite().all()
        assert all(x.isfinite().all() for x in grads)
        torch.testing.assert_close(output, recurrent(*inputs)[0])


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_is_computed_in_float32(dtype):
    inputs = [x.to(dtype) for x in drawn(1, 2, 9, seed=9)[:5]]
    right, last = recurrent(*(x.float() for x in inputs))
    for form in FORMS.values():
        output, state = form(*inputs)
        assert output.dtype == dtype
        assert state.dtype == torch.float32
        torch.testing.assert_close(output, right.to(dtype))
        torch.testing.assert_close(state, last)


def test_no_position_is_an_empty_output_and_the_same_state():
    *inputs, state = drawn(2, 1, 0, seed=0)
    for form in FORMS.values():
        output, after = form(*inputs, state=state)
        assert output.shape == (2, 1, 0, 2)
        assert torch.equal(after, state)


@pytest.mark.parametrize("form", [recurrent, parallel, chunked])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"key": normal(2, 1, 5, 3, seed=0)}, r"query, key, value of shapes \(2, 1, 4, 3\)"),
        ({"value": normal(2, 4, 2, seed=0)}, "query, key, value of shapes"),
        ({"beta": torch.ones(2, 1, 4, 1)}, r"beta of shape \(2, 1, 4, 1\): expected .*\(2, 1, 4\)"),
        ({"alpha": torch.ones(4)}, r"alpha of shape \(4,\)"),
        ({"alpha": 0.9}, "alpha of float: expected a tensor"),
        ({"state": torch.ones(2, 1, 3, 2)}, r"state of shape .*: expected .*\(2, 1, 2, 3\)"),
        ({"beta": torch.full((2, 1, 4), -0.1)}, "beta: expected numbers from 0 to 2"),
        ({"beta": torch.full((2, 1, 4), 2.1)}, "beta: expected numbers from 0 to 2"),
        ({"beta": torch.full((2, 1, 4), torch.nan)}, "beta: expected numbers from 0 to 2"),
        ({"alpha": torch.zeros(2, 1, 4)}, "alpha: expected numbers above 0 and at most 1"),
        ({"alpha": torch.full((2, 1, 4), 1.1)}, "alpha: expected numbers above 0 and at most 1"),
        ({"value": torch.ones(2, 1, 4, 2, dtype=torch.int64)}, "value has dtype torch.int64"),
        ({"beta": torch.ones(2, 1, 4, dtype=torch.bool)}, "beta has dtype torch.bool"),
        ({"mask": torch.ones(4, 4, dtype=torch.bool)}, r"mask of shape \(4, 4\): expected"),
        ({"mask": torch.ones(2, 1, 4)}, "mask has dtype torch.float32; expected torch.bool"),
        ({"mask": "causal"}, "mask of str: expected a tensor"),
    ],
)  # fmt: skip
def test_bad_input_is_refused_by_name(form, change, said):
    names = ("query", "key", "value", "beta", "alpha", "state")
    good = dict(zip(names, drawn(2, 1, 4, seed=0), strict=True))
    bare = unwrap(form)  # as without the tests' checks of shapes
    bare(**good)
    with pytest.raises(ValueError, match=said):
        bare(**good | change)


@pytest.mark.parametrize("chunk", [0, -1, 1.5])
def test_a_chunk_is_a_whole_number_from_one(chunk):
    with pytest.raises(ValueError, match="chunk="):
        unwrap(chunked)(*drawn(1, 1, 4, seed=0)[:5], chunk=chunk)
