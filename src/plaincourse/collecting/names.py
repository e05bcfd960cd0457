"""Parse file names in learning platforms' archives: the author, the time, and whether it is late.

A platform puts its data first and the student's own file name after it. That file name can match
the same form, so the first match counts:

- Blackboard: ``TITLE_USER_attempt_DATE_FILE``, and ``TITLE_USER_attempt_DATE.txt``, a receipt
- Canvas: ``NAME_USER_NUMBER_FILE`` and ``NAME_LATE_USER_NUMBER_FILE``; ``anon_CODE_NUMBER_FILE``
  without names; ``NAME_USER_text.html`` for text typed into the page
- Moodle: ``NAME_NUMBER_assignsubmission_file_/FILE``, or with ``_`` in place of ``_/``; a group has
  no number
- Gradescope: ``submission_NUMBER/FILE``, and a list of the authors
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

_LATE = r"(?P<late>_LATE)?"
_CANVAS = re.compile(
    r"(?!LATE_)(?P<name>.+?)" + _LATE + r"_(?P<number>\d+)_"
    r"(?:(?P<order>\d+)_(?P<file>.+)|(?P<typed>(?:text|link)\.html))",
    re.ASCII | re.DOTALL,
)
_CANVAS_ANONYMOUS = re.compile(
    r"(?P<late>LATE_)?(?P<name>anon)_(?P<number>[0-9A-Za-z]+)_"
    r"(?:(?P<order>\d+)_(?P<file>.+)|(?P<typed>(?:text|link)\.html))",
    re.ASCII | re.DOTALL,
)
_MOODLE = re.compile(
    r"(?P<name>.+?)(?:_(?P<number>\d+))?_assignsubmission_(?P<typed>[a-z]+)(?:_(?P<file>.*))?",
    re.ASCII | re.DOTALL,
)
_BLACKBOARD = re.compile(
    r"(?P<name>.+?)_attempt_(?P<time>\d{4}-[\d-]*\d)(?:_(?P<file>.+)|\.txt)", re.ASCII | re.DOTALL
)
_GRADESCOPE = re.compile(r"(?P<name>submission)_(?P<number>\d+)", re.ASCII)
_PATTERNS = {
    "canvas": (_CANVAS_ANONYMOUS, _CANVAS),
    "moodle": (_MOODLE,),
    "blackboard": (_BLACKBOARD,),
    "gradescope": (_GRADESCOPE,),
}
_RECEIPT = re.compile(r"\s*Name: .*\((?P<user>[^()]+)\)\s*", re.ASCII)
_TYPED = re.compile(
    r"^(?:Submission Field|Comments):[ \t]*\n?(.*?)(?=^(?:Comments|Files|Submission Field):|\Z)",
    re.DOTALL | re.MULTILINE,
)
_NOTHING_TYPED = re.compile(
    r"There (?:is|are) no student (?:submission text data|comments) for this assignment\.?"
)
_USER = re.compile(r"[\w.@+-]+")


@dataclass(frozen=True, kw_only=True)
class Named:
    """The data in the name of an entry.

    Attributes:
        platform: the platform that uses this form of name.
        name: the student's name or id at the platform.
        number: the platform's number for the student or submission; empty if missing.
        file: the student's own file name, with ``/`` in it; empty for a receipt.
        late: whether the platform marked it late.
        time: the time of submission as written; empty if missing.
        order: the platform's number of the file; a later file has a greater one.
        nameless: why the platform gives no author: a key of `grading.collected.NAMELESS`.
    """

    platform: str
    name: str
    number: str = ""
    file: str = ""
    late: bool = False
    time: str = ""
    order: int = 0
    nameless: str = ""


def read_names(paths: Iterable[str], *, titles: Collection[str] = ()) -> dict[str, Named]:
    """Parse the names in one archive; names that match no platform's form are left out.

    An archive comes from one platform, so a name that matches several is read as of the platform
    for which most students have files. A name that matches only another platform's form counts too.

    Args:
        paths: the paths of all files in the archive.
        titles: titles of the assignment, with which only Blackboard starts a name.
    """
    readings = {path: _readings(path) for path in paths}
    students = {
        (platform, said.name, said.number)
        for found in readings.values()
        for platform, said in found.items()
    }
    votes = Counter(platform for platform, _, _ in students)
    if any(platform == "blackboard" and _by_title(name, titles) for platform, name, _ in students):
        votes["blackboard"] += len(students)
    return {
        # If two platforms have equally many, take the one with the shorter student's name.
        path: max(found.values(), key=lambda said: (votes[said.platform], -len(said.name)))
        for path, found in readings.items()
        if found
    }


def split_titles(
    named: Mapping[str, Named],
    *,
    titles: Collection[str],
    receipts: Mapping[str, str],
    students: Collection[str],
) -> dict[str, Named]:
    """Remove the assignment's title from the names of Blackboard's files, which leaves the user.

    Titles and users may both contain ``_``. The cut is found from the assignment's own titles, the
    receipts, or the known students. Otherwise the title ends after the last part that cannot belong
    to a user id, or, without such a part, where the names begin to differ.

    Args:
        named: the parsed names of one archive.
        titles: titles of the assignment.
        receipts: the text of each receipt, by its name.
        students: known ids of students.
    """
    wholes = {said.name for said in named.values() if said.platform == "blackboard"}
    written: dict[str, set[str]] = {}
    for path, text in receipts.items():
        found = _RECEIPT.match(text)
        if found and path in named and not named[path].file:
            written.setdefault(named[path].name, set()).add(found["user"])
    common = _common(wholes, students)
    users = {
        whole: _by_title(whole, titles) or _by_receipt(whole, written) or whole[common:]
        for whole in wholes
    }
    return {
        path: replace(said, name=users[said.name]) if said.platform == "blackboard" else said
        for path, said in named.items()
    }


def typed_in_receipt(text: str) -> str:
    """Return the text and the comment that a student typed into Blackboard's page.

    Args:
        text: the receipt's text.
    """
    plain = text.replace("\r\n", "\n")
    typed = [found[1].strip() for found in _TYPED.finditer(plain)]
    return "\n".join(each for each in typed if each and not _NOTHING_TYPED.fullmatch(each))


def _readings(path: str) -> dict[str, Named]:
    """Parse a name in the form of each platform that it matches."""
    head, _, rest = path.partition("/")
    found = {}
    for platform, patterns in _PATTERNS.items():
        match = next((each for p in patterns if (each := p.fullmatch(head))), None)
        if match is None:
            continue
        said = match.groupdict()
        file = said.get("file") or ""
        typed = said.get("typed") or ""
        if not file and not rest and typed.endswith(".html"):
            file = typed
        whole = "/".join(part for part in (file, rest) if part)
        if not whole and platform != "blackboard":
            continue
        number = said.get("number") or ""
        anonymous = said["name"] in ("anon", "submission", "Participant")
        found[platform] = Named(
            platform=platform,
            name=f"{said['name']}_{number}" if anonymous and number else said["name"],
            number=number,
            file=whole,
            late=bool(said.get("late")),
            time=said.get("time") or "",
            order=int((said.get("order") or "0")[:18]),
        )
    return found


def _plain(title: str) -> str:
    return re.sub(r"[\W_]+", "-", title).strip("-").casefold()


def _by_title(whole: str, titles: Collection[str]) -> str:
    """Return the rest after a title of the assignment; empty if the name starts with none."""
    wanted = {_plain(title) for title in titles}
    cuts = [each.start() for each in re.finditer("_", whole)]
    fits = [cut for cut in cuts if _plain(whole[:cut]) in wanted and whole[cut + 1 :]]
    return whole[max(fits) + 1 :] if fits else ""


def _by_receipt(whole: str, written: Mapping[str, set[str]]) -> str:
    """Return the user that the receipt names, if the file's name ends in it."""
    users = written.get(whole, set())
    return next((user for user in users if whole == user or whole.endswith(f"_{user}")), "")


def _common(wholes: Collection[str], students: Collection[str]) -> int:
    """Return the length of the title that some names share, with the ``_`` after it."""
    if not wholes:
        return 0
    first = min(wholes)
    cuts = [
        each.end()
        for each in re.finditer("_", first)
        if all(whole.startswith(first[: each.end()]) and whole[each.end() :] for whole in wholes)
    ]
    if not cuts:
        return 0
    known = {cut: sum(whole[cut:] in students for whole in wholes) for cut in cuts}
    if max(known.values()):
        return max(cuts, key=lambda cut: (known[cut], cut))
    sure = [cut for cut in cuts if all(_USER.fullmatch(whole[cut:]) for whole in wholes)]
    if not sure:
        return cuts[-1]
    if not _USER.fullmatch(first[: sure[0] - 1]):
        return sure[0]  # a user id has no space, so the title ends here
    numbered = [cut for cut in sure if first[cut - 2].isdigit()]  # as in HW_1
    return (numbered or sure)[-1]
