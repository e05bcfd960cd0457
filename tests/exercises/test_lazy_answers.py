"""Who does not look at the question earns next to nothing."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from plaincourse import memory
from plaincourse.bank import chapter
from plaincourse.exercise import Exercise, Inputs
from plaincourse.grader import grade
from tests.exercises.test_graders import CHAPTERS

MOST = 0.15
EXERCISES = [task for number in CHAPTERS for task in chapter(number) if isinstance(task, Exercise)]

Answer = Callable[..., Any]


@pytest.fixture(scope="module", autouse=True)
def inputs_drawn_once() -> Iterator[None]:
    """Draw the inputs of a task once for all lazy answers to it."""
    with memory.kept():
        yield


def constant(value: Any) -> Answer:
    return lambda **inputs: value


def like_the_first(fill: float) -> Answer:
    """Answer with as many numbers as the first argument has, all the same."""

    def answer(**inputs: Any) -> Any:
        first = next(iter(inputs.values()))
        return 0 * first + fill if arrays(inputs) and is_array(first) else fill

    return answer


def argument(number: int) -> Answer:
    def answer(**inputs: Any) -> Any:
        return list(inputs.values())[min(number, len(inputs) - 1)]

    return answer


def mean_of_the_last(axis: int, *, kept: bool, spread: bool = False) -> Answer:
    """Average the last array over an axis; ``spread`` gives the mean to each row of the first."""

    def answer(**inputs: Any) -> Any:
        found = arrays(inputs)
        if not found or found[-1].ndim < -axis or not floating(found[-1]):
            return None
        last = torch.as_tensor(found[-1])
        mean = last.mean(axis, keepdim=kept)
        if spread:
            rows = found[0].shape[-2] if found[0].ndim > 1 else 1
            mean = mean.expand(*mean.shape[:-2], rows, mean.shape[-1]).clone()
        return mean if isinstance(found[-1], Tensor) else mean.numpy()

    return answer


def is_array(value: Any) -> bool:
    return isinstance(value, (Tensor, np.ndarray))


def arrays(inputs: Inputs) -> list[Any]:
    return [value for value in inputs.values() if is_array(value)]


def floating(value: Any) -> bool:
    return torch.as_tensor(value).is_floating_point()


LAZY: dict[str, Answer] = {
    "nothing": constant(None),
    "always True": constant(True),
    "always False": constant(False),
    "always 0": constant(0),
    "always 1": constant(1),
    "always 0.0": constant(0.0),
    "always 1.0": constant(1.0),
    "the tensor 0": constant(torch.tensor(0.0)),
    "the tensor 1": constant(torch.tensor(1.0)),
    "zeros like the first": like_the_first(0.0),
    "ones like the first": like_the_first(1.0),
    "the first argument": argument(0),
    "the second argument": argument(1),
    "the third argument": argument(2),
    "the last argument": argument(99),
    "mean over the last axis": mean_of_the_last(-1, kept=False),
    "mean over the last axis, kept": mean_of_the_last(-1, kept=True),
    "mean over the axis before": mean_of_the_last(-2, kept=False),
    "mean over the axis before, kept": mean_of_the_last(-2, kept=True),
    "mean over the axis before, for each row": mean_of_the_last(-2, kept=True, spread=True),
}


def labels(task: Exercise) -> Iterator[Answer]:
    """Give always one and the same of the words that the right answer chooses from."""
    given = {
        said
        for rung in task.rungs
        for inputs in rung.draw(torch.Generator().manual_seed(0))
        if isinstance(said := task.call(task.reference, inputs), str)
    }
    return map(constant, sorted(given))


@pytest.mark.parametrize("lazy", LAZY)
@pytest.mark.parametrize("task", EXERCISES, ids=lambda task: task.id)
def test_a_lazy_answer_earns_next_to_nothing(task: Exercise, lazy: str) -> None:
    assert grade(task, LAZY[lazy]).score <= MOST * task.points


@pytest.mark.parametrize("task", EXERCISES, ids=lambda task: task.id)
def test_one_word_for_everything_earns_next_to_nothing(task: Exercise) -> None:
    for lazy in labels(task):
        assert grade(task, lazy).score <= MOST * task.points
