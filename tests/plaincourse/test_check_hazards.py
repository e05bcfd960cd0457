"""The check continues whatever an answer does, and the answer leaves no lasting effects."""

import bdb
import linecache
import pdb
import random
import sys
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from beartype import beartype
from IPython.core.error import StdinNotImplementedError
from jaxtyping import Float, TypeCheckError, jaxtyped
from torch import Tensor

from plaincourse import check
from plaincourse.checking.calling import call, call_all
from plaincourse.checking.limits import clean_state
from plaincourse.checking.mistake import complaint, unquoted
from plaincourse.exercise.report import NOT_YET
from plaincourse.judge.faults import WireError
from tests.plaincourse.tasks import TASK, by_rows, flat, shift


def said(report: object) -> str:
    return " ".join(report.text().split())  # type: ignore[attr-defined]


def test_an_exception_costs_its_requirement_and_is_shown_with_the_students_line() -> None:
    def breaks(x: Tensor, by: Tensor) -> Tensor:
        if len(x) > 2:
            raise ValueError("three rows in /home/someone/secret/place.py are too many")
        return shift(x, by)

    report = check(TASK, breaks)
    assert report.score == 1.0
    text = said(report)
    assert "raises `ValueError: three rows in … are too many`" in text
    assert '`raise ValueError("three rows in' in text
    assert "calling.py" not in text


def test_an_exception_in_a_helper_points_at_the_students_own_line_not_at_torch() -> None:
    report = check(TASK, lambda x, by: torch.einsum("ij,kl->ik", x))
    assert '`report = check(TASK, lambda x, by: torch.einsum("ij,kl->ik", x))`' in said(report)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (SystemExit(3), "ends the program"),
        (RecursionError("deep"), "calls itself without end"),
        (MemoryError(), "asks for more memory"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), "asks for more memory"),
        (AssertionError(), "raises `AssertionError`"),
        (bdb.BdbQuit(), "starts a debugger (breakpoint() or set_trace())"),
        (EOFError("EOF when reading a line"), "asks for input (input())"),
        (StdinNotImplementedError("raw_input was called"), "asks for input (input())"),
        (EOFError("Ran out of input"), "raises `EOFError: Ran out of input`"),
    ],
)
def test_what_ends_a_function_ends_only_its_requirement(
    error: BaseException, expected: str
) -> None:
    def ends(x: Tensor, by: Tensor) -> Tensor:
        raise error

    report = check(TASK, ends)
    assert report.score == 0
    assert expected in said(report)


def test_the_line_that_starts_a_debugger_is_the_one_that_is_named() -> None:
    def above(x: Tensor, by: Tensor) -> Tensor:
        breakpoint  # noqa: B018  stands for its call

        raise bdb.BdbQuit

    def below(x: Tensor, by: Tensor) -> Tensor:
        for _ in range(2):
            if len(x):
                raise bdb.BdbQuit
            pdb.set_trace()
        return x

    assert "`breakpoint # noqa" in said(check(TASK, above))
    assert "`pdb.set_trace()`" in said(check(TASK, below))


@pytest.mark.parametrize("end", [3_000, 10**9])
def test_recursion_that_is_endless_or_too_deep_is_survived_and_told(end: int) -> None:
    def again(x: Tensor, by: Tensor, depth: int = 0) -> Tensor:
        return x if depth == end else again(x, by, depth + 1)

    told = said(check(TASK, again))
    assert "calls itself without end, or deeper than Python allows (RecursionError)" in told


def test_a_list_that_contains_itself_or_never_ends_is_shown_as_far_as_one_can() -> None:
    itself: list[object] = []
    itself.append(itself)
    assert "[[[[[[[[…]]]]]]]]" in said(check(TASK, lambda x, by: itself))
    assert said(check(TASK, lambda x, by: [7] * 1000)).count("7, ") == 48


def test_ctrl_c_passes() -> None:
    def stopped(x: Tensor, by: Tensor) -> Tensor:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check(TASK, stopped)


def endless(x: Tensor, by: Tensor) -> Tensor:
    while len(x) > 1:
        try:
            sum(range(100))
        except Exception:
            continue
    return shift(x, by)


def test_an_endless_loop_is_stopped_and_keeps_what_was_earned_before() -> None:
    began = time.monotonic()
    report = check(replace(TASK, seconds=0.3), endless)
    assert time.monotonic() - began < 10
    assert report.score == 1.0
    assert "too slow for this input, or it has an endless loop" in said(report)


def test_an_endless_loop_is_stopped_on_a_thread_that_gets_no_signals() -> None:
    reports, brief = [], replace(TASK, seconds=0.3)
    thread = threading.Thread(target=lambda: reports.append(check(brief, endless)))
    thread.start()
    thread.join(timeout=10)
    assert [report.score for report in reports] == [1.0]


@pytest.mark.parametrize("untouched", [None, ...])
def test_an_answer_that_is_not_there_yet_is_said_to_be_so(untouched: object) -> None:
    report = check(TASK, untouched)
    assert (report.score, report.headline) == (0.0, "Not answered yet.")


def test_nothing_reaches_stdout_or_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    def loud(x: Tensor, by: Tensor) -> Tensor:
        print("hello")
        print("help", file=sys.stderr)
        warnings.warn("careful", stacklevel=1)
        return shift(x, by) + 1

    report = check(TASK, loud)
    assert capfd.readouterr() == ("", "")
    assert report.example is not None
    assert report.example.printed.split("\n")[:2] == ["hello", "help"]
    assert "UserWarning: careful" in report.example.printed


def test_the_state_around_a_check_stays_as_it_was() -> None:
    def vandal(x: Tensor, by: Tensor) -> Tensor:
        torch.set_default_dtype(torch.float16)
        torch.set_grad_enabled(False)
        torch.manual_seed(5), np.random.seed(5), random.seed(5)  # noqa: NPY002
        np.seterr(all="ignore")
        sys.setrecursionlimit(400)
        return shift(x, by)

    def state() -> tuple[object, ...]:
        return (
            torch.get_default_dtype(), torch.is_grad_enabled(), sys.getrecursionlimit(),
            torch.random.get_rng_state().tolist(), random.getstate(), np.geterr(),
            np.random.get_state()[1].tolist(),  # noqa: NPY002
        )  # fmt: skip

    torch.manual_seed(99), np.random.seed(99), random.seed(99)  # noqa: NPY002
    before = state()
    assert check(TASK, vandal).score == 3
    assert state() == before


def test_gradients_that_are_off_stay_off_outside_and_are_on_inside() -> None:
    with torch.no_grad():
        assert check(TASK, lambda x, by: shift(x, by) if torch.is_grad_enabled() else None).score
        assert not torch.is_grad_enabled()


def test_an_output_that_breaks_its_own_annotation_is_diagnosed_like_any_other() -> None:
    @jaxtyped(typechecker=beartype)
    def annotated(x: Float[Tensor, "q k"], by: Float[Tensor, " q"]) -> Float[Tensor, "q k"]:
        return flat(x, by)

    with pytest.raises(TypeCheckError):
        annotated(torch.ones(2, 2), torch.ones(2))
    assert check(TASK, annotated).matched == "flat"


def test_a_shape_check_that_fails_is_shortened_to_the_axes() -> None:
    @jaxtyped(typechecker=beartype)
    def annotated(x: Float[Tensor, "q k"], by: Float[Tensor, " q"]) -> Float[Tensor, "q k"]:
        return x.T

    assert raised(annotated, torch.ones(2, 3), torch.ones(4)) == (
        '`by` has the wrong shape or dtype: it is f32[4], expected Float["q"] with q=2, k=3.'
    )
    assert raised(annotated, torch.ones(2, 3), torch.ones(2)) == (
        "the value that your function returns has the wrong shape or dtype: it is f32[3,2], "
        'expected Float["q k"] with q=2, k=3.'
    )


def raised(answer: Callable[..., object], *inputs: object) -> str:
    with pytest.raises(TypeCheckError) as caught:
        answer(*inputs)
    return complaint(caught.value, answer).partition(" It happens")[0].replace("'", '"')


def test_a_students_default_dtype_does_not_change_what_is_drawn() -> None:
    torch.set_default_dtype(torch.float64)
    try:
        ones = replace(TASK.rungs[0], draw=lambda g: [{"x": torch.ones(1, 1), "by": torch.ones(1)}])
        seen: list[torch.dtype] = []
        check(replace(TASK, rungs=(ones,)), lambda x, by: seen.append(x.dtype))
        assert seen == [torch.float32]
        assert check(TASK, by_rows, seed=3).score == 3
    finally:
        torch.set_default_dtype(torch.float32)


def test_a_clean_state_within_another_is_clean_and_the_outer_one_restores() -> None:
    torch.manual_seed(5)
    before = torch.default_generator.get_state()
    with clean_state() as afresh:
        first = torch.rand(3)
        torch.set_default_dtype(torch.float64)
        with clean_state():
            assert torch.equal(torch.rand(3), first)
            torch.set_default_dtype(torch.float64)
        assert torch.get_default_dtype() is torch.float32
        assert torch.equal(torch.rand(3), first)
        afresh()
        assert torch.equal(torch.rand(3), first)
    assert torch.equal(torch.default_generator.get_state(), before)


def test_each_call_of_an_answer_begins_in_a_clean_state() -> None:
    def drawn(x: Tensor, by: Tensor) -> Tensor:
        numbers = torch.rand(2)
        torch.set_default_dtype(torch.float64)
        return numbers

    every = [{"x": torch.zeros(2), "by": torch.tensor(0.0)}] * 3
    for came in (call_all(TASK, drawn, every), [call(TASK, drawn, each) for each in every]):
        first, *others = (outcome.value for outcome in came)
        assert first.dtype == torch.float32
        assert all(torch.equal(first, other) for other in others)


def test_an_answer_that_is_not_begun_is_called_once() -> None:
    calls = []

    def stub(x: Tensor, by: Tensor) -> Tensor:
        calls.append(x)
        raise NotImplementedError

    assert check(TASK, stub, seed=3).headline == NOT_YET
    assert len(calls) == 1


@pytest.mark.parametrize("why", ["a tree of more than 20 levels", "a dtype of 4 bits", ""])
def test_a_value_that_cannot_be_read_is_returned_and_not_raised(why: str) -> None:
    told = complaint(WireError(why), flat)
    assert told.startswith("your function returns a value that the check cannot read")
    assert "raises" not in told
    assert told == f"{unquoted(WireError(why))}."


LIBRARY = """
import functools
import torch
class Norm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, by):
        return x + missing
class Module(torch.nn.Module):
    def forward(self, x, by):
        return x + missing
class Above(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = torch.nn.Sequential(Part())
    __call__ = torch.nn.Module.__call__
    def forward(self, x, by):
        return self.parts(x)
class Part(torch.nn.Module):
    def forward(self, x):
        return x + missing
"""
THEIRS = ["Norm.apply", "functools.partial(Norm.apply)", "Module().__call__", "Above().__call__"]
NOT_THEIRS = ["torch.nn.Linear(9, 9).__call__", "torch.nn.functional.layer_norm"]


@pytest.mark.parametrize("made", [*THEIRS, *NOT_THEIRS])
def test_a_line_of_a_library_is_never_called_the_students(
    made: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = {"<cell>": (len(LIBRARY), None, LIBRARY.splitlines(keepends=True), "<cell>")}
    monkeypatch.setattr(linecache, "cache", {**linecache.cache, **lines})
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(LIBRARY, "<cell>", "exec"), names)
    answer = eval(made, names)
    with pytest.raises((NameError, TypeError, RuntimeError, AttributeError)) as caught:
        answer(torch.ones(2, 3), torch.ones(2))
    told = complaint(caught.value, answer)
    assert ("`return x + missing`" in told) == (made in THEIRS)
    assert ("It happens in your line" in told) == (made in THEIRS)
