"""Exercise 03.find_leak: a test that detects an attention to later positions."""

import torch
from torch import Tensor

from exercise_bank.ch03 import attentions, line_ups
from exercise_bank.ch03.mistakes.find_leak import MISCONCEPTIONS
from exercise_bank.ch03.mistakes.find_leak_code import Attention
from exercise_bank.ch03.mistakes.find_leak_more import MORE
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def yes_or_no(inputs: Inputs, answer: object) -> str | None:
    """Report an answer that is not a truth value, or is wrong about this attention."""
    if isinstance(answer, Tensor) or not isinstance(answer, bool):
        return f"return True or False, a bool; yours is of type {type(answer).__name__}"
    if answer != find_leak(**inputs):
        verdict = "leaks" if not answer else "does not leak"
        told = attentions.told(inputs["attention"])
        return f"this attention {told}. It {verdict}; you return {answer}. {seen(**inputs)}"
    return None


def seen(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> str:
    """Report whether an output changes when all later keys and values do, and which."""
    before = attention(query, key, value)
    for t in range(len(query) - 1):
        later = torch.arange(len(key))[:, None] > t
        other = key.where(~later, 3 - 2 * key), value.where(~later, 5 - 2 * value)
        if not torch.allclose(attention(query, *other)[t], before[t], rtol=1e-9, atol=1e-12):
            return (
                f"With other keys and values after position {t}, output {t} changes. Without a "
                "leak it would stay the same, up to rounding"
            )
    return (
        "Whatever keys and values come after a position, no output up to it changes, but for the "
        "rounding of its last digits"
    )


def find_leak(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    """Change everything after position t; no output up to t may move."""
    before = attention(query, key, value)
    for t in range(len(query) - 1):
        other_key, other_value = key.clone(), value.clone()
        other_key[t + 1 :] = 3 - 2 * other_key[t + 1 :]
        other_value[t + 1 :] = 5 - 2 * other_value[t + 1 :]
        after = attention(query, other_key, other_value)
        if not torch.allclose(after[: t + 1], before[: t + 1], rtol=1e-9, atol=1e-12):
            return True
    return False


def by_prefixes(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    whole = attention(query, key, value)
    for t in range(1, len(query) + 1):
        part = attention(query[:t], key[:t], value[:t])
        if (part - whole[:t]).abs().max() > 1e-9:
            return True
    return False


def by_gradients(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    key, value = key.clone().requires_grad_(), value.clone().requires_grad_()
    output = attention(query, key, value)
    for t in range(len(query) - 1):
        row = output[t] @ torch.linspace(1, 2, output.shape[-1], dtype=output.dtype)
        if not row.requires_grad:
            continue
        grads = torch.autograd.grad(row, [key, value], retain_graph=True, allow_unused=True)
        if any(g is not None and bool((g[t + 1 :] != 0).any()) for g in grads):
            return True
    return False


def token_by_token(attention: Attention, query: Tensor, key: Tensor, value: Tensor) -> bool:
    before = attention(query, key, value)
    for j in range(1, len(key)):
        for size in (1.0, -2.0):
            other = key.clone(), value.clone()
            other[0][j], other[1][j] = size * 3, size * 7
            moved = (attention(query, *other) - before)[:j].abs()
            if moved.numel() and moved.max().item() > 1e-10:
                return True
    return False


TASK = Exercise(
    id="03.find_leak",
    title="Find the leak",
    level="hard",
    seconds=10.0,
    minutes=20,
    concepts=("mask-leakage", "debugging-checklist", "causal-mask"),
    reference=find_leak,
    rungs=(
        Rung(
            name="two tokens with a mask, and without; a sum so far, and values turned round",
            points=0.25,
            idea="only later tokens count",
            draw=line_ups.few_tokens,
            law=yes_or_no,
        ),
        Rung(
            name="a peek one position ahead",
            points=0.25,
            idea="any one position may leak",
            draw=line_ups.one_position_ahead,
            law=yes_or_no,
        ),
        Rung(
            name="a leak in one place only",
            points=1.0,
            idea="any one position may leak",
            draw=line_ups.in_one_place,
            law=yes_or_no,
        ),
        Rung(
            name="a leak through keys alone, or values alone",
            points=1.0,
            idea="keys leak, and values leak",
            draw=line_ups.through_keys_or_values_alone,
            law=yes_or_no,
        ),
        Rung(name="a small leak", points=0.5, draw=line_ups.small, law=yes_or_no),
        Rung(
            name="such leaks where inputs are normed first, or tokens are zeros",
            points=2.25,
            idea="any one position may leak",
            draw=line_ups.normed_first,
            law=yes_or_no,
        ),
        Rung(
            name="attentions that do not leak",
            points=0.75,
            idea="only later tokens count",
            draw=line_ups.innocent,
            law=yes_or_no,
        ),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
    alternatives=(
        Alternative(name="by prefixes", answer=by_prefixes),
        Alternative(name="by gradients", answer=by_gradients),
        Alternative(name="token by token", answer=token_by_token),
    ),
    hints=(
        "If output 2 may not depend on key 3, what happens to output 2 when you change key 3?",
        "There are two ways in, keys and values, and many pairs of a query and a later key. Which "
        "of them does your test try?",
        "Run the attention twice, the second time with another future after position t. Which rows "
        "of the two outputs must be equal, and to how many digits?",
    ),
    equivalents={
        **dict.fromkeys(
            (
                "find_leak: line 3: query becomes key in len(query)",
                "find_leak: line 3: query becomes value in len(query)",
            ),
            "all three have n positions",
        ),
        **dict.fromkeys(
            (
                "find_leak: line 3: - 1 becomes + 1",
                "find_leak: line 3: - 1 dropped",
                "find_leak: line 3: 1 becomes 0 in len(query) - 1",
            ),
            "behind the last position there is nothing to change, so a further round finds nothing",
        ),
        **dict.fromkeys(
            (
                "find_leak: line 5: - 2 * other_key[t + 1:] becomes + 2 * other_key[t + 1:]",
                "find_leak: line 5: - 2 * other_key[t + 1:] dropped",
                "find_leak: line 5: 3 - dropped",
                "find_leak: line 5: - 2 * other_key[t + 1:] has its sides swapped",
                "find_leak: line 5: 3 becomes 2 in 3 - 2 * other_key[t + 1:]",
                "find_leak: line 5: 3 becomes 4 in 3 - 2 * other_key[t + 1:]",
                "find_leak: line 5: * other_key[t + 1:] becomes / other_key[t + 1:]",
                "find_leak: line 5: * other_key[t + 1:] dropped",
                "find_leak: line 5: 2 * dropped",
                "find_leak: line 5: 2 becomes 1 in 2 * other_key[t + 1:]",
                "find_leak: line 5: 2 becomes 3 in 2 * other_key[t + 1:]",
                "find_leak: line 6: - 2 * other_value[t + 1:] becomes + 2 * other_value[t + 1:]",
                "find_leak: line 6: - 2 * other_value[t + 1:] dropped",
                "find_leak: line 6: - 2 * other_value[t + 1:] has its sides swapped",
                "find_leak: line 6: 5 becomes 4 in 5 - 2 * other_value[t + 1:]",
                "find_leak: line 6: 5 becomes 6 in 5 - 2 * other_value[t + 1:]",
                "find_leak: line 6: * other_value[t + 1:] dropped",
                "find_leak: line 6: 2 * dropped",
                "find_leak: line 6: 2 becomes 1 in 2 * other_value[t + 1:]",
                "find_leak: line 6: 2 becomes 3 in 2 * other_value[t + 1:]",
                "find_leak: line 6: other_value becomes before in other_value[t + 1:] (2)",
            ),
            "how later tokens are changed does not matter, as long as no norm takes it back",
        ),
        "find_leak: line 8: after[:t + 1] and before[:t + 1] swapped in torch.allclose(…)": (
            "a difference has no direction"
        ),
        **dict.fromkeys(
            (
                "find_leak: line 8: rtol=1e-09 dropped in torch.allclose(…)",
                "find_leak: line 8: atol=1e-12 dropped in torch.allclose(…)",
            ),
            "the smallest leak shown lies far above PyTorch's default tolerances",
        ),
        **dict.fromkeys(
            (
                "find_leak: line 8: 1e-09 becomes 0.0 in rtol=1e-09",
                "find_leak: line 8: 1e-12 becomes 0.0 in atol=1e-12",
            ),
            "the output of an honest attention does not move at all",
        ),
    },
)
