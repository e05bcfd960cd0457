"""Tables of benchmarks, from the results that ``make bench`` wrote: all rows, or a selection."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

SHORT = "benchmarks/short.yml"
NOTHING = "Nothing measured yet: `make bench`."
Result = Mapping[str, Any]


def table(root: Path) -> str:
    """Return the table of all results: a column for each processor, with a verdict in each cell.

    A list above it gives, for each processor, the number of goals met, the date and the setup.

    Args:
        root: the course's root; results are in ``benchmarks/results/PROCESSOR/``, ``C*.json`` and
            ``G*.json``.
    """
    machines = read(root)
    cells: dict[tuple[str, ...], dict[str, Result]] = {}
    for name, results in machines.items():
        for row in (row for result in results for row in result["rows"]):
            cells.setdefault((row["id"], row["work"], row["peer"]), {})[name] = row
    if not cells:
        return NOTHING
    titles = {name: results[0]["processor"] for name, results in machines.items()}
    lines = [line for results in machines.values() for line in _head(results)]
    lines += ["", "| | work | compared with | goal | " + " | ".join(titles.values()) + " |"]
    lines += ["|---|---|---|---|" + "---|" * len(titles)]
    for key in sorted(cells, key=lambda key: by_number(key[0])):
        row = [_cell(cells[key].get(name)) for name in machines]
        goals = {_goal(each) for each in cells[key].values()}
        goal = goals.pop() if len(goals) == 1 else "varies"
        lines.append(f"| {' | '.join([*key, goal, *row])} |")
    return "\n".join(lines)


def short(root: Path) -> str:
    """Return the table of the few rows that ``benchmarks/short.yml`` names, with their commands.

    Raises:
        LookupError: a named row has no measurement.
    """
    machines = read(root)
    if not machines:
        return NOTHING
    titles = [results[0]["processor"] for results in machines.values()]
    lines = [
        f"| | compared with | {' | '.join(titles)} | command |",
        "|---|---|" + "---|" * (len(titles) + 1),
    ]
    for wanted in yaml.safe_load((root / SHORT).read_text("utf-8")):
        asked = {key: wanted[key] for key in ("id", "work", "peer") if key in wanted}
        found = {
            name: row
            for name, results in machines.items()
            for row in (row for result in results for row in result["rows"])
            if asked.items() <= row.items() and row["value"] is not None
        }
        if not found:
            raise LookupError(f"{SHORT}: nobody measured {asked}; see benchmarks/results/")
        values = [_value(found[name]) if name in found else "–" for name in machines]
        command = f"make bench BENCH={wanted['id']}"
        if wanted["id"].startswith("G"):
            command = "make bench-grading"
        peer = next(iter(found.values()))["peer"]
        lines.append(f"| {' | '.join([wanted['says'], peer, *values, f'`{command}`'])} |")
    return "\n".join(lines)


def read(root: Path) -> dict[str, list[Result]]:
    """Return the results of each processor, by the name of its folder, in order."""
    return {folder.name: _read(folder) for folder in _folders(root)}


def verdict(row: Result) -> str:
    """Return whether a row's goal is met, or by how much it is missed.

    Args:
        row: one row of a result: value, goal, and whether lower or higher is better.
    """
    value, goal = row["value"], row["goal"]
    if value is None:
        return "not measured: the peer is missing"
    if goal is None:
        return ""
    if value <= goal if row["better"] == "lower" else value >= goal:
        return "met"
    share = abs(value / goal - 1) if goal else 1.0
    return f"missed by {share:.0%}" if share >= 0.01 else f"missed by {share:.1%}"


def _folders(root: Path) -> list[Path]:
    folders = (root / "benchmarks/results").glob("*/")
    return sorted(folder for folder in folders if any(folder.glob("[CG]*.json")))


def by_number(id: str) -> tuple[str, int]:
    """Return the key that sorts ids as C1, C2, C10, G1.

    Args:
        id: the id of a benchmark, a letter and a number.
    """
    return id[0], int(id[1:])


def _read(folder: Path) -> list[Result]:
    files = sorted(folder.glob("[CG]*.json"), key=lambda path: by_number(path.stem))
    return [json.loads(path.read_text("utf-8")) for path in files]


def _head(results: list[Result]) -> list[str]:
    """Return a line with the goals that one processor meets, and the date and setup of its runs."""
    rows = [row for result in results for row in result["rows"]]
    said = [verdict(row) for row in rows if row["goal"] is not None and row["value"] is not None]
    met = sum(text == "met" for text in said)
    places: dict[str, list[str]] = {}
    for result in results:
        threads = result["threads"]
        cores = "one thread, one core" if threads == 1 else f"{threads} threads, {threads} cores"
        versions = f"Python {result['python']}, torch {result['torch']}"
        where = f"{result['date']}, {versions}, {cores} (pinned)"
        ids = sorted({row["id"] for row in result["rows"]}, key=by_number)
        places.setdefault(where, []).append(" to ".join(dict.fromkeys((ids[0], ids[-1]))))
    measured = "; ".join(f"{', '.join(names)}: {place}" for place, names in places.items())
    return [f"- **{results[0]['processor']}**: {met} of {len(said)} goals are met. {measured}."]


def _cell(row: Result | None) -> str:
    if row is None:
        return "–"
    if row["value"] is None:
        return verdict(row)
    said = verdict(row)
    return f"{_value(row)}, {said}" if said else _value(row)


def _value(row: Result) -> str:
    return f"{row['value']:.3g} {row['unit']}"


def _goal(row: Result) -> str:
    sign = "≤" if row["better"] == "lower" else "≥"
    return "" if row["goal"] is None else f"{sign} {row['goal']:.3g}"
