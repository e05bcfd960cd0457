"""An answer with positional-only parameters is called as in the prompt's examples."""

from typing import Any

import pytest

from plaincourse.checking.by_name import by_name
from plaincourse.checking.grader import grade
from tests.plaincourse.split_students import student

_RIGHT = """
import functools
import torch

def right(weight, n_heads):
    rows, m = weight.shape
    planes = weight.reshape(n_heads, rows // n_heads // 2, 2, m)
    return planes.transpose(1, 2).reshape(rows, m)
"""
WAYS = {
    "by its type": """
@functools.singledispatch
def answer(weight, n_heads):
    raise TypeError(type(weight))
@answer.register
def _(weight: torch.Tensor, n_heads):
    return right(weight, n_heads)
""",
    "by its type, which tells its calls": """
def told(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)
    return inner
@told
def answer(weight, n_heads):
    return right(weight, n_heads)
""",
    "before a slash": """
def answer(weight, n_heads, /):
    return right(weight, n_heads)
""",
    "partly before a slash": """
def answer(weight, /, n_heads):
    return right(weight, n_heads)
""",
    "an object that is called": """
class Answer:
    def __call__(self, weight, /, n_heads):
        return right(weight, n_heads)
answer = Answer()
""",
    "a partial": """
def other(scale, weight, n_heads, /):
    return scale * right(weight, n_heads)
answer = functools.partial(other, 1)
""",
    "a lambda": "answer = lambda weight, n_heads, /: right(weight, n_heads)",
}


@pytest.mark.parametrize("way", WAYS)
def test_a_right_answer_earns_all_however_it_takes_its_arguments(way: str) -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(_RIGHT + WAYS[way], space)
    with student(_RIGHT + WAYS[way]) as session:
        there = grade("05.to_halves", session.names(["answer"])["answer"], seed=5)
    for report in (grade("05.to_halves", space["answer"], seed=5), there):
        assert report.score == report.points, report.diagnosis


def test_most_answers_are_called_as_they_are() -> None:
    def answer(weight: Any, n_heads: Any, *, more: int = 0) -> Any:
        return weight

    for each in (answer, lambda weight: weight, print, dict, object()):
        assert by_name(each) is each  # type: ignore[arg-type]


def test_other_names_are_still_other_names() -> None:
    def answer(w: Any, n: Any, /) -> Any:
        return w

    report = grade("05.to_halves", answer)
    assert "Names and number must agree" in report.text()
