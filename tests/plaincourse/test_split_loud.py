"""An answer that prints or returns too much is still graded, or the excess is reported."""

import pytest

from plaincourse.checking.grader import grade
from tests.plaincourse.split_students import DISGUISED, student


def graded(line: str):
    source = f"{DISGUISED}\nimport sys, warnings\ndef answer(scores):\n    {line}"
    with student(f"{source}\n    return rightly(scores)") as session:
        return grade("02.softmax_rows", session.names(["answer"])["answer"], seed=5)


@pytest.mark.parametrize(
    "line",
    [
        "print('x' * 500_000)",
        "print('█' * 500_000)",
        "sys.stderr.write('x' * 1_000_000)",
        "[warnings.warn(str(i) * 1000) for i in range(200)]",
    ],
)
def test_a_right_answer_may_print_much_at_each_call(line: str) -> None:
    report = graded(line)
    assert report.score == report.points, report.text()


@pytest.mark.parametrize("line", ["return [[1.5] * 10] * 260_000", "return 'a' * 20_000_000"])
def test_what_is_too_large_to_be_tested_is_told_so(line: str) -> None:
    report = graded(line)
    assert report.score == 0
    assert "a value that is too large for a check" in " ".join(report.text().split())
