"""What came of a test cell."""

from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode, from_dict


@dataclass(kw_only=True)
class Judged:
    """What came of a test cell.

    Attributes:
        outputs: what it shows.
        seconds: how long it took.
        reports: one for each check: ``id``, ``score``, ``points``, ``matched``, and ``rungs`` as
            lists of name, earned and points, and ``facts``.
        flags: what a person should look at: ``cell``, ``kind``, ``why``.
        gone: why the student's process can no longer be asked; empty while it can.
        held: whether what the student gave or sent held the tests up until they were stopped.
    """

    outputs: list[NotebookNode]
    seconds: float = 0.0
    reports: list[dict[str, Any]] = field(default_factory=list)
    flags: list[dict[str, str]] = field(default_factory=list)
    gone: str = ""
    held: bool = False

    def as_data(self) -> dict[str, Any]:
        """Return it for JSON."""
        return dict(vars(self))

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "Judged":
        """Return what :meth:`as_data` took apart."""
        outputs = [from_dict(each) for each in data["outputs"]]
        return cls(**{**data, "outputs": outputs})
