"""Grading beside stock nbgrader: `make bench-grading`.

Each round grades the same kinds of submissions with each grader, on one pinned core, the order
reversed from round to round. Seconds a submission count from the first graded notebook to the last,
so that no grader's start is in them; for ours from the seventeenth, when its servers have imported
all that they import in their spare time.
"""

import argparse
import dataclasses
import datetime
import json
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path

import torch

from benchmarks.grading_class import COLD, NAME, Run, Term
from benchmarks.grading_kernels import lives, stock
from benchmarks.harness import Row
from benchmarks.machine import processor, results
from plaincourse.grading.gradebook import Writer
from plaincourse.grading.jobs import Job, Result
from plaincourse.kernels.manager import SandboxKernelManager
from plaincourse.measured import verdict

OURS = ("plaincourse.autograde", NAME, "--force", "--quiet")
WAYS = {
    "stock": ("nbgrader", "autograde", NAME, "--force"),
    "sandboxed": (*OURS, "--jobs=1", "--one-process"),
    "split": (*OURS, "--jobs=1"),
}
FEW, MANY = 5, COLD + 25  # one kind comes once more: those that count are whole rounds of four
CORES = (8, 64)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.grading", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="rounds that are counted (5)")
    parser.add_argument("--class", dest="size", type=int, default=1000, help="of the last test")
    arguments = parser.parse_args()
    rows = measure(arguments.rounds, arguments.size)
    for row in rows:
        said = verdict(dataclasses.asdict(row))
        print(f"{row.id:4} {row.work:52} {row.value:.3g} {row.unit} {said} {row.note}")
    results().mkdir(parents=True, exist_ok=True)
    data = {
        "command": f"python -m benchmarks.grading --rounds {arguments.rounds} "
        f"--class {arguments.size}",
        "date": datetime.date.today().isoformat(),
        "processor": processor(),
        "threads": 1,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "rows": [dataclasses.asdict(row) for row in rows],
    }
    (results() / "G1.json").write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    return 0


def measure(rounds: int, size: int) -> list[Row]:
    """Measure everything; progress goes to stderr."""
    with tempfile.TemporaryDirectory() as folder:
        terms = {}
        for name in WAYS:
            here = Path(folder) / name
            here.mkdir()
            few = FEW if name == "stock" else MANY
            terms[name] = Term(here, ours=name != "stock", size=few)
        took: dict[str, list[Run]] = {name: [] for name in WAYS}
        for turn in range(rounds):
            for name in WAYS if turn % 2 == 0 else reversed(WAYS):
                took[name].append(terms[name].grade(*WAYS[name], cores=1))
                print(f"round {turn + 1}: {name} {took[name][-1]}", file=sys.stderr, flush=True)
        rows = [*_speeds(took), _database(terms["split"])]
        rows += _kernels(4 * rounds)
        here = Path(folder) / "large"
        here.mkdir()
        return [*rows, *_large(Term(here, ours=True, size=size), took)]


def _speeds(took: dict[str, list[Run]]) -> list[Row]:
    rows = []
    for id, name, goal in (("G1", "sandboxed", 8.0), ("G2", "split", 6.0)):
        pairs = zip(took["stock"], took[name], strict=True)
        ratios = [stock.each / ours.each for stock, ours in pairs]
        tests = "in a process apart" if name == "split" else "in the student's process"
        rows.append(
            Row(
                id=id,
                work=f"one submission on one core, sandboxed, tests {tests}",
                peer="nbgrader autograde",
                value=statistics.median(ratios),
                unit="× its speed",
                goal=goal,
                better="higher",
                note=f"{min(ratios):.2f} to {max(ratios):.2f}; "
                f"{statistics.median(run.each for run in took[name]):.3f} s",
            )
        )
    return rows


def _database(term: Term, size: int = 200) -> Row:
    """Time the one writer of the gradebook on new students, sixteen at a time."""
    cells = term.class_[0].scores
    writer = Writer(
        f"sqlite:///{term.course.folder / 'gradebook.db'}",
        course_id="default_course",
        assignment=NAME,
    )
    pairs = []
    for number in range(size):
        who = {"student": f"new-{number}", "assignment": NAME, "digest": ""}
        grades = {(NAME, cell): points for cell, points in cells.items()}
        job = Job(folder=Path(), **who)
        pairs.append((Result(grades=dict(grades), **who), job))
    start = time.perf_counter()
    for at in range(0, size, 16):
        writer.write(pairs[at : at + 16])
    took = (time.perf_counter() - start) / size
    writer.close()
    return Row(
        id="G3", work="the gradebook, for one submission", peer="itself", value=took,
        unit="s", goal=0.03, better="lower",
    )  # fmt: skip


def _kernels(rounds: int) -> list[Row]:
    """Compare the lives of kernels."""
    lived = lives({"stock": stock, "ours": SandboxKernelManager}, rounds)
    pairs = list(zip(lived["stock"][1:], lived["ours"][1:], strict=True))  # the first is a warm-up
    speed = statistics.median(theirs[0] / ours[0] for theirs, ours in pairs)
    memory = statistics.median(ours[1] / theirs[1] for theirs, ours in pairs)
    least = statistics.median(ours[0] for _, ours in pairs)
    own = statistics.median(ours[1] for _, ours in pairs) / 2**20
    common = {"peer": "a stock kernel", "better": "lower"}
    return [
        Row(
            id="G4", work="private memory of a kernel with torch and matplotlib", value=memory,
            unit="× its memory", goal=0.35, note=f"{own:.0f} MB", **common,
        ),
        Row(
            id="G5", work="a kernel's life: start, the same imports, end", value=1 / speed,
            unit="× its time", goal=None, note=f"{least:.3f} s", **common,
        ),
    ]  # fmt: skip


def _large(term: Term, took: dict[str, list[Run]]) -> list[Row]:
    """Grade a whole class on two cores: is a grade lost or wrong, and how does it scale?"""
    size = len(term.class_)
    run = term.grade(*OURS, "--jobs=2", cores=2)
    wrong = term.wrong()
    one = statistics.median(run.each for run in took["split"])
    # What the one writer and its process need is not shared out; the rest is.
    few = statistics.median(each.own for each in took["split"])
    serial = (run.own - few) / (size - MANY)
    guess = ", ".join(f"{1 / max(serial, one / cores):.0f} a second on {cores}" for cores in CORES)
    return [
        Row(
            id="G6", work=f"a class of {size} on two cores: lost or wrong grades", peer="itself",
            value=float(len(wrong)), unit="grades", goal=0.0, better="lower",
            note=f"{run.total:.0f} s in all",
        ),
        Row(
            id="G7", work="from the command to the first grade, two cores", peer="itself",
            value=run.first, unit="s", goal=6.0, better="lower",
        ),
        Row(
            id="G8", work="two cores", peer="one core", value=one / run.each, unit="× its speed",
            goal=None, better="higher",
            note=f"expected where cores are alike, memory suffices and {serial:.3f} s of each "
            f"submission stay in one process: {guess}",
        ),
    ]  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
