"""Grade one submission with nbgrader's own steps, and without a database.

Plain data in, plain data out: it runs in a worker.
"""

import contextlib
import time
import traceback
from pathlib import Path

import nbformat
from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader import utils
from traitlets.config import Config

from plaincourse.grading import handed, marks
from plaincourse.grading.begin import instructors
from plaincourse.grading.intake import take_in
from plaincourse.grading.jobs import Job, Result, status
from plaincourse.grading.marks import Sheet
from plaincourse.grading.mend import Mended
from plaincourse.grading.outcome import failed, fill
from plaincourse.grading.rooms import room
from plaincourse.grading.settings import Settings
from plaincourse.grading.snapshot import Snapshot
from plaincourse.grading.steps import Notes, chosen
from plaincourse.kernels import permission

_REFUSED = "The file {name} was left out: {why}."
_ALONE = (
    "The instructor's version of `{name}` was not found, so its tests ran in the student's own "
    "process, where a pass can be made up."
)


def grade(job: Job, snapshot: Snapshot, settings: Settings) -> Result:
    """Grade one submission.

    Whatever goes wrong costs this submission only: the result says what it was.

    Args:
        job: the submission.
        snapshot: its assignment.
        settings: how to grade.
    """
    started = time.perf_counter()
    try:
        with room() as folder:
            result = _grade(job, snapshot, settings, folder)
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        result = failed(job, snapshot, why, detail=traceback.format_exc())
    result.record["seconds"] = round(time.perf_counter() - started, 3)
    return result


def _grade(job: Job, snapshot: Snapshot, settings: Settings, folder: Path) -> Result:
    found = handed.look(job.folder, ignore=settings.ignore)
    for name, path in found.files.items():
        if not name.endswith(".ipynb"):
            handed.put(folder, name, handed.read(path))
    for name, content in snapshot.files.items():
        handed.put(folder, name, content)

    result = Result(student=job.student, assignment=job.assignment, digest=job.digest)
    sources = {name: each.source for name, each in snapshot.notebooks.items()}
    late = marks.seconds_late(job.known, snapshot)
    notes: dict[str, Notes] = {}
    sheets: dict[str, Sheet] = {}
    sandbox = permission.permitted().name.lower()
    for name, mended in take_in(job.folder, sources).items():
        original = snapshot.notebooks[name]
        alone = settings.one_process or instructors(snapshot, name) is None
        notes[name] = Notes(mended=mended, sandbox=sandbox, split=not alone)
        if alone and not settings.one_process:
            why = _ALONE.format(name=name)
            notes[name]["flags"].append({"cell": "", "kind": "unconfirmed", "why": why})
        config = _config(settings, instructors(snapshot, name))
        graded = _convert(name, mended, job, config, settings, notes[name], folder)
        result.notebooks[name] = nbformat.writes(graded)
        sheets[name] = marks.blank(name, original, job.known)
        if mended.unread:
            marks.void([sheets[name]])
        else:
            settled = {cell: read for (of, cell), read in job.known.settled.items() if of == name}
            marks.score(sheets[name], graded.cells, settled)
            sheets[name].penalty = marks.penalty(job.student, sheets[name].score, late, config)
    fill(result, snapshot, sheets, notes)
    for name, why in sorted({**found.refused, **job.refused}.items()):
        result.record["flags"].append(
            {"cell": "", "kind": "forbidden", "why": _REFUSED.format(name=name, why=why)}
        )
    look = [flag["why"] for flag in result.record["flags"] if status([flag]) == "flagged"]
    result.status = "flagged" if look else "graded"
    result.record.update(status=result.status, why=" ".join(dict.fromkeys(look)))
    return result


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
        exporter = NotebookExporter(config=config)
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
            text, after = exporter.from_notebook_node(notebook, resources=resources)
        notes.add(after["plaincourse"])
        notebook = nbformat.reads(text, as_version=4)
    return notebook


def _config(settings: Settings, source: Path | None) -> Config:
    """Leave out nbconvert's own steps, as nbgrader does; say where tests find what they need."""
    config = Config(settings.config)
    config.merge(Config({"Exporter": {"default_preprocessors": []}}))
    split = source is not None and not settings.one_process
    config.merge(Config({"SplitExecute": {"split": split, "source_notebook": str(source or "")}}))
    return config
