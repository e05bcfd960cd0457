"""The result of a test cell: its outputs, in a kernel's format, and how it ended."""

from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode, from_dict
from nbformat.v4 import new_output

MOST = 1 << 20


@dataclass(kw_only=True)
class Judged:
    """The result of a test cell.

    Attributes:
        outputs: its outputs.
        seconds: the time that it took.
        reports: one for each check: ``id``, ``score``, ``points``, ``matched``, and ``rungs`` as
            lists of name, earned and points, and ``facts``.
        flags: items for a person to examine: ``cell``, ``kind``, ``why``.
        gone: the reason why the student's process no longer answers; empty if it does.
        held: whether data from the student held up the tests until they were stopped.
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
        """Rebuild the result of :meth:`as_data`."""
        outputs = [from_dict(each) for each in data["outputs"]]
        return cls(**{**data, "outputs": outputs})


class Outputs:
    """The outputs of one cell, in order; text beyond a limit is cut.

    Attributes:
        kept: the outputs so far.
    """

    def __init__(self) -> None:
        self.kept: list[NotebookNode] = []
        self._left = MOST

    def text(self, stream: str, text: str) -> None:
        """Add text to ``stdout`` or ``stderr``."""
        if self._left <= 0:
            return
        if len(text) > self._left:
            text = f"{text[: self._left]}\n… cut: a cell may print {MOST >> 20} MiB\n"
            self._left = 0
        self._left -= len(text)
        last = self.kept[-1] if self.kept else None
        if last is not None and last.output_type == "stream" and last.name == stream:
            last.text += text
        else:
            self.kept.append(new_output("stream", name=stream, text=text))

    def add(self, kind: str, **fields: Any) -> None:
        """Add an output of another kind."""
        self.kept.append(new_output(kind, **fields))


class Stream:
    """A text stream into outputs.

    Args:
        outputs: the outputs that receive the text.
        name: ``"stdout"`` or ``"stderr"``.
    """

    encoding = "utf-8"
    errors = "replace"
    closed = False

    def __init__(self, outputs: Outputs, name: str) -> None:
        self._outputs, self.name = outputs, f"<{name}>"
        self._stream = name

    def write(self, text: str) -> int:
        """Write text."""
        self._outputs.text(self._stream, str(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """Write several texts."""
        for each in lines:
            self.write(each)

    def flush(self) -> None:
        """Do nothing, because nothing is buffered."""

    def isatty(self) -> bool:
        """Return False, because this is not a terminal."""
        return False

    def fileno(self) -> int:
        """Raise an error, as a notebook's streams do."""
        raise OSError("this stream has no file descriptor")


def error(name: str, why: str) -> NotebookNode:
    """Return an error output with the reason why a cell has no result."""
    output: NotebookNode = new_output(
        "error", ename=name, evalue=why, traceback=[f"\x1b[0;31m{name}\x1b[0m: {why}"]
    )
    return output


def say_stopped(cell: NotebookNode, seconds: int) -> None:
    """Replace the output of an interruption by an error with its reason."""
    for place, output in enumerate(cell.outputs):
        if output.get("ename") == "KeyboardInterrupt":
            why = f"The cell was stopped: it did not end within {seconds} seconds."
            cell.outputs[place] = error("CellTimeoutError", f"{why} Is there an endless loop?")


def number(cell: NotebookNode, count: int) -> None:
    """Number a cell as if one kernel ran all cells."""
    cell.execution_count = count
    for each in cell.outputs:
        if each.output_type == "execute_result":
            each.execution_count = count
