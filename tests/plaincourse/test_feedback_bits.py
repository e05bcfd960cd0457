"""What a report can tell of hidden inputs is which requirements they break, and is counted."""

import math
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from plaincourse import check
from plaincourse.checking.trials import draw
from plaincourse.exercise.report import Line, Report
from plaincourse.judge.judge import MOST_BITS, Judge, told_bits
from tests.plaincourse.tasks import TASK, doubled, flat, in_place, only_first, shift, to_columns

SEED = 2**64 + 4_711
VISIBLE = [trial.inputs["x"] for trial in draw(TASK, None)]


def seen(x: Tensor) -> bool:
    """Return whether an input is one that the student can see."""
    return any(x.shape == each.shape and torch.equal(x, each) for each in VISIBLE)


def speaking(say: Callable[[Tensor, Tensor], Any], known: Any = shift) -> Callable[..., Any]:
    """Make an answer that does as it likes on hidden inputs of several rows."""

    def answer(x: Tensor, by: Tensor) -> Any:
        return known(x, by) if seen(x) or len(x) == 1 else say(x, by)

    return answer


def raises(kind: type[Exception]) -> Callable[[Tensor, Tensor], Any]:
    def raising(x: Tensor, by: Tensor) -> Any:
        raise kind(str(x.tolist()))

    return raising


def prints(x: Tensor, by: Tensor) -> Tensor:
    print(x.tolist())
    return x


SAY = [
    to_columns,
    doubled,
    flat,
    only_first,
    prints,
    in_place,
    raises(ValueError),
    raises(KeyError),
    lambda x, by: x.sum(),
    lambda x, by: str(x.tolist()),
    lambda x, by: torch.zeros(1).expand(int(1000 * x.abs().sum()), 1),
    lambda x, by: doubled(x, by) if x.sum() > 0 else only_first(x, by),
]


@pytest.mark.parametrize("known", [shift, doubled, only_first, in_place])
def test_a_report_says_the_same_however_hidden_inputs_are_failed(known: Any) -> None:
    """Its words are those of the visible inputs; an answer cannot choose them by a hidden one."""
    ways = [say for say in SAY if say is not known]
    reports = [check(TASK, speaking(say, known), seed=SEED) for say in ways]
    assert len({report._repr_html_() for report in reports}) == 1
    assert len({report.text() for report in reports}) == 1
    alone = check(TASK, known)
    if alone.score < TASK.points:
        assert reports[0].diagnosis == alone.diagnosis
        assert (reports[0].matched, reports[0].example) == (alone.matched, alone.example)


def test_who_tries_to_say_a_seed_says_no_more_than_which_requirements_fail() -> None:
    """Of 64 seeds an answer of this kind would tell 6 bits; three requirements tell fewer."""

    def spelling(x: Tensor, by: Tensor) -> Tensor:
        bits = int(1e6 * x.abs().sum())
        wrong = [shift, doubled, to_columns, only_first][bits % 4]
        return shift(x, by) if seen(x) else wrong(x, by) + bits // 4 % 2

    pages, patterns, bits = set(), set(), 0.0
    for seed in range(SEED, SEED + 64):
        report = check(TASK, spelling, seed=seed)
        pages.add(report._repr_html_())
        patterns.add(tuple(line.met for line in report.rungs))
        bits = max(bits, told_bits([check(TASK, shift), report]))
        assert str(seed) not in report.text() + report._repr_html_()
    assert len(pages) == len(patterns) <= 2 ** len(TASK.rungs)
    assert bits <= math.log2(4 * 3)


def report(id: str, *met: bool) -> Report:
    lines = tuple(Line(name=f"{i}", points=1.0, earned=float(each)) for i, each in enumerate(met))
    return Report(
        id=id, title=id, score=float(sum(met)), points=float(len(met)), headline="", rungs=lines
    )


@pytest.mark.parametrize("rungs", [1, 3, 6, 10])
def test_the_bits_are_enough_to_tell_apart_all_that_can_fail(rungs: int) -> None:
    """A code with these lengths exists: its words together are no more than there are."""
    patterns = [[bool(i >> k & 1) for k in range(rungs)] for i in range(2**rungs)]
    visible = report("a", *[True] * rungs)
    lengths = [told_bits([visible, report("a", *each)]) for each in patterns]
    assert sum(2**-each for each in lengths if each) <= 1
    assert told_bits([visible, visible]) == 0


def test_a_submission_that_tells_8_bits_is_flagged_once() -> None:
    judge = Judge(None)  # type: ignore[arg-type]
    honest = [report("a", True, True, True), report("a", True, True, False)]
    assert judge._tells("a", honest) == []
    assert judge._tells("b", [replace(each, id="b") for each in honest[:1]]) == []
    flags: list[dict[str, str]] = []
    for number in range(4):
        random.seed(number)
        met = [random.random() < 0.5 for _ in range(6)]
        flags += judge._tells(f"c{number}", [report("c", *[True] * 6), report("c", *met)])
    assert [each["kind"] for each in flags] == ["tells"]
    assert judge._bits >= MOST_BITS
    assert "could tell" in flags[0]["why"]
