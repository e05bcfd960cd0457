"""Archives of learning platforms, unpacked as by ``nbgrader zip_collect`` in this course."""

import functools
import json
import logging
import os
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.apps import ZipCollectApp
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

#: Another clone's settings may be used instead, to see a test fail there.
ROOT = Path(os.environ.get("COLLECT_FROM", Path(__file__).parents[2]))
NAME = "01-attention-as-soft-retrieval"
FILE = f"{NAME}.ipynb"


@functools.cache
def settings() -> Any:
    """Read the course's ``nbgrader_config.py``."""
    return PyFileConfigLoader(str(ROOT / "nbgrader_config.py")).load_config()


@dataclass
class Collected:
    """The resulting files in ``submitted/``, and the log.

    Attributes:
        files: each student's files, content by name.
        said: the log.
    """

    files: dict[str, dict[str, bytes]]
    said: str

    def whose(self, student: str) -> str:
        """Return the content of a student's notebook."""
        return self.files[student][FILE].decode()

    def came(self, student: str) -> dict[str, Any]:
        """Return the record of a submission's origin."""
        found: dict[str, Any] = json.loads(self.files[student]["collected.json"])
        return found


class _Lines(logging.Handler):
    def __init__(self, lines: list[str]) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(record.getMessage())


def archive(folder: Path, name: str = "all.zip") -> Path:
    """Return the path for an archive."""
    place = folder / "downloaded" / NAME / "archive"
    place.mkdir(parents=True, exist_ok=True)
    return place / name


def pack(path: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write a zip archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(name, content)
    return path


def collect(
    folder: Path,
    files: Mapping[str, str | bytes] | None = None,
    *,
    force: bool = False,
    **more: Any,
) -> Collected:
    """Collect archives, optionally with one of these files, and return the result."""
    if files is not None:
        pack(archive(folder), files)
    config = settings().copy()
    if force:
        config.merge(Config(ZipCollectApp={"force": True}, ExtractorPlugin={"force": True}))
    config.merge(Config(more))
    app = ZipCollectApp(config=config)
    app.coursedir = CourseDirectory(root=str(folder), assignment_id=NAME, config=config)
    lines: list[str] = []
    app.log = logging.Logger("collect", logging.INFO)
    app.log.addHandler(_Lines(lines))
    app.init_plugins()
    app.extract_archive_files()
    app.process_extracted_files()
    found: dict[str, dict[str, bytes]] = {}
    for path in sorted((folder / "submitted").glob("*/*/**/*")):
        student, _, *rest = path.relative_to(folder / "submitted").parts
        if path.is_file():
            found.setdefault(student, {})["/".join(rest)] = path.read_bytes()
    return Collected(found, "\n".join(lines))
