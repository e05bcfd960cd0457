"""Run benchmarks, each in a fresh process on pinned cores, and write what they gave as data."""

import argparse
import dataclasses
import datetime
import importlib
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

from benchmarks.machine import processor, results
from plaincourse.measured import verdict

HERE = Path(__file__).parent


def files() -> dict[str, str]:
    """Map each benchmark's id, such as C1, to its module."""
    return {f"C{int(p.stem[1:3])}": p.stem for p in sorted(HERE.glob("c[0-9][0-9]_*.py"))}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("ids", nargs="*", metavar="ID", help="which to run; all when left out")
    parser.add_argument("--rounds", type=int, default=15, help="rounds that are counted (15)")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    known = files()
    unknown = [name for name in arguments.ids if name not in known]
    if unknown:
        parser.error(f"no benchmark {unknown[0]}: there are {', '.join(known)}")
    if arguments.here:
        measure(arguments.ids[0], known[arguments.ids[0]], arguments.rounds)
        return 0
    failed = []
    for name in arguments.ids or known:
        command = [sys.executable, "-m", "benchmarks", "--here", name]
        done = subprocess.run(
            [*command, f"--rounds={arguments.rounds}"],
            cwd=HERE.parent,
            env={**os.environ, "OMP_NUM_THREADS": str(threads(known[name]))},
            check=False,
        )
        if done.returncode:
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return bool(failed)


def threads(module: str) -> int:
    """Read how many threads a benchmark uses, without importing torch here."""
    text = (HERE / f"{module}.py").read_text("utf-8")
    return 2 if "\nTHREADS = 2\n" in text else 1


def measure(name: str, module: str, rounds: int) -> None:
    """Run one benchmark in this process, print its rows, and write them."""
    count = threads(module)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-count:])
    import torch

    torch.set_num_threads(count)
    rows = importlib.import_module(f"benchmarks.{module}").measure(rounds)
    for row in rows:
        value = "" if row.value is None else f"{row.value:.3g} {row.unit}"
        goal = "" if row.goal is None else f"(goal {row.goal:g})"
        said = verdict(dataclasses.asdict(row))
        print(f"{row.id:4} {row.work:60} {row.peer:28} {value} {goal} {said}", flush=True)
    results().mkdir(parents=True, exist_ok=True)
    data = {
        "command": f"python -m benchmarks {name} --rounds {rounds}",
        "date": datetime.date.today().isoformat(),
        "processor": processor(),
        "threads": count,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "rows": [dataclasses.asdict(row) for row in rows],
    }
    (results() / f"{name}.json").write_text(json.dumps(data, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    sys.exit(main())
