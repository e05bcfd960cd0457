"""Answers that ignore the question: constants, copies, means, the same word for every input."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor

from plaincourse.checking.calling import call
from plaincourse.exercise import Exercise, Inputs

Answer = Callable[..., Any]

#: The share of a task's points that such an answer may earn at most.
MOST = 0.15


def lazy(task: Exercise) -> Iterator[tuple[str, Answer]]:
    """Yield each lazy answer to a task, with a description."""
    yield from LAZY.items()
    for said in words(task):
        yield f"always {said!r}", constant(said)


def words(task: Exercise) -> list[str]:
    """Return the words that the right answer chooses from, on the visible draws."""
    given = {
        said
        for rung in task.rungs
        for inputs in rung.draw(torch.Generator().manual_seed(0))
        if isinstance(said := call(task, task.reference, inputs).value, str)
    }
    return sorted(given)


def constant(value: Any) -> Answer:
    """Answer always with the same value."""
    return lambda **inputs: value


def _like_the_first(fill: float) -> Answer:
    """Answer with an array of the first argument's shape, filled with one value."""

    def answer(**inputs: Any) -> Any:
        first = next(iter(inputs.values()))
        return 0 * first + fill if _arrays(inputs) and _is_array(first) else fill

    return answer


def _argument(number: int) -> Answer:
    def answer(**inputs: Any) -> Any:
        return list(inputs.values())[min(number, len(inputs) - 1)]

    return answer


def _mean_of_the_last(axis: int, *, kept: bool, spread: bool = False) -> Answer:
    """Average the last array over an axis; ``spread`` repeats the mean per row of the first."""

    def answer(**inputs: Any) -> Any:
        found = _arrays(inputs)
        if not found or found[-1].ndim < -axis or not _floating(found[-1]):
            return None
        last = torch.as_tensor(found[-1])
        mean = last.mean(axis, keepdim=kept)
        if spread:
            rows = found[0].shape[-2] if found[0].ndim > 1 else 1
            mean = mean.expand(*mean.shape[:-2], rows, mean.shape[-1]).clone()
        return mean if isinstance(found[-1], Tensor) else mean.numpy()

    return answer


def _is_array(value: Any) -> bool:
    return isinstance(value, (Tensor, np.ndarray))


def _arrays(inputs: Inputs) -> list[Any]:
    return [value for value in inputs.values() if _is_array(value)]


def _floating(value: Any) -> bool:
    return torch.as_tensor(value).is_floating_point()


def _of(number: int, made: Callable[[Tensor], Tensor]) -> Answer:
    """Answer with one of the arrays after a change."""

    def answer(**inputs: Any) -> Any:
        found = _arrays(inputs)
        if not found:
            return None
        new = made(torch.as_tensor(found[number]))
        return new if isinstance(found[number], Tensor) else new.numpy()

    return answer


def _shuffled(x: Tensor) -> Tensor:
    return x[torch.randperm(len(x))] if x.ndim else x


#: Changes to an array that do not depend on the question.
_MADE: dict[str, Callable[[Tensor], Tensor]] = {
    "negative": lambda x: -x,
    "backwards": lambda x: x.flip(0) if x.ndim else x,
    "with its last axis backwards": lambda x: x.flip(-1) if x.ndim else x,
    "moved on by one": lambda x: x.roll(1, 0) if x.ndim else x,
    "shuffled": _shuffled,
    "in order": lambda x: x.sort(-1).values,
    "transposed": lambda x: x.mT,
    "as its mean": lambda x: x.mean(),
    "as its sum": lambda x: x.sum(),
    "at random": torch.rand_like,
    "squared": lambda x: x * x,
    "doubled": lambda x: 2 * x,
}


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
    "zeros like the first": _like_the_first(0.0),
    "ones like the first": _like_the_first(1.0),
    "the first argument": _argument(0),
    "the second argument": _argument(1),
    "the third argument": _argument(2),
    "the last argument": _argument(99),
    "mean over the last axis": _mean_of_the_last(-1, kept=False),
    "mean over the last axis, kept": _mean_of_the_last(-1, kept=True),
    "mean over the axis before": _mean_of_the_last(-2, kept=False),
    "mean over the axis before, kept": _mean_of_the_last(-2, kept=True),
    "mean over the axis before, for each row": _mean_of_the_last(-2, kept=True, spread=True),
    **{f"the first array {how}": _of(0, made) for how, made in _MADE.items()},
    **{f"the last array {how}": _of(-1, made) for how, made in _MADE.items()},
}
