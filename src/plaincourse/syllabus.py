"""``plaincourse syllabus``: a syllabus with dates, as Markdown, for you to complete.

The minutes of each chapter are counted from its page, its cards and its graded tasks, as on the
page itself. A week holds as many chapters as its hours allow, in their order; a chapter that takes
longer than that has a week of its own. Replace the text in [brackets]. At the
end are the commands that enter the due dates into the gradebook.
"""

import argparse
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import yaml

from plaincourse import settings
from plaincourse.cards import cards
from plaincourse.exercise import bank
from plaincourse.notebooks.counting import CARDS_PER_MINUTE, core, deeper, practice

_WEEK = timedelta(days=7)
_EPILOG = """\
example: 6 hours a week from Monday 1 February, with a week off and the first nine chapters
  plaincourse syllabus --start 2027-02-01 --skip 2027-03-15 --chapters 01-09 > syllabus.md
"""
_PAGE = """\
# {course}: syllabus

**Teacher.** [Name, address, office hours]
**Where and when.** [Room, times, address of the course's site]
**Term.** {first:%d %B %Y} to {last:%d %B %Y}, {weeks} weeks of teaching.

## What you learn

{parts}

You need linear algebra with vectors and matrices, Python, and a little NumPy and PyTorch.
[Courses to take before this one]

## The plan

Times are minutes for the core of a chapter, its question cards, and its graded notebook. Optional
are the practice, {practice} minutes in all, and the sections called *Deeper*, {deeper} minutes.

| week | from | chapters | read | cards | graded | hours | due |
|---|---|---|---|---|---|---|---|
{rows}

In all {hours:.0f} hours.

## Points

{points}

Points count for each requirement that an answer meets, on inputs that differ from those in the
notebook. Answers in words are graded by a person.
[How points become a grade; what happens to work that is late]

## Rules

- Work together on ideas, and write your own answers. [Your rule for shared code]
- [Your rule for coding assistants.] The notebooks come with an `AGENTS.md`, which asks an assistant
  to give hints and no solutions.
- If something on the site or in a notebook keeps you from working, tell me, and you get another
  way. The site has a page on accessibility. [The office of your school for this]

## Due dates for the gradebook

```sh
{commands}
```
"""


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """A chapter and the minutes for its parts.

    Attributes:
        id: two digits.
        name: the name of its page and of its assignment.
        title: its title.
        part: the part of the book.
        read, cards, graded: minutes for the core, the question cards and the graded notebook.
        practice, deeper: minutes for the optional parts.
        points: the points of the graded notebook.
    """

    id: str
    name: str
    title: str
    part: str
    read: int
    cards: int
    graded: int
    practice: int
    deeper: int
    points: float

    @property
    def minutes(self) -> int:
        """The minutes that a student needs for it."""
        return self.read + self.cards + self.graded


@dataclass(frozen=True, kw_only=True)
class Week:
    """A week of the plan: its first day and its chapters."""

    start: date
    chapters: tuple[Chapter, ...]

    @property
    def due(self) -> date:
        """The last day of the week."""
        return self.start + _WEEK - timedelta(days=1)

    @property
    def minutes(self) -> int:
        """The minutes that a student needs for it."""
        return sum(chapter.minutes for chapter in self.chapters)


def chapters(root: Path) -> list[Chapter]:
    """Count the minutes of each chapter of a course.

    Args:
        root: the folder of the course.
    """
    parts: list[dict[str, Any]] = yaml.safe_load((root / "book/chapters.yml").read_text("utf-8"))
    found = []
    for part in parts:
        for each in part["chapters"]:
            name = f"{each['id']}-{each['slug']}"
            page = (root / "book" / f"{name}.md").read_text("utf-8")
            tasks = bank.counted(each["id"])
            deck = cards.load(root / "book" / "cards" / f"{each['id']}.yml")
            chapter = Chapter(
                id=each["id"],
                name=name,
                title=each["title"],
                part=part["part"],
                read=core(page).minutes,
                cards=round(len(deck) / CARDS_PER_MINUTE),
                graded=sum(task.minutes for task in tasks),
                practice=practice(page),
                deeper=deeper(page).minutes,
                points=sum(task.points for task in tasks),
            )
            found.append(chapter)
    return found


def plan(
    found: Sequence[Chapter], *, start: date, hours: float, skip: Collection[date] = ()
) -> list[Week]:
    """Assign chapters to weeks, in their order.

    Args:
        found: the chapters.
        start: the first day of the first week.
        hours: the most hours of a week.
        skip: days of weeks without teaching.
    """
    weeks: list[list[Chapter]] = []
    for chapter in found:
        used = sum(each.minutes for each in weeks[-1]) if weeks else 0
        if weeks and used + chapter.minutes <= 60 * hours:
            weeks[-1].append(chapter)
        else:
            weeks.append([chapter])
    made: list[Week] = []
    day = start
    for week in weeks:
        while any(day <= off < day + _WEEK for off in skip):
            day += _WEEK
        made.append(Week(start=day, chapters=tuple(week)))
        day += _WEEK
    return made


def page(weeks: Sequence[Week], *, course: str) -> str:
    """Return the syllabus as Markdown.

    Args:
        weeks: the plan.
        course: the name of the course.
    """
    every = [chapter for week in weeks for chapter in week.chapters]
    parts = [
        f"- **{part}.** {', '.join(each.title for each in every if each.part == part)}."
        for part in dict.fromkeys(each.part for each in every)
    ]
    rows = [_row(number, week) for number, week in enumerate(weeks, start=1)]
    points = [f"- {each.id}, {each.title}: {each.points:g} points" for each in every]
    commands = [
        f'nbgrader db assignment add {each.name} --duedate="{week.due} 23:59:00 UTC"'
        for week in weeks
        for each in week.chapters
    ]
    return _PAGE.format(
        course=course,
        first=weeks[0].start,
        last=weeks[-1].due,
        weeks=len(weeks),
        parts="\n".join(parts),
        practice=sum(each.practice for each in every),
        deeper=sum(each.deeper for each in every),
        rows="\n".join(rows),
        hours=sum(week.minutes for week in weeks) / 60,
        points="\n".join(points),
        commands="\n".join(commands),
    )


def _row(number: int, week: Week) -> str:
    def total(what: str) -> str:
        return str(sum(getattr(each, what) for each in week.chapters))

    titles = "; ".join(f"{each.id} {each.title}" for each in week.chapters)
    cells = [str(number), str(week.start), titles, total("read"), total("cards"), total("graded")]
    return f"| {' | '.join([*cells, f'{week.minutes / 60:.1f}', str(week.due)])} |"


def add_parser(sub: Any) -> None:
    """Add the command ``syllabus``."""
    parser = sub.add_parser(
        "syllabus",
        description=__doc__,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    day = date.fromisoformat
    parser.add_argument(
        "--start", type=day, required=True, metavar="DATE", help="the first day, as in 2027-02-01"
    )
    parser.add_argument("--hours", type=float, default=6.0, help="the most hours of a week (6)")
    parser.add_argument(
        "--skip", type=day, nargs="+", default=[], metavar="DATE", help="a day of each week off"
    )
    parser.add_argument(
        "--chapters", nargs="+", default=[], metavar="NN", help="such as 01-09 13; all if left out"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        0, or 1 if there is no course here or no such chapter.
    """
    try:
        root = settings.root()
        known = chapters(root)
        wanted = [_range(words) for words in args.chapters] or [range(100)]
        chosen = [each for each in known if any(int(each.id) in numbers for numbers in wanted)]
        if not chosen:
            raise ValueError(f"no such chapter: expected numbers from 01 to {known[-1].id}")
        if not args.hours > 0:
            raise ValueError(f"--hours {args.hours:g}: expected more than 0")
        weeks = plan(chosen, start=args.start, hours=args.hours, skip=args.skip)
        print(page(weeks, course=settings.load().name.capitalize()), end="")
    except (settings.SettingsError, ValueError, OverflowError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _range(words: str) -> range:
    """Return the numbers of ``03`` or ``01-09``."""
    first, _, last = words.partition("-")
    if not first.isdecimal() or not (last or first).isdecimal():
        raise ValueError(f"--chapters {words}: expected two digits, or a range such as 01-09")
    return range(int(first), int(last or first) + 1)
