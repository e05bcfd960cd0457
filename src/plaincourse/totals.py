"""Add up the points of the checks that ran in this session."""

from plaincourse.bank import chapter
from plaincourse.exercise import Essay, Task
from plaincourse.report import Report

_last: dict[str, float] = {}


def remember(report: Report) -> None:
    """Keep the points of the last check of a task."""
    _last[report.id] = report.score


def text(number: str) -> str:
    """Return a line for each task of a chapter, their sum, and what the gate wants to know.

    Raises:
        LookupError: the chapter has no tasks.
    """
    tasks = chapter(number)
    width = max(len(task.title) for task in tasks)
    lines = [f"{task.title:{width}}  {_standing(task)}" for task in tasks]
    earned = round(sum(_last.get(task.id, 0.0) for task in tasks), 6)
    points = sum(task.points for task in tasks)
    said = f"Type {earned:g} into the gate of chapter {number}, of {points:g} points"
    essays = [task for task in tasks if isinstance(task, Essay)]
    if essays:
        own = sum(task.points for task in essays)
        said += f", and add what your answer in words earns by its rubric, at most {own:g}"
    lines += ["", f"{said}."]
    if any(task.id not in _last and task not in essays for task in tasks):
        lines.append("Checks that did not run in this session count as 0: run all cells first.")
    return "\n".join(lines)


def _standing(task: Task) -> str:
    if isinstance(task, Essay):
        return f" in words, of {task.points:g}"
    if task.id not in _last:
        return f"unchecked, of {task.points:g}"
    return f"{_last[task.id]:9g}, of {task.points:g}"
