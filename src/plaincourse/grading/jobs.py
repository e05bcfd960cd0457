"""Plain data that is sent to a worker and returned from it."""

import datetime
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: A graded cell: its notebook's name and its grade id.
CellKey = tuple[str, str]

#: Kinds of flags that explain a grade without any suspicion. For all others a person should look.
EXPLAIN = frozenset(
    "corrected, earlier release, late, marked late, older, restored, mended, slow, unsandboxed, "
    "left out, comment".split(", ")
)
#: The kind of flag of a submission that was graded by an earlier version of its assignment.
EARLIER = "earlier release"


class CourseError(Exception):
    """The course cannot be graded as it is; the message gives the remedy."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """The gradebook's data on a submission before it is graded.

    Attributes:
        timestamp: the time of submission, UTC.
        extension: how much later than the rest it was due.
        manual: points that a person gave, by cell.
        extra: extra credit, by cell.
        settled: cells whose points a person gave and that wait for no one, each with a digest of
            the text that the person read, as `marks.digest_as_read` makes it.
        flags: irregularities in its arrival, as in a record.
    """

    timestamp: datetime.datetime | None = None
    extension: datetime.timedelta | None = None
    manual: Mapping[CellKey, float] = field(default_factory=dict)
    extra: Mapping[CellKey, float] = field(default_factory=dict)
    settled: Mapping[CellKey, str] = field(default_factory=dict)
    flags: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Job:
    """A submission to grade.

    Attributes:
        student: the student who handed it in.
        assignment: its name.
        folder: the folder of the submission; only read.
        digest: changes with everything that could change the grade.
        refused: why a file of it was left out, by name.
        known: the gradebook's data on it.
    """

    student: str
    assignment: str
    folder: Path
    digest: str
    refused: Mapping[str, str] = field(default_factory=dict)
    known: Known = field(default_factory=Known)


@dataclass(kw_only=True)
class Result:
    """The result of grading a submission.

    Attributes:
        student: the student who handed it in.
        assignment: its name.
        digest: of the job.
        status: ``graded``, ``flagged`` (graded, and a person should look), or ``failed``.
        notebooks: the graded notebooks as JSON text, by name.
        grades: points by cell; None if only a person can decide.
        manual: cells that a person must look at.
        comments: the comment below an answer in the gradebook, by cell.
        penalties: points lost for lateness, by notebook.
        earlier: whether it was graded by an earlier version of the assignment.
        record: the content of the record file.
    """

    student: str
    assignment: str
    digest: str
    status: str = "graded"
    notebooks: dict[str, str] = field(default_factory=dict)
    grades: dict[CellKey, float | None] = field(default_factory=dict)
    manual: set[CellKey] = field(default_factory=set)
    comments: dict[CellKey, str | None] = field(default_factory=dict)
    penalties: dict[str, float | None] = field(default_factory=dict)
    earlier: bool = False
    record: dict[str, Any] = field(default_factory=dict)

    def packed(self) -> bytes:
        """Return the result as JSON, which cannot execute anything in the process that reads it."""
        cells = {name: list(getattr(self, name).items()) for name in ("grades", "comments")}
        whole = {**vars(self), **cells, "manual": sorted(self.manual)}
        # Surrogates, which no file can hold, become question marks here.
        return json.dumps(whole, ensure_ascii=False).encode(errors="replace")

    @classmethod
    def unpacked(cls, text: bytes) -> "Result":
        """Read the output of `packed`."""
        said = json.loads(text)
        for name in ("grades", "comments"):
            said[name] = {tuple(cell): value for cell, value in said[name]}
        said["manual"] = {tuple(cell) for cell in said["manual"]}
        return cls(**said)


def status(flags: list[dict[str, Any]]) -> str:
    """Return whether a person should look."""
    return "flagged" if any(flag["kind"] not in EXPLAIN for flag in flags) else "graded"


def settle(record: dict[str, Any]) -> dict[str, Any]:
    """Set a record's status and reason according to its flags, and return it."""
    if record["status"] != "failed":
        look = [flag["why"] for flag in record["flags"] if status([flag]) == "flagged"]
        record.update(status="flagged" if look else "graded", why=" ".join(dict.fromkeys(look)))
    return record


def now() -> str:
    """Return the time in UTC, to the second, as ISO 8601."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
