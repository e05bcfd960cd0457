"""Scores and comments of one submission, as nbgrader's steps read and write them."""

from dataclasses import dataclass


@dataclass(kw_only=True)
class Mark:
    """A score, with the fields of ``nbgrader.api.Grade`` that its steps use."""

    name: str
    max_score: float
    cell_type: str
    auto_score: float | None = None
    manual_score: float | None = None
    extra_credit: float | None = None
    needs_manual_grade: bool = True

    @property
    def score(self) -> float:
        """What counts: a person's points before the machine's, and extra credit."""
        own = self.auto_score if self.manual_score is None else self.manual_score
        return 0.0 if own is None else own + (self.extra_credit or 0.0)


@dataclass(kw_only=True)
class Remark:
    """A comment, with the fields of ``nbgrader.api.Comment`` that its steps use."""

    name: str
    auto_comment: str | None = None
    manual_comment: str | None = None

    @property
    def comment(self) -> str | None:
        """What counts: a person's words before the machine's."""
        return self.auto_comment if self.manual_comment is None else self.manual_comment


@dataclass(kw_only=True)
class Sheet:
    """A submitted notebook: its grades and comments, and the penalty for being late."""

    name: str
    grades: list[Mark]
    comments: list[Remark]
    max_score: float
    late_submission_penalty: float | None = None

    @property
    def score(self) -> float:
        """The sum of its grades."""
        return sum(grade.score for grade in self.grades)

    def void(self) -> None:
        """Give 0 points for everything, as nbgrader does where a notebook is missing."""
        for mark in self.grades:
            mark.auto_score, mark.needs_manual_grade = 0.0, False
        for remark in self.comments:
            remark.auto_comment = None
