"""A student's submission as files: a zip archive of theirs is opened, one level deep.

Whatever they handed in has a size and a count. What goes beyond, or cannot be read, is left out and
named, and costs nobody else anything.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from plaincourse.collecting.archives import (
    Entry,
    is_archive,
    is_other_archive,
    leads_out,
    open_zip,
)
from plaincourse.collecting.sorting import Submission
from plaincourse.grading.collected import NAME, NAMELESS, Collected
from plaincourse.grading.files import MOST, TOTAL, RefusedError, is_notebook, write_file
from plaincourse.grading.ids import one_spelling
from plaincourse.grading.results import RECORD
from plaincourse.grading.times import NAME as TIME
from plaincourse.grading.times import parse_time, quoted

#: Bytes of a file's or folder's name, and letters of it that are said.
_LONGEST, _SAID = 200, 120
#: Files that are named of those that are left out.
_NAMED = 15
#: Files of ours beside a notebook.
_OURS = {NAME, RECORD, TIME}
_PACKED_TWICE = "it is an archive inside an archive, and was not opened"
_FULL = f"the submission holds more than {TOTAL // 2**20} MiB or {MOST} files"


def write(submission: Submission, folder: Path, *, zone: str = "UTC") -> Collected:
    """Write a submission below a folder, with when and how it came beside it.

    Args:
        submission: what a student handed in.
        folder: an empty folder.
        zone: of a time without one.

    Returns:
        What is written of how it came.
    """
    folder.mkdir(parents=True, exist_ok=True)
    shelf = _Shelf(folder)
    for name, entry in sorted(submission.files.items(), key=lambda pair: _last(pair[0])):
        shelf.put(name, entry)
    said, time = submission.said, submission.said.time
    try:
        if time:
            stamp = parse_time(time, zone=zone).isoformat(" ")
            write_file(folder, TIME, stamp.encode())
            time = ""
    except ValueError:
        pass  # grading reads it once more, and says why it cannot be read
    came = Collected(
        platform=said.platform,
        name=one_spelling(said.name),
        number=said.number,
        late=said.late,
        time=time,
        older=tuple(sorted(dict.fromkeys(submission.older), key=_is_other))[:_NAMED],
        left_out=_first(shelf.left_out),
        group=submission.group,
        nameless=said.nameless,
        comment=submission.comment[:200],
    )
    write_file(folder, NAME, came.text().encode(errors="replace"))
    return came


def _first(left_out: dict[str, str]) -> dict[str, str]:
    """Return the first of what is left out, and how many more there are."""
    found = dict(list(left_out.items())[:_NAMED])
    more = len(left_out) - len(found)
    return {**found, f"and {more} more": "likewise"} if more else found


@dataclass
class _Shelf:
    """A folder that is filled up to a limit.

    Attributes:
        folder: where it is.
        left_out: why a file is not in it, by its name.
        room: how many bytes may still be read, and how many files written.
        taken: paths of files and folders in it.
    """

    folder: Path
    left_out: dict[str, str] = field(default_factory=dict)
    room: tuple[int, int] = (TOTAL, MOST - 10)
    taken: set[str] = field(default_factory=set)

    def put(self, name: str, entry: Entry) -> None:
        """Write what one entry holds."""
        if not is_archive(name):
            if is_other_archive(name):
                self.left_out[name] = "only zip archives are opened"
            self._write(name, entry)
            return
        content = self._content(name, entry)
        if content is None:
            return
        try:
            inner = open_zip(content)
        except RefusedError as error:
            self.left_out[name] = str(error)
            self._keep(name, content)
            return
        for each in sorted(inner, key=lambda each: _last(each.path)):
            if is_archive(each.path) or is_other_archive(each.path):
                self.left_out[each.path] = _PACKED_TWICE
            self._write(each.path, each, stem=name[: -len(".zip")])

    def _write(self, name: str, entry: Entry, *, stem: str = "") -> None:
        content = self._content(name, entry)
        if content is not None and not self._keep(name, content):
            kept = bool(stem) and self._keep(f"{stem}/{name}", content)
            if not kept:
                self.left_out[name] = "another file or folder has its name"

    def _content(self, name: str, entry: Entry) -> bytes | None:
        """Read an entry within what may still be read."""
        size, files = self.room
        why = entry.why or leads_out(name)
        if not why and (entry.size > size or not files):
            self.left_out.setdefault("…", _FULL)
            return None
        try:
            if why:
                raise RefusedError(why)
            content = entry.read()
        except RefusedError as error:
            # What was broken may have been unpacked all the same.
            self.room = size - (0 if why else max(entry.size, 0)), files
            self.left_out[name] = str(error)
            return None
        self.room = size - len(content), files - 1
        return content

    def _keep(self, name: str, content: bytes) -> bool:
        """Write a file; return whether its place was free."""
        path = "/".join(_short(part) for part in name.split("/") if part not in ("", "."))
        if path.lower() in _OURS:
            path = f"handed-in-{path}"
        above = {str(each) for each in PurePosixPath(path).parents} - {"."}
        if not path or path in self.taken or above & self._files:
            return False
        write_file(self.folder, path, content)
        self._files.add(path)
        self.taken |= {path, *above}
        return True

    def __post_init__(self) -> None:
        self._files: set[str] = set()


def _is_other(name: str) -> bool:
    """Return whether a file is no notebook; those come first where not all can be named."""
    return not is_notebook(name)


def _last(name: str) -> tuple[bool, int, str]:
    """Order names so that notebooks come first, and what lies deep comes last."""
    return not name.lower().endswith(".ipynb"), name.count("/"), name


def _short(part: str) -> str:
    """Return the name of a file or folder without tricks, and short enough for every disk."""
    clean = "".join(each if each.isprintable() else "_" for each in part)
    raw = clean.encode(errors="replace")
    if len(raw) <= _LONGEST:
        return raw.decode()
    end = PurePosixPath(clean).suffix[:20]
    digest = hashlib.sha256(raw).hexdigest()[:8]
    return f"{raw[: _LONGEST - 100].decode(errors='ignore')}-{digest}{end}"


def problems(came: Collected) -> Iterator[str]:
    """Yield sentences for the instructor about how a submission came."""
    if why := NAMELESS.get(came.nameless):
        yield f"not known whose it is: {why}"
    if came.late:
        yield f"{came.platform.title()} marked it late"
    if came.time:
        yield f"the time {quoted(came.time)} could not be read"
    for name in came.older:
        yield f"{quoted(name, _SAID)} is older and was not taken"
    for name, why in came.left_out.items():
        yield f"{quoted(name, _SAID)} was left out: {why}"
    if came.comment:
        yield f"the student wrote {quoted(came.comment, _SAID)}; receipt.txt has all of it"
    if came.group > 1:
        yield f"handed in by a group of {came.group}, each of whom has a copy"
