"""All closed boxes of a task respond in the same way to unusual arguments."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from plaincourse.checking.drawing import generator
from plaincourse.exercise import Exercise
from tests.exercises.test_graders import TASKS

Z, ONE = torch.zeros, torch.ones
X, SHARES = ONE(4, 2), torch.full((2, 2), 0.5)
#: Good arguments for the boxes of each task.
GOOD: dict[str, tuple[Any, ...]] = {
    "01.name_the_score": (ONE(2, 4), ONE(3, 4)),
    "02.name_the_mistake": (ONE(2, 4), ONE(3, 4), ONE(3, 6)),
    "05.name_the_bug": (ONE(2, 4), ONE(3, 4), ONE(3, 6), torch.arange(2), torch.arange(3)),
    "08.find_fault": (Z(2), ONE(3, 2), ONE(3), 1.0),
    "09.backup": ([0, 1],),
    "11.find_fault": (X.mT, X, 2),
    "12.fix_forward": (X, X, X, True, 2, 2),
    "13.find_fault": (X, X, X, [2, 2], None),
    "14.find_fault": (SHARES, SHARES[:1], 5),
    "15.find_fault": (0, ONE(4, 8), ONE(4, 8), [2, 2]),
    "15.needle": (["The word of Tom is cat."], "What is the word of Tom?"),
    "16.find_fault": ([(0, [7, 8], 2)], 9),
}
OTHERS: list[Any] = [
    None, 1, -1, 10**30, 0.5, -2.0, torch.nan, "x", True, [], [1, 2], [[1.0]], {}, 2j, object,
    Z(()), Z(0), Z(3), Z(0, 4), Z(1, 0), Z(7, 5), Z(2, 3, 4), Z(2, 3, 4, 2, 2),
    *(ONE(2, 4).to(kind) for kind in (torch.int64, torch.uint8, torch.bool, torch.float16,
      torch.bfloat16, torch.float64, torch.complex64, torch.float8_e4m3fn)),
    ONE(2, 4) * torch.nan, ONE(2, 4) * torch.inf, 1e30 * ONE(2, 4), ONE(2, 4).to_sparse(),
    ONE(2, 4, device="meta"), ONE(4, 2).mT, ONE(1, 1).expand(2, 4), ONE(2, 4).numpy(),
    ONE(2, 4).requires_grad_(), torch.nn.Parameter(ONE(2, 4)), [(0, [1], 50)], [(900, [1], 1)],
]  # fmt: skip


def boxes(task: Exercise) -> Iterator[tuple[Callable[..., Any], tuple[Any, ...]]]:
    """Yield the boxes of a task, each with good arguments."""
    for number, rung in enumerate(task.rungs):
        for inputs in rung.draw(generator(3, number)):
            (box,) = (x for x in inputs.values() if callable(x))
            rest = tuple(x for x in inputs.values() if not callable(x))
            yield box, GOOD.get(task.id, rest)


def odd_calls(good: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield bad arguments: too few, too many, reordered, all the same, or one of them replaced."""
    yield from ((), good[:1], (*good, *good), good[::-1], good)
    for number, other in enumerate(OTHERS):
        i = number % len(good)
        yield from ((other,) * len(good), (*good[:i], other, *good[i + 1 :]))
    as_types = (torch.int64, torch.float16, torch.float64, torch.complex64)
    change: list[Callable[[Tensor], Any]] = [
        *(lambda x, to=to: x.to(to) for to in as_types), lambda x: x[:0], lambda x: x[..., :0],
        lambda x: x[:1], lambda x: x[None], lambda x: x.mT.contiguous().mT, lambda x: x.tolist(),
        lambda x: x.clone().float().requires_grad_(), lambda x: x * torch.nan, lambda x: x * 1e30,
    ]  # fmt: skip
    for each in change:
        many = [each(x) if isinstance(x, Tensor) and x.ndim > 1 else x for x in good]
        yield from (tuple(many), (*good[:1], *many[1:]))


def own(x: Any) -> Any:
    """Return a copy, so that a box that writes into its arguments does not affect the next."""
    plain = type(x) is Tensor and x.layout == torch.strided and 0 not in x.stride()
    return x.detach().clone().requires_grad_(x.requires_grad) if plain else x


def said(box: Callable[..., Any], *args: Any, **kwargs: Any) -> str:
    """Return the visible result of a call, except the shapes and numbers in its output."""
    try:
        came = box(*map(own, args), **kwargs)
    except Exception as error:
        return f"{type(error).__qualname__}: {error} {error.__context__ is None}"
    return f"taken: {kind(came)}"


def kind(came: Any) -> str:
    """Return the kind of an output."""
    if isinstance(came, Tensor):
        how = came.is_contiguous(), came._is_view(), came.storage_offset(), came.requires_grad
        return f"{type(came).__name__} {came.dtype} {how} {came._version} {_slope(came)}"
    if isinstance(came, tuple):
        return str([kind(each) for each in came])
    return type(came).__name__


def _slope(came: Tensor) -> str:
    return type(came.grad_fn).__name__


#: Tasks with several functions are left out, because their prompts name them all.
BOXED = [
    task
    for task in TASKS
    if isinstance(task, Exercise)
    and sum(callable(x) for x in task.rungs[0].draw(generator(3, 0))[0].values()) == 1
]


def test_the_course_has_many_tasks_with_boxes() -> None:
    assert len(BOXED) > 12
    assert {task.id for task in BOXED} >= GOOD.keys()


@pytest.mark.parametrize("task", BOXED, ids=lambda task: task.id)
def test_odd_calls_tell_no_box_from_another(task: Exercise) -> None:
    seen = defaultdict(set)
    for box, good in boxes(task):
        shapes = tuple((x.shape, x.dtype) if isinstance(x, Tensor) else None for x in good)
        assert "taken" in said(box, *good)
        for i, call in enumerate(odd_calls(good)):
            seen[shapes, i].add(said(box, *call))
        seen[shapes, "by names"].add(said(box, none_such=1))
    assert [each for each in seen.values() if len(each) > 1] == []


@pytest.mark.parametrize("task", BOXED, ids=lambda task: task.id)
def test_nothing_but_its_numbers_tells_a_box(task: Exercise) -> None:
    names = {
        (box.__name__, box.__qualname__, box.__module__, box.__doc__) for box, _ in boxes(task)
    }
    assert len(names) == 1
