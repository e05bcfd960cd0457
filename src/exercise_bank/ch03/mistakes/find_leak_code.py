"""Tests for leaks that miss some, or report a leak in a causal attention."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]


def moved(before: Tensor, after: Tensor, atol: float = 1e-10) -> bool:
    return not torch.allclose(before, after, rtol=0, atol=atol)


def changed(x: Tensor, where: slice, by: float) -> Tensor:
    other = x.clone()
    other[where] = by - 2 * other[where]
    return other


def values_only(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    before = attention(query, key, value)
    for t in range(len(query) - 1):
        after = attention(query, key, changed(value, slice(t + 1, None), 5.0))
        if moved(before[: t + 1], after[: t + 1]):
            return True
    return False


def to_the_last_digit(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    before = attention(query, key, value)
    for t in range(len(query) - 1):
        rest = slice(t + 1, None)
        after = attention(query, changed(key, rest, 3.0), changed(value, rest, 5.0))
        if not torch.equal(before[: t + 1], after[: t + 1]):
            return True
    return False


def own_output_left_out(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    before = attention(query, key, value)
    for t in range(len(query) - 1):
        rest = slice(t + 1, None)
        after = attention(query, changed(key, rest, 3.0), changed(value, rest, 5.0))
        if moved(before[:t], after[:t]):
            return True
    return False


def keys_only(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    before = attention(query, key, value)
    for t in range(len(query) - 1):
        after = attention(query, changed(key, slice(t + 1, None), 3.0), value)
        if moved(before[: t + 1], after[: t + 1]):
            return True
    return False


def all_outputs(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    before = attention(query, key, value)
    for t in range(len(query) - 1):
        rest = slice(t + 1, None)
        after = attention(query, changed(key, rest, 3.0), changed(value, rest, -5.0))
        if moved(before, after):
            return True
    return False


def last_token_only(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    last = slice(-1, None)
    before = attention(query, key, value)
    after = attention(query, changed(key, last, 3.0), changed(value, last, -5.0))
    return moved(before[:-1], after[:-1])


def first_output_only(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    rest = slice(1, None)
    before = attention(query, key, value)
    after = attention(query, changed(key, rest, 3.0), changed(value, rest, -5.0))
    return moved(before[:1], after[:1])


def first_output_by_gradients(
    attention: Attention, query: Tensor, key: Tensor, value: Tensor
) -> bool:
    key, value = key.clone().requires_grad_(), value.clone().requires_grad_()
    output = attention(query, key, value)
    if not output.requires_grad:
        return False
    slopes = torch.autograd.grad(output[0].sum(), [key, value], allow_unused=True)
    return any(slope is not None and bool(slope[1:].abs().sum() > 1e-9) for slope in slopes)


def last_output_only(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    before = attention(query, key, value)
    for t in range(len(query) - 1):
        past = slice(0, t + 1)
        after = attention(query, changed(key, past, 3.0), changed(value, past, -5.0))
        if moved(before[-1:], after[-1:]):
            return True
    return False


def too_lenient(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    return lenient(attention, query, key, value, atol=0.5)


def lenient(
    attention: Attention, query: Tensor, key: Tensor, value: Tensor, *, atol: float
) -> bool:
    before = attention(query, key, value)
    for t in range(len(query) - 1):
        rest = slice(t + 1, None)
        after = attention(query, changed(key, rest, 3.0), changed(value, rest, -5.0))
        if moved(before[: t + 1], after[: t + 1], atol=atol):
            return True
    return False


def a_little_lenient(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    return lenient(attention, query, key, value, atol=0.1)


def less_lenient(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    return lenient(attention, query, key, value, atol=0.01)


def turned_round(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    before = attention(query, key, value)
    for t in range(len(query) - 1):
        rest = slice(t + 1, None)
        after = attention(query, changed(key, rest, 3.0), changed(value, rest, -5.0))
        if moved(before[: t + 1], after[: t + 1]):
            return False
    return True


def own_position_too(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    before = attention(query, key, value)
    for t in range(len(query)):
        rest = slice(t, None)
        after = attention(query, changed(key, rest, 3.0), changed(value, rest, -5.0))
        if moved(before[: t + 1], after[: t + 1]):
            return True
    return False


def always_true(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    return True


def next_token_only(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    before = attention(query, key, value)
    for t in range(len(query) - 1):
        following = slice(t + 1, t + 2)
        after = attention(query, changed(key, following, 3.0), changed(value, following, -5.0))
        if moved(before[t : t + 1], after[t : t + 1]):
            return True
    return False


def ends_only(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    before = attention(query, key, value)
    for t in (0, len(query) - 2):
        rest = slice(t + 1, None)
        after = attention(query, changed(key, rest, 3.0), changed(value, rest, -5.0))
        if moved(before[t : t + 1], after[t : t + 1]):
            return True
    return False


def constant_added(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    before = attention(query, key, value)
    for t in range(len(query) - 1):
        other_key, other_value = key.clone(), value.clone()
        other_key[t + 1 :] += 3
        other_value[t + 1 :] -= 5
        if moved(before[: t + 1], attention(query, other_key, other_value)[: t + 1]):
            return True
    return False


def only_scaled(
    attention: Attention, query: Tensor, key: Tensor, value: Tensor, factor: float = 3.0
) -> bool:
    before = attention(query, key, value)
    for t in range(len(query) - 1):
        other_key, other_value = key.clone(), value.clone()
        other_key[t + 1 :] *= factor
        other_value[t + 1 :] *= factor
        if moved(before[: t + 1], attention(query, other_key, other_value)[: t + 1]):
            return True
    return False


def queries_changed(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    before = attention(query, key, value)
    for t in range(len(query) - 1):
        after = attention(changed(query, slice(t + 1, None), 3.0), key, value)
        if moved(before[: t + 1], after[: t + 1]):
            return True
    return False


def sums_compared(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    before = attention(query, key, value)
    for t in range(len(query) - 1):
        rest = slice(t + 1, None)
        after = attention(query, changed(key, rest, 3.0), changed(value, rest, -5.0))
        if not abs((after - before)[: t + 1].sum().item()) > 1e-10:
            return False
    return True


def look_for_leak(
    attention: Attention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    places: str = "all",
    tensors: str = "both",
    how: str = "anew",
    atol: float = 1e-10,
) -> bool:
    """Change some later tokens in some way, and watch some outputs."""
    n = len(query)
    rest, up_to = [slice(t + 1, None) for t in range(n - 1)], [slice(t + 1) for t in range(n - 1)]
    half = n // 2
    pairs = {
        "all": list(zip(rest, up_to, strict=True)),
        "last": [(slice(-1, None), slice(0, -1))],
        "first": [(slice(1, None), slice(0, 1))],
        "next": [(slice(t + 1, t + 2), slice(t, t + 1)) for t in range(n - 1)],
        "ends": [(rest[0], up_to[0]), (rest[-1], up_to[-1])],
        "half": [(slice(half, None), slice(0, half))],
    }
    before = attention(query, key, value)
    for later, watched in pairs[places]:
        other_key, other_value = key.clone(), value.clone()
        if tensors != "values":
            other_key[later] = other(key[later], how, 3.0)
        if tensors != "keys":
            other_value[later] = other(value[later], how, -5.0)
        if moved(before[watched], attention(query, other_key, other_value)[watched], atol):
            return True
    return False


def other(x: Tensor, how: str, by: float) -> Tensor:
    return {"anew": by - 2 * x, "scaled": 3 * x, "shifted": x + by}[how]


def weights_read(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    weights = attention(query, key, torch.eye(len(key), dtype=value.dtype))
    return bool((weights.triu(1).abs() > 1e-10).any())


def only_reordered(
    attention: Attention, query: Tensor, key: Tensor, value: Tensor, by: int = 0
) -> bool:
    """Reverse the later tokens, or rotate them."""
    before = attention(query, key, value)
    for t in range(len(query) - 1):
        others = [x.clone() for x in (key, value)]
        for other in others:
            later = other[t + 1 :]
            other[t + 1 :] = later.roll(by, 0) if by else later.flip(0)
        if moved(before[: t + 1], attention(query, *others)[: t + 1]):
            return True
    return False


def not_a_number(
    attention: Attention, query: Tensor, key: Tensor, value: Tensor, by: float = math.nan
) -> bool:
    for t in range(len(query) - 1):
        other = value.clone()
        other[t + 1 :] = by
        if not attention(query, key, other)[: t + 1].isfinite().all():
            return True
    return False


def own_position_changed(
    attention: Attention,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    how: str = "anew",
    atol: float = 1e-10,
    tensors: str = "both",
) -> bool:
    """Change token t and all later ones, and watch the outputs up to t."""
    before = attention(query, key, value)
    for t in range(1, len(query)):
        other_key, other_value = key.clone(), value.clone()
        if tensors != "values":
            other_key[t:] = other(key[t:], how, 3.0)
        if tensors != "keys":
            other_value[t:] = other(value[t:], how, -5.0)
        if moved(before[: t + 1], attention(query, other_key, other_value)[: t + 1], atol):
            return True
    return False
