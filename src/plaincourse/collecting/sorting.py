"""Sort the files of one or several archives by student.

A student cannot replace another's work: the platform's number distinguishes students with the same
name, and the student's own file name has no effect on the owner. If a student has several
submissions, the latest counts.
"""

import datetime
import hashlib
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from plaincourse.collecting.archives import Container, Entry
from plaincourse.collecting.gradescope import LIST, Submitted, read_list
from plaincourse.collecting.names import Named, read_names, split_titles, typed_in_receipt
from plaincourse.grading.files import RefusedError
from plaincourse.grading.ids import one_spelling, safe_id
from plaincourse.grading.times import decoded, parse_time

#: Bytes of a receipt to read, and the most wrapper folders around an archive's files.
_RECEIPT, _WRAPPERS = 65_536, 5

_NOBODYS = "its name is not one of Blackboard, Canvas, Moodle or Gradescope"

#: A platform, its name for a student, and its number for them.
Key = tuple[str, str, str]


@dataclass(kw_only=True)
class Submission:
    """The submission of one student.

    Attributes:
        id: the id under which it is stored.
        said: the data in the names of its files.
        files: entries by the student's own file names.
        older: names of entries that later ones replace.
        group: the number of students who submitted it together.
        comment: the student's comment on the platform's page.
    """

    id: str = ""
    said: Named
    files: dict[str, Entry] = field(default_factory=dict)
    older: list[str] = field(default_factory=list)
    group: int = 1
    comment: str = ""


@dataclass(kw_only=True)
class Sorted:
    """The content of some archives.

    Attributes:
        submissions: one for each student.
        foreign: why an entry does not belong to a student, by its name.
    """

    submissions: list[Submission] = field(default_factory=list)
    foreign: dict[str, str] = field(default_factory=dict)


@dataclass(kw_only=True)
class Attempt:
    """One student's files of one time: the entries with their parsed names, in order."""

    key: Key
    time: datetime.datetime
    archive: tuple[float, int]
    files: list[tuple[Named, Entry]] = field(default_factory=list)
    group: int = 1

    @property
    def rank(self) -> tuple[datetime.datetime, int, tuple[float, int]]:
        """The sort key of attempts; a later attempt has a greater one."""
        return self.time, max(named.order for named, _ in self.files), self.archive


def sort_out(
    containers: Iterable[Container],
    *,
    titles: Collection[str],
    known: Mapping[str, Key | None],
    own: Callable[[str], Named | None] = lambda path: None,
    zone: str = "UTC",
) -> Sorted:
    """Sort the files of some archives by student.

    Args:
        containers: the archives.
        titles: titles that the assignment may have on the platform.
        known: ids that have a submission of this assignment, with the student's key if known.
        own: parses the names of another platform; it is tried before the known platforms.
        zone: the time zone of times without one.
    """
    found = Sorted()
    attempts: dict[tuple[Key, int, str], Attempt] = {}
    for index, container in enumerate(containers):
        for named, entry, group in _named(container, titles, known, own, found.foreign):
            key = _key(named)
            attempt = Attempt(
                key=key, time=_time(named.time, zone), archive=(container.time, index), group=group
            )
            attempts.setdefault((key, index, named.time), attempt).files.append((named, entry))
    by_key: dict[Key, list[Attempt]] = {}
    for attempt in attempts.values():
        by_key.setdefault(attempt.key, []).append(attempt)
    for tries in by_key.values():
        *earlier, latest = sorted(tries, key=lambda attempt: attempt.rank)
        submission = _submission(latest)
        submission.older += [entry.path for each in earlier for _, entry in each.files]
        found.submissions.append(submission)
    _give_ids(found.submissions, known)
    return found


def _named(
    container: Container,
    titles: Collection[str],
    known: Collection[str],
    own: Callable[[str], Named | None],
    foreign: dict[str, str],
) -> Iterator[tuple[Named, Entry, int]]:
    """Yield each entry with its parsed name, once for each student; note the others."""
    pairs = _unwrapped(container.entries)
    inner = dict(pairs)
    people = _people(inner, foreign)
    said = {path: each for path in inner if (each := own(path))}
    named = read_names([path for path in inner if path not in said], titles=titles)
    receipts = {}
    for path, each in named.items():
        if each.platform == "blackboard" and not each.file:
            receipts[path] = _text(inner[path])
    named = split_titles(named, titles=titles, receipts=receipts, students=known)
    for path, entry in pairs:
        if path in said:
            yield said[path], entry, 1
        elif path not in named:
            if path != LIST:
                foreign[f"{container.name}: {entry.path}"] = entry.why or _NOBODYS
        elif named[path].platform == "gradescope":
            submitted = people.get(path.partition("/")[0])
            whose = _whose(named[path], submitted, there=LIST in inner)
            for each in whose:
                yield each, entry, len(whose)
        else:
            yield named[path], entry, 1


def _unwrapped(entries: list[Entry]) -> list[tuple[str, Entry]]:
    """Return the entries with their paths, without wrapper folders around all of them."""
    paths = [entry.path for entry in entries]
    for _ in range(_WRAPPERS):
        heads = {path.partition("/")[0] for path in paths}
        nested = all("/" in path for path in paths)
        if len(heads) != 1 or not nested or read_names(paths):
            break
        paths = [path.partition("/")[2] for path in paths]
    return list(zip(paths, entries, strict=True))


def _text(receipt: Entry) -> str:
    try:
        return decoded(receipt.read()[:_RECEIPT])
    except RefusedError:
        return ""


def _people(inner: Mapping[str, Entry], foreign: dict[str, str]) -> dict[str, Submitted]:
    if LIST not in inner:
        return {}
    try:
        return read_list(inner[LIST].read())
    except RefusedError as error:
        foreign[inner[LIST].path] = f"{error}, so it is not known whose the submissions are"
        return {}


def _whose(said: Named, submitted: Submitted | None, *, there: bool) -> list[Named]:
    """Return the data on a submission of Gradescope's, once for each author.

    Args:
        said: the data in its folder's name.
        submitted: its item in the list; None if it is not there.
        there: whether there is a list.
    """
    if submitted is None:
        return [replace(said, nameless="unlisted" if there else "no list")]
    found = []
    for person in submitted.people:
        name = next((person[what] for what in ("sid", "email", "name") if person.get(what)), "")
        if name:  # the number changes with each submission, the address does not
            number = person.get("email") or said.number
            found.append(replace(said, name=name, number=number, time=submitted.time))
    return found or [replace(said, time=submitted.time, nameless="nobody")]


def _key(named: Named) -> Key:
    name = one_spelling(named.name)
    return named.platform, name.casefold() if named.platform == "blackboard" else name, named.number


def _time(text: str, zone: str) -> datetime.datetime:
    try:
        return parse_time(text, zone=zone)
    except ValueError:
        return datetime.datetime.min


def _submission(attempt: Attempt) -> Submission:
    """Return an attempt as a submission; of two files with the same name, the later one counts."""
    files = sorted(attempt.files, key=lambda pair: pair[0].order)
    found = Submission(said=files[0][0], group=attempt.group)
    for named, entry in files:
        found.said = replace(found.said, late=found.said.late or named.late)
        if named.file in found.files:
            found.older.append(found.files[named.file].path)
        if named.file:
            found.files[named.file] = entry
    receipts = [entry for named, entry in files if not named.file]
    found.comment = " ".join(typed_in_receipt(_text(receipts[0])).split()) if receipts else ""
    if receipts and (found.comment or not found.files):  # the work may have been typed into it
        found.files.setdefault("receipt.txt", receipts[0])
    return found


def _give_ids(submissions: list[Submission], known: Mapping[str, Key | None]) -> None:
    """Give each submission an id of its own: the name, with the number if others have it too."""
    before = {key: id for id, key in known.items() if key}
    taken = {_folded(id) for id, key in known.items() if key}
    names = [_folded(one_spelling(each.said.name)) for each in submissions]
    for each, folded in zip(submissions, names, strict=True):
        name, key = one_spelling(each.said.name), _key(each.said)
        digest = hashlib.sha256(repr(key).encode(errors="replace")).hexdigest()[:8]
        wanted = [name] if names.count(folded) == 1 else []
        wanted += [f"{name}_{each.said.number}"] if each.said.number else []
        wanted += [f"{name}_{digest}"]
        ids = [before[key]] if key in before else map(safe_id, wanted)
        each.id = next(
            (id for id in ids if key in before or _folded(id) not in taken), f"student-{digest}"
        )
        taken.add(_folded(each.id))


def _folded(name: str) -> str:
    """Return a name without differences that people, or file systems, ignore."""
    seen = "".join(each for each in name if unicodedata.category(each) != "Cf")
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", seen).casefold())
