"""What a class got wrong: requirements unmet, misconceptions held, and what to teach again."""

from collections import defaultdict
from dataclasses import dataclass

from plaincourse.classroom import tasks
from plaincourse.classroom.measures import Summary, summary
from plaincourse.classroom.model import Classroom, Item, Key, Student

_TINY = 1e-9


@dataclass(frozen=True, kw_only=True)
class Requirement:
    """One requirement of an item, and how many met it.

    Attributes:
        key: the item.
        name: the requirement, as the student reads it.
        met: how many met it.
        of: how many were checked.
    """

    key: Key
    name: str
    met: int
    of: int

    @property
    def share(self) -> float:
        """The share of those checked who met it."""
        return self.met / self.of


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A misconception, and those whose answers match it.

    Attributes:
        key: the item.
        name: its name in the bank.
        students: who.
        of: how many answers to the item were checked.
        says: the diagnosis, in the second person; empty where the bank does not hold it.
        believed: what its author believed; empty where the bank does not hold it.
    """

    key: Key
    name: str
    students: tuple[Student, ...]
    of: int
    says: str = ""
    believed: str = ""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """What running one item took.

    Attributes:
        item: which.
        seconds: of one submission.
    """

    item: Item
    seconds: Summary


def requirements(room: Classroom) -> dict[Key, list[Requirement]]:
    """Count by item and requirement how many met it, in the order in which they are checked."""
    met: dict[Key, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for work in room.counted:
        for key, mark in work.marks.items():
            for name, earned, points in mark.rungs:
                met[key][name].append(earned >= points - _TINY)
    return {
        item.key: [
            Requirement(key=item.key, name=name, met=sum(all_), of=len(all_))
            for name, all_ in met[item.key].items()
        ]
        for item in room.items
        if item.key in met
    }


def misconceptions(room: Classroom) -> list[Finding]:
    """List the misconceptions that answers match, the commonest first."""
    found: dict[tuple[Key, str], list[Student]] = defaultdict(list)
    checked: dict[Key, int] = defaultdict(int)
    for work in room.counted:
        for key, mark in work.marks.items():
            checked[key] += mark.score is not None
            if mark.matched:
                found[key, mark.matched].append(work.student)
    places = {item.key: number for number, item in enumerate(room.items)}
    ordered = sorted(found, key=lambda each: (-len(found[each]), places[each[0]], each[1]))
    findings = []
    for key, name in ordered:
        held = tasks.misconception(key, name)
        findings.append(
            Finding(
                key=key,
                name=name,
                students=tuple(found[key, name]),
                of=checked[key],
                says=held.says if held else "",
                believed=held.believed if held else "",
            )
        )
    return findings


def beliefs(room: Classroom) -> list[list[Finding]]:
    """Group the findings in which students believed the same, the commonest belief first.

    A wrong idea that shows in three exercises is one thing to teach again. Where the bank does not
    say what was believed, a finding stands alone.
    """
    groups: dict[object, list[Finding]] = defaultdict(list)
    for each in misconceptions(room):
        groups[each.believed or (each.key, each.name)].append(each)
    return sorted(groups.values(), key=lambda held: -len(holders(held)))


def holders(held: list[Finding]) -> tuple[Student, ...]:
    """List the students in some findings, each once, by name."""
    students = {student.id: student for each in held for student in each.students}
    return tuple(sorted(students.values(), key=lambda student: student.order))


def costs(room: Classroom) -> list[Cost]:
    """List what running each item took, the slowest first; items that nobody measured are absent.

    Failed submissions count here: they may be the slow ones.
    """
    found = []
    for item in room.items:
        marks = [work.marks[item.key] for work in room.works if item.key in work.marks]
        seconds = summary([mark.seconds for mark in marks if mark.seconds is not None])
        if seconds:
            found.append(Cost(item=item, seconds=seconds))
    return sorted(found, key=lambda cost: -cost.seconds.median)
