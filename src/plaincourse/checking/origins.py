"""Determine the origin of code from the code itself, because file and module names can be faked."""

import functools
import os
import sysconfig
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType

import torch

from plaincourse.exercise.course import NAME, folder, subject

#: Code of the machinery or a task, and code of a library.
OURS, LIBRARY = "ours", "library"
_reading: list[str] = []


def _folders(*names: str) -> tuple[str, ...]:
    found = []
    for name in names:
        try:
            found.append(str(folder(name) if name else folder()) + os.sep)
        except LookupError:
            continue
    return tuple(found)


_TASKS = _folders("")
_OURS = (str(Path(__file__).parents[1]) + os.sep, *_TASKS)
_INSTALLED = str(Path(torch.__file__).parents[1]) + os.sep
_LIBRARIES = (
    _INSTALLED,
    sysconfig.get_path("stdlib") + os.sep,
    *_folders(*subject()),
)


def origin(code: CodeType) -> str:
    """Return the origin of a code object: ``OURS``, ``LIBRARY``, or an empty string for other code.

    The name of its file is trusted only if that file really contains such code.

    Args:
        code: the code of a function or a module that runs.
    """
    return _origin(code, code.co_filename)


def is_theirs(file: str) -> bool:
    """Return whether a file belongs to the machinery, the course or a library.

    Args:
        file: its path, which is trusted.
    """
    return file.startswith((*_OURS, *_LIBRARIES))


def reading() -> bool:
    """Return whether this module is reading a file, which is not caused by an answer."""
    return bool(_reading)


def package(code: CodeType) -> str:
    """Return the name of the package of a code object: an installed package, or the tasks'.

    The result is an empty string for other code.

    Args:
        code: the code of a function or a module that runs.
    """
    path = code.co_filename
    if path.startswith(_TASKS) and origin(code) == OURS:
        return NAME
    if not path.startswith(_INSTALLED) or origin(code) != LIBRARY:
        return ""
    return path.removeprefix(_INSTALLED).partition(os.sep)[0].removesuffix(".py")


@functools.lru_cache(maxsize=4096)
def _origin(code: CodeType, path: str) -> str:
    kind = OURS if path.startswith(_OURS) else LIBRARY if path.startswith(_LIBRARIES) else ""
    return kind if kind and path.endswith(".py") and code in _held(path) else ""


@functools.lru_cache(maxsize=512)
def _held(path: str) -> frozenset[CodeType]:
    """Return the code objects in a file."""
    _reading.append(path)
    try:
        module = SourceFileLoader("held", path).get_code("held")
    except (OSError, SyntaxError, ImportError):
        module = None
    finally:
        _reading.pop()
    return frozenset(_within(module)) if module else frozenset()


def _within(code: CodeType) -> list[CodeType]:
    inner = [each for each in code.co_consts if isinstance(each, CodeType)]
    return [code, *(held for each in inner for held in _within(each))]
