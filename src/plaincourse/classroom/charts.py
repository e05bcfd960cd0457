"""SVG charts that are described in text and do not depend on colour."""

from collections.abc import Sequence

from plaincourse.classroom.markup import Html, count, html, join, number, percent, tag
from plaincourse.classroom.measures import Summary

_WIDTH, _LEFT, _TOP, _BASE, _BOX, _TICKS, _HEIGHT = 420, 12, 24, 170, 196, 234, 246


def totals(counts: Sequence[int], five: Summary, most: float) -> Html:
    """Draw a histogram of totals with a box plot below it.

    Args:
        counts: submissions in each bin, of equal width from 0 to ``most``.
        five: the five numbers of the totals.
        most: the points that can be earned.
    """
    width = (_WIDTH - 2 * _LEFT) / len(counts)
    highest = max(*counts, 1)
    bars = []
    for place, many in enumerate(counts):
        height = (_BASE - _TOP) * many / highest
        left = _LEFT + place * width
        bars.append(_rect(left + 1.5, _BASE - height, width - 3, height, "bar"))
        if many:
            bars.append(_text(left + width / 2, _BASE - height - 6, many, "middle"))

    def across(points: float) -> float:
        part = points / most if most else 0.0
        return _LEFT + (_WIDTH - 2 * _LEFT) * min(max(part, 0.0), 1.0)

    ticks = [
        _text(across(most * part), _TICKS + 8, number(most * part), place)
        for part, place in ((0, "start"), (0.25, "middle"), (0.5, "middle"), (0.75, "middle"))
    ]
    ticks.append(_text(_WIDTH - _LEFT, _TICKS + 8, number(most), "end"))
    low, high = across(five.lower), across(five.upper)
    shapes = [
        *bars,
        _line(_LEFT, _BASE, _WIDTH - _LEFT, _BASE, "axis"),
        _line(across(five.least), _BOX, across(five.most), _BOX, "axis"),
        _rect(low, _BOX - 10, max(high - low, 2), 20, "box"),
        _line(across(five.median), _BOX - 14, across(five.median), _BOX + 14, "median"),
        *ticks,
    ]
    said = describe(counts, five, most)
    return tag(
        "svg",
        tag("title", "Distribution of totals", id="totals-title"),
        tag("desc", said, id="totals-desc"),
        *shapes,
        role="img",
        aria_labelledby="totals-title totals-desc",
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        class_="chart",
    )


def describe(counts: Sequence[int], five: Summary, most: float) -> str:
    """Describe the histogram in words."""
    fullest = max(range(len(counts)), key=lambda place: counts[place])
    low, high = (number(most * edge / len(counts)) for edge in (fullest, fullest + 1))
    return (
        f"{count(five.count, 'total')} of at most {number(most)} points. The lowest is "
        f"{number(five.least)}, the lower quartile {number(five.lower)}, the median "
        f"{number(five.median)}, the upper quartile {number(five.upper)}, the highest "
        f"{number(five.most)}. The fullest bar, with {counts[fullest]}, is {low} to {high} points."
    )


def share(value: float) -> Html:
    """Draw a share as a small bar next to its percentage."""
    width = 60 * min(max(value, 0.0), 1.0)
    inside = join([_rect(0, 0, 60, 10, "track"), _rect(0, 0, width, 10, "bar")])
    drawn = Html(f'<svg class="small" aria-hidden="true" viewBox="0 0 60 10">{inside}</svg>')
    return tag("span", drawn, percent(value), class_="share")


def _rect(x: float, y: float, width: float, height: float, kind: str) -> Html:
    return Html(
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" class="{kind}"/>'
    )


def _line(x: float, y: float, to_x: float, to_y: float, kind: str) -> Html:
    return Html(f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{to_x:.1f}" y2="{to_y:.1f}" class="{kind}"/>')


def _text(x: float, y: float, said: object, anchor: str) -> Html:
    return Html(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{html(said)}</text>')
