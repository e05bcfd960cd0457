"""Print the report of a notebook's own check, or its next hint, without opening the notebook.

    plaincourse tutor 02.softmax_rows             check the answer in your notebook
    plaincourse tutor 02.softmax_rows --hint      the next hint for that answer, one at a time
    plaincourse tutor 02.softmax_rows FILE        another notebook, or a cell saved as a .py file
    plaincourse tutor 02.softmax_rows -           a cell, from standard input
    plaincourse tutor --mcp                       the same two tools for a coding assistant, over
                                                  the Model Context Protocol on standard streams

It prints nothing that the notebook does not show: the points, the mistake that the answer matches,
the smallest input that fails. Like Jupyter at home, it runs the notebook from the top to the check
with your rights and in no sandbox, so use it for your own work only. To grade the work of others,
use `plaincourse autograde`.
"""

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from plaincourse import lab
from plaincourse.checking.cells import checked
from plaincourse.checking.check import LATER
from plaincourse.exercise import Essay, Project, Task, bank, hints
from plaincourse.exercise.report import Report
from plaincourse.judge.shell import TestShell
from plaincourse.notebooks.page import PageError, write_atomically
from plaincourse.settings import SettingsError

#: The number of hints given for each task, in the reader's folder or next to the notebook.
GIVEN = ".lab/hints.json"
_ESSAY = (
    "{} is answered in words and read by a person, so there is nothing to check. The notebook "
    "lists what that person looks for."
)
_REPORT = "_plaincourse_report"


class TutorError(ValueError):
    """An answer cannot be found or read; the message gives the remedy."""


@dataclass(frozen=True, kw_only=True)
class Work:
    """An answer, with the code that the notebook runs before its check.

    Attributes:
        name: the name that the check reads.
        cells: the code cells above the check, in order, without other checks.
        folder: the folder in which they run.
    """

    name: str
    cells: tuple[str, ...]
    folder: Path


def find(id: str, file: str | None, code: str | None = None) -> Work:
    """Find the answer to a task.

    Args:
        id: the task's id, ``"02.softmax_rows"``.
        file: a notebook, or a Python file with the content of one cell; ``None`` for the reader's
            own copy of the notebook.
        code: the content of a cell, which is used in place of a file.

    Raises:
        TutorError: there is no such file, or it is not a notebook with this task.
        SettingsError: the notebooks of the course are not installed.
    """
    if code is not None:
        return _in_release(id, code, Path.cwd())
    path = Path(file) if file else _own_copy(id)
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise TutorError(f"{path} {what}; expected a notebook, or a .py file with one cell")
    if path.suffix == ".ipynb":
        return _from_notebook(id, path.resolve())
    if path.suffix == ".py":
        return _in_release(id, _read(path), path.resolve().parent)
    raise TutorError(f"{path}: expected a notebook (.ipynb), or a cell saved as a .py file")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise TutorError(
            f"{path} is not text in UTF-8 ({error.reason}); save it as UTF-8"
        ) from None


def _released(id: str) -> tuple[str, Path]:
    """Return a chapter's graded notebook: its path in the reader's folder, and its file."""
    start = f"exercises/{id[:2]}-"
    for name, path in lab.notebooks(lab.places()[0]).items():
        if name.startswith(start):
            return name, path
    raise TutorError(f"{id}: the course has no graded notebook of chapter {id[:2]}")


def _own_copy(id: str) -> Path:
    """Return the reader's notebook: the one in this folder, or that of ``plaincourse lab``."""
    here = [*Path.cwd().glob(f"{id[:2]}-*.ipynb")]
    if len(here) == 1:
        return here[0]
    name, _ = _released(id)
    copy = lab.places()[1] / name
    if copy.is_file():
        return copy
    raise TutorError(
        f"there is no {copy}, where `plaincourse lab` puts your notebooks; give the file of your "
        f"notebook: plaincourse tutor {id} FILE"
    )


def _code_cells(path: Path) -> list[Any]:
    try:
        cells = nbformat.read(path, as_version=4).cells
        return [cell for cell in cells if cell.cell_type == "code"]
    except Exception as error:
        raise TutorError(f"{path} cannot be read as a notebook ({error}); save it again") from None


def _is_solution(cell: Any) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("solution"))


def _is_test(cell: Any) -> bool:
    return bool(cell.metadata.get("nbgrader", {}).get("grade")) and not _is_solution(cell)


def _place(id: str, path: Path, cells: list[Any]) -> tuple[int, str]:
    """Return the position of a task's check, and the name that it reads."""
    found = [
        (i, checked(cell.source)[id]) for i, cell in enumerate(cells) if id in checked(cell.source)
    ]
    if not found:
        raise TutorError(
            f"{path} has no check of {id}; expected the graded notebook of chapter {id[:2]}, with "
            f'its cell check("{id}", …)'
        )
    return next((each for each in found if _is_test(cells[each[0]])), found[0])


def _from_notebook(id: str, path: Path) -> Work:
    cells = _code_cells(path)
    end, name = _place(id, path, cells)
    above = tuple(cell.source for cell in cells[:end] if not _is_test(cell))
    return Work(name=name, cells=above, folder=path.parent)


def _in_release(id: str, code: str, folder: Path) -> Work:
    """Put the content of a cell in the place of the answer in the released notebook."""
    _, path = _released(id)
    cells = _code_cells(path)
    end, name = _place(id, path, cells)
    answer = max(i for i in range(end) if _is_solution(cells[i]))
    given = [each.source for each in cells[:answer] if not (_is_solution(each) or _is_test(each))]
    return Work(name=name, cells=(*given, code), folder=folder)


def run_check(id: str, work: Work) -> tuple[Report | None, list[str]]:
    """Run the cells of an answer and then its check, in this process.

    Args:
        id: the task's id.
        work: the answer.

    Returns:
        The check's report, ``None`` if an error prevented the check, and a sentence for each cell
        that raised an error.
    """
    shell, said, before = TestShell(), list[str](), Path.cwd()
    os.environ.setdefault("MPLBACKEND", "agg")  # a figure must not open a window
    os.chdir(work.folder)
    sys.path.insert(0, str(work.folder))
    try:
        with _checks_later():
            for count, source in enumerate(work.cells, start=1):
                shell.run(source, count=count)
                said += _errors(shell, f"The cell that begins `{_first_line(source)}`")
        call = f"{_REPORT} = __import__('plaincourse').check({id!r}, {work.name})"
        shell.run(call, count=len(work.cells) + 1)
        said += _errors(shell, f"The check of `{work.name}`")
        report = shell.user_ns.get(_REPORT)
    finally:
        os.chdir(before)
        with suppress(ValueError):
            sys.path.remove(str(work.folder))
    return (report if isinstance(report, Report) else None), said


@contextmanager
def _checks_later() -> Iterator[None]:
    """Let the cells of a notebook call ``check``, ``hint`` and ``total`` without any effect."""
    os.environ[LATER] = "1"
    try:
        yield
    finally:
        os.environ.pop(LATER, None)


def _errors(shell: TestShell, what: str) -> list[str]:
    errors = [each for each in shell.outputs.kept if each.output_type == "error"]
    return [f"{what} stopped with {each.ename}: {each.evalue}" for each in errors]


def _first_line(source: str) -> str:
    lines = [line.strip() for line in source.splitlines() if line.strip()]
    line = next((each for each in lines if not each.startswith("#")), lines[0] if lines else "")
    return line if len(line) <= 60 else f"{line[:57]}..."


def tell(id: str, work: Work | None, *, hint: bool = False) -> str:
    """Return the text of a check, or the next hint, as the notebook shows them.

    Args:
        id: the task's id.
        work: the answer; ``None`` if there is nothing to run.
        hint: whether to give the next hint in place of the check's report.

    Raises:
        LookupError: there is no such task.
        OSError: the count of the given hints cannot be saved.
    """
    task = bank.load(id)
    said: list[str] = []
    report = None
    if work and not isinstance(task, Essay) and not (hint and isinstance(task, Project)):
        report, said = run_check(id, work)
    place = _memory(work.folder if work else Path.cwd())
    given = _given(task, place)
    if hint:
        hints.resume(task, given)
        text = hints.next_hint(task)
        _remember(task, place, min(given + 1, len(hints.current(task))))
        return text
    if isinstance(task, Essay):
        return _ESSAY.format(id)
    if given == 0:
        with suppress(OSError):
            _remember(task, place, 0)
    return "\n\n".join([*said, *([report.text()] if report else [])])


def _memory(folder: Path) -> Path:
    above = (each for each in (folder, *folder.parents) if (each / lab.RECORD).is_file())
    return next(above, folder) / GIVEN


def _kept(place: Path) -> dict[str, Any]:
    try:
        kept = json.loads(place.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return kept if isinstance(kept, dict) else {}


def _ladder(task: Task) -> str:
    return hashlib.sha256("\0".join(hints.current(task)).encode()).hexdigest()[:16]


def _given(task: Task, place: Path) -> int:
    """Return how many hints of the current ladder were given; 0 if the ladder has changed."""
    kept = _kept(place).get(task.id)
    if not isinstance(kept, dict) or kept.get("ladder") != _ladder(task):
        return 0
    given = kept.get("given")
    return given if isinstance(given, int) and given >= 0 else 0


def _remember(task: Task, place: Path, given: int) -> None:
    kept, now = _kept(place), {"ladder": _ladder(task), "given": given}
    if kept.get(task.id, {"given": 0}) == now or (given == 0 and task.id not in kept):
        return
    text = json.dumps({**kept, task.id: now}, indent=1, sort_keys=True)
    write_atomically(place, text + "\n")


@contextmanager
def _silent() -> Iterator[None]:
    """Discard the output of a notebook's code to the standard streams."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [os.dup(number) for number in (1, 2)]
    null = os.open(os.devnull, os.O_WRONLY)
    try:
        for number in (1, 2):
            os.dup2(null, number)
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, old in zip((1, 2), kept, strict=True):
            os.dup2(old, number)
            os.close(old)
        os.close(null)


def add_parser(sub: Any) -> None:
    """Add the command ``tutor``."""
    parser = sub.add_parser(
        "tutor",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("task", nargs="?", help='the id in the check, such as "02.softmax_rows"')
    parser.add_argument("file", nargs="?", help="a notebook or a .py file; - reads a cell")
    parser.add_argument("--hint", action="store_true", help="print the next hint only")
    parser.add_argument("--mcp", action="store_true", help="serve both as tools, until input ends")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Print a check's text or a hint; return 1 if there is nothing to check."""
    if args.mcp:
        from plaincourse.tutor_server import serve

        return serve(sys.stdin.buffer, sys.stdout.buffer)
    try:
        if args.task is None:
            raise TutorError("which task? For example: plaincourse tutor 02.softmax_rows")
        task = bank.load(args.task)
        code = sys.stdin.read() if args.file == "-" else None
        work = None if isinstance(task, Essay) else find(task.id, args.file, code)
        with _silent():
            text = tell(task.id, work, hint=args.hint)
    except (LookupError, TutorError, SettingsError, PageError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(text)
    return 0
