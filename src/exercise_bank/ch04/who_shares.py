"""Exercise 04.who_shares: find out which query heads use which key head."""

import torch
from torch import Generator, Tensor

from exercise_bank.ch04.boxes import Box, box
from exercise_bank.ch04.mistakes.who_shares import MISCONCEPTIONS
from exercise_bank.draws import in_float64, single
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def shown(
    g: Generator, owner: list[int], groups: int, *, q: int = 2, k: int = 3, **how: bool
) -> Inputs:
    return {
        "attention": box(owner, groups, **how),
        "query": single(g, len(owner), q, 4),
        "key": single(g, groups, k, 4),
        "value": single(g, groups, k, 3),
    }


def some_owners(g: Generator, h: int, groups: int) -> list[int]:
    """Draw the owner of each query head: all key heads are used, in no regular order."""
    rules = [[r * groups // h for r in range(h)], [r % groups for r in range(h)]]
    while True:
        owner = torch.randint(groups, (h,), generator=g).tolist()
        if len(set(owner)) == groups and owner not in rules:
            return owner


def two_heads(g: Generator) -> list[Inputs]:
    return [shown(g, [0, 1], 2), shown(g, [1, 0], 2, scaled=False)]


def groups_of_two(g: Generator) -> list[Inputs]:
    return [
        shown(g, [1, 0, 0, 1], 2),
        shown(g, [1, 0, 1], 2, scaled=False),
        shown(g, some_owners(g, 4, 2), 2, q=1),
        shown(g, some_owners(g, 5, 2), 2, k=1),
    ]


def any_groups(g: Generator) -> list[Inputs]:
    return [
        shown(g, [2, 0, 1, 1, 2, 0], 3, q=3, k=5),
        shown(g, some_owners(g, 5, 3), 3, q=1, k=4),
        shown(g, some_owners(g, 7, 4), 4, q=5, k=1, scaled=False),
        shown(g, some_owners(g, 9, 5), 5),
        misleading(g),
    ]


def misleading(g: Generator) -> Inputs:
    """Draw an unscaled box for which the formula with √d is nearest for a wrong key head."""
    while True:
        inputs = shown(g, some_owners(g, 6, 3), 3, q=1, k=12, scaled=False)
        query, key, value = (inputs[name] for name in ("query", "key", "value"))
        by_formula = torch.softmax(query[:, None] @ key.mT / 2, dim=-1) @ value
        apart = by_formula - inputs["attention"](query, key, value)[:, None]
        if apart.abs().amax(dim=(2, 3)).argmin(dim=1).tolist() != who_shares(**inputs):
            return inputs


def one_key_takes_all(g: Generator) -> Inputs:
    """Draw scores so far apart that for each query one key has nearly all the weight."""
    inputs = shown(g, some_owners(g, 5, 3), 3, q=1, k=6, scaled=False)
    return {**inputs, "query": 20 * inputs["query"]}


def without(g: Generator, h: int, groups: int, *missing: int) -> list[int]:
    """Draw the owner of each query head: all key heads are used but the missing ones."""
    used = [j for j in range(groups) if j not in missing]
    while True:
        owner = [used[i] for i in torch.randint(len(used), (h,), generator=g)]
        if len(set(owner)) == len(used):
            return owner


def unused(g: Generator) -> list[Inputs]:
    """Draw boxes with an unused key head: the first, the last, and one between."""
    only = int(torch.randint(4, (), generator=g))
    return [
        shown(g, without(g, 3, 3, 1), 3),
        shown(g, without(g, 4, 3, 0), 3, q=1),
        shown(g, without(g, 5, 3, 2), 3, scaled=False),
        shown(g, [only] * 3, 4, k=5),
    ]


def nearly_alike(g: Generator) -> list[Inputs]:
    """Draw key heads that differ by a thousandth, a box with a matrix, and sharp weights."""
    found: list[Inputs] = []
    for names in (("key", "value"), ("value",), ("key",)):
        inputs = shown(g, some_owners(g, 4, 3), 3, scaled="key" in names)
        near = {name: inputs[name][:1] + 1e-3 * inputs[name] for name in names}
        found.append({**inputs, **near})
    picked = shown(g, some_owners(g, 4, 3), 3, picks=True)
    return [*found, in_float64(found[0]), picked, one_key_takes_all(g)]


def whole_numbers(inputs: Inputs, answer: object) -> str | None:
    """Report an answer that is not a list of one whole number for each query head."""
    if not isinstance(answer, (list, tuple)) or not all(type(j) is int for j in answer):
        of = sorted({type(j).__name__ for j in listed(answer)})
        return f"return a list of whole numbers; yours is a {type(answer).__name__} of {of}"
    return off(who_shares(**inputs), listed(answer))


def right_numbers(inputs: Inputs, answer: object) -> str | None:
    """Report a query head with a wrong number, of any type, counted from 0 or 1."""
    right, yours = who_shares(**inputs), listed(answer)
    return None if yours == [j + 1 for j in right] else off(right, yours)


def off(right: list[int], yours: list[object]) -> str | None:
    """Report a query head whose number is wrong."""
    if len(yours) != len(right):
        return f"return one number for each of the {len(right)} query heads; yours has {len(yours)}"
    for r, (wanted, said) in enumerate(zip(right, yours, strict=True)):
        if wanted != said:
            return f"query head {r} uses key head {wanted}; you return {said}{cut(right, yours)}"
    return None


def cut(right: list[int], yours: list[object]) -> str:
    """Explain truncation by int, if some numbers are one too small and the others right."""
    pairs = list(zip(right, yours, strict=True))
    below = [said == wanted - 1 for wanted, said in pairs]
    one_off = any(below) and all(low or w == s for low, (w, s) in zip(below, pairs, strict=True))
    if not one_off:
        return ""
    return ". If you use int on averages: it makes 0 of 0.9999999, and round makes 1"


def same_groups(inputs: Inputs, answer: object) -> str | None:
    """Report two query heads that are wrongly given the same or different numbers."""
    right, yours = who_shares(**inputs), listed(answer)
    if len(yours) != len(right):
        return f"return one number for each of the {len(right)} query heads; yours has {len(yours)}"
    for s in range(len(right)):
        for r in range(s):
            if (right[r] == right[s]) != (yours[r] == yours[s]):
                share = "share a key head" if right[r] == right[s] else "use different key heads"
                said = f"query heads {r} and {s} {share}; you return {yours[r]} and {yours[s]}"
                return said + cut(right, yours)
    return None


def listed(answer: object) -> list[object]:
    if isinstance(answer, Tensor) and answer.ndim == 1:
        return list(answer.tolist())
    return list(answer) if isinstance(answer, (list, tuple)) else []


def who_shares(attention: Box, query: Tensor, key: Tensor, value: Tensor) -> list[int]:
    labels = torch.arange(len(key), dtype=value.dtype)[:, None, None].expand_as(value)
    return [round(label) for label in attention(query, key, labels)[:, 0, 0].tolist()]


def one_change_at_a_time(attention: Box, query: Tensor, key: Tensor, value: Tensor) -> list[int]:
    before = attention(query, key, value)
    found = [0] * len(query)
    for j in range(len(key)):
        other = value.clone()
        other[j] += 1
        after = attention(query, key, other)
        for r in range(len(query)):
            if not torch.allclose(after[r], before[r]):
                found[r] = j
    return found


def by_zeroing(attention: Box, query: Tensor, key: Tensor, value: Tensor) -> list[int]:
    found = []
    for r in range(len(query)):
        for j in range(len(key)):
            only = torch.zeros_like(value)
            only[j] = 1.0
            if attention(query, key, only)[r].sum() > 0.5:
                found.append(j)
                break
    return found


def by_gradients(attention: Box, query: Tensor, key: Tensor, value: Tensor) -> list[int]:
    value = value.clone().requires_grad_()
    out = attention(query, key, value)
    found = []
    for r in range(len(query)):
        (slope,) = torch.autograd.grad(out[r].sum(), value, retain_graph=True)
        found.append(int(slope.abs().sum(dim=(1, 2)).argmax()))
    return found


TASK = Exercise(
    id="04.who_shares",
    title="Who shares with whom",
    level="hard",
    minutes=18,
    concepts=("grouped-query-attention", "multi-query-attention", "head-specialisation"),
    reference=who_shares,
    rungs=(
        Rung(
            name="two key heads: which query heads share one; the numbers do not matter",
            points=1.75,
            idea="the effect of one change",
            draw=groups_of_two,
            law=same_groups,
            compare=False,
        ),
        Rung(
            name="two heads, two key heads: a list of whole numbers, counted from 0",
            points=0.75,
            draw=two_heads,
            law=whole_numbers,
            compare=False,
        ),
        Rung(
            name="groups of any size and order",
            points=1.25,
            idea="which key head is used",
            draw=any_groups,
            law=right_numbers,
            compare=False,
        ),
        Rung(
            name="a key head without a user",
            points=0.75,
            idea="which key head is used",
            draw=unused,
            law=right_numbers,
            compare=False,
        ),
        Rung(
            name="key heads nearly alike, or picked by a matrix of 0 and 1; keys with no weight",
            points=0.5,
            draw=nearly_alike,
            law=right_numbers,
            compare=False,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="one head's values alone", answer=by_zeroing),
        Alternative(name="gradients", answer=by_gradients),
        Alternative(name="one change at a time", answer=one_change_at_a_time),
    ),
    hints=(
        "You may call the box as often as you like, with tensors of your own making.",
        "If you change something of key head 2 only, whose outputs may move?",
        "What change to one head's keys or values is sure to show in the output of its users? "
        "Remember what softmax ignores.",
    ),
    equivalents={
        "who_shares: line 2: key becomes value in len(key)": (
            "keys and values have the same number of heads"
        ),
        "who_shares: line 2: value becomes query in value.dtype": (
            "all three tensors have one dtype"
        ),
        "who_shares: line 2: value becomes key in value.dtype": (
            "all three tensors have one dtype"
        ),
        "who_shares: line 2: dtype=value.dtype dropped in "
        "torch.arange(len(key), dtype=value.dtype)": "the boxes take whole numbers for labels",
        "who_shares: line 2: value becomes key in "
        "torch.arange(len(key), …  None, None].expand_as(…)": (
            "labels may be of any width: an output is as wide as its labels"
        ),
        "who_shares: line 3: 0 becomes -1 in (:, 0, 0)": (
            "an average of equal labels is that label, for every query and component"
        ),
        "who_shares: line 3: 0 becomes -1 in (:, 0, 0) (2)": (
            "an average of equal labels is that label, for every query and component"
        ),
        "who_shares: line 3: 0 becomes 1 in (:, 0, 0) (2)": (
            "an average of equal labels is that label, for every query and component"
        ),
    },
)
