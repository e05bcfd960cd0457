"""Forbidden functions are noticed while an answer runs, here and in the student's process."""

import inspect
import warnings
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode

from exercise_bank.ch02 import boxes as bank_of_02
from plaincourse.checking import grader
from plaincourse.checking.grader import grade
from plaincourse.checking.noticing import unwatched, watched
from plaincourse.exercise import Exercise
from plaincourse.exercise.bank import load
from plaincourse.exercise.report import Report
from tests.plaincourse.split_students import student

_START = """
import base64, functools, importlib, threading, _thread, math
import torch, torch.nn.functional as F
from torch import nn
from concurrent.futures import ThreadPoolExecutor
def hidden(text): return base64.b64decode(text).decode()
SOFTMAX, SDPA = "c29mdG1heA==", "c2NhbGVkX2RvdF9wcm9kdWN0X2F0dGVudGlvbg=="
PLAIN, ATTEND = "cGxhaW5mb3JtZXIuYXR0ZW50aW9u", "YXR0ZW5k"
FAST = next(getattr(torch.ops.aten, n).default for n in [hidden("X3NvZnRtYXg=")])
LAYER = [each for name, each in vars(nn).items() if name == hidden("U29mdG1heA==")][0](dim=-1)
PART = functools.partial(getattr(torch, hidden(SOFTMAX)), dim=-1)
def rightly(scores):
    powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)
"""
#: By disguise: the answer, its source, the task and the name that is noticed.
ANSWERS = {
    "an encoded name": ("02.softmax_rows", "softmax",
        "def answer(scores): return getattr(torch, hidden(SOFTMAX))(scores, -1)"),
    "a method": ("02.softmax_rows", "softmax",
        "def answer(scores): return getattr(scores, hidden(SOFTMAX))(-1)"),
    "an operation": ("02.softmax_rows", "softmax",
        "def answer(scores): return FAST(scores, -1, False)"),
    "a module": ("02.softmax_rows", "softmax", "def answer(scores): return LAYER(scores)"),
    "a thread": ("02.softmax_rows", "softmax", '''
def answer(scores):
    found = []
    work = threading.Thread(target=lambda: found.append(PART(scores)))
    work.start(); work.join()
    return found[0]'''),
    "a bare thread": ("02.softmax_rows", "softmax", '''
def answer(scores):
    found, done = [], threading.Lock()
    done.acquire()
    def work(): found.append(PART(scores)); done.release()
    _thread.start_new_thread(work, ())
    done.acquire()
    return found[0]'''),
    "a thread on a function of torch": ("02.softmax_rows", "softmax", '''
def answer(scores):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(PART, scores).result()'''),
    "a script": ("02.softmax_rows", "softmax", '''
import warnings
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    scripted = torch.jit.CompilationUnit("""
def softly(x):
    return torch.softmax(x, dim=-1)
""").softly
def answer(scores, run=scripted): return run(scores)'''),
    "an exec": ("02.softmax_rows", "softmax", '''
SPACE = {"__name__": "plaincourse.judge.arrays", "torch": torch}
exec("def inner(x): return getattr(torch, '" + hidden(SOFTMAX) + "')(x, -1)", SPACE)
INNER = [SPACE["inner"]]
def answer(scores): return INNER[0](scores)'''),
    "attention": ("02.attention", "scaled_dot_product_attention",
        "def answer(query, key, value): return getattr(F, hidden(SDPA))(query, key, value)"),
    "plainformer": ("02.attention", "plainformer", '''
def answer(query, key, value):
    return getattr(importlib.import_module(hidden(PLAIN)), hidden(ATTEND))(query, key, value)'''),
    "PyTorch where NumPy is asked for": ("02.softmax_backward", "torch", """
TENSORS = [vars(importlib.import_module(hidden("dG9yY2g=")))[hidden("YXNfdGVuc29y")]]
def answer(weights, gradient):
    w, g = TENSORS[0](weights), TENSORS[0](gradient)
    return (w * (g - (w * g).sum(-1, keepdim=True))).numpy()"""),
    "a softmax of a library": ("02.softmax_rows", "softmax", """
D = importlib.import_module("torch._decomp.decompositions")
def answer(scores): return getattr(D, hidden("X3NvZnRtYXg="))(scores, -1, False)"""),
    "a library": ("02.attention", "transformers", """
MADE = importlib.import_module("transformers.models.llama.modeling_llama").rotate_half
def answer(query, key, value): return MADE(query)"""),
    "a norm": ("06.layer_norm_rows", "layer_norm", '''
def answer(x, gain, shift, eps):
    return getattr(F, hidden("bGF5ZXJfbm9ybQ=="))(x, x.shape[-1:], gain, shift, eps)'''),
}  # fmt: skip


def said(report: Report, task: Exercise, name: str) -> None:
    assert report.score == 0
    assert report.headline == f"`{name}` is not allowed here."
    assert "While your answer ran" in report.diagnosis[0]


@pytest.mark.parametrize("what", ANSWERS)
def test_a_forbidden_function_is_noticed_however_it_is_named(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grader, "find", lambda answer, forbid: None)  # as if its text hid it
    id, name, source = ANSWERS[what]
    task = load(id)
    assert isinstance(task, Exercise)
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(_START + source, space)
    here = grade(task, space["answer"], seed=5)
    said(here, task, name)
    with student(_START + source) as session:
        there = grade(task, session.names(["answer"])["answer"], seed=5)
    assert there.text() == here.text()


@pytest.mark.parametrize(
    "source",
    [
        "answer = rightly",
        "def answer(scores):\n    with torch.no_grad(): return rightly(scores)",
        "def answer(scores):\n    'no softmax'; return {'softmax': rightly(scores)}['softmax']",
        "def answer(scores):\n    log = scores - scores.logsumexp(-1, keepdim=True)\n"
        "    return log.exp()",
    ],
)
def test_what_is_allowed_is_not_noticed(source: str) -> None:
    with student(_START + source) as session:
        report = grade("02.softmax_rows", session.names(["answer"])["answer"], seed=5)
    assert report.score == report.points, report.text()


def test_what_a_box_of_the_tests_runs_is_theirs() -> None:
    task = load("02.name_the_mistake")
    assert isinstance(task, Exercise)
    strict = replace(task, forbid=("plainformer", "softmax", "scaled_dot_product_attention"))
    space: dict[str, Any] = {"__name__": "__main__", "torch": torch}
    source = (
        "def answer(attention):\n"
        "    x = torch.ones(1, 2, 3)\n"
        "    return 'right' if attention(x, x, x).isfinite().all() else 'scale'"
    )
    exec(source, space)
    report = grade(strict, space["answer"])
    assert "not allowed" not in report.headline


def test_a_box_runs_unwatched_and_what_comes_behind_it_does_not() -> None:
    modes = []

    @unwatched
    def box(x: torch.Tensor) -> torch.Tensor:
        modes.append(_get_current_dispatch_mode())
        if not x.any():
            raise ValueError("nothing")
        return x.softmax(-1)

    def answer(x: torch.Tensor) -> torch.Tensor:
        try:
            return box(x)
        except ValueError:
            return x.softmax(-1)

    given = torch.ones(2)
    with watched(answer, ["softmax"], [box]) as watch:
        answer(given)
        assert watch.seen == ""
        answer(0 * given)
        assert watch.seen == "softmax"
    assert modes == [None, None]
    assert torch.equal(box(given), given / 2)


def test_modes_and_threads_are_as_before_after_a_check() -> None:
    import _thread

    before = _thread.start_new_thread
    grade("02.softmax_rows", lambda scores: scores)
    assert _thread.start_new_thread is before
    assert _get_current_dispatch_mode() is None


def test_what_the_tests_run_is_not_blamed_on_a_right_answer_of_a_notebook() -> None:
    """The tests use the machinery and the package, which are forbidden to the answer."""
    task = load("02.SelfAttention")
    assert isinstance(task, Exercise)
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(_RIGHT, space)
    assert grade(task, space["SelfAttention"], seed=5).score == task.points


_RIGHT = """
import torch
from torch import nn
class SelfAttention(nn.Module):
    def __init__(self, d_model, d, e):
        super().__init__()
        self.query = nn.Linear(d_model, d, bias=False)
        self.key = nn.Linear(d_model, d, bias=False)
        self.value = nn.Linear(d_model, e, bias=False)
    def forward(self, x):
        query, key, value = self.query(x), self.key(x), self.value(x)
        scores = query @ key.mT / query.shape[-1] ** 0.5
        return torch.softmax(scores, dim=-1) @ value
"""


def test_what_a_task_hands_out_while_the_answer_runs_may_use_the_tasks_functions() -> None:
    exercise = load("12.split_keys")
    source = inspect.getsource(exercise.reference)
    notebook: dict[str, Any] = {"__name__": "__main__", "torch": torch, "Ask": Any, "Both": Any}
    exec(compile(source, "<cell>", "exec"), notebook)
    assert grade(exercise, notebook["split_keys"], seed=3).score == exercise.points
    calls_ours = "def split_keys(ask, k, size, workers):\n    return theirs(ask, k, size, workers)"
    notebook["theirs"] = exercise.reference
    exec(calls_ours, notebook)
    assert grade(exercise, notebook["split_keys"], seed=3).score == 0


_SHOWN = """
import linecache, logging, traceback, warnings
def answer(attention):
    linecache.clearcache()
    {line}
    return name_the_mistake(attention)
"""
SHOWS = {
    "a seed, with which PyTorch keeps the stack": "torch.manual_seed(3)",
    "the stack": "traceback.format_stack()",
    "a warning of a line above": "warnings.warn('look', stacklevel=2)",
    "a record of the stack": "logging.getLogger('a').warning('here', stack_info=True)",
}


def with_a_line(line: str) -> Report:
    """Grade a right answer that begins with this line."""
    task = load("02.name_the_mistake")
    right = inspect.getsource(task.alternatives[0].answer).replace("def by_comparison", "def {0}")
    source = _START + right.format("name_the_mistake") + _SHOWN.format(line=line)
    notebook: dict[str, Any] = {"__name__": "__main__", "Any": Any}
    source = source.replace(": Attention", "").replace("Callable[[], Tensor]", "Any")
    exec(compile(source.replace("Tensor", "torch.Tensor"), "<cell>", "exec"), notebook)
    with warnings.catch_warnings(action="ignore" if "stack" not in line else "default"):
        return grade(task, notebook["answer"], seed=3)


@pytest.mark.parametrize("line", SHOWS.values(), ids=SHOWS)
def test_a_stack_that_is_shown_reads_sources_and_uses_nothing(line: str) -> None:
    """The stack has lines from the files of the tasks, whose functions call the answer."""
    report = with_a_line(line)
    assert report.score == report.points, report.text()


def test_who_reads_the_source_of_a_task_by_the_cache_of_lines_is_noticed() -> None:
    assert with_a_line(f"linecache.getlines({inspect.getsourcefile(bank_of_02)!r})").score == 0
