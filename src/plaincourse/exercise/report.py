"""What a check found."""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass, field

NOT_YET = "Not answered yet."
"""The headline of a task that nobody has touched."""


@dataclass(frozen=True, kw_only=True)
class Line:
    """One requirement: what it is, what it is worth, what was earned."""

    name: str
    points: float
    earned: float

    @property
    def met(self) -> bool:
        """Whether the requirement is met."""
        return self.earned == self.points


@dataclass(frozen=True, kw_only=True)
class Example:
    """The smallest input that fails: (name, value) pairs, what was expected, what came."""

    inputs: tuple[tuple[str, str], ...]
    expected: str
    got: str
    printed: str = ""


@dataclass(frozen=True, kw_only=True, repr=False)
class Report:
    """What a check found: a score, and what to say about it.

    As a number and as text it is its score alone, which is how nbgrader reads partial credit. In
    a notebook it shows the whole diagnosis; elsewhere :meth:`text` does.

    Attributes:
        id: the task's id.
        title: the task's title.
        score: the points earned.
        points: the points that can be earned.
        headline: the result in a sentence.
        diagnosis: what went wrong, one paragraph each; backticks mark code.
        rungs: the requirements.
        matched: name of the misconception that the answer matches.
        example: the smallest failing input of the visible kind.
        hints: the hint ladder that fits.
        instead: where the diagnosis quotes the answer, what is wrong without such a quotation:
            feedback says it once hidden tests have run. Else empty.
        facts: what was measured of a project, by name.
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
    instead: str = ""
    facts: Mapping[str, float] = field(default_factory=dict)

    @property
    def untouched(self) -> bool:
        """Whether the answer is still what was handed out."""
        return self.headline == NOT_YET

    def __float__(self) -> float:
        return float(self.score)

    def __repr__(self) -> str:
        return repr(float(self.score))

    def _repr_html_(self) -> str:
        from plaincourse.exercise.report_html import html

        return html(self)

    def brief(self) -> str:
        """Return what went wrong, in lines short enough for nbgrader's *Validate*."""
        if self.untouched:
            return self.headline
        headline = f"{self.score:g} of {self.points:g} points. {self.headline}"
        return "\n".join(textwrap.fill(said, width=80) for said in (headline, *self.diagnosis))

    def text(self) -> str:
        """Return the report as plain text."""
        parts = [f"{self.title}: {self.score:g} of {self.points:g} points", self.headline]
        parts += [_fill(paragraph) for paragraph in self.diagnosis]
        if self.example:
            rows = [*self.example.inputs, ("expected", self.example.expected)]
            rows += [("yours", self.example.got)]
            if self.example.printed:
                rows.append(("printed", self.example.printed.rstrip()))
            parts.append("\n".join(f"{name} =\n{textwrap.indent(x, '    ')}" for name, x in rows))
        if self.rungs:
            parts.append(
                "\n".join(
                    f"{'✓ met    ' if rung.met else '✗ not met'}  {rung.earned:g}/{rung.points:g}  "
                    f"{rung.name}"
                    for rung in self.rungs
                )
            )
        if self.hints:
            parts.append(f'Stuck? hint("{self.id}") gives a hint.')
        return "\n\n".join(parts)


def _fill(text: str) -> str:
    return textwrap.fill(text, width=88)
