"""Logs of a training run: CSV files, TensorBoard, a progress bar."""

import sys
from pathlib import Path
from typing import Any

from tqdm import tqdm  # type: ignore[import-untyped]

from plainformer.models.storage import write_atomically

Row = dict[str, float | int]
STEPS = ("step", "targets", "loss", "rate", "norm")
LOSSES = ("step", "loss")


class Table:
    """A CSV file with one row for each logged step, which a resumed run continues.

    Numbers are written with all digits, so that two equal runs write equal files.

    Args:
        path: the file.
        columns: its columns; the first is the step.
        step: the step from which the run continues. Rows after it are removed, because they were
            written after the last checkpoint and will be written again.
    """

    def __init__(self, path: Path, columns: tuple[str, ...], *, step: int) -> None:
        self.path, self.columns = path, columns
        kept = [",".join(columns)]
        if step and path.exists():
            rows = path.read_text("utf-8").splitlines()[1:]
            kept += [row for row in rows if _step(row, len(columns)) <= step]
        write_atomically(path, lambda part: part.write_text("\n".join(kept) + "\n", "utf-8"))

    def add(self, row: Row) -> None:
        """Append a ``row``, and write it to disk immediately."""
        line = ",".join(repr(row[name]) for name in self.columns)
        with self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


class TensorBoard:
    """Curves for TensorBoard.

    Args:
        folder: folder of its files.
        step: the step from which the run continues; later points are dropped.

    Raises:
        ValueError: tensorboard is not installed.
    """

    def __init__(self, folder: Path, *, step: int) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise ValueError(
                "tensorboard is not installed: run `pip install tensorboard`, or do without it"
            ) from error
        self.writer: Any = SummaryWriter(str(folder), purge_step=step + 1)

    def add(self, row: Row, prefix: str = "training") -> None:
        """Add the numbers of a ``row`` under ``prefix``."""
        for name, value in row.items():
            if name != "step":
                self.writer.add_scalar(f"{prefix}/{name}", value, int(row["step"]))

    def close(self) -> None:
        """Write all pending data."""
        self.writer.close()


class Journal:
    """Log each step, and each evaluation.

    Args:
        folder: folder of the files: ``training.csv``, ``evaluation.csv``, ``tensorboard``.
        step: the step from which the run continues.
        writes: whether this process writes; the others do not.
        tensorboard: whether curves are also written for TensorBoard.

    Raises:
        ValueError: tensorboard is requested and not installed.
    """

    def __init__(self, folder: Path, step: int, *, writes: bool, tensorboard: bool = False) -> None:
        self.steps = Table(folder / "training.csv", STEPS, step=step) if writes else None
        self.losses = Table(folder / "evaluation.csv", LOSSES, step=step) if writes else None
        board = writes and tensorboard
        self.board = TensorBoard(folder / "tensorboard", step=step) if board else None

    def training(self, row: Row) -> None:
        """Log the ``row`` of one step."""
        self._add(self.steps, row, "training")

    def evaluation(self, row: Row) -> None:
        """Log the ``row`` of one evaluation."""
        self._add(self.losses, row, "evaluation")

    def __enter__(self) -> "Journal":
        return self

    def __exit__(self, *_: object) -> None:
        if self.board is not None:
            self.board.close()

    def _add(self, table: Table | None, row: Row, name: str) -> None:
        if table is not None:
            table.add(row)
        if self.board is not None:
            self.board.add(row, name)


def progress(total: int, done: int, *, show: bool) -> "tqdm[Any]":
    """Make a progress bar on standard error, which is shown on a terminal only.

    Args:
        total: steps of the whole training run.
        done: steps that were done before.
        show: whether this process may show one.
    """
    quiet = not (show and sys.stderr.isatty())
    return tqdm(total=total, initial=done, unit="step", disable=quiet, dynamic_ncols=True)


def _step(row: str, columns: int) -> float:
    """Return the step of a row, or infinity if the row is incomplete."""
    cells = row.split(",")
    whole = len(cells) == columns and cells[0].isdigit() and cells[-1]
    return float(cells[0]) if whole else float("inf")
