"""The head of the page: points for each exercise, what was mended, what waits for a person."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from nbformat import NotebookNode

from plaincourse.feedback.safe import safe_markdown

_WAITS = "A person still looks at it, so the points may change."


@dataclass(frozen=True, kw_only=True)
class Points:
    """What a graded cell is worth and has earned.

    Attributes:
        id: its grade id.
        title: the heading above it.
        earned: the points earned; so far, if it waits.
        points: the points that can be earned.
        waits: whether a person must look at it.
    """

    id: str
    title: str
    earned: float
    points: float
    waits: bool

    @property
    def grade(self) -> str:
        """How it stands, as the name of a style."""
        if self.waits:
            return "waits"
        share = self.earned / self.points if self.points else 1.0
        return "full" if share >= 1 else "some" if share > 0 else "none"

    @property
    def mark(self) -> str:
        """A sign for how it stands; the words say the same."""
        sign = {"full": "✓", "some": "◐", "none": "✗", "waits": "…"}[self.grade]
        return f'<span aria-hidden="true">{sign}</span>'

    @property
    def words(self) -> str:
        """How it stands, in words."""
        if self.waits and not self.earned:
            return f"waits for a person, {self.points:g} points"
        so_far = " so far; a person still looks" if self.waits else ""
        return f"{round(self.earned, 2):g} of {self.points:g} points{so_far}"

    @property
    def anchor(self) -> str:
        """The place of the cell on the page."""
        return "cell-" + re.sub(r"[^\w-]", "-", self.id)


def points(nb: NotebookNode) -> list[Points]:
    """List the graded cells of a notebook with what they have earned."""
    title, found = "", []
    for cell in nb.cells:
        meta = cell.metadata.get("nbgrader", {})
        if cell.cell_type == "markdown" and not meta.get("solution"):
            headings = re.findall(r"^#{1,6} +(.+?)[ #]*$", cell.source, flags=re.MULTILINE)
            title = headings[-1] if headings else title
        if meta.get("grade") or meta.get("task"):
            found.append(
                Points(
                    id=str(meta["grade_id"]),
                    title=title or str(meta["grade_id"]),
                    earned=float(meta.get("score") or 0.0),
                    points=float(meta.get("points") or 0.0),
                    waits=bool(meta.get("waits")),
                )
            )
    return found


def summary(nb: NotebookNode, listed: list[Points], grades: Mapping[str, Any]) -> str:
    """Return the head of the page.

    Args:
        nb: the graded notebook; its metadata under ``plaincourse`` says what was mended.
        listed: its graded cells.
        grades: ``score``, ``max_score`` and ``late_penalty``.
    """
    known = nb.metadata.get("plaincourse", {})
    late = float(grades.get("late_penalty") or 0)
    score = float(grades.get("score") or 0)
    most = float(grades.get("max_score") or sum(each.points for each in listed))
    waiting = [each for each in listed if each.waits]
    so_far = " so far" if waiting else ""
    parts = [
        '<section aria-labelledby="summary"><h2 id="summary">Summary</h2>',
        f'<p class="total"><strong>{round(score, 2):g} of {most:g} points</strong>{so_far}</p>',
    ]
    if known.get("unread"):
        parts.append(f'<p class="verdict">{inline(known["unread"])}</p>')
    parts.append(_table(listed, late, linked=not known.get("unread")))
    told = [note for note in known.get("mended", []) if note != known.get("unread")]
    if told:
        items = "".join(f"<li>{inline(note)}</li>" for note in told)
        parts.append(f"<h3>What was mended before grading</h3><ul>{items}</ul>")
    if waiting:
        items = "".join(f'<li><a href="#{e.anchor}">{inline(e.title)}</a></li>' for e in waiting)
        parts.append(f"<h3>What waits for a person</h3><p>{_WAITS}</p><ul>{items}</ul>")
    return "\n".join([*parts, "</section>"])


def _table(listed: list[Points], late: float, *, linked: bool) -> str:
    rows = ""
    for each in listed:
        name = inline(each.title)
        name = f'<a href="#{each.anchor}">{name}</a>' if linked else name
        rows += (
            f'<tr class="{each.grade}"><th scope="row">{name}</th>'
            f"<td>{each.mark} {each.words}</td></tr>"
        )
    if late > 0:
        rows += f'<tr><th scope="row">Handed in late</th><td>{-late:g} points</td></tr>'
    return (
        '<table class="points"><caption>Points for each exercise</caption><thead><tr>'
        f'<th scope="col">Exercise</th><th scope="col">Points</th></tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def inline(text: str) -> str:
    """Set one line of Markdown without the paragraph around it, and without links."""
    # A heading may begin with its number, which is no list.
    numbered = re.sub(r"^(\d+)([.)])", r"\1\\\2", str(text))
    html = safe_markdown(numbered).strip()
    html = html.removeprefix("<p>").removesuffix("</p>")
    return re.sub(r"</?(a|p|h[1-6]|ul|ol|li)\b[^>]*>", "", html) or escape(str(text))
