"""Detect that a notebook loads a package of ready-made answers, and whether a cell names it.

If a cell makes a table of such a package's results, no later call of an answer shows its origin. An
import is not a fault, and libraries load each other. But a package that the notebook's code loads,
or reads as a file, without its name in any cell should be reported to a person.
"""

import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from types import FrameType
from typing import Any

import torch

from plaincourse.checking import noticing
from plaincourse.exercise.course import folder, subject

#: Libraries of models and their parts, which contain solutions of tasks.
MODELS = frozenset({
    "transformers", "flash_attn", "xformers", "x_transformers", "torchtune", "diffusers", "vllm",
    "sentence_transformers", "rotary_embedding_torch", "fairseq", "litgpt", "timm", "mamba_ssm",
    "tensorflow", "keras", "jax", "flax", "transformer_lens", "optimum", "peft",
})  # fmt: skip
_INSTALLED = os.path.dirname(os.path.dirname(str(torch.__file__)))  # noqa: PTH120
_PYTHONS = frozenset(sys.stdlib_module_names)


def _places() -> dict[str, str]:
    found = {os.path.join(_INSTALLED, name, ""): name for name in MODELS}  # noqa: PTH118
    for name in subject():
        try:
            found[f"{folder(name)}{os.sep}"] = name
        except LookupError:
            continue
    return found


PLACES = _places()
_STARTS = tuple(PLACES)
#: The packages whose loading is detected.
PACKAGES = frozenset(PLACES.values())


def package_of(code: Any) -> str:
    """Return which of :data:`PACKAGES` contains code that will run, or a file that will be read.

    Args:
        code: the argument of Python's audit event ``exec`` or ``open``.
    """
    path = code if type(code) is str else getattr(code, "co_filename", None)
    if type(path) is not str or not path.startswith(_STARTS):
        return ""
    return next(name for start, name in PLACES.items() if path.startswith(start))


def is_by_notebook(frame: FrameType | None, is_library: Callable[[dict[str, Any]], bool]) -> bool:
    """Return whether a notebook loads a module here, by any of Python's means.

    Args:
        frame: the innermost frame.
        is_library: returns whether globals belong to a library or to Python.
    """
    while frame is not None:
        space = frame.f_globals
        name = space.get("__name__")
        if name == "__main__" or type(name) is not str or not is_library(space):
            return True
        # A loader acts for the importer further out, and our watch surrounds each thread.
        between = frame.f_code.co_name == "exec_module" or name == noticing.__name__
        if name.partition(".")[0] not in _PYTHONS and not between:
            return False
        frame = frame.f_back
    return True


def unnamed(loaded: Iterable[str], code: Sequence[str]) -> list[str]:
    """Return the loaded packages that no cell names in an import or a string.

    A URL to install from is neither, and comments do not count.

    Args:
        loaded: the names of the loaded packages.
        code: the cells.
    """
    lines = [line.partition("#")[0] for cell in code for line in cell.splitlines()]
    text = "\n".join(lines)
    naming = r"\b(?:import|from)\b[^\n\"']*\b{0}\b|[\"']{0}[.\"']"
    return [name for name in loaded if not re.search(naming.format(re.escape(name)), text)]
