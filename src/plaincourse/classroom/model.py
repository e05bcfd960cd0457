"""A class and its submissions for one assignment, as plain data."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

Key = tuple[str, str]  # a notebook's name, and the grade id of a cell in it


@dataclass(frozen=True, kw_only=True)
class Student:
    """A student who is in the gradebook or has a submission.

    Attributes:
        id: nbgrader's id, the name of the student's folder in ``submitted/``.
        first, last, email, lms: name, e-mail address and id at the platform, from the gradebook;
            empty if unknown.
    """

    id: str
    first: str = ""
    last: str = ""
    email: str = ""
    lms: str = ""

    @property
    def name(self) -> str:
        """The name as in a register: last, first; the id for a student without a name."""
        return ", ".join(part for part in (self.last, self.first) if part) or self.id

    @property
    def order(self) -> tuple[str, str, str]:
        """The sort key of the register; it ignores accents, so Çelik is next to Celik."""
        return _plain(self.last or self.id), _plain(self.first), self.id


@dataclass(frozen=True, kw_only=True)
class Item:
    """One graded cell of the assignment.

    Attributes:
        key: its notebook and its grade id.
        points: the points that can be earned.
    """

    key: Key
    points: float


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A student's result in one item.

    Attributes:
        score: the points earned; ``None`` if a person must grade it.
        points: the points that could be earned.
        blank: whether the answer is unchanged from the release.
        seconds: the time to run it; ``None`` if not measured.
        matched: the misconception that the answer matches.
        rungs: the requirements: name, points earned, points.
        facts: the measurements of a project, by name.
    """

    score: float | None
    points: float
    blank: bool = False
    seconds: float | None = None
    matched: str | None = None
    rungs: tuple[tuple[str, float, float], ...] = ()
    facts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Flag:
    """Something about a submission that the instructor should see."""

    cell: str
    kind: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Work:
    """One submission.

    Attributes:
        student: its author.
        status: ``graded``, ``flagged`` or ``failed``.
        why: the reason, unless it is simply graded.
        marks: the results by item.
        penalty: points taken off for being late.
        flags: the reasons for a look at it.
        mended: the repairs made before grading, in sentences.
        seconds: the time of grading; ``None`` if not measured.
        memory: the peak memory of the student's kernel in MB; ``None`` if not measured.
        together: whether all tests ran in the student's own process, so that no pass is confirmed.
        sandbox: the sandbox that confined the student's code; empty if unknown.
    """

    student: Student
    status: str = "graded"
    why: str = ""
    marks: Mapping[Key, Mark] = field(default_factory=dict)
    penalty: float = 0.0
    flags: tuple[Flag, ...] = ()
    mended: tuple[str, ...] = ()
    seconds: float | None = None
    memory: float | None = None
    together: bool = False
    sandbox: str = ""

    @property
    def total(self) -> float:
        """The points so far, before any late penalty."""
        return sum(mark.score for mark in self.marks.values() if mark.score is not None)

    @property
    def grade(self) -> float:
        """The points so far less the late penalty, never below 0, as nbgrader exports them."""
        return max(0.0, self.total - self.penalty)

    @property
    def waiting(self) -> tuple[Key, ...]:
        """The items that a person must grade."""
        return tuple(key for key, mark in self.marks.items() if mark.score is None)

    @property
    def failed(self) -> bool:
        """Whether grading it failed, so that its points mean nothing."""
        return self.status == "failed"


@dataclass(frozen=True, kw_only=True)
class Classroom:
    """A class and one assignment.

    Attributes:
        assignment: its name.
        items: the graded items, in order.
        works: the submissions, sorted by the students' names.
        missing: the students without a submission.
        ungraded: the students whose submission is not graded yet.
        unknown: the ids among them that are not in the gradebook.
        notes: the files that could not be read, in sentences.
    """

    assignment: str
    items: tuple[Item, ...]
    works: tuple[Work, ...]
    missing: tuple[Student, ...] = ()
    ungraded: tuple[Student, ...] = ()
    unknown: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    @property
    def points(self) -> float:
        """The points that can be earned in the whole assignment."""
        return sum(item.points for item in self.items)

    @property
    def counted(self) -> tuple[Work, ...]:
        """The submissions with valid points: all but the failed ones."""
        return tuple(work for work in self.works if not work.failed)


def _plain(name: str) -> str:
    """Return a name in small letters without accents."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))
