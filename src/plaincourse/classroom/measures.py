"""Statistics of a class: the difficulty and discrimination of each exercise, and common errors.

The errors are unmet requirements and misconceptions, with the number of students who have them.
They show which topics to teach again.
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
        item: the item.
        count: the submissions that have a score for it.
        share: the share of its points that they earned together; ``None`` without a score, or if
            only blank answers have one while the others wait for a person.
        discrimination: the correlation of its score with the share earned in all other items, or
            ``None``.
        blank: submissions that left it unchanged.
        none, partial, full: the number of others that earned no, some or all points.
        waiting: submissions in which a person must grade it.
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
    """A requirement of an item, and the number of students who met it.

    Attributes:
        key: the item.
        name: the requirement, as the student reads it.
        met: the number of students who met it.
        of: the number who were checked.
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
    """A misconception, and the students whose answers match it.

    Attributes:
        key: the item.
        name: its name in the bank.
        students: the students.
        of: the number of answers to the item that were checked.
        says: the diagnosis, in the second person; empty if the bank does not have it.
        believed: the belief behind it; empty if the bank does not have it.
    """

    key: Key
    name: str
    students: tuple[Student, ...]
    of: int
    says: str = ""
    believed: str = ""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """The time to run one item.

    Attributes:
        item: the item.
        seconds: the time for each submission.
    """

    item: Item
    seconds: Summary


def figures(room: Classroom) -> list[Figures]:
    """Return how a class fared in each item, failed submissions left out."""
    return [_figures(room, item) for item in room.items]


def difficulty(share: float) -> str:
    """Return a word for an item's difficulty, given the share of points earned."""
    return "easy" if share >= 0.85 else "middling" if share >= 0.5 else "hard"


def meaning(discrimination: float | None, count: int) -> str:
    """Explain an item's correlation with the rest in words."""
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
    """Count the students who met each requirement, by item, in the order of the checks."""
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

    A wrong idea that appears in three exercises needs to be taught again once. A finding whose
    belief the bank does not have forms a group of its own.
    """
    groups: dict[object, list[Finding]] = defaultdict(list)
    for each in misconceptions(room):
        groups[each.believed or (each.key, each.name)].append(each)
    return sorted(groups.values(), key=lambda held: -len(holders(held)))


def holders(held: list[Finding]) -> tuple[Student, ...]:
    """List the students in some findings, each once, sorted by name."""
    students = {student.id: student for each in held for student in each.students}
    return tuple(sorted(students.values(), key=lambda student: student.order))


def costs(room: Classroom) -> list[Cost]:
    """List the time to run each item, the slowest first, without items that were not measured.

    Failed submissions count here, because they may be the slow ones.
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

    A bin includes its left edge but not its right one. The last bin includes both, and all larger
    values.
    """
    counts = [0] * bins
    for value in values:
        # The tiny amount keeps rounding from moving a value on an edge into the bin below.
        at = int(value * bins / most + _TINY) if most > 0 else 0
        counts[min(max(at, 0), bins - 1)] += 1
    return counts


def correlation(xs: Sequence[float], ys: Sequence[float]) -> float | None:
    """Return Pearson's correlation, or ``None`` if either side does not vary.

    For an item scored all or nothing, this is the point-biserial correlation.
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
    """Correlate an item with the rest, because its own points would inflate a correlation with all.

    The rest is a share of points, so submissions with an essay yet to be graded do not look weak.
    """
    pairs = []
    for work in works:
        mark = work.marks.get(key)
        rest = [m for k, m in work.marks.items() if k != key and m.score is not None]
        worth = sum(m.points for m in rest)
        if mark and mark.score is not None and worth > 0:
            pairs.append((mark.score, sum(m.score or 0.0 for m in rest) / worth))
    return correlation([x for x, _ in pairs], [y for _, y in pairs])
