"""Prove that the graders of a chapter tell right from wrong."""

import argparse
import sys
from collections.abc import Sequence

from plaincourse.bank import chapter
from plaincourse.exercise import Essay, Task
from plaincourse.grader import grade
from plaincourse.validate import validate


def table(task: Task) -> str:
    """Return what each known answer of a task scores, and which mistake it is taken for."""
    if isinstance(task, Essay):
        return f"{task.id}  {task.points:g} points, graded by a person, {len(task.rubric)} criteria"
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
    parser = argparse.ArgumentParser(prog="python -m plaincourse.prove", description=__doc__)
    parser.add_argument("chapter", nargs="+", help="such as 02")
    parser.add_argument("--task", help="only the task with this slug, such as softmax_rows")
    options = parser.parse_args(arguments)
    problems: list[str] = []
    for number in options.chapter:
        for task in chapter(number):
            if options.task and task.id.partition(".")[2] != options.task:
                continue
            found = validate(task)
            print("\n".join([table(task), *(f"  PROBLEM: {problem}" for problem in found)]), "\n")
            problems += found
    print(f"{len(problems)} problems" if problems else "all graders hold")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
