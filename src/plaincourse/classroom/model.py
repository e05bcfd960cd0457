"""A class and what it handed in for one assignment, as plain data."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

Key = tuple[str, str]  # a notebook's name, and the grade id of a cell in it


@dataclass(frozen=True, kw_only=True)
class Student:
    """One who is in the gradebook, or who handed something in.

    Attributes:
        id: nbgrader's id, the name of the folder that they hand in.
        first, last, email, lms: what the gradebook knows of them; empty where it does not.
    """

    id: str
    first: str = ""
    last: str = ""
    email: str = ""
    lms: str = ""

    @property
    def name(self) -> str:
        """The name as a register has it: last, first; the id where there is none."""
        return ", ".join(part for part in (self.last, self.first) if part) or self.id

    @property
    def order(self) -> tuple[str, str, str]:
        """What the register is sorted by: as people look for a name, Çelik beside Celik."""
        return _plain(self.last or self.id), _plain(self.first), self.id


@dataclass(frozen=True, kw_only=True)
class Item:
    """One graded cell of the assignment.

    Attributes:
        key: its notebook and its grade id.
        points: what it is worth.
    """

    key: Key
    points: float


@dataclass(frozen=True, kw_only=True)
class Mark:
    """What one student got for one item.

    Attributes:
        score: the points; ``None`` where a person must look.
        points: what could be earned.
        blank: whether the answer was left as it was handed out.
        seconds: how long running it took; ``None`` where nobody measured.
        matched: the misconception that the answer matches.
        rungs: the requirements: name, points earned, points.
        facts: what was measured of a project, by name.
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
        student: whose it is.
        status: ``graded``, ``flagged`` or ``failed``.
        why: the reason, where it is not simply graded.
        marks: by item.
        penalty: points taken off for being late.
        flags: what to look at.
        mended: what was repaired before grading, in sentences.
        seconds: how long grading took; ``None`` where nobody measured.
        memory: the most that the student's kernel held, in MB; ``None`` where nobody measured.
        together: whether all tests ran in the student's own process, so that no pass is confirmed.
        sandbox: what kept the student's code in; empty where it is not known.
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
        """The items that a person must look at."""
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
        items: what is graded, in order.
        works: the submissions, sorted by the students' names.
        missing: those who handed nothing in.
        ungraded: those who did, but whose work is not graded yet.
        unknown: the ids of those among them whom the gradebook does not know.
        notes: what could not be read, in sentences.
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
        """What the whole assignment is worth."""
        return sum(item.points for item in self.items)

    @property
    def counted(self) -> tuple[Work, ...]:
        """The submissions whose points mean something: all but the failed ones."""
        return tuple(work for work in self.works if not work.failed)


def _plain(name: str) -> str:
    """Return a name in small letters without accents."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))
