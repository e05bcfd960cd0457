"""The checker distinguishes right from wrong answers, and reports the error."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from plaincourse import check
from plaincourse.checking.grader import grade
from plaincourse.exercise import Rung
from plaincourse.exercise.hints import next_hint
from plaincourse.exercise.report import html
from tests.plaincourse.tasks import TASK, doubled, in_place, shift, to_columns, wrong

STRICT = replace(TASK, rungs=(*TASK.rungs[:2], replace(TASK.rungs[2], dtype=True)))


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


def test_a_mistake_with_another_dtype_is_recognised_and_the_dtype_named_where_it_counts() -> None:
    def doubled_in_float32(x: Tensor, by: Tensor) -> Tensor:
        return doubled(x, by).to(torch.float32)

    report = check(STRICT, doubled_in_float32)
    assert report.matched == "doubled"
    assert "dtype" in report.diagnosis[1]
    assert check(TASK, doubled_in_float32).diagnosis == ("This is what doubled gives.",)


def test_only_the_rung_that_is_about_the_dtype_fails_for_it() -> None:
    report = check(STRICT, lambda x, by: shift(x, by).float())
    assert [rung.met for rung in report.rungs] == [True, True, False]
    assert check(TASK, lambda x, by: shift(x, by).float()).score == TASK.points


@pytest.mark.parametrize("kind", [torch.bool, torch.int64, torch.complex128], ids=str)
def test_a_boolean_a_whole_and_a_floating_number_differ_in_every_rung(kind: torch.dtype) -> None:
    task = replace(TASK, reference=lambda x, by: torch.ones_like(x))
    assert check(task, lambda x, by: torch.ones_like(x, dtype=torch.float32)).score == task.points
    assert check(task, lambda x, by: torch.ones_like(x, dtype=kind)).score == 0


@pytest.mark.parametrize("error", [3e-3, 3e-4])
def test_a_coarser_dtype_hides_no_mistake_that_it_can_tell_apart(error: float) -> None:
    assert check(TASK, lambda x, by: (shift(x, by) * (1 + error)).float()).score == 0


@pytest.mark.parametrize("kind", [torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("error", [0.0, 4e-3])
def test_a_dtype_coarser_than_expected_buys_no_tolerance(kind: torch.dtype, error: float) -> None:
    report = check(TASK, lambda x, by: (shift(x, by) * (1 + error)).to(kind))
    assert report.score == 0
    name = str(kind).removeprefix("torch.")
    said = f"dtype {name}, which is coarser than float32; expected float64"
    assert said in " ".join(report.diagnosis)


def test_a_number_in_half_precision_buys_no_tolerance() -> None:
    task = replace(TASK, reference=lambda x, by: 1.0)
    assert check(task, lambda x, by: np.float16(1.004)).score == 0
    assert check(task, lambda x, by: np.float32(1.0)).score > 0


def sign(x: Tensor, by: Tensor) -> str:
    """Return a word for the sign of the sum."""
    return "up" if shift(x, by).sum() > 0 else "down"


WORDS = replace(
    TASK,
    reference=sign,
    rungs=tuple(replace(rung, law=None) for rung in TASK.rungs),
    misconceptions=(
        wrong("of x alone", lambda x, by: "up" if x.sum() > 0 else "down"),
        wrong("turned round", lambda x, by: "down" if shift(x, by).sum() > 0 else "up"),
    ),
)


def test_one_word_is_no_evidence_of_a_mistake() -> None:
    def seldom(x: Tensor, by: Tensor) -> str:
        return WORDS.misconceptions[1].answer(x, by) if x.numel() == 1 else sign(x, by)

    assert check(WORDS, seldom).matched is None


def test_words_that_all_agree_with_a_mistake_are_told_as_what_was_seen() -> None:
    report = check(WORDS, WORDS.misconceptions[1].answer)
    assert report.matched == "turned round"
    assert report.diagnosis == (
        "On every input that you can see, your answer gives what this mistake gives:",
        "This is what turned round gives.",
    )


@pytest.mark.parametrize(
    ("right", "other", "numbers"),
    [
        ("up", "down", ""),
        (3, 4, ". In numbers: your function returns 4; expected 3"),
        (2.5, 1.5, ". In numbers: your function returns 1.5; expected 2.5"),
        ((1, "up"), (1, "down"), ""),
        (True, False, ""),
    ],
)
def test_a_rule_speaks_for_outputs_of_every_kind(right: Any, other: Any, numbers: str) -> None:
    def rule(inputs: object, output: object) -> str | None:
        return None if output == right else "the rule is that it points up"

    rungs = tuple(replace(rung, law=rule) for rung in TASK.rungs)
    task = replace(TASK, reference=lambda x, by: right, rungs=rungs, misconceptions=())
    assert f"The rule is that it points up{numbers}." in said(check(task, lambda x, by: other))
    assert "the rule" not in said(check(task, lambda x, by: None)).lower()


def test_a_rule_that_overlooks_nan_lets_none_pass() -> None:
    rungs = tuple(replace(r, law=lambda i, o: None, compare=False) for r in TASK.rungs)
    task = replace(TASK, rungs=rungs, misconceptions=())
    assert check(task, doubled).score == TASK.points
    report = check(task, lambda x, by: doubled(x, by) * torch.nan)
    assert report.score == 0
    assert "Your output has nan" in said(report)
    expected = replace(task, reference=lambda x, by: x * torch.nan)
    assert check(expected, lambda x, by: x * torch.nan).score == TASK.points


def test_an_unknown_mistake_shows_the_smallest_failing_input() -> None:
    report = check(TASK, lambda x, by: shift(x, by) + (len(x) > 1))
    assert report.matched is None
    assert report.hints == TASK.hints
    assert report.example is not None
    assert dict(report.example.inputs)["by"].count(",") == 1, "two rows, not three"
    assert report.diagnosis[0].startswith("Failed: “each row its own”. Your output at [0, 0] is ")
    assert "(4 of 4 differ)" in report.diagnosis[0]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (lambda x, by: shift(x, by).T, "(1, 3), that is (q, k): axes -2 and -1 are swapped"),
        (lambda x, by: shift(x, by)[None], "expected (1, 1), that is (q, k): 1 axis too many"),
        (lambda x, by: shift(x, by).int(), "has dtype int32; expected float64"),
        (lambda x, by: None, "returns None (is there a return?); expected a tensor"),
        (lambda x, by: (x, by), "returns a tuple of 2; expected a tensor"),
        (lambda x, by: shift(x, by).numpy(), "returns a NumPy array; expected a tensor"),
        (lambda x, by: shift(x, by) * torch.nan, "has nan at [0, 0] (1 of 1 numbers)"),
        (lambda x, by: shift(x, by) / 0, "has inf at [0, 0]"),
    ],
    ids=["swapped", "rank", "dtype", "none", "tuple", "array", "nan", "inf"],
)  # fmt: skip
def test_structure_comes_before_numbers(answer: object, expected: str) -> None:
    assert expected in said(check(TASK, answer))


def test_an_input_that_was_written_into_is_named() -> None:
    report = check(TASK, lambda x, by: (shift(x, by), by.zero_())[0])
    assert (
        "Failed: “the arguments are left as they are”. Your function changed its input `by`: work "
        "on a copy. Functions that end in an underscore" in said(report)
    )
    assert report.example is not None
    assert report.example.expected == "the arguments are left as they are"
    assert report.example.got == "the output is right, and `by` changed"
    assert "one number; the arguments are left as they are" in report.text()


def test_an_output_is_called_right_beside_a_changed_input_only_where_it_is() -> None:
    rungs = tuple(replace(r, law=lambda i, o: None, compare=False) for r in TASK.rungs)
    loose = replace(TASK, rungs=rungs, misconceptions=())
    report = check(loose, lambda x, by: (shift(x, by) + 1, by.zero_())[0])
    assert report.example is not None
    assert report.example.got == "`by` changed"
    assert "is right" not in report.text()


def test_a_mistake_is_recognised_in_an_answer_that_changes_an_input_besides() -> None:
    report = check(TASK, lambda x, by: (doubled(x, by), by.zero_())[0], seed=7)
    assert report.matched == "doubled"
    assert report.diagnosis[1:] == (
        "Besides, your function changes its input `by`: work on a copy.",
    )
    assert report.example is not None
    assert "changed" not in report.example.got


def test_an_input_of_an_unusual_dtype_is_shown_with_it() -> None:
    rung = Rung(name="all", points=1, draw=lambda g: [{"x": torch.ones(2).half(), "by": 1}])
    task = replace(TASK, rungs=(rung,), misconceptions=(), reference=lambda x, by: 1)
    example = check(task, lambda x, by: 2).example
    assert example is not None
    assert example.inputs == (("x", "[1, 1]  float16"), ("by", "1"))
    usual = replace(rung, draw=lambda g: [{"x": torch.ones(2), "by": 1}])
    for each, shown in ((usual, "[1, 1]"), (replace(usual, dtype=True), "[1, 1]  float32")):
        example = check(replace(task, rungs=(each,)), lambda x, by: 2).example
        assert example is not None
        assert example.inputs[0] == ("x", shown)


@pytest.mark.parametrize(
    ("value", "change", "words"),
    [
        ([1, 2], lambda x: x.pop(), "extend, insert"),
        ({"a": 1}, lambda x: x.update(a=2), "a dictionary"),
        ({1, 2}, lambda x: x.discard(1), "a set"),
        (np.array([1.0, 2.0]), lambda x: x.sort(), "an array"),
    ],
)  # fmt: skip
def test_advice_about_a_changed_input_is_about_its_type(value, change, words) -> None:
    value = value[::-1] if isinstance(value, np.ndarray) else value
    rung = Rung(name="all", points=1, draw=lambda g: [{"given": value}])
    task = replace(TASK, rungs=(rung,), misconceptions=(), reference=lambda given: 1)
    diagnosis = said(check(task, lambda given: (change(given), 1)[1]))
    assert words in diagnosis
    assert "tensor" not in diagnosis


def test_two_changed_inputs_are_spoken_of_in_the_plural() -> None:
    report = check(TASK, lambda x, by: (shift(x, by), by.zero_(), x.zero_())[0])
    assert "changed its inputs `x` and `by`" in said(report)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ((0.0, math.nan), "The second of the 2 values that you return has nan"),
        ((math.nan, 0.0), "The first of the 2 values that you return has nan"),
        ((0.0, 0.0, [1.0, math.nan]), "The third of the 3 values that you return"),
    ],
)
def test_the_member_that_has_nan_is_named(answer, words) -> None:
    rung = Rung(
        name="all", points=1, draw=lambda g: [{"x": 1}], compare=False, law=lambda i, o: None
    )
    task = replace(TASK, rungs=(rung,), misconceptions=(), reference=lambda x: (0.0,))
    assert words in said(check(task, lambda x: answer))


@pytest.mark.parametrize(("wrong", "word"), [(0, "first"), (1, "second"), (2, "third")])
def test_outputs_are_counted_as_people_count(wrong: int, word: str) -> None:
    rung = Rung(name="all", points=1, draw=lambda g: [{"x": 1.0}])
    task = replace(TASK, rungs=(rung,), misconceptions=(), reference=lambda x: (x, x, x))
    answer = tuple(5.0 if i == wrong else 1.0 for i in range(3))
    assert f"The {word} output: your function returns 5; expected 1" in said(
        check(task, lambda x: answer)
    )


def test_an_input_that_was_written_into_costs_the_cheapest_requirement_and_no_other() -> None:
    report = check(TASK, lambda x, by: (shift(x, by), by.zero_())[0], seed=7)
    assert [rung.met for rung in report.rungs] == [False, True, True]
    wrong_too = check(TASK, lambda x, by: (doubled(x, by), by.zero_())[0], seed=7)
    assert wrong_too.score == 0


def test_a_function_that_changes_what_it_is_given_does_not_spoil_the_next_call() -> None:
    check(TASK, in_place)
    assert check(TASK, shift).score == 3


def test_the_stub_is_not_answered_yet() -> None:
    def stub(x: Tensor, by: Tensor) -> Tensor:
        raise NotImplementedError

    assert check(TASK, stub).headline == "Not answered yet."


def test_a_result_in_place_of_a_function_is_explained() -> None:
    report = check(TASK, torch.ones(2))
    assert "`shift` is [1, 1], of type Tensor" in said(report)


@pytest.mark.parametrize(
    "answer", [lambda x: x, lambda x, by, more: x, lambda a, b: a], ids=["few", "many", "other"]
)
def test_parameters_that_do_not_fit_are_listed(answer: object) -> None:
    assert "it is called with (x, by). Names and number must agree" in said(check(TASK, answer))


def test_parameters_are_not_compared_with_inputs_that_are_no_arguments() -> None:
    def broken(x: Tensor) -> Tensor:
        raise IndexError("seven")

    wrapped = replace(TASK, call=lambda answer, inputs: answer(inputs["x"]))
    assert "it is called with" not in said(grade(wrapped, broken))


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


def test_an_unknown_id_names_the_nearest() -> None:
    with pytest.raises(LookupError, match=r"did you mean 02\.softmax_rows"):
        check("02.softmax_row", shift)
    with pytest.raises(LookupError, match="an id looks like"):
        check("softmax_rows", shift)


def test_a_rule_takes_numpys_numbers_and_a_tuple_for_a_list():
    def counts(inputs, output):
        fits = type(output) is list and all(type(each) is int for each in output)
        return None if fits else "return a list of whole numbers"

    task = replace(
        TASK,
        reference=lambda x, by: [len(x), len(by)],
        rungs=(replace(TASK.rungs[0], law=counts),),
    )
    assert grade(task, lambda x, by: (np.int64(len(x)), len(by))).score == task.points
    assert grade(task, lambda x, by: [float(len(x)), len(by)]).score == 0


def test_a_rule_takes_an_output_in_another_float_type():
    def doubles(inputs, output):
        same = torch.allclose(output @ inputs["x"].mT, inputs["x"] @ inputs["x"].mT)
        return None if same else "x stays"

    task = replace(
        TASK,
        reference=lambda x, by: x,
        rungs=(replace(TASK.rungs[0], draw=lambda g: [{"x": torch.eye(2), "by": 1}], law=doubles),),
    )
    assert grade(task, lambda x, by: x.double()).score == task.points
    assert grade(task, lambda x, by: 2 * x.double()).score == 0


@pytest.mark.parametrize(
    ("value", "change", "copy"),
    [
        ([1, 2], lambda x: x.pop(), "`given = list(given)`"),
        ({"a": 1}, lambda x: x.update(a=2), "`given = dict(given)`"),
        ({1, 2}, lambda x: x.discard(1), "`given = set(given)`"),
        (np.array([2.0, 1.0]), lambda x: x.sort(), "`given = given.copy()`"),
        (torch.ones(2), lambda x: x.zero_(), "`given = given.clone()`"),
    ],
    ids=["list", "dict", "set", "array", "tensor"],
)
def test_a_changed_input_has_hints_of_its_own(value, change, copy) -> None:
    rung = Rung(name="all", points=1, draw=lambda g: [{"given": value}])
    task = replace(TASK, rungs=(rung,), misconceptions=(), reference=lambda given: 1)
    report = check(task, lambda given: (change(given), 1)[1])
    assert copy in report.hints[-1]
    assert 'data-ladder="found"' in html(report)
    assert next_hint(task) == f"Hint 1 of 3: {report.hints[0]}"
