"""Keep ``nbgrader autograde`` from running student code with the rights of the one who grades."""

from typing import Any

from nbconvert.exporters import NotebookExporter

_SAID = (
    "nbgrader autograde would run student code with your rights and believe what it says. "
    "In this course it is: plaincourse autograde {name}"
)


class Elsewhere(NotebookExporter):
    """For ``c.Autograde.exporter_class``: it ends nbgrader's command before that touches anything.

    Raises:
        SystemExit: always; the message says which command grades.
    """

    def __init__(self, *args: Any, parent: Any = None, **kwargs: Any) -> None:
        name = getattr(getattr(parent, "coursedir", None), "assignment_id", "") or "ASSIGNMENT"
        raise SystemExit(_SAID.format(name=name))
