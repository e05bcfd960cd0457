"""The files about a capstone: a page of its samples, a plot, and the skeleton of a report."""

import json
import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from plainformer.lab.capstone.measuring import MARKS, PARTS, Measured

COLOURS = ("#6b7178", "#0b63a5", "#b5470b", "#0a7a5c", "#7d3f86")
WIDTH, HEIGHT, LEFT, BOTTOM = 520, 300, 60, 44
AXES = ("served", "excess")
STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}"
    "td,th{padding:.1rem .8rem;text-align:right}td:first-child,th:first-child{text-align:left}"
    "svg{background:#fbfaf6;max-width:100%}q{quotes:none}b{color:#0b63a5}"
)


def plot(groups: Mapping[str, Sequence[Mapping[str, float]]]) -> str:
    """Return an SVG of the loss above the floor against the served throughput.

    Args:
        groups: name of each design, at most five, and the facts of its training runs.
    """
    points = {
        name: [(row[AXES[0]], row[AXES[1]]) for row in rows if set(AXES) <= set(row)]
        for name, rows in groups.items()
    }
    every = [point for some in points.values() for point in some]
    widest = math.ceil(max((x for x, _ in every), default=1) * 2) / 2
    highest = math.ceil(max((y for _, y in every), default=1) * 10 + 1) / 10

    def place(x: float | int, y: float | int) -> tuple[float, float]:
        return (
            round(LEFT + x / widest * (WIDTH - LEFT - 110), 1),
            round(HEIGHT - BOTTOM - y / highest * (HEIGHT - BOTTOM - 16), 1),
        )

    (left, low), (right, high) = place(0, 0), place(widest, highest)
    drawn = [
        f'<path d="M{left} {high}V{low}H{right}" fill="none" stroke="#6b7178"/>',
        f'<text x="{(left + right) / 2}" y="{HEIGHT - 8}" text-anchor="middle">'
        "served throughput, plain model = 1</text>",
        f'<text x="14" y="{(low + high) / 2}" text-anchor="middle" '
        f'transform="rotate(-90 14 {(low + high) / 2})">nats above the floor</text>',
    ]
    for at in (0, widest / 2, widest):
        x = place(at, 0)[0]
        drawn.append(f'<text x="{x}" y="{low + 16}" text-anchor="middle">{at:g}</text>')
    for at in (0, highest / 2, highest):
        y = place(0, at)[1]
        drawn.append(f'<text x="{left - 6}" y="{y + 4}" text-anchor="end">{at:.2g}</text>')
    for i, (name, some) in enumerate(points.items()):
        colour = COLOURS[i % len(COLOURS)]
        for x, y in some:
            a, b = place(x, y)
            drawn.append(f'<circle cx="{a}" cy="{b}" r="4.5" fill="{colour}" fill-opacity=".8"/>')
        row = 24 + 20 * i
        drawn.append(f'<circle cx="{right + 14}" cy="{row - 4}" r="4.5" fill="{colour}"/>')
        drawn.append(f'<text x="{right + 24}" y="{row}">{escape(name)}</text>')
    body = "\n".join(drawn)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" '
        f'font-family="sans-serif" font-size="12" role="img">\n<title>Loss against speed</title>\n'
        f"{body}\n</svg>\n"
    )


def page(name: str, samples: Sequence[tuple[str, str]], found: Measured, picture: str) -> str:
    """Return the HTML page of a capstone.

    Args:
        name: name of the design.
        samples: prompts, each with its continuation.
        found: the measurements.
        picture: SVG by :func:`plot`.
    """
    rows = "".join(
        f"<tr><td>{part}</td><td>{found.facts.get(MARKS[part][0], math.nan):.3f}</td>"
        f"<td>{found.parts[part]:g}</td><td>{most:g}</td></tr>"
        for part, most in PARTS.items()
    )
    texts = "".join(
        f"<p><q>{escape(prompt)} <b>{escape(text)}</b></q></p>" for prompt, text in samples
    )
    refused = f"<p>{escape(found.refused)}</p>" if found.refused else ""
    title = escape(name)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>{STYLE}</style></head>
<body><h1>{title}</h1>
<p>{found.facts["parameters"]:,.0f} weights, {found.score:g} of {sum(PARTS.values()):g} points.</p>
{refused}<h2>Samples</h2>{texts}
<form action="continue"><input name="text" size="40" value="the fox"><button>Continue</button>
</form>
<h2>Measurements</h2>
<table><tr><th>part</th><th>measured</th><th>points</th><th>most</th></tr>{rows}</table>
<h2>Loss against speed</h2>{picture}</body></html>
"""


def report(name: str, design: Mapping[str, Any], found: Measured) -> str:
    """Return the skeleton of a report, in Markdown, with the numbers filled in.

    Args:
        name: name of the design.
        design: its data, as submitted to the grader.
        found: the measurements.
    """
    settings = "\n".join(
        f"| {part} | {field} | {json.dumps(value)} | *what it gives up* |"
        for part, fields in design.items()
        for field, value in fields.items()
    )
    facts = "\n".join(f"| {fact} | {value:g} |" for fact, value in found.facts.items())
    return f"""# {name}

*Its purpose, in one sentence.*

## Decisions and their prices

| part | setting | value | price |
|---|---|---|---|
{settings}

## Evidence

One training, {found.score:g} of {sum(PARTS.values()):g} points. *Add a column for each change
that you tried, one change at a time, and those that did not help.*

| measured | value |
|---|---|
{facts}

## What these numbers do not show

*Which of them are exact, which scatter from training to training, and by how much.*

## Users

*Who is served well by this model, who is not, and your next experiment.*
"""
