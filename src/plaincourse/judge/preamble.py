"""The state of the tests before a student's submission: the instructor's own cells, run once."""

import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from plaincourse.checking import memory, trials
from plaincourse.checking.cells import checked
from plaincourse.exercise import Exercise
from plaincourse.exercise.bank import load
from plaincourse.judge.shell import TestShell
from plaincourse.judge.source_names import bound, definitions, imported, read

_SEED = re.compile(r"\bseed=(\d+)")
_OWN = {*dir(builtins), "get_ipython", "display", "In", "Out", "_", "__", "___", "exit", "quit"}


@dataclass
class Preamble:
    """A notebook's tests before they receive a submission.

    Attributes:
        shell: the shell in which they run; it holds the definitions of the instructor's cells.
        theirs: names that come from the student, because an answer's cell binds them.
        helpers: names that functions of the instructor's cells read when they are called.
        failed: the instructor's cells that did not run here, by their first lines.
    """

    shell: TestShell
    theirs: set[str] = field(default_factory=set)
    helpers: set[str] = field(default_factory=set)
    failed: list[str] = field(default_factory=list)

    def wanted(self, source: str) -> list[str]:
        """Return the names that a test cell may read and only the student can provide."""
        self.helpers |= read(self.shell.plain(source))
        here = self.shell.user_ns.keys() - self.theirs
        return sorted(
            name for name in self.helpers - here if name in self.theirs or name not in _OWN
        )


#: The notebooks that this process is ready to judge, by name.
READY: dict[str, Preamble] = {}


def prepare(notebooks: dict[str, str]) -> Iterator[None]:
    """Run the instructor's cells of each notebook; for a process that will fork.

    Args:
        notebooks: by name, the path of the source notebook, from ``solutions/``.

    Returns:
        The remaining computations in advance, in steps.
    """
    sources = [nbformat.read(Path(path), as_version=4) for path in notebooks.values()]
    tests = [code for source in sources for code in _tests(source)]
    memory.keep(order="".join(tests))  # they contain the hidden seeds
    for name, source in zip(notebooks, sources, strict=True):
        READY[name] = before(source)
    return _warm(tests)


def ready_tasks(path: str) -> Iterator[None]:
    """Load the tasks that a notebook's tests check; for a process whose forks run them.

    Args:
        path: the path of the source notebook.

    Returns:
        The remaining computations in advance, in steps.
    """
    tests = _tests(nbformat.read(Path(path), as_version=4))
    memory.keep(order="".join(tests))
    return _warm(tests)


def _tests(source: NotebookNode) -> list[str]:
    cells = (cell for cell in source.cells if cell.cell_type == "code")
    roles = ((cell.metadata.get("nbgrader") or {}, cell.source) for cell in cells)
    return [code for role, code in roles if role.get("grade") and not role.get("solution")]


def before(source: NotebookNode) -> Preamble:
    """Run the instructor's own cells of a source notebook.

    These are the code cells without a role in nbgrader, and those that are locked and not graded.
    Names that an answer's cell binds come from the student, except for its imports. A cell that
    fails here, because it uses an answer, still provides its functions, classes and imports.
    """
    shell = TestShell()
    known = Preamble(shell=shell)
    for cell in (each for each in source.cells if each.cell_type == "code"):
        role, code = cell.metadata.get("nbgrader") or {}, shell.plain(cell.source)
        if role.get("solution"):
            imports = imported(code)
            names = set().union(*map(bound, imports)) if imports else set()
            known.theirs |= bound(code) - names
            for statement in imports:
                shell.run(statement, count=1)
        elif not role or (role.get("locked") and not role.get("grade")):
            shell.run(cell.source, count=1)
            if shell.failed():
                known.failed.append(cell.source.split("\n")[0][:100])
                _again(shell, code)
            known.helpers |= read(code)
    for name in known.theirs:
        shell.user_ns.pop(name, None)
    shell.run("''", count=1)  # the machinery that displays a result is made when it is first needed
    return known


def _warm(tests: list[str]) -> Iterator[None]:
    """Load the tasks of some tests; return steps that compute what students cannot change."""
    found = [(load(id), code) for code in tests for id in checked(code)]
    pairs = [
        (task, seed)
        for task, code in found
        if isinstance(task, Exercise)
        for seed in sorted({None, *map(int, _SEED.findall(code))}, key=lambda seed: seed or 0)
    ]
    return _steps(pairs)


def _steps(pairs: list[tuple[Exercise, int | None]]) -> Iterator[None]:
    for task, seed in pairs:
        trials.warm(task, seed)
        yield


def _again(shell: TestShell, code: str) -> None:
    """Run the definitions of a failed cell; the values it computed before depend on the student."""
    parts = definitions(code)
    for name in bound(code) - set().union(*map(bound, parts), set()):
        shell.user_ns.pop(name, None)
    for each in parts:
        shell.run(each, count=1)
