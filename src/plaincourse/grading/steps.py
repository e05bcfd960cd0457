"""nbgrader's steps as a worker takes them: no gradebook, sandboxed kernel, notes on the way."""

import datetime
from collections.abc import Iterable
from typing import Any

from nbformat import NotebookNode
from nbgrader.preprocessors import (
    AssignLatePenalties,
    Execute,
    NbGraderPreprocessor,
    OverwriteCells,
    OverwriteKernelspec,
    SaveAutoGrades,
)
from traitlets.utils.importstring import import_item

from plaincourse.grading.jobs import CourseError
from plaincourse.grading.mend import Mended
from plaincourse.grading.running import Running
from plaincourse.judge.execute import SplitExecute

#: What workers do without the gradebook: when a notebook is mended, and when it is marked.
_OURS = (AssignLatePenalties, OverwriteCells, OverwriteKernelspec, SaveAutoGrades)


class Notes(dict[str, Any]):
    """What steps tell about a notebook, at ``resources["plaincourse"]``.

    nbconvert copies resources before each pass; these notes stay the same object.

    Args:
        mended: what was mended in it.
        sandbox: what student code is locked in by.
        split: whether tests ran in a process of their own.
    """

    def __init__(self, *, mended: Mended, sandbox: str, split: bool) -> None:
        super().__init__(flags=list(mended.flags), mended=list(mended.notes), cells={})
        self.update(sandbox=sandbox, split=split, memory_mb=0.0)
        if mended.unread:
            self["flags"].append({"cell": "", "kind": "unread", "why": mended.unread})

    def add(self, told: dict[str, Any]) -> None:
        """Add what the step that runs notebooks put in place of these notes."""
        if told is not self:
            self["cells"].update(told.get("cells", {}))
            self["flags"] += told.get("flags", [])
            self["memory_mb"] = max(self["memory_mb"], told.get("memory_mb", 0.0))

    def __deepcopy__(self, memo: Any) -> "Notes":
        return self


class Clock(NbGraderPreprocessor):  # type: ignore[misc]
    """Note how long each graded cell ran, before the step that clears such metadata."""

    def preprocess_cell(
        self, cell: NotebookNode, resources: Any, index: int
    ) -> tuple[NotebookNode, Any]:
        """Read nbclient's times from one cell."""
        times = cell.metadata.get("execution", {})
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        begun, ended = times.get("iopub.execute_input"), times.get("shell.execute_reply")
        if name and begun and ended:
            seconds = (_time(ended) - _time(begun)).total_seconds()
            told = resources["plaincourse"]["cells"].setdefault(name, {})
            told.setdefault("seconds", round(seconds, 3))
        return cell, resources


def chosen(steps: Iterable[Any], *, run: bool = True) -> list[type]:
    """Return the classes of a list of steps, ready for a worker.

    Args:
        steps: of nbgrader's configuration: classes, or their names.
        run: whether the notebook runs; else the step that would run it is left out.

    Raises:
        CourseError: one is a kind of step that would write into the gradebook.
    """
    found: list[type] = []
    for named in steps:
        step = import_item(named) if isinstance(named, str) else named
        if step in _OURS:
            continue
        if issubclass(step, _OURS):
            raise CourseError(
                f"nbgrader_config.py: the step {step.__name__} needs the gradebook, which workers "
                "do not have. Take it out of c.Autograde's lists"
            )
        if not issubclass(step, Execute):
            found.append(step)
        elif run:
            found += [runner(step), Clock]
    return found


def runner(step: type) -> type:
    """Return the step that runs a notebook in the sandbox, in place of the one that would not."""
    own = issubclass(step, SplitExecute) and step is not SplitExecute
    return step if own else Running


def _time(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text)
