"""The command line ``python -m plainformer.lab.capstone``: a finished design, or your own."""

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from plainformer.lab.capstone import endpoint
from plainformer.lab.capstone.measuring import PARTS, Measured, measure
from plainformer.lab.capstone.worked import DESIGNS, HOME, SEEDS, Worked

DESCRIPTION = """\
Train a finished design and print its points. `serve NAME` or `serve FILE` writes a page about a
design and answers requests; `serve --help` explains it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Train a finished design and print its points, or serve one.

    Args:
        arguments: the command line; that of the process when left out.

    Returns:
        The exit code: 0 on success, 1 if the design got no points or was refused.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    if given[:1] == ["serve"]:
        return endpoint.main(given[1:])
    parser = argparse.ArgumentParser(
        prog="python -m plainformer.lab.capstone", description=DESCRIPTION
    )
    parser.add_argument("name", choices=[*sorted(DESIGNS)])
    parser.add_argument("--seed", type=int, default=0, help="of the language; default 0")
    parser.add_argument(
        "--record", action="store_true", help="train for five seeds and keep the results"
    )
    args = parser.parse_args(given)
    torch.set_num_threads(1)
    worked = DESIGNS[args.name]
    print(f"{args.name}: wants {worked.wants}; gave up {worked.gave_up}")
    if args.record:
        return _record(args.name, worked)
    found = measure(worked.entry(args.seed), seed=args.seed)
    _print(found)
    return 1 if found.refused else 0


def _record(name: str, worked: Worked) -> int:
    """Measure a design in each language missing from its record, and each change that was tried."""
    file = HOME / f"{name}.json"
    record: dict[str, Any] = {
        "command": f"python -m plainformer.lab.capstone {name} --record",
        "torch": torch.__version__,
        "design": worked.design(),
        "steps": worked.steps,
        "trainings": [],
        "tried": {},
    }
    if file.exists():
        kept = json.loads(file.read_text("utf-8"))
        if all(kept.get(what) == record[what] for what in ("design", "steps")):
            record |= {"trainings": kept["trainings"], "tried": kept["tried"]}
    entries: dict[int, dict[str, Any]] = {}
    for seed in sorted(set(SEEDS) - {row["seed"] for row in record["trainings"]}):
        entries[seed] = worked.entry(seed)
        found = measure(entries[seed], seed=seed)
        _print(found)
        row = {"seed": seed, "score": found.score, "parts": found.parts, "facts": found.facts}
        record["trainings"] = sorted([*record["trainings"], row], key=lambda each: each["seed"])
        _write(record, file)
    for what, changes in worked.tried.items():
        if what not in record["tried"]:
            other = dataclasses.replace(worked, **changes)
            same = set(changes) <= {"stretch", "cache", "serving"} and 0 in entries
            entry = {**entries[0], **other.parts()} if same else other.entry(0)
            record["tried"][what] = measure(entry, seed=0, timed=False).facts
            print(f"  tried {what}: {record['tried'][what]}", flush=True)
    _write(record, file)
    return 0


def _write(record: dict[str, Any], file: Path) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(record, indent=1) + "\n", "utf-8")


def _print(found: Measured) -> None:
    for part, points in PARTS.items():
        print(f"  {found.parts[part]:3g} of {points:g}  {part}")
    facts = ", ".join(f"{name} {value:g}" for name, value in found.facts.items())
    print(f"  {found.score:g} points; {facts}", flush=True)
    if found.refused:
        print(f"  {found.refused}")


if __name__ == "__main__":
    sys.exit(main())
