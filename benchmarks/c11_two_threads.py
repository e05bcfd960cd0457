"""C11: the benchmarks that are sensitive to threads, once more with two."""

import dataclasses
import importlib
import json
from pathlib import Path

from benchmarks.harness import Row
from benchmarks.machine import results

THREADS = 2
HERE = Path(__file__).parent
AGAIN = ("C1", "C2", "C5", "C10")
SLACK = 0.10  # two threads may lose this share of what one thread reaches


def measure(rounds: int) -> list[Row]:
    rows = []
    here = {f"C{int(p.stem[1:3])}": p.stem for p in HERE.glob("c[0-9][0-9]_*.py")}
    for name, module in ((name, here[name]) for name in AGAIN if name in here):
        before = with_one_thread(name)
        for row in importlib.import_module(f"benchmarks.{module}").measure(rounds):
            rows.append(again(row, before.get((row.work, row.peer))))
    return rows


def with_one_thread(name: str) -> dict[tuple[str, str], float]:
    """Read what one thread reached, by work and peer; nothing where that was not measured."""
    path = results() / f"{name}.json"
    if not path.exists():
        return {}
    rows = json.loads(path.read_text("utf-8"))["rows"]
    return {(r["work"], r["peer"]): r["value"] for r in rows if r["value"] is not None}


def again(row: Row, one: float | None) -> Row:
    """Hold a row to what one thread reached, less the slack."""
    goal = None
    if one is not None and row.goal is not None:
        goal = one * (1 + SLACK if row.better == "lower" else 1 - SLACK)
    return dataclasses.replace(row, id="C11", work=f"{row.work}, 2 threads", goal=goal, note="")
