"""The result of a check, as data, as text, and as HTML.

The HTML is readable in JupyterLab, VS Code, Colab and nbgrader's feedback. It cannot rely on a
style sheet: styles are inline, and colours are either inherited (``inherit``, ``currentColor``) or
pale enough to work on light and dark backgrounds. Colour is never the only carrier of information.
"""

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field
from html import escape

EXTRA = "A further task: its points count for nothing."
LEGEND = (
    "Each requirement is a group of tests, named after what they look for. “Passed”: all of them, "
    "whatever else is wrong. “Failed”: at least one of them, for whatever reason."
)
"""Legend for the requirements of an answer that was tried on inputs and failed on some."""
NOT_YET = "Not answered yet."
"""The headline of a task whose answer is unchanged."""
UNREADABLE = "This is not an answer that can be read."
"""The headline of an answer in a form that was not asked for."""
LEFT_OUT = "left out here; run the check in your notebook to see it"
"""Replaces, in feedback, an output of the answer or the text that it printed."""
NO_ANSWER = "no answer in time"
"""Shown in place of the output of a call that was stopped."""
VALIDATING = "NBGRADER_VALIDATING"
"""Environment variable of nbgrader's *Validate*; a kernel that it starts inherits it.

*Validate* shows only the standard error of a cell, so :meth:`Report.brief` is written there.
"""
_BOX = (
    "border:1px solid rgba(128,128,128,.45);border-left:.35em solid {edge};border-radius:.4em;"
    "padding:.8em 1.1em;margin:.4em 0;max-width:52em;line-height:1.5;"
    "background:rgba(128,128,128,.06);color:inherit;font-size:1em"
)
_PRE = (
    "margin:.2em 0 .6em;padding:.45em .7em;border-radius:.3em;background:rgba(128,128,128,.13);"
    "color:inherit;border:0;overflow-x:auto;white-space:pre;font-family:ui-monospace,Menlo,Consolas,"
    "monospace;font-size:.92em;line-height:1.4"
)
_CODE = (
    "background:rgba(128,128,128,.16);color:inherit;border-radius:.2em;padding:.05em .3em;"
    "font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.92em"
)
_EDGES = {
    "full": "rgb(46,139,87)",
    "some": "rgb(200,130,20)",
    "none": "rgb(196,69,54)",
    "open": "rgb(128,128,128)",
}
_SUMMARY = "cursor:pointer;display:list-item;margin:.2em 0"
_LABEL = "font-weight:600;margin:.5em 0 0"


@dataclass(frozen=True, kw_only=True)
class Line:
    """One requirement: its name, its points, the points earned, and the rule that cost the rest.

    ``idea`` is the idea of the exercise that it tests, if it tests one.
    """

    name: str
    points: float
    earned: float
    rule: str = ""
    idea: str = ""

    @property
    def text(self) -> str:
        """The requirement as a student reads it.

        The idea is named only if the requirement is not met. A wrong answer can meet a requirement
        whose inputs do not expose its mistake, and the report would then credit it with an idea
        that it lacks.
        """
        idea = f" (idea: {self.idea})" if self.idea not in ("", self.name) and not self.met else ""
        said = f"{self.name}{idea}"
        return f"{said}; {self.rule}" if self.rule else said

    @property
    def met(self) -> bool:
        """Whether the requirement is met."""
        return self.earned == self.points


@dataclass(frozen=True, kw_only=True)
class Example:
    """The smallest failing input as (name, value) pairs, with the expected and actual output."""

    inputs: tuple[tuple[str, str], ...]
    expected: str
    got: str
    printed: str = ""


@dataclass(frozen=True, kw_only=True, repr=False)
class Report:
    """The result of a check: a score and its explanation.

    As a number and as text it is only its score, which is the form in which nbgrader reads partial
    credit. A notebook shows the whole diagnosis; elsewhere :meth:`text` returns it.

    Attributes:
        id: the task's id.
        title: the task's title.
        score: the points earned.
        points: the points that can be earned.
        headline: the result in a sentence.
        diagnosis: the errors found, one paragraph each; backticks mark code.
        rungs: the requirements.
        matched: name of the misconception that the answer matches.
        example: the smallest failing input of the visible kind.
        hints: the hint ladder that fits.
        aimed: whether the hints belong to the mistake that was found; otherwise they are the
            task's.
        instead: if the diagnosis quotes the answer, the same error without the quotation, which
            feedback shows once hidden tests have run; otherwise empty.
        facts: the measurements of a project, by name.
        stopped: whether a call took too long, so that the remaining calls were not tried.
        extra: whether the points do not count, which the report then states.
        legend: how to read the requirements, if that needs an explanation.
    """

    id: str
    title: str
    score: float
    points: float
    headline: str
    diagnosis: tuple[str, ...] = ()
    rungs: tuple[Line, ...] = ()
    matched: str | None = None
    example: Example | None = None
    hints: tuple[str, ...] = field(default=())
    aimed: bool = False
    instead: str = ""
    facts: Mapping[str, float] = field(default_factory=dict)
    stopped: bool = False
    extra: bool = False
    legend: str = ""

    @property
    def untouched(self) -> bool:
        """Whether the answer is unchanged from the released notebook."""
        return self.headline == NOT_YET

    def __float__(self) -> float:
        return float(self.score)

    def __repr__(self) -> str:
        return repr(float(self.score))

    def _repr_html_(self) -> str:
        return html(self)

    def brief(self) -> str:
        """Return the errors found, in lines short enough for nbgrader's *Validate*."""
        if self.untouched:
            return self.headline
        headline = f"{rounded(self.score)} of {rounded(self.points)} points. {self.headline}"
        return "\n".join(textwrap.fill(said, width=80) for said in (headline, *self.diagnosis))

    def text(self) -> str:
        """Return the report as plain text."""
        worth = f"{rounded(self.score)} of {rounded(self.points)} points"
        parts = [f"{self.title}: {worth}", *([EXTRA] if self.extra else []), self.headline]
        parts += [_fill(paragraph) for paragraph in self.diagnosis]
        if self.example:
            rows = [*self.example.inputs, ("expected", self.example.expected)]
            rows += [("yours", self.example.got)]
            if self.example.printed:
                rows.append(("printed", self.example.printed.rstrip()))
            parts.append("\n".join(f"{name} =\n{textwrap.indent(x, '    ')}" for name, x in rows))
        if self.rungs:
            parts += [_fill(self.legend)] if self.legend else []
            parts.append(
                "\n".join(
                    f"{'✓ passed' if rung.met else '✗ failed'}  "
                    f"{rounded(rung.earned)}/{rounded(rung.points)}  "
                    f"{rung.text}"
                    for rung in self.rungs
                )
            )
        if self.hints:
            parts.append(f'Stuck? hint("{self.id}") gives a hint.')
        return "\n\n".join(parts)


def rounded(points: float) -> str:
    """Format points for readers, with at most two decimals.

    >>> rounded(2 / 3), rounded(2.0)
    ('0.67', '2')
    """
    return f"{round(points, 2):g}"


def _fill(text: str) -> str:
    return textwrap.fill(text, width=88)


def html(report: Report) -> str:
    """Return a report as one block of HTML, without scripts, links or ids."""
    share = report.score / report.points if report.points else 0.0
    grade = "full" if share == 1 else "some" if share > 0 else "none"
    grade = "open" if report.untouched else grade
    mark = {"full": "✓", "some": "◐", "none": "✗", "open": "○"}[grade]
    parts = [
        f'<h4 style="margin:0 0 .15em;font-size:1.1em;font-weight:600;color:inherit">'
        f'<span aria-hidden="true">{mark}</span> {_inline(report.title)}: '
        f"{rounded(report.score)} of {rounded(report.points)} points</h4>",
        f"<p>{EXTRA}</p>" if report.extra else "",
        _bar(share, _EDGES[grade]),
        f'<p style="margin:.5em 0;font-weight:600">{_inline(report.headline)}</p>',
    ]
    parts += [
        f'<p{_instead(report.instead)} style="margin:.5em 0">{_inline(said)}</p>'
        for said in report.diagnosis
    ]
    if report.example:
        parts.append(_example(report.example))
    if report.rungs:
        parts.append(_rungs(report))
    if report.hints:
        parts.append(_ladder(report.hints, found=report.aimed))
    inside = "".join(parts)
    return (
        f'<div role="group" aria-label="Check of {escape(report.title, quote=True)}" '
        f'style="{_BOX.format(edge=_EDGES[grade])}">{inside}</div>'
    )


def _bar(share: float, colour: str) -> str:
    """Draw the score as a bar; the heading above says it in words."""
    return (
        '<div aria-hidden="true" style="height:.4em;border-radius:.2em;max-width:22em;'
        'background:rgba(128,128,128,.25)">'
        f'<div style="height:100%;width:{100 * share:.0f}%;border-radius:.2em;background:{colour}">'
        "</div></div>"
    )


def _example(example: Example) -> str:
    rows = [(f"<code style='{_CODE}'>{escape(name)}</code>", x, "") for name, x in example.inputs]
    other = "" if example.got == NO_ANSWER else LEFT_OUT
    rows += [("expected", example.expected, ""), ("yours", example.got, other)]
    if example.printed:
        rows.append(("printed by your function", example.printed.rstrip(), LEFT_OUT))
    shown = "".join(
        f'<p style="{_LABEL}">{name}</p>'
        f'<pre{_instead(other)} style="{_PRE}" tabindex="0">{escape(value)}</pre>'
        for name, value, other in rows
    )
    return (
        f'<details open style="margin:.5em 0"><summary style="{_SUMMARY}">The smallest input '
        f"that fails</summary>{shown}</details>"
    )


def _instead(said: str) -> str:
    """Mark text that quotes the answer, with the text that feedback may show in its place."""
    return f' data-instead="{escape(said)}"' if said else ""


def _rungs(report: Report) -> str:
    items = "".join(
        '<li style="margin:.1em 0">'
        f"{'✓ passed' if rung.met else '✗ failed'}, "
        f"{rounded(rung.earned)} of {rounded(rung.points)}: "
        f"{_inline(rung.text)}</li>"
        for rung in report.rungs
    )
    legend = f'<p style="margin:.3em 0">{_inline(report.legend)}</p>' if report.legend else ""
    return (
        f'<details open style="margin:.5em 0"><summary style="{_SUMMARY}">The requirements'
        f'</summary>{legend}<ul style="margin:.3em 0;padding-left:1.2em;list-style:none">{items}'
        "</ul></details>"
    )


def _ladder(hints: tuple[str, ...], *, found: bool) -> str:
    """Nest the hints, so that each is shown only after the previous one has been opened.

    Feedback opens the first hint of a ladder that belongs to the mistake found.
    """
    inside = ""
    for number in range(len(hints), 0, -1):
        first = ' data-ladder="found"' if found and number == 1 else ""
        inside = (
            f'<details{first} style="margin:.3em 0"><summary style="{_SUMMARY}">'
            f"Hint {number} of {len(hints)}</summary>"
            f'<p style="margin:.3em 0">{_inline(hints[number - 1])}</p>{inside}</details>'
        )
    return inside


def _inline(text: str) -> str:
    """Escape a sentence, and format text between backticks as code and *stars* as emphasis."""
    said = re.sub(r"`([^`]+)`", rf'<code style="{_CODE}">\1</code>', escape(text, quote=False))
    return re.sub(r"(?<![\w*])\*(\w[^*<]*\w|\w)\*(?![\w*])", r"<em>\1</em>", said)
