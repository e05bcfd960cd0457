"""Every benchmark with a goal, beside its goal, with a mark for each processor.

From ``benchmarks/results/``; ``make bench`` draws it anew.
"""

import math
import textwrap
from pathlib import Path

from tools.drawings.symbols import SMALL, WIDTH, Drawing

from plaincourse.measured import Result, by_number, read, verdict

ROOT = Path(__file__).parents[2]
LEFT, RIGHT, MOST = 326, WIDTH - 26, 4  # of the plot; how many times better or worse it shows
LINE, CHARACTERS = 17, 46
#: What all rows of a benchmark say alike, which the table repeats and the drawing does not.
ALIKE = (", B1 H8 D64", ", prompt 16 + 128", ", B12 T256", ", 2 threads", "causal ")
LOOKS = (("blue", 5), ("orange", 0), ("green", 2))  # of a processor: its kind, and how round

MACHINES = {results[0]["processor"]: results for results in read(ROOT).values()}
ROWS = {
    name: {
        (row["id"], row["peer"], row["work"]): row
        for result in results
        for row in result["rows"]
        if row["goal"] is not None and row["value"] is not None
    }
    for name, results in MACHINES.items()
}
KEYS = list(dict.fromkeys(key for rows in ROWS.values() for key in rows if rows[key]["goal"]))
KEYS.sort(key=lambda key: by_number(key[0]))
MET = {name: sum(verdict(row) == "met" for row in rows.values()) for name, rows in ROWS.items()}

ALT = """\
Rows of benchmarks with a vertical line for the goal and a mark for each processor, right of the \
line where the goal is met, left of it where it is missed. Most marks lie near the line; the \
table below has the numbers."""
CAPTION = """\
The package beside its peers: how many times as good as its goal each result is. Marks at the \
edges lie beyond them. A goal is a ratio to a peer that ran in the same rounds, or to the \
package itself under other conditions; with two threads, to what one thread reached."""


def quality(row: Result) -> float:
    """Say how many times as good as its goal a result is; at the goal, 1."""
    ratio = row["value"] / row["goal"]
    return float(1 / ratio if row["better"] == "lower" else ratio)


def short(work: str) -> list[str]:
    """Return the name of a row in lines that fit the left side."""
    for part in ALIKE:
        work = work.replace(part, "")
    return textwrap.wrap(work, CHARACTERS)


def draw() -> Drawing:
    """Draw it."""
    groups: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for key in KEYS:
        groups.setdefault(key[:2], []).append(key)
    height = 102 + sum(30 + sum(LINE * len(short(k[2])) for k in keys) for keys in groups.values())
    drawing = Drawing("The package beside its peers, each result against its goal", height)
    for i, name in enumerate(ROWS):
        kind, round = LOOKS[i % len(LOOKS)]
        drawing.rect(20, 19 + 20 * i, 10, 10, f"{kind}-full", round=round)
        said = f"{name}: {MET[name]} of {len(ROWS[name])} goals met"
        drawing.text(38, 29 + 20 * i, said, at="start")
    top = 78
    for times, label in ((1 / 3, "⅓"), (1 / 2, "½"), (1, "goal"), (2, "2×"), (3, "3×")):
        drawing.text(_x(times), top, label, tone="muted", size=SMALL, bold=times == 1)
        drawing.rect(_x(times) - 0.5, top + 8, 1, height - top - 20, "band", thick=0)
    drawing.rect(_x(1) - 1, top + 8, 2, height - top - 20, "grey-full")
    y = top + 8.0
    for (id, peer), keys in groups.items():
        y += 30
        drawing.text(20, y - 11, f"{id}, beside {peer}", at="start", bold=True, size=SMALL)
        for key in keys:
            lines = short(key[2])
            drawing.lines(LEFT - 8, y + 6, lines, step=LINE, at="end", tone="muted", size=SMALL)
            for i, rows in enumerate(ROWS.values()):
                if key in rows:
                    kind, round = LOOKS[i % len(LOOKS)]
                    x = _x(quality(rows[key]))
                    drawing.rect(x - 5, y - 6 + 4 * i, 10, 10, f"{kind}-full", round=round)
            y += LINE * len(lines)
    return drawing


def _x(times: float) -> float:
    share = math.log(max(1 / MOST, min(MOST, times)), MOST)
    return (LEFT + RIGHT) / 2 + share * (RIGHT - LEFT) / 2
