"""Prove that the graders of a chapter distinguish right from wrong answers."""

import argparse
import secrets
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import nbformat

from plaincourse import startup
from plaincourse.checking.grader import grade
from plaincourse.exercise import Essay, Project, Task
from plaincourse.exercise.bank import chapter
from plaincourse.proving.mutants import prove
from plaincourse.proving.replays import problems as problems_of_replays
from plaincourse.proving.shares import table as table_of_shares
from plaincourse.proving.validate import validate
from plaincourse.settings import block


def table(task: Task) -> str:
    """Return the score of each known answer of a task, and the mistake that is matched."""
    if isinstance(task, Essay):
        return f"{task.id}  {task.points:g} points, graded by a person, {len(task.rubric)} criteria"
    if isinstance(task, Project):
        return f"{task.id}  {task.points:g} points, measured, {len(task.parts)} parts"
    rows = [(f"alternative   {each.name}", each.answer, "") for each in task.alternatives]
    rows += [(f"misconception {each.name}", each.answer, each.name) for each in task.misconceptions]
    lines = [f"{task.id}  {task.points:g} points"]
    for name, answer, wanted in rows:
        report = grade(task, answer)
        matched = "" if (report.matched or "") == wanted else f"  taken for {report.matched}"
        lines.append(f"  {report.score:5.2f}  {name}{matched}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table of each task of the chapters, and the problems; return 1 if there is one."""
    startup.begin()
    parser = argparse.ArgumentParser(
        prog="python -m plaincourse.proving.prove", description=__doc__
    )
    parser.add_argument("chapter", nargs="+", help="such as 02")
    parser.add_argument("--task", help="only the task with this slug, such as softmax_rows")
    parser.add_argument(
        "--mutants", action="store_true", help="grade small changes to the solutions instead"
    )
    parser.add_argument(
        "--shares",
        action="store_true",
        help="print instead what share of the points mistakes keep, by their kinds",
    )
    parser.add_argument(
        "--into", type=Path, metavar="PAGE", help="write the table of --shares into this page, too"
    )
    parser.add_argument("--solutions", type=Path, default=Path("solutions"), help="their folder")
    options = parser.parse_args(arguments)
    try:
        chapters = {number: chapter(number) for number in options.chapter}
    except LookupError as error:
        parser.error(f"{error}; expected chapters such as 02, and --task for one task")
    problems: list[str] = []
    if options.shares:
        text, problems = table_of_shares(chapters.items())
        print("\n".join([text, *(f"PROBLEM: {problem}" for problem in problems)]))
        if options.into:
            try:
                page = _with_shares(options.into, text)
            except (OSError, ValueError) as error:
                parser.error(f"--into {options.into}: {error}")
            options.into.write_text(page, "utf-8")
        return bool(problems)
    for number, tasks in chapters.items():
        if options.mutants:
            problems += _mutants(options.solutions, number, options.task)
            continue
        for task in tasks:
            if options.task and task.id.partition(".")[2] != options.task:
                continue
            found = validate(task, styles=True, anew=True)
            found += problems_of_replays(task, secrets.randbits(64) + 1)
            print("\n".join([table(task), *(f"  PROBLEM: {problem}" for problem in found)]), "\n")
            problems += found
    print(f"{len(problems)} problems" if problems else "all graders hold")
    return bool(problems)


def _with_shares(page: Path, text: str) -> str:
    """Return a page with its table of shares replaced."""
    writer = "python -m plaincourse.proving.prove … --shares --into PAGE"
    held = page.read_text("utf-8")
    return block(held, "shares", text, where=page.name, comment="<!-- {} -->", writer=writer)


def _mutants(solutions: Path, number: str, slug: str | None) -> Iterator[str]:
    """Print the results of the mutants of each task of a chapter; yield the problems."""
    for path in sorted(solutions.glob(f"{number}-*/{number}-*.ipynb")):
        cells = (slug,) if slug else ()
        for proof in prove(nbformat.read(path, as_version=4), cells=cells):
            found = proof.problems()
            print("\n".join([proof.table(), *(f"  PROBLEM: {each}" for each in found)]), "\n")
            yield from found


if __name__ == "__main__":
    sys.exit(main())
