"""The same mending for stock ``nbgrader autograde``.

nbgrader reads the file itself, and gives up on what it cannot read, before any preprocessor runs.
So three things work together, each where nbgrader has a place for it: the hook, the reader (an
exporter class) and the preprocessor. A folder without any notebook is skipped by nbgrader before
all of them; ``plaincourse autograde`` grades it.
"""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.preprocessors import NbGraderPreprocessor

from plaincourse.grading.intake import RefusedError, find, read, special
from plaincourse.grading.mend import mended
from plaincourse.grading.reading import from_data, parse, refused
from plaincourse.grading.source import from_gradebook

_READING = "plaincourse_reading"


class MendCells(NbGraderPreprocessor):  # type: ignore[misc]
    """Mend a submission with the cells that the gradebook has of its assignment."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Return the notebook with each cell of its assignment once, and say what was mended."""
        of = resources["nbgrader"]
        with Gradebook(of["db_url"]) as gradebook:
            source = from_gradebook(gradebook.find_notebook(of["notebook"], of["assignment"]))
        reading, notes = resources.pop(_READING, (None, ()))
        done = mended(reading or from_data(nb), source, notes=notes)
        for note in done.notes:
            self.log.warning("%s, %s: %s", of.get("student"), of["notebook"], note)
        return done.notebook, resources


class ReadAnything(NotebookExporter):
    """Read whatever lies in a notebook's place, for :class:`MendCells` to mend.

    Where no ``MendCells`` is among the preprocessors, it is nbconvert's own exporter.
    """

    def from_filename(
        self, filename: str, resources: Any = None, **kw: Any
    ) -> tuple[NotebookNode, Any]:
        """Convert a file. See :meth:`nbconvert.exporters.Exporter.from_filename`."""
        if not any(isinstance(each, MendCells) for each in self._preprocessors):
            return super().from_filename(filename, resources=resources, **kw)
        path = Path(filename)
        try:
            reading = parse(read(path))
        except RefusedError as error:
            reading = refused(str(error))
        resources = dict(resources or {})
        resources["metadata"] = {"name": path.stem, "path": str(path.parent)}
        resources[_READING] = (reading, _other_name(path))
        empty = NotebookNode(cells=[], metadata=NotebookNode(), nbformat=4, nbformat_minor=5)
        done: tuple[NotebookNode, Any] = self.from_notebook_node(  # type: ignore[no-untyped-call]
            reading.notebook or empty, resources, **kw
        )
        return done


def prepare(sources: str) -> Callable[..., None]:
    """Return nbgrader's hook that finds notebooks under other names and defuses links.

    A renamed notebook is copied to the name that nbgrader looks for; the student's file stays. A
    link, device or pipe, which nbgrader would follow and copy, gives way to a text that says so.

    Args:
        sources: the folder of the assignments' sources, as nbgrader's ``source_directory``.
    """

    def hook(*, assignment: str, student: str, notebooks: list[str]) -> None:
        for folder in {Path(path).parent for path in notebooks}:
            for path in list(special(folder)):
                if path.suffix != ".ipynb":
                    path.unlink()
                    path.write_text("This was a link or a device. It is not followed.\n", "utf-8")
            wanted = sorted(path.stem for path in Path(sources, assignment).glob("*.ipynb"))
            for name, found in find(folder, wanted).items():
                target = folder / f"{name}.ipynb"
                if found.path is not None and found.path != target:
                    shutil.copyfile(found.path, target, follow_symlinks=False)
                    notebooks.append(str(target))

    return hook


def _other_name(path: Path) -> tuple[str, ...]:
    """Tell under which name a notebook was handed in that the hook has copied."""
    spare = [each for each in sorted(path.parent.rglob("*.ipynb*")) if each != path]
    try:
        raw = read(path)
        twins = [each for each in spare if not each.is_symlink() and read(each) == raw]
    except RefusedError:
        return ()
    found = [each for each in twins if not any(p.startswith(".") for p in each.parts[-2:])]
    if not found:
        return ()
    was = found[0].relative_to(path.parent).as_posix().replace("`", "'")
    return (f"The notebook was called `{was}`. It was graded as `{path.name}`.",)
