"""Grade one submission with nbgrader's own steps, and without a database.

The input and output are plain data, because it runs in a worker. nbgrader's steps that would write
into the gradebook are left out, and the notebook runs in a sandboxed kernel, in two processes.
"""

import contextlib
import datetime
import json
import time
import traceback
from collections.abc import Iterable
from pathlib import Path
from typing import Any, ClassVar

import nbformat
from nbconvert.exporters import Exporter
from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    Execute,
    NbGraderPreprocessor,
    OverwriteCells,
    OverwriteKernelspec,
    SaveAutoGrades,
)
from traitlets.config import Config
from traitlets.utils.importstring import import_item

from plaincourse.grading import marks, provenance
from plaincourse.grading.assignment import Snapshot
from plaincourse.grading.beside import bring_up, copy_files
from plaincourse.grading.files import (
    FOREIGN,
    HERE,
    OTHERS,
    is_unopened,
    list_files,
    write_file,
)
from plaincourse.grading.jobs import EARLIER, CourseError, Job, Result, settle
from plaincourse.grading.lost import lost
from plaincourse.grading.mend import KEY, Mended, mend_folder
from plaincourse.grading.notes import add_note
from plaincourse.grading.packages import ON_PAGE, failures
from plaincourse.grading.private_folders import private_folder
from plaincourse.grading.settings import Settings
from plaincourse.grading.versions import version_of
from plaincourse.judge.execute import SplitExecute
from plaincourse.judge.plan import is_test
from plaincourse.kernels import shared
from plaincourse.kernels.provisioner import SandboxProvisioner

#: Steps that workers do without the gradebook, during repair and marking.
_OURS = (AssignLatePenalties, OverwriteCells, OverwriteKernelspec, SaveAutoGrades)
_REFUSED = "The file {name} was left out: {why}."
_LEFT_OUT = "Files were left out: {why}."
_NOTHING = "Nothing of this submission was read: {why}."
_EARLIER = (
    "The notebook is of the release of {day}, which the course has changed since, and was graded "
    "by that release: of {was} points, where the present one has {now}."
)
_ALONE = (
    "The instructor's version of `{name}` was not found, so its tests ran in the student's own "
    "process, where a pass can be made up."
)


def grade(job: Job, snapshot: Snapshot, settings: Settings) -> Result:
    """Grade one submission.

    Any error costs this submission only, and the result reports it.

    Args:
        job: the submission.
        snapshot: its assignment.
        settings: how to grade.
    """
    started = time.perf_counter()
    try:
        with private_folder() as folder:
            result = _grade(job, snapshot, settings, folder)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        result = marks.failed_result(job, snapshot, why, detail=traceback.format_exc())
    result.record["seconds"] = round(time.perf_counter() - started, 3)
    return result


def _grade(job: Job, present: Snapshot, settings: Settings, folder: Path) -> Result:
    snapshot = version_of(job.folder, present)
    found = list_files(job.folder, ignore=settings.ignore)
    graded_here = {f"{name}.ipynb".casefold() for name in snapshot.notebooks}
    notebooks = {name for name in found.files if name.casefold() in graded_here}
    copy_files(found, folder, without={*notebooks, *job.refused})
    for name, content in snapshot.files.items():
        write_file(folder, name, content)

    result = Result(
        student=job.student,
        assignment=job.assignment,
        digest=job.digest,
        earlier=snapshot is not present,
    )
    sources = {name: each.source for name, each in snapshot.notebooks.items()}
    notes: dict[str, Notes] = {}
    sheets: dict[str, marks.Sheet] = {}
    sandbox = shared.permitted().name.lower()
    refused = sorted({**found.refused, **job.refused}.items())
    remarks = [_remark(name, why) for name, why in refused]
    read = mend_folder(job.folder, sources, remarks=remarks, given=snapshot.files)
    ours = {*graded_here, *map(str.casefold, snapshot.files)}
    for below in {each.below for each in read.values()} - {""}:
        bring_up(found, folder, below, without=ours)
    for name, mended in read.items():
        original = snapshot.notebooks[name]
        alone = settings.one_process or original.instructors_path is None
        notes[name] = Notes(mended=mended, sandbox=sandbox, split=not alone)
        if alone and not settings.one_process:
            why = _ALONE.format(name=name)
            notes[name]["flags"].append({"cell": "", "kind": "unconfirmed", "why": why})
        config = _config(settings, original.instructors_path)
        graded = _convert(name, mended, job, config, settings, notes[name], folder)
        for kind, said, why in failures(graded.cells, notes[name]["mended"], found.files):
            add_note(graded, said)
            notes[name]["mended"].append(said)
            notes[name]["flags"].append({"cell": "", "kind": kind, "why": why})
            if kind in ON_PAGE:
                graded.metadata.setdefault(KEY, {}).setdefault("mended", []).append(ON_PAGE[kind])
        provenance.mark(graded, original)
        result.notebooks[name] = nbformat.writes(graded)
        sheets[name] = marks.blank(name, original, job.known)
        if mended.unread:
            marks.void([sheets[name]])
        else:
            settled = {cell: read for (of, cell), read in job.known.settled.items() if of == name}
            marks.score(sheets[name], graded.cells, settled)
            notes[name]["flags"] += lost(graded, sheets[name].earned)
    marks.fill_result(result, snapshot, sheets, notes)
    result.record["flags"] += [dict(flag) for flag in job.known.flags]
    if result.earlier:
        points = {"was": f"{snapshot.points:g}", "now": f"{present.points:g}"}
        why = _EARLIER.format(day=snapshot.made[:10], **points)
        result.record["flags"].append({"cell": "", "kind": EARLIER, "why": why})
    result.status = settle(result.record)["status"]
    return result


def _remark(name: str, why: str) -> tuple[str, str]:
    """Return a note that a file was left out, and its kind.

    A person checks such a file unless it was left out for its size.
    """
    if name == OTHERS:
        return _LEFT_OUT.format(why=why), "left out"
    if name == HERE:
        return _NOTHING.format(why=why), "unread"
    kind = "foreign" if why in FOREIGN else "unread" if is_unopened(why) else "left out"
    return _REFUSED.format(name=name.replace("`", "'"), why=why), kind


class Notes(dict[str, Any]):
    """The steps' notes on a notebook, at ``resources["plaincourse"]``.

    nbconvert copies resources before each pass; these notes stay the same object.

    Args:
        mended: the repaired notebook.
        sandbox: the level of isolation of student code.
        split: whether tests ran in a process of their own.
    """

    def __init__(self, *, mended: Mended, sandbox: str, split: bool) -> None:
        super().__init__(flags=list(mended.flags), mended=list(mended.notes), cells={})
        self.update(sandbox=sandbox, split=split, memory_mb=0.0)

    def add(self, told: dict[str, Any]) -> None:
        """Add the notes that the step that runs notebooks made in place of these."""
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


class CheckOnce(CheckCellMetadata):  # type: ignore[misc]
    """Check nbgrader's metadata, which a whole class shares: each kind once in a worker.

    nbgrader checks its schema anew for each cell, which took two fifths of a worker's time.
    """

    _valid: ClassVar[set[str]] = set()

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Check it as nbgrader does, unless the same metadata was found valid before.

        Raises:
            ValidationError: it is not valid.
        """
        kind = json.dumps([(cell.cell_type, cell.metadata.get("nbgrader")) for cell in nb.cells])
        if kind not in self._valid:
            nb, resources = super().preprocess(nb, resources)
            self._valid.add(kind)
        return nb, resources


class OwnOutputsOnly:
    """A mixin for a notebook client: a cell changes its own outputs only.

    Jupyter lets a cell change the output of another cell, by the id of a display. A cell above the
    hidden tests, whose outputs its author gets to see, could so be made to show their inputs.
    """

    _display_id_map: dict[str, Any]
    _showing = -1

    def process_message(
        self, msg: dict[str, Any], cell: NotebookNode, cell_index: int
    ) -> NotebookNode | None:
        """Process one message of the kernel. See ``nbclient.NotebookClient.process_message``."""
        if cell_index != self._showing:
            self._showing = cell_index
            self._display_id_map.clear()
        made: NotebookNode | None = super().process_message(msg, cell, cell_index)  # type: ignore[misc]
        return made


class Running(OwnOutputsOnly, SplitExecute):
    """Runs a submission as :class:`SplitExecute` does, and notes the memory of its kernels.

    Its traits are configured under the name of that class. A test cell may take twice as long as
    others, because the limit applies to its visible and to its hidden inputs separately.
    """

    def _get_timeout(self, cell: NotebookNode | None) -> int | None:
        said: Any = {} if cell is None else cell.metadata.get("plaincourse", {})
        usual: int | None = super()._get_timeout(cell)
        doubled = cell is not None and is_test(cell) and not said.get("seconds")
        return 2 * usual if usual and doubled else usual

    def _stop_kernel(self) -> None:
        kernel = None if self.km is None else self.km.provisioner
        super()._stop_kernel()
        if isinstance(kernel, SandboxProvisioner):
            self.record.memory = max(self.record.memory, kernel.memory)


def _convert(
    name: str,
    mended: Mended,
    job: Job,
    config: Config,
    settings: Settings,
    notes: Notes,
    folder: Path,
) -> NotebookNode:
    """Take a notebook through both lists of steps, as ``nbgrader autograde`` does."""
    passes = (
        (settings.sanitize, contextlib.nullcontext()),
        (settings.autograde, utils.setenv(NBGRADER_EXECUTION="autograde")),
    )
    notebook = mended.notebook
    for steps, setting in passes:
        exporter = Exporter(config=config)
        for step in chosen(steps, run=not mended.unread):
            exporter.register_preprocessor(step)
        resources = {
            "unique_key": name,
            "output_files_dir": f"{name}_files",
            "nbgrader": {"student": job.student, "assignment": job.assignment, "notebook": name},
            "metadata": {"name": name, "path": str(folder)},
            "plaincourse": notes,
        }
        with setting:
            notebook, after = exporter.from_notebook_node(notebook, resources=resources)
        notes.add(after["plaincourse"])
    return notebook


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
            found.append(CheckOnce if step is CheckCellMetadata else step)
        elif run:
            found += [runner(step), Clock]
    return found


def runner(step: type) -> type:
    """Return the step that runs a notebook in the sandbox, replacing one that does not."""
    own = issubclass(step, SplitExecute) and step is not SplitExecute
    return step if own else Running


def _config(settings: Settings, source: Path | None) -> Config:
    """Leave out nbconvert's own steps, as nbgrader does, and add the settings of the tests.

    A notebook is validated after all steps, not after each.
    """
    config = Config(settings.config)
    steps = {"default_preprocessors": [], "optimistic_validation": True}
    config.merge(Config({"Exporter": steps}))
    split = source is not None and not settings.one_process
    config.merge(Config({"SplitExecute": {"split": split, "source_notebook": str(source or "")}}))
    return config


def _time(text: str) -> datetime.datetime:
    return datetime.datetime.fromisoformat(text)
