"""How to grade, as plain data that can be sent to a worker."""

import hashlib
import pickle
import re
import sys
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from traitlets.config import Config

from plaincourse.exercise.course import NAME, folder, subject
from plaincourse.grading.jobs import CourseError

#: Packages on which a grade may depend, besides the course's own code.
_VERSIONS = ("nbgrader", "nbclient", "ipykernel", "ipython", "torch", "numpy", "matplotlib")
#: Parts of the configuration that no grading step reads.
_IRRELEVANT = frozenset(
    "Application AssignLatePenalties Autograde BaseConverter Collector Exchange ExchangeFactory "
    "ExportApp Extractor ExtractorPlugin FileNameCollectorPlugin FormgradeApp GenerateAssignment "
    "GenerateFeedback HTMLExporter LateSubmissionPlugin NbGrader ZipCollectApp".split()
)


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings that a worker needs besides the assignment.

    Attributes:
        config: nbgrader's configuration.
        sanitize: steps before anything runs.
        autograde: steps that run and grade.
        ignore: patterns of file names that are not copied.
        one_process: run test cells in the student's kernel, as nbgrader does.
        unsandboxed: the words that allow student code to run with the rights of the user.
    """

    config: Config
    sanitize: tuple[Any, ...]
    autograde: tuple[Any, ...]
    ignore: tuple[str, ...]
    one_process: bool = False
    unsandboxed: str = ""

    def digest(self) -> str:
        """Return SHA-256 of all that could change a grade: configuration, course code, versions.

        Raises:
            CourseError: the course, or the package that it teaches with, is not installed.
        """
        whole = hashlib.sha256()
        steps = [getattr(step, "__name__", str(step)) for step in (*self.sanitize, *self.autograde)]
        whole.update(f"{_plain(self.config)}{steps}{self.one_process}{sys.version}".encode())
        for package in _VERSIONS:
            whole.update(f"{package} {_version(package)}".encode())
        for package in ("plaincourse", NAME, *subject()):
            try:
                home = folder(package)  # without importing it: one of them imports torch
            except LookupError as error:
                raise CourseError(str(error)) from None
            for path in sorted(home.rglob("*.py")):
                whole.update(str(path.relative_to(home)).encode() + path.read_bytes())
        return whole.hexdigest()


def portable(config: Config) -> Config:
    """Return the parts that grading steps read; they must be picklable, to be sent to a worker.

    Args:
        config: the configuration found by nbgrader's loader.

    Raises:
        CourseError: a part is not.
    """
    kept = Config({name: part for name, part in config.items() if name not in _IRRELEVANT})
    for name, part in kept.items():
        for option, value in part.items():
            try:
                pickle.dumps(value)
            except (pickle.PicklingError, AttributeError, TypeError) as error:
                raise CourseError(
                    f"nbgrader_config.py: c.{name}.{option} = {value!r} cannot be sent to the "
                    f"worker processes ({error}). Use plain data, or a function of a module"
                ) from None
    return kept


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "none"


def _plain(part: Any) -> str:
    """Return a part of a configuration as text that is the same in every process."""
    if isinstance(part, dict):
        return str({str(key): _plain(part[key]) for key in sorted(part, key=str)})
    if isinstance(part, (list, tuple)):
        return str([_plain(each) for each in part])
    if isinstance(part, type):
        return f"{part.__module__}.{part.__qualname__}"
    to_dict = getattr(part, "to_dict", None)
    return _plain(to_dict()) if to_dict else re.sub(r" at 0x[0-9a-f]+", "", repr(part))
