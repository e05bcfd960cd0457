"""Add up the points of the checks that ran in this session, and pass them to the gate."""

import json
import sys
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from textwrap import fill

from plaincourse.exercise import Essay, Task
from plaincourse.exercise.bank import counted
from plaincourse.exercise.report import Report, rounded

_last: dict[str, Report] = {}
_LINK = "Take these points to the gate of chapter {number}"
#: Address of the site under `make serve`, used if the course's own site is not known.
LOCAL = "http://127.0.0.1:8000/"
_SERVE = "`make serve`, run in a clone of the course, shows it at {address}"


def remember(report: Report) -> None:
    """Store the last check of a task."""
    _last[report.id] = report


@dataclass(frozen=True, kw_only=True)
class Total:
    """The points of a chapter.

    Attributes:
        number: the chapter, two digits.
        said: a line for each task, their sum, and remarks on it.
        code: the code for the chapter's gate; see :func:`code`.
        link: the gate's address, which contains the code; empty if the site is not known.
        place: the location of the gate in that case, in words.
    """

    number: str
    said: str
    code: str
    link: str
    place: str

    def text(self) -> str:
        """Return it as plain text, with the link written out."""
        if not self.link:
            gate = f"The gate of chapter {self.number} takes this code: {self.code}"
            return f"{self.said}\n\n{gate}\n{self.place}"
        way = _LINK.format(number=self.number)
        return f"{self.said}\n\n{way}:\n{self.link}\nor paste this code there: {self.code}"

    def html(self) -> str:
        """Return it as HTML, with a link and a code that one click selects."""
        style = "user-select:all;font-size:1.05em;padding:.1em .4em;border:1px solid currentColor"
        code = f'<code style="{style}">{self.code}</code>'
        way = f"The gate of chapter {self.number} takes this code: {code}"
        way += f"<br>{escape(self.place)}".replace("\n", "<br>")
        if self.link:
            link = f'<a href="{escape(self.link)}" target="_blank" rel="noopener">'
            link += f"{_LINK.format(number=self.number)}</a>"
            way = f"{link}, or paste this code there: {code}"
        wrapped = "margin:0;white-space:pre-wrap;word-break:normal"  # JupyterLab breaks words
        lines = f'<pre style="{wrapped}">{escape(self.said)}</pre>'
        return f'{lines}<p style="margin:.8em 0 0">{way}</p>'


def show(number: str | int | None = None) -> None:
    """Show the total of a chapter: as HTML in a notebook, else as text.

    Args:
        number: two digits; by default, the one chapter whose checks ran.

    Raises:
        LookupError: the chapter has no tasks.
    """
    ran = sorted({id.partition(".")[0] for id in _last})
    if number is None and len(ran) != 1:
        print(fill(_which(ran), 60))
        return
    total = add_up(ran[0] if number is None else f"{number:0>2}")
    ipython = sys.modules.get("IPython")
    if ipython is None or ipython.get_ipython() is None:
        print(total.text())
        return
    bundle = {"text/plain": total.text(), "text/html": total.html()}
    ipython.display.display(bundle, raw=True)


def add_up(number: str) -> Total:
    """Add up the points of a chapter's last checks, without its extra tasks.

    Args:
        number: two digits.

    Raises:
        LookupError: the chapter has no tasks.
    """
    tasks = counted(number)
    essays = [task for task in tasks if isinstance(task, Essay)]
    own = sum(task.points for task in essays)
    points = sum(task.points for task in tasks) - own
    width = max(len(task.title) for task in tasks)
    lines = [f"{task.title:{width}}  {_standing(task)}" for task in tasks]
    earned = sum(_last[task.id].score for task in tasks if task.id in _last)
    lines += [
        "",
        f"Chapter {number}: {rounded(earned)} of the {points:g} points that its checks give.",
    ]
    if any(task.id not in _last and task not in essays for task in tasks):
        lines.append("Checks that did not run in this session count as 0: run all cells first.")
    if own:
        lines.append(f"The gate asks what your own words earn by the rubric, at most {own:g}.")
    made = code(number, earned)
    page = _pages().get(number, "")
    link = f"{page}#points={made}" if "://" in page else ""
    place = "It is at the end of the chapter's page on the course's site."
    if page and not link:
        place += "\n" + _SERVE.format(address=f"{LOCAL}{page}#gate-{number}")
    return Total(number=number, said="\n".join(lines), code=made, link=link, place=place)


def site() -> str:
    """Return the site of the course in Markdown: its address, or the command that shows it."""
    for page in _pages().values():
        if "://" in page:
            return f"<{page.rpartition('book/')[0]}>"
    return _SERVE.format(address=f"<{LOCAL}>")


def _pages() -> dict[str, str]:
    """Return the page of each chapter, by number: its address, or its path in an unknown site."""
    text = files("plaincourse").joinpath("gates.json").read_text("utf-8")
    pages: dict[str, str] = json.loads(text)
    return pages


def code(number: str, points: float) -> str:
    """Return the code for a chapter's gate: the chapter, the points, two check digits.

    The digits are those of ISO 7064, MOD 97-10, over chapter and hundredths of points. They detect
    typing errors and truncation. They are not a secret and prove nothing, because the gate is for
    the reader's own use. ``points.js`` on the site reads the code.

    Args:
        number: two digits.
        points: at most 999.99.

    >>> code("02", 26.5)
    '02-26.5-47'
    """
    hundredths = round(100 * points)
    digits = 98 - int(f"{number}{hundredths:05d}") * 100 % 97
    return f"{number}-{hundredths / 100:g}-{digits:02d}"


def _which(ran: list[str]) -> str:
    if not ran:
        return (
            "No check has run in this session, so there is nothing to add up. Run all cells first, "
            'or name a chapter: total("02").'
        )
    calls = " or ".join(f'total("{number}")' for number in ran)
    return f"Checks of chapters {', '.join(ran)} ran in this session. Say which to add up: {calls}."


def _standing(task: Task) -> str:
    if isinstance(task, Essay):
        return f"in words, at most {task.points:g}"
    report = _last.get(task.id)
    if report is None:
        return f"not checked, of {task.points:g}"
    if report.untouched:
        return f"not answered yet, of {task.points:g}"
    return f"{rounded(report.score)} of {task.points:g}"
