"""A sentence in a report is true for each answer that gets it, and for the example below it."""

import re
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor

from exercise_bank.ch02.mistakes.name_the_mistake_code import some_rows
from exercise_bank.ch04.mistakes.to_groups import grouped
from exercise_bank.ch06.mistakes.memory_weights import most_of_a_key
from exercise_bank.ch07.mistakes.count_llama import as_float
from exercise_bank.ch07.mistakes.decoder_layer_code import CROSS, LAST, layer
from plaincourse.checking import memory
from plaincourse.checking.grader import grade
from plaincourse.checking.in_words import show_both
from plaincourse.exercise import Exercise
from plaincourse.exercise.bank import load


def sandwich_by_the_mean(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    def same(a: Tensor, b: Tensor) -> bool:
        return torch.allclose(a, b, rtol=1e-4, atol=1e-5)

    if same(read, x):
        return "none" if same(out, x + wrote) else "post"
    if same(out, x + wrote):
        return "pre"
    mean = (out - x).mean(dim=-1)
    return "sandwich" if torch.allclose(mean, 0 * mean, atol=1e-4) else "stream"


@pytest.mark.parametrize(
    ("task", "answer", "said", "never"),
    [
        ("04.to_groups", partial(grouped, groups="columns", divided=divided), "columns", "one head")
        for divided in ("added", "by-all-heads", "by-groups")
    ]
    + [
        (
            "06.memory_weights",
            partial(most_of_a_key, least=least, kept=kept),
            "For a complete key, your network writes only a part",
            "the key is not complete",
        )
        for least, kept in ((0.5, 0.5), (0.6, 0.4), (0.5, 0.25))
    ]
    + [
        ("06.name_place", sandwich_by_the_mean, "Neither the mean nor", "point along"),
        (
            "07.decoder_layer",
            layer({"reads": {CROSS: "x"}}),
            "Your cross-attention reads the input x",
            "All your branches",
        ),
        (
            "07.decoder_layer",
            layer({"reads": {LAST: "x"}}),
            "Your feed-forward network reads the input x",
            "All your branches",
        ),
        (
            "07.decoder_layer",
            layer({"reads": {CROSS: "x", LAST: "x"}}),
            "All your branches read the input x",
            "Your cross-attention",
        ),
        ("07.count_llama", as_float, "yours =\n    12.0\n", "yours =\n    12\n"),
    ],
)
def test_the_sentence_is_true_of_the_answer(task: str, answer: Any, said: str, never: str) -> None:
    told = grade(load(task), answer, seed=7).text()
    assert said in told
    assert never not in told


@pytest.mark.parametrize("rows", [slice(1), slice(1, 2), slice(2)])
def test_a_mistake_in_the_last_row_alone_is_missed_without_that_row(rows: slice) -> None:
    report = grade(load("02.name_the_mistake"), partial(some_rows, rows=rows), seed=7)
    assert (float(report), report.matched) == (5, "not-all-rows")


def test_all_rows_compared_are_enough() -> None:
    assert float(grade(load("02.name_the_mistake"), partial(some_rows, rows=slice(3)), seed=7)) == 6


@pytest.mark.parametrize(
    ("expected", "got", "written"),
    [
        (12, 12.0, ("12", "12.0")),
        (12.0, 12, ("12.0", "12")),
        (1.0000001, 1.0000002, ("1.0000001", "1.0000002")),
        (3.0, 3.0, ("3", "3")),
        (3, 4, ("3", "4")),
        ("a", "a", ("'a'", "'a'")),
    ],
)
def test_two_numbers_that_differ_are_not_written_alike(
    expected: Any, got: Any, written: tuple[str, str]
) -> None:
    assert show_both(expected, got) == written


def false_alarm() -> Any:
    """Return an answer that takes kept pages of any server for leaked."""
    task = load("16.find_fault")
    assert isinstance(task, Exercise)
    mistake = next(each for each in task.misconceptions if each.name == "kept-is-leaked")
    return mistake.variants[-1]


def test_a_false_alarm_is_shown_at_a_sound_server() -> None:
    shown = grade(load("16.find_fault"), false_alarm()).example
    assert shown is not None
    assert (shown.expected, shown.got) == ("'none'", "'leaked page'")


@pytest.mark.slow
@pytest.mark.parametrize("id", ["12.fix_forward", "15.find_fault", "16.find_fault"])
def test_the_box_beside_a_sentence_is_one_that_it_speaks_of(id: str) -> None:
    task = load(id)
    assert isinstance(task, Exercise)
    with memory.kept():
        for mistake in task.misconceptions:
            says = re.match(r'You (?:say|see) (?:"([^"]+)")?.*?\.(?= |$)', mistake.says)
            for answer in (mistake.answer, *mistake.variants[:4]):
                report = grade(task, answer)
                if not (says and report.matched == mistake.name and report.example):
                    continue
                shown = report.example
                if says[1]:
                    assert shown.got == repr(says[1]), report.text()
                if re.search(r"\bsound (boxes|models|servers?)\b(?!.* too)", says[0]):
                    assert shown.expected == "'none'", report.text()
