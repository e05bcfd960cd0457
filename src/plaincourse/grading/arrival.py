"""Determine the student and the time of each submission, outside the sandbox, from untrusted files.

Any irregularity becomes a flag of this one submission. The rest of the class is graded as if it did
not exist.
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from plaincourse.grading.assignment import Snapshot
from plaincourse.grading.collected import NAMELESS, Collected, read_collected
from plaincourse.grading.files import is_notebook, notebooks_below
from plaincourse.grading.ids import normal, safe_id, unfit
from plaincourse.grading.jobs import Known
from plaincourse.grading.marks import seconds_late
from plaincourse.grading.times import NAME, NoTimeError, is_future, parse_time, quoted, read_time

_UNDATED = "Date unreadable: {why}. {instead}"
_NOT_COUNTED = f"No lateness was counted; write the time into {NAME} to have it counted."
_FUTURE = "that is later than the time of grading"
_KEPT = "The time in the gradebook was used, {time:%Y-%m-%d %H:%M:%S} UTC."
_RENAMED = (
    "It was graded as {id}, because its folder is called {name}, and {why}. Rename the folder, "
    "and grade again."
)
_COLLECTED_AS = "It is kept as {id}, because {platform} calls the student {name}, and {why}."
_SPELLED = "the same name is there in another Unicode spelling"
_MARKED = (
    "{platform} marked it late and gives no time, so the time is unknown and no penalty was "
    "counted. Write the time into {file} to have it counted."
)
_NOT_LATE = "{platform} marked it late, and by the due date in the gradebook it is on time."
_NOT_DUE = "{platform} marked it late, and the gradebook has no due date."
_OLDER = "{name} was handed in before and was not graded: the latest submission counts."
_LEFT_OUT = "The file {name} was left out: {why}."
#: The reasons for leaving out a file that leads to something outside the student's own files.
_ELSEWHERE = re.compile(r"\bis a link\b|\bleads out\b|\bnot a plain file\b")
_NAMELESS = (
    "It is not known whose this is: {why}. It was graded as {id}. Rename the folder to the "
    "student's id, and grade again."
)
_EARLIER = (
    "The latest submission holds no notebook, and an earlier one does: {name}, which was not "
    "graded. It is in the archive; put it into the student's folder if it is to count, and grade "
    "again."
)
_BORROWED = (
    "{name} is a link to the folder of {other}, and was not followed. Ask its author for their own "
    "work; if both worked together, put a copy of the files in place of the link, and grade again."
)
_COMMENT = (
    "The student wrote with the submission: {comment}. If it is longer, receipt.txt beside the "
    "notebook has all of it."
)
_GROUP = "It was handed in by a group of {group}, and each has a copy."


def identify(folders: Mapping[str, Path]) -> dict[str, Path]:
    """Return the folders by unique ids that are safe to show.

    Args:
        folders: submissions, by the names of the students' folders.
    """
    found: dict[str, Path] = {}
    for fit in (True, False):
        for name, folder in folders.items():
            spelled = normal(name)
            ours = fit and spelled == name and not unfit(name)
            if ours or (not fit and folder not in found.values()):
                found[_free(spelled, found)] = folder
    return dict(sorted(found.items()))


def arrived(student: str, name: str, folder: Path, known: Known, snapshot: Snapshot) -> Known:
    """Return ``known`` with the time of a submission and flags for its irregularities added.

    Args:
        student: the id under which it is graded.
        name: the name of its student's folder.
        folder: the submission.
        known: the gradebook's data.
        snapshot: its assignment.
    """
    flags, came = [], read_collected(folder)
    if known.timestamp is not None and is_future(known.timestamp):
        known = replace(known, timestamp=None)
    if normal(student) != normal(name):
        why = unfit(name) or _SPELLED
        flags.append(_flag("renamed", _RENAMED.format(id=student, name=quoted(name), why=why)))
    elif came.name and (why := unfit(came.name)):
        said = _COLLECTED_AS.format(
            id=student, platform=_platform(came), name=quoted(came.name), why=why
        )
        flags.append(_flag("renamed", said))
    where = NAME
    try:
        time = read_time(folder)
        if time is None and came.time:
            where = _platform(came)
            time = parse_time(came.time)
        if time is not None and is_future(time):
            raise ValueError(f"{quoted(f'{time:%Y-%m-%d %H:%M:%S} UTC')} ({_FUTURE})")
        known = known if time is None else replace(known, timestamp=time)
    except (OSError, ValueError) as error:
        why = str(error) if isinstance(error, NoTimeError) else f"{where} says {error}"
        instead = _KEPT.format(time=known.timestamp) if known.timestamp else _NOT_COUNTED
        said = _UNDATED.format(why=why, instead=instead)
        flags.append(_flag("undated", said))
    if came.late and not seconds_late(known, snapshot):
        flags.append(_flag("marked late", _late(came, known, snapshot)))
    if came.nameless:
        said = _NAMELESS.format(why=NAMELESS[came.nameless], id=student)
        flags.append(_flag("nameless", said))
    earlier = [each for each in came.older if is_notebook(each)]
    if earlier and not _holds_notebook(folder):
        flags.append(_flag("earlier", _EARLIER.format(name=quoted(earlier[-1]))))
    flags += [_flag("older", _OLDER.format(name=quoted(name))) for name in came.older]
    flags += [
        _flag(
            "foreign" if _ELSEWHERE.search(why) else "unopened",
            _LEFT_OUT.format(name=quoted(name), why=why),
        )
        for name, why in came.left_out.items()
    ]
    if came.comment:
        flags.append(_flag("comment", _COMMENT.format(comment=quoted(came.comment, 200))))
    if came.group > 1:
        flags.append(_flag("older", _GROUP.format(group=came.group)))
    return replace(known, flags=tuple(flags))


def borrowed(link: str, other: str) -> dict[str, str]:
    """Return the flag of a submission that is a link to another student's folder.

    Args:
        link: its path, in place of a folder.
        other: the name of the other student's folder.
    """
    return _flag("foreign", _BORROWED.format(name=quoted(link, 200), other=quoted(other)))


def _holds_notebook(folder: Path) -> bool:
    try:
        return any(notebooks_below(folder))
    except OSError:
        return False


def _late(came: Collected, known: Known, snapshot: Snapshot) -> str:
    platform = _platform(came)
    if known.timestamp is None:
        return _MARKED.format(platform=platform, file=NAME)
    return (_NOT_DUE if snapshot.duedate is None else _NOT_LATE).format(platform=platform)


def _free(name: str, taken: Mapping[str, Path]) -> str:
    """Return an id for a folder's name that no other folder has."""
    while (found := safe_id(name)) in taken:
        name += "\0"  # no folder's name contains it, so the digest changes
    return found


def _platform(came: Collected) -> str:
    return came.platform.title() or "The platform"


def _flag(kind: str, why: str) -> dict[str, str]:
    return {"cell": "", "kind": kind, "why": why}
