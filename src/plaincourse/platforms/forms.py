"""The results of one submission, in the form that each platform documents.

`Outcome` is the one structure behind them. Everything in the output of a test may be seen by the
student, so it comes from the same step as the feedback page, and never from a hidden test.
"""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_BY_HAND = "A person reads this answer. It can earn {points:g} points, which are not in this score."
_EXTRA = "A further task, without points."
_HUNDREDTHS = 100
#: The number of characters of the text of a release.
_LONGEST_BODY = 100_000


@dataclass(frozen=True, kw_only=True)
class Answered:
    """The result of one test.

    Attributes:
        name: its title, or its grade id.
        score: the points earned; None while a person has to decide.
        points: the points that can be earned.
        by_hand: whether only a person grades it.
        said: the diagnosis as the student may see it.
    """

    name: str
    score: float | None
    points: float
    by_hand: bool = False
    said: str = ""

    @property
    def counts(self) -> bool:
        """Whether the platform gives points for it."""
        return self.points > 0 and not self.by_hand

    @property
    def text(self) -> str:
        """The text below the test."""
        if self.by_hand:
            return _BY_HAND.format(points=self.points)
        return self.said or ("" if self.counts else _EXTRA)


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The results of one submission.

    Attributes:
        tests: the results, in the order of the notebook.
        ran: whether a notebook could be read, so that its score says something about it.
        notes: sentences for the student on the whole submission.
        staff: sentences that only the instructor may see.
        flags: the kinds of flags of the submission.
        sandbox: the sandbox that confined the student's code.
    """

    tests: tuple[Answered, ...] = ()
    ran: bool = True
    notes: tuple[str, ...] = ()
    staff: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    sandbox: str = "none"

    @property
    def score(self) -> float:
        """The points that tests gave, added up as ``plaincourse autograde`` does."""
        return float(sum(each.score for each in self.tests if each.counts and each.score))

    @property
    def points(self) -> float:
        """The points that tests can give."""
        return float(sum(each.points for each in self.tests if each.counts))


def gradescope(outcome: Outcome, *, visibility: str) -> dict[str, Any]:
    """Return the content of Gradescope's ``results.json``.

    No test has the visibility ``hidden``: Gradescope would hide the total from students. What only
    the instructor may see goes to the standard output, which is hidden.
    """
    tests = []
    for each in outcome.tests:
        test: dict[str, Any] = {"name": each.name, "output": each.text, "visibility": visibility}
        if each.counts:
            test.update(score=each.score or 0.0, max_score=each.points)
        tests.append(test)
    return {
        "score": outcome.score,
        "output": "\n\n".join(outcome.notes),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "visibility": visibility,
        "stdout_visibility": "hidden",
        "tests": tests,
        "extra_data": {"sandbox": outcome.sandbox, "flags": list(outcome.flags)},
    }


def prairielearn(outcome: Outcome) -> dict[str, Any]:
    """Return the content of PrairieLearn's ``results.json``.

    A submission that could not be read is not gradable, so it does not cost the student an attempt.
    """
    if not outcome.ran:
        return {"gradable": False, "format_errors": list(outcome.notes)}
    return {
        "gradable": True,
        "score": outcome.score / outcome.points,
        "message": "\n\n".join(outcome.notes),
        "tests": [
            {
                "name": each.name,
                "points": (each.score or 0.0) if each.counts else 0.0,
                "max_points": each.points if each.counts else 0.0,
                "message": each.text.partition("\n")[0],
                "output": each.text,
            }
            for each in outcome.tests
        ],
        "sandbox": outcome.sandbox,
    }


def classroom50(outcome: Outcome, *, given: Mapping[str, str]) -> dict[str, Any]:
    """Return the content of Classroom 50's ``result.json``.

    Its scores are whole numbers, so they are hundredths of a point here; ``points`` has the exact
    value. Answers for a person, and tasks without points, are only in the release's text.

    Args:
        outcome: the results.
        given: the environment variables of its runner.
    """
    tests: list[dict[str, Any]] = [
        {
            "test-name": each.name,
            "passed": each.score == each.points,
            "score": _hundredths(each.score or 0.0),
            "max-score": _hundredths(each.points),
            "points": each.score or 0.0,
            "output": each.text,
        }
        for each in outcome.tests
        if each.counts
    ]
    now = datetime.datetime.now(datetime.UTC)
    return {
        "schema": "classroom50/result/v1",
        "classroom": given["CLASSROOM"],
        "assignment": given["ASSIGNMENT"],
        "assignment_type": given.get("ASSIGNMENT_TYPE") or "individual",
        "owner": given.get("OWNER") or given["USERNAME"],
        "submission": given["SUBMISSION_TAG"],
        "commit": given["COMMIT_URL"],
        "release": given["RELEASE_URL"],
        "review": given.get("REVIEW_URL") or given["COMMIT_URL"],
        "datetime": f"{now:%Y-%m-%dT%H:%M:%SZ}",
        "score": sum(test["score"] for test in tests),
        "max-score": sum(test["max-score"] for test in tests),
        "tests": tests,
    }


def _hundredths(points: float) -> int:
    return round(points * _HUNDREDTHS)


def release_body(outcome: Outcome) -> str:
    """Return the text of a release at Classroom 50, in Markdown.

    Output is put into indented blocks, in which mark-up has no effect.
    """
    parts = [f"## {outcome.score:g} of {outcome.points:g} points", *outcome.notes]
    for each in outcome.tests:
        worth = f": {each.score or 0.0:.4g} of {each.points:g} points" if each.counts else ""
        shown = "\n".join(f"    {line}" for line in each.text.splitlines())
        parts.append(f"### {each.name}{worth}\n\n{shown}")
    return "\n\n".join(parts)[:_LONGEST_BODY] + "\n"
