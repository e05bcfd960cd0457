"""An operation is attributed to the code that runs it, even if that code disguises its name."""

from typing import Any

import pytest
import torch

from plaincourse.checking import grader
from plaincourse.checking.grader import grade
from plaincourse.checking.origins import LIBRARY, OURS, origin
from plaincourse.exercise import Exercise
from plaincourse.exercise.bank import load
from tests.plaincourse.split_students import student
from tests.plaincourse.test_noticing import said

_START = """
import base64, functools, operator, sys, types
import torch
import plaincourse, plaincourse.checking.compare, plaincourse.judge.answers
def hidden(text): return base64.b64decode(text).decode()
SOFTMAX = hidden("c29mdG1heA==")
WORK = "def run(scores): return getattr(torch, '" + SOFTMAX + "')(scores, -1)"
def made(file="<string>", **names):
    space = {"torch": torch, **names}
    exec(compile(WORK, file, "exec"), space)
    return space["run"]
def module(name):
    there = types.ModuleType(name)
    there.torch = torch
    sys.modules[name] = there
    exec(WORK, vars(there))
    return there
"""
#: Ways for code to imitate other code, all with a softmax.
DISGUISES = {
    "the machinery's file": "RUN = [made(plaincourse.__file__)]\n"
        "def answer(scores): return RUN[0](scores)",
    "the answer itself in that file": "answer = made(plaincourse.__file__)",
    "a file of the checker": "answer = made(plaincourse.checking.compare.__file__, __name__='x')",
    "a file of torch": "answer = made(torch.__file__, __name__='torch')",
    "a module of torch": "answer = made(__name__='torch.zz')",
    "a module that is registered": "RUN = [module('torch.zz')]\n"
        "def answer(scores): return RUN[0].run(scores)",
    "an answer of such a module": "answer = module('torch.nn.zz').run",
    "a module of the course": "answer = module('plaincourse.checking.zz').run",
    "a module of NumPy": "answer = made('<__array_function__ internals>', __name__='numpy')",
    "an object": "class Run: __call__ = staticmethod(made(__name__='torch.zz'))\nanswer = Run()",
    "an object of another module": """
SPACE = {"torch": torch, "__name__": "torch.zz", "word": SOFTMAX}
exec("class Run:\\n    def __call__(self, scores): return getattr(torch, word)(scores, -1)", SPACE)
answer = SPACE["Run"]()""",
    "globals of the machinery": """
SPACE = vars(plaincourse.checking.compare)
SPACE["torch"] = torch
exec(WORK, SPACE)
answer = SPACE.pop("run")""",
    "a helper of the tests": """
def answer(scores):
    found = map(getattr(torch, SOFTMAX), [scores], [-1])
    return plaincourse.judge.answers.take(found, 1)[0]""",
    "no frame at all": "answer = functools.partial(operator.methodcaller(SOFTMAX, -1))\n"
        "class Run:\n    def __init__(self): self.run = answer\n"
        "    def __call__(self, scores): return self.run(scores)\nanswer = Run()",
}  # fmt: skip


@pytest.mark.parametrize("how", DISGUISES)
def test_a_disguise_excuses_nothing_in_the_students_process(
    how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = load("02.softmax_rows")
    assert isinstance(task, Exercise)
    with student(_START + DISGUISES[how]) as session:
        monkeypatch.setattr(session, "find", lambda answer, forbid: None)  # as if its text hid it
        said(grade(task, session.names(["answer"])["answer"], seed=5), task, "softmax")


@pytest.mark.parametrize("how", DISGUISES)
def test_nor_where_all_is_in_one_process(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setattr(grader, "find", lambda answer, forbid: None)
    monkeypatch.setattr(sys, "modules", dict(sys.modules))
    task = load("02.softmax_rows")
    assert isinstance(task, Exercise)
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(_START + DISGUISES[how], space)
    said(grade(task, space["answer"], seed=5), task, "softmax")


def test_code_is_of_a_file_that_holds_it() -> None:
    assert origin(grade.__code__) == OURS
    assert origin(torch.nn.Linear.forward.__code__) == LIBRARY
    assert origin(said.__code__) == ""
    forged = said.__code__.replace(co_filename=grade.__code__.co_filename)
    assert origin(forged) == ""
    assert origin(forged.replace(co_filename="/nowhere/plaincourse/check.py")) == ""
