"""Give hints one at a time, from a question to almost the whole answer."""

from plaincourse.exercise import Essay, Task
from plaincourse.exercise.bank import load
from plaincourse.exercise.report import Report

_ladders: dict[str, tuple[str, ...]] = {}
_given: dict[str, int] = {}


def remember(task: Task, report: Report) -> None:
    """Take the next hints from the mistake that a check found.

    If the ladder of hints changes, the next hint is its first; if it stays the same, the hints go
    on.
    """
    ladder = report.hints if report.aimed else ()
    if _ladders.get(task.id, ()) != ladder:
        _ladders[task.id], _given[task.id] = ladder, 0


def current(task: Task) -> tuple[str, ...]:
    """Return the ladder from which the next hint of ``task`` comes."""
    general = () if isinstance(task, Essay) else task.hints
    return _ladders.get(task.id) or general


def resume(task: Task, given: int) -> None:
    """Continue the current ladder where another session left it.

    Args:
        task: the task.
        given: the number of hints of this ladder that the student has already seen.
    """
    _given[task.id] = given


def next_hint(task: Task | str) -> str:
    """Return the next hint of a task. See :func:`plaincourse.hint`.

    Raises:
        LookupError: there is no such task.
    """
    task = load(task) if isinstance(task, str) else task
    ladder = current(task)
    given = _given.get(task.id, 0)
    if not ladder:
        return "There are no hints for this one. Reread the section that it belongs to."
    if given >= len(ladder):
        return (
            f"That was the last of {len(ladder)} hints. Run the check again: with a new answer "
            "it may have more to say."
        )
    _given[task.id] = given + 1
    return f"Hint {given + 1} of {len(ladder)}: {ladder[given]}"
