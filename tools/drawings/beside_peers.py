"""Every benchmark with a goal, compared with its goal, with a mark for each processor.

The data come from ``benchmarks/results/``; ``make bench`` redraws it.
"""

import math
import textwrap
from pathlib import Path

from tools.drawings.symbols import NARROW, SMALL, Drawing

from plaincourse.measured import Result, by_number, read, verdict

ROOT = Path(__file__).parents[2]
MOST = 4  # the greatest ratio of a result to its goal that the axis shows
LINE, CHARACTERS, MARKS = 17, 56, 20  # line height, characters per line, height of marks
#: Text that is the same in all rows of a benchmark; the table has it, the drawing leaves it out.
ALIKE = (", B1 H8 D64", ", prompt 16 + 128", ", B12 T256", ", 2 threads", "causal ")
LOOKS = (("blue", 5), ("orange", 0), ("green", 2))  # a processor's kind and corner radius

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
Rows of benchmarks, each with a short line for its goal and a mark for each processor, right of \
the line where the goal is met, left of it where it is missed. Most marks lie near the line; the \
table below has the numbers."""
CAPTION = """\
The package compared with its peers: the ratio of each result to its goal. Marks at the edges lie \
beyond them. A goal is a ratio to a peer that ran in the same rounds, to the package itself under \
other conditions, or, with two threads, to the result of one thread."""


def quality(row: Result) -> float:
    """Return the ratio of a result to its goal; 1 at the goal, more if better."""
    ratio = row["value"] / row["goal"]
    return float(1 / ratio if row["better"] == "lower" else ratio)


def short(work: str) -> list[str]:
    """Return the name of a row in lines that fit."""
    for part in ALIKE:
        work = work.replace(part, "")
    return textwrap.wrap(work, CHARACTERS)


def draw() -> Drawing:
    """Return the drawing."""
    groups: dict[tuple[str, str], list[tuple[str, str, str]]] = {}
    for key in KEYS:
        groups.setdefault(key[:2], []).append(key)
    rows = sum(LINE * len(short(key[2])) + MARKS for key in KEYS)
    height = 106 + rows + 30 * len(groups)
    drawing = Drawing("The package beside its peers, each result against its goal", height, NARROW)
    for i, name in enumerate(ROWS):
        kind, round = LOOKS[i % len(LOOKS)]
        drawing.rect(16, 19 + 20 * i, 10, 10, f"{kind}-full", round=round)
        said = f"{name}: {MET[name]} of {len(ROWS[name])} goals met"
        drawing.text(34, 29 + 20 * i, said, at="start", size=SMALL)
    y = 86.0
    for times, label in ((1 / 3, "⅓"), (1 / 2, "½"), (1, "goal"), (2, "2×"), (3, "3×")):
        drawing.text(_x(times), y - 8, label, tone="muted", size=SMALL, bold=times == 1)
    for (id, peer), keys in groups.items():
        y += 30
        drawing.text(16, y - 12, f"{id}, beside {peer}", at="start", bold=True, size=SMALL)
        for key in keys:
            lines = short(key[2])
            drawing.lines(16, y + 5, lines, step=LINE, at="start", tone="muted", size=SMALL)
            y += LINE * len(lines)
            for times in (1 / 3, 1 / 2, 2, 3):
                drawing.rect(_x(times) - 0.5, y - 3, 1, 8, "grey-full", thick=0)
            drawing.rect(_x(1) - 1, y - 8, 2, 18, "grey-full")
            for i, results in enumerate(ROWS.values()):
                if key in results:
                    kind, round = LOOKS[i % len(LOOKS)]
                    x = _x(quality(results[key]))
                    drawing.rect(x - 5, y - 6 + 4 * i, 10, 10, f"{kind}-full", round=round)
            y += MARKS
    return drawing


def _x(times: float) -> float:
    share = math.log(max(1 / MOST, min(MOST, times)), MOST)
    return NARROW / 2 + share * (NARROW / 2 - 26)
