"""The README's table of benchmarks, from the results that ``make bench`` wrote."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

NOTHING = "Nothing measured yet: `make bench`."


def table(root: Path) -> str:
    """Return the table of all results, and above it how many goals are met and which are not.

    Args:
        root: the course's root; results are in ``benchmarks/results/C*.json``.
    """
    files = sorted((root / "benchmarks/results").glob("C*.json"), key=lambda p: int(p.stem[1:]))
    results = [json.loads(path.read_text("utf-8")) for path in files]
    rows = [row for result in results for row in result["rows"]]
    if not rows:
        return NOTHING
    said = [verdict(row) for row in rows if row["goal"] is not None and row["value"] is not None]
    met = sum(text == "met" for text in said)
    missed = [row for row in rows if verdict(row).startswith("missed")]
    lines = [f"{met} of {len(said)} goals are met." + (" Missed are:" if missed else ""), ""]
    lines += [f"- {row['id']}, {row['work']}, {row['peer']}: {verdict(row)}" for row in missed]
    lines += ["", *_machines(results), ""]
    lines += ["| | work | beside | measured | goal | |", "|---|---|---|---|---|---|"]
    lines += [_line(row) for row in rows]
    return "\n".join(lines)


def verdict(row: Mapping[str, Any]) -> str:
    """Say whether a row's goal is met, or by how much it is missed.

    Args:
        row: one row of a result: value, goal, and which direction is better.
    """
    value, goal = row["value"], row["goal"]
    if value is None:
        return "not measured: the peer was not there"
    if goal is None:
        return ""
    if value <= goal if row["better"] == "lower" else value >= goal:
        return "met"
    share = abs(value / goal - 1) if goal else 1.0
    return f"missed by {share:.0%}" if share >= 0.01 else f"missed by {share:.1%}"


def _line(row: Mapping[str, Any]) -> str:
    value = "–" if row["value"] is None else f"{row['value']:.3g} {row['unit']}"
    sign = "≤" if row["better"] == "lower" else "≥"
    goal = "" if row["goal"] is None else f"{sign} {row['goal']:.3g}"
    return f"| {row['id']} | {row['work']} | {row['peer']} | {value} | {goal} | {verdict(row)} |"


def _machines(results: list[Mapping[str, Any]]) -> list[str]:
    """Say on which machines, and when: one line for each set of results that share both."""
    places: dict[str, list[str]] = {}
    for result in results:
        threads = "one thread" if result["threads"] == 1 else f"{result['threads']} threads"
        where = f"{result['processor']}, Python {result['python']}, torch {result['torch']}"
        key = f"{result['date']} on {where}, {threads} on as many pinned cores"
        places.setdefault(key, []).append(result["rows"][0]["id"] if result["rows"] else "")
    return [f"{', '.join(ids)}: {place}." for place, ids in places.items()]
