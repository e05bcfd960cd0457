"""Who is in the class: the gradebook, ``submitted/`` and ``autograded/`` compared by student.

Unicode can spell a name in several ways, and some systems change the spelling. Students are
therefore compared by a normalised spelling, and named as in the gradebook.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from plaincourse.grading.ids import normal, spellings

T = TypeVar("T")

#: The most students that a sentence names.
_NAMED = 10
_REMOVED = (
    "{who}: graded in autograded/, but neither in the gradebook nor in submitted/, so left out of "
    "this report and of every export. If this is a student of the class, run nbgrader db student "
    "add ID and put the submission back; otherwise remove the folder in autograded/."
)
_UNKNOWN = (
    "{who}: in submitted/ but not in the gradebook, so without a grade and in no export. Run "
    "plaincourse autograde to add and grade each of them, or take the folders out of submitted/."
)
_NO_GRADES = (
    "{who}: graded in autograded/, but without grades in the gradebook; the points shown are those "
    "of the record. Run plaincourse autograde again."
)
_NO_FOLDER = (
    "{who}: with grades in the gradebook, but not in autograded/. If this is not on purpose, run "
    "plaincourse autograde again."
)
_NOT_HANDED_IN = (
    "{who}: with grades, but no longer in submitted/. If a submission was withdrawn, remove its "
    "grades: nbgrader db student remove ID, or formgrader."
)
_TWICE = (
    "{who}: in the gradebook in two Unicode spellings, and counted as one student. Remove the "
    "spelling that has no grades: nbgrader db student remove ID."
)
_ALIKE = (
    "{who}: in the gradebook with nothing handed in, while a folder in submitted/ differs from "
    "it only in capitals or spaces. If that is one student, rename the folder in submitted/ as "
    "the gradebook has it, and run plaincourse autograde again."
)


@dataclass(frozen=True, kw_only=True)
class Roll:
    """The students of a class in one assignment, by id.

    Attributes:
        graded: students with a grade or a record.
        ungraded: students with a submission and neither of these.
        missing: students in the gradebook without a submission.
        unknown: students of `ungraded` who are not in the gradebook.
        notes: each difference between the gradebook and the folders, in a sentence.
        spelled: the id of each student by its normalised spelling.
    """

    graded: tuple[str, ...]
    ungraded: tuple[str, ...]
    missing: tuple[str, ...]
    unknown: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    spelled: Mapping[str, str] = field(default_factory=dict)

    def by_id(self, found: Mapping[str, T], better: Callable[[T, T], T]) -> dict[str, T]:
        """Map values under any spelling of an id to the student's id.

        Args:
            found: the values by any spelling.
            better: chooses between two values of one student.
        """
        made: dict[str, T] = {}
        for name, value in found.items():
            id = self.spelled.get(normal(name), name)
            made[id] = better(made[id], value) if id in made else value
        return made


def call(
    *,
    known: Collection[str] | None,
    entered: Collection[str],
    records: Collection[str],
    handed: Collection[str],
) -> Roll:
    """Compare the lists of students.

    Args:
        known: the gradebook's students; None if the assignment is not in it.
        entered: students with a submission in the gradebook.
        records: students with a record in ``autograded/``.
        handed: students with a submission in ``submitted/``.
    """
    book = known if known is not None else ()
    others = sorted({*entered, *records, *handed})
    spelled = {**spellings(others), **spellings(book, first=entered)}
    ids = spelled.__getitem__
    listed, rows, kept, there = (
        {ids(normal(each)) for each in names} for names in (book, entered, records, handed)
    )
    if known is None:
        listed = rows | kept
    removed = kept - listed - there
    graded = (rows | kept) & listed
    ungraded = there - graded
    twice = [each for each in book if normal(each) in spelled and ids(normal(each)) != each]
    missing = listed - graded - there
    alike = {_without_case(each) for each in (graded | there) - missing}
    told = {
        _REMOVED: removed,
        _UNKNOWN: there - listed if known is not None else (),
        _NO_GRADES: (kept & listed) - rows if known is not None else (),
        _NO_FOLDER: rows - kept if kept else (),
        _NOT_HANDED_IN: graded - there if there else (),
        _TWICE: twice,
        _ALIKE: [each for each in missing if _without_case(each) in alike],
    }
    return Roll(
        graded=tuple(sorted(graded)),
        ungraded=tuple(sorted(ungraded)),
        missing=tuple(sorted(missing)),
        unknown=frozenset(ungraded - listed if known is not None else ()),
        notes=tuple(said.format(who=_listed(who)) for said, who in told.items() if who),
        spelled=spelled,
    )


def _without_case(name: str) -> str:
    return "".join(normal(name).casefold().split())


def _listed(names: Iterable[str]) -> str:
    found = sorted(set(names))
    more = [f"{len(found) - _NAMED} more"] if len(found) > _NAMED else []
    return ", ".join([*found[:_NAMED], *more])
