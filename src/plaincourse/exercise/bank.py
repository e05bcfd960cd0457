"""Find the tasks of the installed course.

A course keeps its tasks in a package called ``exercise_bank``, one file per task, in a folder per
chapter: ``exercise_bank/ch02/softmax_rows.py`` defines ``TASK``, and ``exercise_bank/ch02`` defines
``ORDER``, the tasks in the order of the notebook.
"""

import importlib
import re
from difflib import get_close_matches
from types import ModuleType

from plaincourse.exercise.course import NAME
from plaincourse.exercise.task import Task


def load(id: str) -> Task:
    """Return the task with an id such as ``"02.softmax_rows"``.

    Raises:
        LookupError: there is no such task; the message names the most similar ids.
    """
    number, _, slug = id.partition(".")
    known = _order(number)
    if slug not in known:
        ids = [f"{number}.{name}" for name in known]
        near = get_close_matches(id, ids, n=2) or ids
        raise LookupError(f"there is no task {id!r}; did you mean {' or '.join(near)}?")
    task: Task = _module(number, slug).TASK
    return task


def chapter(number: str) -> list[Task]:
    """Return the tasks of a chapter, such as ``"02"``, in the order of its notebook.

    Raises:
        LookupError: the chapter has no tasks.
    """
    return [load(f"{number}.{slug}") for slug in _order(number)]


def counted(number: str) -> list[Task]:
    """Return the tasks of a chapter that count, without the extra ones.

    Args:
        number: Two digits.

    Raises:
        LookupError: The chapter has no tasks.
    """
    return [task for task in chapter(number) if not task.extra]


def _order(number: str) -> tuple[str, ...]:
    name = f"{NAME}.ch{number}"
    missing = f"chapter {number!r} has no graded tasks; an id looks like '02.softmax_rows'"
    if not number.isdigit():
        raise LookupError(missing)
    try:
        order: tuple[str, ...] = importlib.import_module(name).ORDER
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        raise LookupError(missing) from None
    return order


def file_names(slug: str) -> tuple[str, str]:
    """Return the possible names of a task's module.

    Args:
        slug: the task's slug; ``SelfAttention`` may be defined in ``self_attention.py``.
    """
    return slug, re.sub(r"(?<=[a-z])(?=[A-Z])", "_", slug).lower()


def _module(number: str, slug: str) -> ModuleType:
    """Import the file of a task."""
    package = f"{NAME}.ch{number}."
    _, snake = file_names(slug)
    try:
        return importlib.import_module(package + slug)
    except ModuleNotFoundError as error:
        if error.name != package + slug or snake == slug:
            raise
        return importlib.import_module(package + snake)
