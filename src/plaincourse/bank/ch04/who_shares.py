"""Exercise 04.who_shares: find out which query heads use which key head."""

import torch
from torch import Generator, Tensor

from plaincourse.bank.ch04 import boxes
from plaincourse.bank.ch04.boxes import Box
from plaincourse.bank.ch04.mistakes.who_shares import MISCONCEPTIONS
from plaincourse.bank.draws import normal
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def shown(g: Generator, *candidates: Box, q: int = 2, k: int = 3) -> list[Inputs]:
    found: list[Inputs] = []
    for box in candidates:
        h, groups = boxes.SIZES[box]
        key, value = normal(g, groups, k, 4), normal(g, groups, k, 3)
        found.append({"attention": box, "query": normal(g, h, q, 4), "key": key, "value": value})
    return found


def one_each(g: Generator) -> list[Inputs]:
    return shown(g, boxes.box_a, boxes.box_b)


def groups_of_two(g: Generator) -> list[Inputs]:
    return shown(g, boxes.box_c, boxes.box_d, boxes.box_e)


def any_groups(g: Generator) -> list[Inputs]:
    return shown(g, boxes.box_f, boxes.box_g, q=3, k=5) + shown(g, boxes.box_i, q=1, k=4)


def unused(g: Generator) -> list[Inputs]:
    """Draw a box that never uses key head 1, and one whose heads are nearly alike."""
    alike = dict(shown(g, boxes.box_j)[0])
    alike["key"] = alike["key"][:1] + 1e-3 * alike["key"]
    alike["value"] = alike["value"][:1] + 1e-3 * alike["value"]
    return [*shown(g, boxes.box_h), alike]


def whole_numbers(inputs: Inputs, answer: object) -> str | None:
    """Say that the answer is no list of one whole number for each query head."""
    h = len(inputs["query"])
    if not isinstance(answer, (list, tuple)) or not all(type(j) is int for j in answer):
        return "return a list of whole numbers"
    if len(answer) != h:
        return f"return one number for each of the {h} query heads; yours has {len(answer)}"
    return None


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
    title="Who shares with whom?",
    level="hard",
    minutes=18,
    concepts=("grouped-query-attention", "multi-query-attention", "head-specialisation"),
    reference=who_shares,
    rungs=(
        Rung(name="two heads, two key heads", points=1.0, draw=one_each, law=whole_numbers),
        Rung(name="four heads in two groups", points=1.0, draw=groups_of_two, law=whole_numbers),
        Rung(name="groups of any size and order", points=1.5, draw=any_groups, law=whole_numbers),
        Rung(
            name="an unused key head, and key heads that are nearly alike",
            points=1.5,
            draw=unused,
            law=whole_numbers,
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
        "What change to one head's keys or values is sure to show in the output of whoever uses "
        "it? Remember what softmax ignores.",
    ),
    equivalents={
        "who_shares: line 2: key becomes value in len(key)": (
            "there are as many value heads as key heads"
        ),
        "who_shares: line 2: value becomes query in value.dtype": (
            "all three tensors have one dtype"
        ),
        "who_shares: line 2: value becomes key in value.dtype": (
            "all three tensors have one dtype"
        ),
        "who_shares: line 2: value becomes key in "
        "torch.arange(len(key), …  None, None].expand_as(…)": (
            "labels may be of any width: an output is as wide as what it averages"
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
