"""Measure the length of each chapter's core path, and compare it with the budget.

    python -m tools.budget [PAGES]     print a line per chapter; all chapters by default
    python -m tools.budget --check     print only chapters that are worse than their record
    python -m tools.budget --record    lower the records to the current counts

A chapter within the budget must stay within it. For a chapter over the budget, ``budget.json`` has
the values that are over; they may only get better.
"""

import argparse
import json
import sys
from pathlib import Path

from plaincourse.notebooks.counting import Count, core

ROOT = Path(__file__).resolve().parents[1]
RECORD = Path(__file__).with_suffix(".json")
MOST = {"words": 3500, "cells": 35, "lines": 250, "predictions": 8, "minutes": 75}
LEAST = {"drawings": 3}
Values = dict[str, int]


def chapters(root: Path = ROOT) -> list[Path]:
    """List the pages of the chapters."""
    return sorted((root / "book").glob("[0-9][0-9]-*.md"))


def over(count: Count) -> Values:
    """Return the values of a chapter that break the budget."""
    high = {name for name, most in MOST.items() if getattr(count, name) > most}
    low = {name for name, least in LEAST.items() if getattr(count, name) < least}
    return {name: getattr(count, name) for name in (*MOST, *LEAST) if name in high | low}


def worse(now: Values, record: Values) -> list[str]:
    """Return a sentence for each value of a chapter that is worse than its record."""
    found = []
    for name, value in now.items():
        bound = record.get(name, MOST.get(name, LEAST.get(name, 0)))
        if value > bound and name in MOST:
            found.append(f"{value} {name}, at most {bound}")
        if value < bound and name in LEAST:
            found.append(f"{value} {name}, at least {bound}")
    return found


def lowered(record: dict[str, Values], now: dict[str, Values]) -> dict[str, Values]:
    """Return the record of the values that are over the budget now.

    Raises:
        ValueError: A value is worse than its record; the message names the chapters.
    """
    wrong = [name for name in now if worse(now[name], record.get(name, {}))]
    if wrong:
        raise ValueError(f"worse than the record, which gets no worse: {', '.join(wrong)}")
    return {name: values for name, values in now.items() if values}


def load() -> dict[str, Values]:
    """Return the record."""
    known: dict[str, Values] = json.loads(RECORD.read_text("utf-8"))
    return known


def written(record: dict[str, Values]) -> str:
    """Return the record as text, one chapter per line."""
    lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(record[name])}" for name in record)
    return f"{{\n{lines}\n}}\n"


def main(arguments: list[str]) -> int:
    """Run the command; return 1 if a chapter is worse than its record."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.budget",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--check", action="store_true", help="print only what fails")
    parser.add_argument("--record", action="store_true", help="lower the records")
    options = parser.parse_args(arguments)
    counts = {path.name[:2]: core(path.read_text("utf-8")) for path in options.pages or chapters()}
    record, now = load(), {name: over(count) for name, count in counts.items()}
    for name, count in counts.items():
        values = "  ".join(f"{each} {getattr(count, each):4}" for each in (*MOST, *LEAST))
        broken = f"  over: {', '.join(now[name])}" if now[name] else ""
        reasons = worse(now[name], record.get(name, {}))
        if reasons or not options.check:
            print(f"{name}  {values}{broken}")
        for reason in reasons:
            print(f"    WORSE THAN ITS RECORD: {reason}")
    if options.record:
        try:
            text = written(lowered(record, {**record, **now}))
        except ValueError as error:
            print(error, file=sys.stderr)
            return 1
        RECORD.write_text(text, "utf-8", newline="\n")
    return any(worse(now[name], record.get(name, {})) for name in now)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
