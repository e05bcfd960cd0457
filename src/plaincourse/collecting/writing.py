"""Write a student's submission as files, and unpack zip archives in it, one level deep.

The size and number of a submission's files are limited. Files beyond the limits, and files that
cannot be read, are left out and listed; they do not affect other students.
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

#: The most bytes of a file's or folder's name, and the most characters of it in a message.
_LONGEST, _SAID = 200, 120
#: The most files to name among those that are left out.
_NAMED = 15
#: The course's own files in the folder of a notebook.
_OURS = {NAME, RECORD, TIME}
_PACKED_TWICE = "it is an archive inside an archive, and was not opened"
_FULL = f"the submission holds more than {TOTAL // 2**20} MiB or {MOST} files"


def write(submission: Submission, folder: Path, *, zone: str = "UTC") -> Collected:
    """Write a submission into a folder, with files on its time and its origin.

    Args:
        submission: the student's submission.
        folder: an empty folder.
        zone: the time zone of a time without one.

    Returns:
        The data on its origin, as written.
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
        pass  # grading reads it again, and reports why it cannot be read
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
    """Return the first of the files left out, and the number of the others."""
    found = dict(list(left_out.items())[:_NAMED])
    more = len(left_out) - len(found)
    return {**found, f"and {more} more": "likewise"} if more else found


@dataclass
class _Shelf:
    """A folder with a limit on its size.

    Attributes:
        folder: its path.
        left_out: why a file is not in it, by its name.
        room: the number of bytes that may still be read, and of files that may be written.
        taken: paths of files and folders in it.
    """

    folder: Path
    left_out: dict[str, str] = field(default_factory=dict)
    room: tuple[int, int] = (TOTAL, MOST - 10)
    taken: set[str] = field(default_factory=set)

    def put(self, name: str, entry: Entry) -> None:
        """Write the content of one entry."""
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
        """Read an entry within the bytes that are left."""
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
            # A broken entry may have been unpacked nevertheless.
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
    """Return whether a file is not a notebook; notebooks come first if not all can be named."""
    return not is_notebook(name)


def _last(name: str) -> tuple[bool, int, str]:
    """Return a sort key by which notebooks come first and deeply nested files last."""
    return not name.lower().endswith(".ipynb"), name.count("/"), name


def _short(part: str) -> str:
    """Return a safe name of a file or folder, short enough for every file system."""
    clean = "".join(each if each.isprintable() else "_" for each in part)
    raw = clean.encode(errors="replace")
    if len(raw) <= _LONGEST:
        return raw.decode()
    end = PurePosixPath(clean).suffix[:20]
    digest = hashlib.sha256(raw).hexdigest()[:8]
    return f"{raw[: _LONGEST - 100].decode(errors='ignore')}-{digest}{end}"


def problems(came: Collected) -> Iterator[str]:
    """Yield sentences for the instructor about problems with a submission's files."""
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
