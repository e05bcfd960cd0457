"""Grade one submission with nbgrader's own steps, and without a database.

Plain data in, plain data out: it runs in a worker.
"""

import contextlib
import time
import traceback
from pathlib import Path

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader import utils
from traitlets.config import Config

from plaincourse.grading import handed
from plaincourse.grading.begin import instructors
from plaincourse.grading.entered import written
from plaincourse.grading.intake import take_in
from plaincourse.grading.jobs import Job, Result, status
from plaincourse.grading.marks import Mark
from plaincourse.grading.mend import Mended
from plaincourse.grading.outcome import failed, fill
from plaincourse.grading.rooms import room
from plaincourse.grading.settings import Settings
from plaincourse.grading.snapshot import Snapshot
from plaincourse.grading.standin import Book
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
    notes: dict[str, Notes] = {}
    sandbox = permission.permitted().name.lower()
    with contextlib.closing(Book(job=job, snapshot=snapshot)) as book:
        for name, mended in take_in(job.folder, sources).items():
            alone = settings.one_process or instructors(snapshot, name) is None
            notes[name] = Notes(mended=mended, sandbox=sandbox, split=not alone)
            if alone and not settings.one_process:
                why = _ALONE.format(name=name)
                notes[name]["flags"].append({"cell": "", "kind": "unconfirmed", "why": why})
            result.notebooks[name] = _convert(name, mended, book, settings, notes[name], folder)
            if mended.unread:
                book.sheets[name].void()
            _settle(job, name, book.sheets[name].grades, result.notebooks[name])
        fill(result, book, notes)
    for name, why in sorted({**found.refused, **job.refused}.items()):
        result.record["flags"].append(
            {"cell": "", "kind": "forbidden", "why": _REFUSED.format(name=name, why=why)}
        )
    look = [flag["why"] for flag in result.record["flags"] if status([flag]) == "flagged"]
    result.status = "flagged" if look else "graded"
    result.record.update(status=result.status, why=" ".join(dict.fromkeys(look)))
    return result


def _settle(job: Job, name: str, marks: list[Mark], text: str) -> None:
    """Let points stand that a person gave for what stands there now, too."""
    cells = nbformat.reads(text, as_version=4).cells if job.known.settled else []
    for mark in marks:
        read = job.known.settled.get((name, mark.name))
        if read and read == written(cells, mark.name):
            mark.needs_manual_grade = False


def _convert(
    name: str, mended: Mended, book: Book, settings: Settings, notes: Notes, folder: Path
) -> str:
    """Take a notebook through both lists of steps, as ``nbgrader autograde`` does."""
    of = {"student": book.job.student, "assignment": book.job.assignment}
    passes = (
        (settings.sanitize, contextlib.nullcontext()),
        (settings.autograde, utils.setenv(NBGRADER_EXECUTION="autograde")),
    )
    config = _config(settings, instructors(book.snapshot, name))
    text, notebook = "", mended.notebook
    for steps, setting in passes:
        exporter = NotebookExporter(config=config)
        for step in chosen(steps, run=not mended.unread):
            exporter.register_preprocessor(step)
        resources = {
            "unique_key": name,
            "output_files_dir": f"{name}_files",
            "nbgrader": {**of, "notebook": name, "db_url": book.address},
            "metadata": {"name": name, "path": str(folder)},
            "plaincourse": notes,
        }
        with setting:
            text, after = exporter.from_notebook_node(notebook, resources=resources)
        notes.add(after["plaincourse"])
        notebook = nbformat.reads(text, as_version=4)
    return text


def _config(settings: Settings, source: Path | None) -> Config:
    """Leave out nbconvert's own steps, as nbgrader does; say where tests find what they need."""
    config = Config(settings.config)
    config.merge(Config({"Exporter": {"default_preprocessors": []}}))
    split = source is not None and not settings.one_process
    config.merge(Config({"SplitExecute": {"split": split, "source_notebook": str(source or "")}}))
    return config
