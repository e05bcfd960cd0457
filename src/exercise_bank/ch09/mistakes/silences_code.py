"""Tests of ablations that miss some faults, or find faults in sound ones."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

Ablation = Callable[[Tensor, int], Tensor]
Silences = Callable[[Ablation, Tensor, int], bool]


def _others(outputs: Tensor, head: int) -> list[int]:
    return [h for h in range(outputs.shape[1]) if h != head]


def always_true(ablate: Ablation, outputs: Tensor, head: int) -> bool:
    return True


def must_be_zero(ablate: Ablation, outputs: Tensor, head: int) -> bool:
    given = outputs.clone()
    after, rest = ablate(given, head), _others(outputs, head)
    silent = bool((after[:, head] == 0).all())
    return silent and torch.equal(given, outputs) and torch.equal(after[:, rest], outputs[:, rest])


def the_head_alone(ablate: Ablation, outputs: Tensor, head: int) -> bool:
    given = outputs.clone()
    after = ablate(given, head)
    return torch.equal(given, outputs) and torch.allclose(after[:, head], after[0, head, 0])


def the_others_alone(ablate: Ablation, outputs: Tensor, head: int) -> bool:
    given = outputs.clone()
    after, rest = ablate(given, head), _others(outputs, head)
    return torch.equal(given, outputs) and torch.equal(after[:, rest], outputs[:, rest])


def no_clone(ablate: Ablation, outputs: Tensor, head: int) -> bool:
    after = ablate(outputs.clone(), head)
    rest = _others(outputs, head)
    silent = torch.allclose(after[:, head], after[0, head, 0])
    return silent and torch.equal(after[:, rest], outputs[:, rest])


def within_sequences(ablate: Ablation, outputs: Tensor, head: int) -> bool:
    given = outputs.clone()
    after, rest = ablate(given, head), _others(outputs, head)
    silent = torch.allclose(after[:, head], after[:, head, :1])
    return silent and torch.equal(given, outputs) and torch.equal(after[:, rest], outputs[:, rest])


def across_sequences(ablate: Ablation, outputs: Tensor, head: int) -> bool:
    given = outputs.clone()
    after, rest = ablate(given, head), _others(outputs, head)
    silent = torch.allclose(after[:, head], after[:1, head])
    return silent and torch.equal(given, outputs) and torch.equal(after[:, rest], outputs[:, rest])


def has_changed(ablate: Ablation, outputs: Tensor, head: int) -> bool:
    given = outputs.clone()
    after, rest = ablate(given, head), _others(outputs, head)
    moved = not torch.equal(after[:, head], outputs[:, head])
    return moved and torch.equal(given, outputs) and torch.equal(after[:, rest], outputs[:, rest])


def nearly_silent(ablate: Ablation, outputs: Tensor, head: int) -> bool:
    given = outputs.clone()
    after, rest = ablate(given, head), _others(outputs, head)
    silent = torch.allclose(after[:, head], after[0, head, 0], atol=0.2)
    return silent and torch.equal(given, outputs) and torch.equal(after[:, rest], outputs[:, rest])


def differs_from_before(ablate: Ablation, outputs: Tensor, head: int) -> bool:
    given = outputs.clone()
    after, rest = ablate(given, head), _others(outputs, head)
    moved = bool((after[:, head] != outputs[:, head]).all())
    return moved and torch.equal(given, outputs) and torch.equal(after[:, rest], outputs[:, rest])


def one_number(ablate: Ablation, outputs: Tensor, head: int) -> bool:
    given = outputs.clone()
    after, rest = ablate(given, head), _others(outputs, head)
    silent = torch.allclose(after[:, head], after[0, head, 0, 0])
    return silent and torch.equal(given, outputs) and torch.equal(after[:, rest], outputs[:, rest])


def next_head(ablate: Ablation, outputs: Tensor, head: int) -> bool:
    given = outputs.clone()
    after = ablate(given, head)
    other = 0 if head else 1
    silent = torch.allclose(after[:, head], after[0, head, 0])
    kept = torch.equal(after[:, other], outputs[:, other])
    return silent and kept and torch.equal(given, outputs)


def roughly_others(ablate: Ablation, outputs: Tensor, head: int) -> bool:
    given = outputs.clone()
    after, rest = ablate(given, head), _others(outputs, head)
    silent = torch.allclose(after[:, head], after[0, head, 0])
    kept = torch.allclose(after[:, rest], outputs[:, rest], rtol=1e-3)
    return silent and kept and torch.equal(given, outputs)


def by_the_spread(ablate: Ablation, outputs: Tensor, head: int) -> bool:
    given = outputs.clone()
    after, rest = ablate(given, head), _others(outputs, head)
    silent = bool(after[:, head].std(dim=1).max() < 1e-6) and bool(
        after[:, head].std(dim=0).max() < 1e-6
    )
    return silent and torch.equal(given, outputs) and torch.equal(after[:, rest], outputs[:, rest])


def compared(
    ablate: Ablation,
    outputs: Tensor,
    head: int,
    *,
    silent: str = "one vector",
    others: str = "all",
    given: bool = True,
    own: bool = False,
) -> bool:
    """Check the given outputs, the remainder of the head and the other heads, each in some way."""
    handed = outputs if own else outputs.clone()
    outputs = outputs.clone()
    after, rest = ablate(handed, head), _others(outputs, head)
    left, kept, before = after[:, head], after[:, rest], outputs[:, rest]
    heads = {
        "one vector": lambda: torch.allclose(left, left[0, 0]),
        "within": lambda: torch.allclose(left, left[:, :1]),
        "across": lambda: torch.allclose(left, left[:1]),
        "zero": lambda: bool((left == 0).all()),
        "changed": lambda: not torch.equal(left, outputs[:, head]),
        "small": lambda: torch.allclose(left, left[0, 0], atol=0.2),
        "to the last bit": lambda: bool((left == left[0, 0]).all()),
        "to a thousandth": lambda: torch.allclose(left, left[0, 0], atol=1e-3),
    }
    stay = {
        "all": lambda: torch.equal(kept, before),
        "sum": lambda: torch.allclose(kept.sum(dim=1), before.sum(dim=1), rtol=1e-6, atol=0.0),
        "roughly": lambda: torch.allclose(kept, before, rtol=1e-3),
        "allclose": lambda: torch.allclose(kept, before),
        "none": lambda: True,
    }
    return heads[silent]() and stay[others]() and (not given or torch.equal(handed, outputs))


def way(
    silent: str = "one vector", others: str = "all", *, given: bool = True, own: bool = False
) -> Silences:
    return partial(compared, silent=silent, others=others, given=given, own=own)
