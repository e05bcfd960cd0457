"""The checker tells right from wrong, and says what is wrong."""

import random
import sys
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import torch
from beartype import beartype
from jaxtyping import Float, TypeCheckError, jaxtyped
from torch import Tensor

from plaincourse import check
from plaincourse.mistake import complaint
from tests.plaincourse.tasks import TASK, by_rows, doubled, flat, in_place, shift, to_columns


def said(report: object) -> str:
    return " ".join(report.text().split())  # type: ignore[attr-defined]


def test_the_right_answer_earns_every_point_and_needs_no_hints() -> None:
    report = check(TASK, shift, seed=7)
    assert (report.score, report.points, report.matched, report.hints) == (3.0, 3.0, None, ())
    assert all(rung.met for rung in report.rungs)


def test_as_a_number_and_as_text_a_report_is_its_score_alone() -> None:
    report = check(TASK, to_columns)
    assert repr(report) == "1.0"
    assert float(report) == 1.0


@pytest.mark.parametrize("known", TASK.misconceptions, ids=lambda known: known.name)
def test_each_known_mistake_is_called_by_its_name(known: object) -> None:
    report = check(TASK, known.answer, seed=7)  # type: ignore[attr-defined]
    assert report.matched == known.name  # type: ignore[attr-defined]
    assert known.says in report.diagnosis  # type: ignore[attr-defined]
    assert report.hints == known.hints  # type: ignore[attr-defined]


def test_points_are_earned_requirement_by_requirement() -> None:
    report = check(TASK, to_columns)
    assert [rung.earned for rung in report.rungs] == [0.5, 0.5, 0.0]


def test_a_mistake_with_another_dtype_is_recognised_and_the_dtype_named() -> None:
    report = check(TASK, lambda x, by: doubled(x, by).to(torch.float32))
    assert report.matched == "doubled"
    assert "dtype" in report.diagnosis[1]


def test_a_mistake_mixed_with_another_is_recognised_where_it_first_shows() -> None:
    def mixed(x: Tensor, by: Tensor) -> Tensor:
        return doubled(x, by) if len(x) == 1 else torch.zeros_like(x)

    report = check(TASK, mixed)
    assert report.matched == "doubled"
    assert "More may be wrong" in report.diagnosis[1]


def test_an_unknown_mistake_shows_the_smallest_failing_input() -> None:
    report = check(TASK, lambda x, by: shift(x, by) + (len(x) > 1))
    assert report.matched is None
    assert report.hints == TASK.hints
    assert report.example is not None
    assert dict(report.example.inputs)["by"].count(",") == 1, "two rows, not three"
    assert report.diagnosis[0].startswith("Each row its own: your output at [0, 0] is ")
    assert "(4 of 4 differ)" in report.diagnosis[0]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (lambda x, by: shift(x, by).T, "(1, 3), that is (q, k): axes -2 and -1 are swapped"),
        (lambda x, by: shift(x, by)[None], "expected (1, 1), that is (q, k): 1 axis too many"),
        (lambda x, by: shift(x, by).float(), "has dtype float32; expected float64"),
        (lambda x, by: None, "returns None (is there a return?); expected a tensor"),
        (lambda x, by: (x, by), "returns a tuple of 2; expected a tensor"),
        (lambda x, by: shift(x, by).numpy(), "returns a NumPy array; expected a tensor"),
        (lambda x, by: shift(x, by) * torch.nan, "has nan at [0, 0], and 1 of 1 in all"),
        (lambda x, by: shift(x, by) / 0, "has inf at [0, 0]"),
    ],
    ids=["swapped", "rank", "dtype", "none", "tuple", "array", "nan", "inf"],
)  # fmt: skip
def test_structure_comes_before_numbers(answer: object, expected: str) -> None:
    assert expected in said(check(TASK, answer))


def test_an_input_that_was_written_into_is_named() -> None:
    report = check(TASK, lambda x, by: (shift(x, by), by.zero_())[0])
    assert "One number: your function changed its input `by`: work on a copy." in said(report)
    assert report.score == 0


def test_a_function_that_changes_what_it_is_given_does_not_spoil_the_next_call() -> None:
    check(TASK, in_place)
    assert check(TASK, shift).score == 3


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
        (AssertionError(), "raises `AssertionError`"),
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


def test_endless_recursion_is_survived() -> None:
    def again(x: Tensor, by: Tensor) -> Tensor:
        return again(x, by)

    assert "calls itself without end" in said(check(TASK, again))


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
    report = check(TASK, endless)
    assert time.monotonic() - began < 10
    assert report.score == 1.0
    assert "is there an endless loop?" in said(report)


def test_an_endless_loop_is_stopped_on_a_thread_that_gets_no_signals() -> None:
    reports = []
    thread = threading.Thread(target=lambda: reports.append(check(TASK, endless)))
    thread.start()
    thread.join(timeout=10)
    assert [report.score for report in reports] == [1.0]


@pytest.mark.parametrize("untouched", [None, ...])
def test_an_answer_that_is_not_there_yet_is_said_to_be_so(untouched: object) -> None:
    report = check(TASK, untouched)
    assert (report.score, report.headline) == (0.0, "Not attempted yet.")


def test_the_stub_is_not_attempted_yet() -> None:
    def stub(x: Tensor, by: Tensor) -> Tensor:
        raise NotImplementedError

    assert check(TASK, stub).headline == "Not attempted yet."


def test_a_result_in_place_of_a_function_is_explained() -> None:
    report = check(TASK, torch.ones(2))
    assert "`shift` is [1, 1], of type Tensor" in said(report)


@pytest.mark.parametrize(
    "answer", [lambda x: x, lambda x, by, more: x, lambda a, b: a], ids=["few", "many", "other"]
)
def test_parameters_that_do_not_fit_are_listed(answer: object) -> None:
    assert "it is called with (x, by). Names and number must agree" in said(check(TASK, answer))


def test_hidden_inputs_decide_but_are_never_shown() -> None:
    seen: list[float] = []
    check(TASK, lambda x, by: seen.extend(by.tolist()))
    hidden: list[str] = []

    def learnt_by_heart(x: Tensor, by: Tensor) -> Tensor:
        known = by.tolist()[0] in seen
        hidden.extend([] if known else [f"{v:.4f}" for v in by.tolist()])
        return shift(x, by) if known else torch.full_like(x, 5)

    assert check(TASK, learnt_by_heart).score == 3
    assert not hidden
    report = check(TASK, learnt_by_heart, seed=7)
    assert report.score == 0
    assert hidden
    assert report.example is None
    assert "fails on fresh ones of the same kind" in said(report)
    assert not any(number in report.text() + report._repr_html_() for number in hidden)


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


def test_an_unknown_id_names_the_nearest() -> None:
    with pytest.raises(LookupError, match=r"did you mean 02\.softmax_rows"):
        check("02.softmax_row", shift)
    with pytest.raises(LookupError, match="an id looks like"):
        check("softmax_rows", shift)
