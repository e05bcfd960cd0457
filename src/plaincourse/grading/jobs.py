"""What goes to a worker, and what comes back: plain data."""

import datetime
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: A graded cell: its notebook's name and its grade id.
CellKey = tuple[str, str]

#: Kinds of flags at which a person should look. The others explain a grade, and are no suspicion.
EXPLAIN = frozenset(
    "corrected, earlier release, late, marked late, older, restored, mended, slow, unsandboxed, "
    "left out, comment".split(", ")
)
#: The kind of flag of a submission that was graded by an earlier version of its assignment.
EARLIER = "earlier release"


class CourseError(Exception):
    """The course cannot be graded as it is; the message says what to do."""


@dataclass(frozen=True, kw_only=True)
class Known:
    """What the gradebook knows of a submission before it is graded.

    Attributes:
        timestamp: when it was handed in, UTC.
        extension: how much later than the rest it was due.
        manual: points that a person gave, by cell.
        extra: extra credit, by cell.
        settled: cells whose points a person gave and that wait for nobody: a digest of what that
            person read, as `marks.digest_as_read` makes it.
        flags: what is odd about how it came, as in a record.
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
        student: who handed it in.
        assignment: its name.
        folder: where what was handed in lies; only read.
        digest: changes with whatever could change the grade.
        refused: why a file of it was left out, by name.
        known: what the gradebook knows of it.
    """

    student: str
    assignment: str
    folder: Path
    digest: str
    refused: Mapping[str, str] = field(default_factory=dict)
    known: Known = field(default_factory=Known)


@dataclass(kw_only=True)
class Result:
    """What came of a submission.

    Attributes:
        student: who handed it in.
        assignment: its name.
        digest: of the job.
        status: ``graded``, ``flagged`` (graded, and a person should look), or ``failed``.
        notebooks: the graded notebooks as JSON text, by name.
        grades: points by cell; None where only a person can tell.
        manual: cells at which a person must look.
        comments: what stands in the gradebook below an answer, by cell.
        penalties: points lost for being late, by notebook.
        earlier: whether it was graded by an earlier version of the assignment.
        record: what the record file says.
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
        """Write the result as JSON: nothing in it can run where it is read."""
        cells = {name: list(getattr(self, name).items()) for name in ("grades", "comments")}
        whole = {**vars(self), **cells, "manual": sorted(self.manual)}
        # Half characters, which no file can hold, become question marks here.
        return json.dumps(whole, ensure_ascii=False).encode(errors="replace")

    @classmethod
    def unpacked(cls, text: bytes) -> "Result":
        """Read what `packed` wrote."""
        said = json.loads(text)
        for name in ("grades", "comments"):
            said[name] = {tuple(cell): value for cell, value in said[name]}
        said["manual"] = {tuple(cell) for cell in said["manual"]}
        return cls(**said)


def status(flags: list[dict[str, Any]]) -> str:
    """Return whether a person should look."""
    return "flagged" if any(flag["kind"] not in EXPLAIN for flag in flags) else "graded"


def settle(record: dict[str, Any]) -> dict[str, Any]:
    """Enter into a record whether a person should look, and why, as its flags say; return it."""
    if record["status"] != "failed":
        look = [flag["why"] for flag in record["flags"] if status([flag]) == "flagged"]
        record.update(status="flagged" if look else "graded", why=" ".join(dict.fromkeys(look)))
    return record


def now() -> str:
    """Return the time in UTC, to the second, as ISO 8601."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
