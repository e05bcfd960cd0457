"""The numbers of a class: how hard and how telling each exercise is, and what was got wrong.

What was got wrong are requirements unmet and misconceptions held, by how many; hence what to teach
again.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from plaincourse.classroom import tasks
from plaincourse.classroom.model import Classroom, Item, Key, Mark, Student, Work

FEW = 10  # below this many submissions a correlation is mostly chance
_TINY = 1e-9


@dataclass(frozen=True, kw_only=True)
class Summary:
    """Five numbers and a mean.

    Attributes:
        count: how many values there are.
        mean: their mean.
        least, lower, median, upper, most: minimum, quartiles and maximum.
    """

    count: int
    mean: float
    least: float
    lower: float
    median: float
    upper: float
    most: float


@dataclass(frozen=True, kw_only=True)
class Figures:
    """How a class fared in one item.

    Attributes:
        item: which.
        count: the submissions that have a score for it.
        share: the share of its points that they earned together; ``None`` where nobody has one,
            or only who left it blank while the others wait for a person.
        discrimination: the correlation of its score with the share earned in all else; ``None``
            where there is none.
        blank: submissions that left it as it was.
        none, partial, full: the others, by what they earned.
        waiting: submissions in which a person must look at it.
    """

    item: Item
    count: int
    share: float | None
    discrimination: float | None
    blank: int
    none: int
    partial: int
    full: int
    waiting: int


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


def figures(room: Classroom) -> list[Figures]:
    """Return how a class fared in each item, failed submissions left out."""
    return [_figures(room, item) for item in room.items]


def difficulty(share: float) -> str:
    """Say in a word how hard an item was, from the share of points earned."""
    return "easy" if share >= 0.85 else "middling" if share >= 0.5 else "hard"


def meaning(discrimination: float | None, count: int) -> str:
    """Say in words what an item's correlation with the rest means."""
    if discrimination is None:
        return "cannot be told: it takes scores that differ, here and in the rest"
    if count < FEW:
        return f"means little: only {count} submissions"
    if discrimination < 0:
        return "negative: who did better elsewhere did worse here. Look at prompt and check"
    if discrimination < 0.2:
        return "low: hardly tells who understands"
    return "fair" if discrimination < 0.4 else "good"


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


def summary(values: Sequence[float]) -> Summary | None:
    """Return the five numbers and the mean of some values; ``None`` for no values."""
    if not values:
        return None
    return Summary(
        count=len(values),
        mean=math.fsum(values) / len(values),
        least=min(values),
        lower=quantile(values, 0.25),
        median=quantile(values, 0.5),
        upper=quantile(values, 0.75),
        most=max(values),
    )


def quantile(values: Sequence[float], share: float) -> float:
    """Return a quantile, linear between the two values that enclose it.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("a quantile needs at least one value, got none")
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def histogram(values: Sequence[float], most: float, bins: int = 10) -> list[int]:
    """Count values in bins of equal width from 0 to ``most``.

    A bin holds its left edge and not its right one; the last one holds both, and what lies beyond.
    """
    counts = [0] * bins
    for value in values:
        # The tiny amount keeps a value that stands on an edge from falling short by rounding.
        at = int(value * bins / most + _TINY) if most > 0 else 0
        counts[min(max(at, 0), bins - 1)] += 1
    return counts


def correlation(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Return Pearson's correlation; ``None`` where either side does not vary.

    For an item that is all or nothing this is the point-biserial correlation.
    """
    if len(xs) < 2:
        return None
    mean_x, mean_y = math.fsum(xs) / len(xs), math.fsum(ys) / len(ys)
    dx, dy = [x - mean_x for x in xs], [y - mean_y for y in ys]
    xx, yy = math.fsum(x * x for x in dx), math.fsum(y * y for y in dy)
    if xx <= _TINY * len(xs) * max(1.0, mean_x**2) or yy <= _TINY * len(ys) * max(1.0, mean_y**2):
        return None
    product = math.fsum(x * y for x, y in zip(dx, dy, strict=True))
    return max(-1.0, min(1.0, product / math.sqrt(xx * yy)))


def _figures(room: Classroom, item: Item) -> Figures:
    marks = [work.marks[item.key] for work in room.counted if item.key in work.marks]
    scored = [mark for mark in marks if mark.score is not None]
    earned = math.fsum(mark.score or 0.0 for mark in scored)
    worth = item.points * len(scored)
    kinds = [_kind(mark, item.points) for mark in marks]
    unread = "waiting" in kinds and all(mark.blank for mark in scored)
    return Figures(
        item=item,
        count=len(scored),
        share=earned / worth if worth > 0 and not unread else None,
        discrimination=_discrimination(room.counted, item.key),
        **{kind: kinds.count(kind) for kind in ("blank", "none", "partial", "full", "waiting")},
    )


def _kind(mark: Mark, points: float) -> str:
    if mark.score is None:
        return "waiting"
    score = mark.score
    if not points:  # an extra task: count its requirements instead
        score = math.fsum(earned for _, earned, _ in mark.rungs)
        points = math.fsum(worth for _, _, worth in mark.rungs)
    if score >= points - _TINY:
        return "full"
    if score > _TINY:
        return "partial"
    return "blank" if mark.blank else "none"


def _discrimination(works: Sequence[Work], key: Key) -> float | None:
    """Correlate an item with the rest: its own points would inflate a correlation with the total.

    The rest is a share, so that an essay which waits for a person in some submissions does not
    make these look weak.
    """
    pairs = []
    for work in works:
        mark = work.marks.get(key)
        rest = [m for k, m in work.marks.items() if k != key and m.score is not None]
        worth = sum(m.points for m in rest)
        if mark and mark.score is not None and worth > 0:
            pairs.append((mark.score, sum(m.score or 0.0 for m in rest) / worth))
    return correlation([x for x, _ in pairs], [y for _, y in pairs])
