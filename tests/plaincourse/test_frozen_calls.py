"""Results and outputs of a call are plain data when the call ends, and all calls are watched."""

from typing import Any

import pytest

from plaincourse.checking.grader import grade
from plaincourse.exercise.report import Report
from tests.plaincourse.split_students import DISGUISED, student

_START = DISGUISED + "import warnings\ncount, held = [0], []\n"
#: Ways to do the work after the call, or in calls that a sample would leave out.
LATER = {
    "a tensor filled in by a later call": """
def answer(scores):
    for given, found in held:
        found.copy_(rightly(given))
    held.append((scores, torch.empty_like(scores)))
    return held[-1][1]""",
    "a list filled in by a later call": """
def answer(scores):
    for given, found in held:
        found[:] = rightly(given).tolist()
    held.append((scores, [0.0] * len(scores)))
    return held[-1][1]""",
    "a dictionary filled in by a later call": """
def answer(scores):
    for given, found in held:
        found["rows"] = rightly(given)
    held.append((scores, {}))
    return held[-1][1]""",
    "the array of a tensor": """
def answer(scores):
    for given, found in held:
        torch.from_numpy(found).copy_(rightly(given))
    held.append((scores, torch.empty_like(scores).numpy()))
    return torch.from_numpy(held[-1][1])""",
}
#: Ways to do the forbidden work in places that once were not watched.
UNWATCHED = {
    "calls that a sample leaves out": """
def answer(scores):
    count[0] += 1
    return softly(scores) if count[0] > 8 and count[0] % 3 else rightly(scores)""",
    "late calls": """
def answer(scores):
    count[0] += 1
    return softly(scores) if count[0] in (10, 11, 13, 14, 16) else rightly(scores)""",
    "the words of a warning": """
class Late(UserWarning):
    def __str__(self):
        for given, found in held: found.copy_(softly(given))
        held.clear()
        return "late"
def answer(scores):
    held.append((scores, torch.empty_like(scores)))
    warnings.warn(Late())
    return held[-1][1]""",
    "the name of a warning's kind": """
class Kind(type):
    @property
    def __name__(cls):
        for given, found in held: found.copy_(softly(given))
        held.clear()
        return "Late"
class Late(UserWarning, metaclass=Kind): pass
def answer(scores):
    held.append((scores, torch.empty_like(scores)))
    warnings.warn("late", Late)
    return held[-1][1]""",
    "the words of an exception": """
class Late(ValueError):
    def __str__(self): return str(softly(torch.ones(2)))
def answer(scores): raise Late""",
    "the words of an object": """
class Late:
    def __repr__(self): return str(softly(torch.ones(2)))
def answer(scores): return Late()""",
    "a printed object": """
class Late:
    def __str__(self): return str(softly(torch.ones(2)))
def answer(scores):
    print(Late())
    return rightly(scores)""",
    "the class that an object claims": """
class Late:
    @property
    def __class__(self):
        softly(torch.ones(2))
        return Late
def answer(scores): return Late()""",
}


def graded(source: str, **more: Any) -> Report:
    with student(_START + source) as session:
        return grade("02.softmax_rows", session.names(["answer"])["answer"], seed=5)


@pytest.mark.parametrize("how", LATER)
def test_a_result_is_what_it_was_when_its_call_ended(how: str) -> None:
    assert graded(LATER[how]).score < 0.2 * graded("answer = rightly").score


@pytest.mark.parametrize("how", UNWATCHED)
def test_no_call_and_no_part_of_it_is_unwatched(how: str) -> None:
    report = graded(UNWATCHED[how])
    assert report.score == 0
    assert report.headline == "`softmax` is not allowed here."


def test_an_answer_can_ask_in_no_call_whether_it_is_watched() -> None:
    source = """
from torch.utils import _python_dispatch
def answer(scores):
    asked = _python_dispatch._get_current_dispatch_mode()
    return torch.zeros(1) if asked is None else rightly(scores)"""
    report = graded(source)
    assert report.score == report.points


def test_an_object_that_stays_is_watched_whenever_it_is_used() -> None:
    source = """
class Lazy:
    def __init__(self, x): self.x = x
    def __getitem__(self, i): return softly(self.x)[i]
    def __len__(self): return int(softly(self.x).numel())
    def __iter__(self): return iter(softly(self.x).tolist())
    def __repr__(self): return str(softly(self.x))
    def __float__(self): return float(softly(self.x).sum())
    def __getattr__(self, name):
        if name != "later": raise AttributeError(name)
        return softly(self.x)
def answer(x): return Lazy(x)
"""
    import torch

    uses: list[Any] = [
        *(lambda y: y[0], len, lambda y: list(y), repr, str, float, lambda y: y.later),
        lambda y: next(iter(y)),
    ]
    with student(_START + source) as session:
        answer = session.names(["answer"])["answer"]
        for use in uses:
            with session.scope(answer, 5.0, ["softmax"]):
                held = session.kept(answer, torch.ones(2))
                assert session.seen == ""
                use(held)
                assert session.seen == "softmax"
