"""The first cell of every notebook, from one template."""

import textwrap
from pathlib import Path

from plaincourse.exercise.course import packages
from plaincourse.notebooks.page import Block, PageError, code_blocks, read_text
from plaincourse.settings import Settings

TAG = "setup"

# Code at the margin decides a notebook's outputs (`recipe`), so it is the same for every owner.
_HEAD = """\
# Gets the course where it is missing. Where it is installed, this does nothing.
import sys
from importlib.util import find_spec

if not find_spec("plaincourse"):
"""
_KNOWN = """\
    course = "{name}"
    course += "{address}"
    if "google.colab" in sys.modules:  # its torch, NumPy and IPython stay
        %pip install --quiet "{{course}}"
    if not find_spec("plaincourse"):
        raise ModuleNotFoundError(f'To get the course: %pip install "{{course}}"')
"""
_UNKNOWN = """\
    if "google.colab" in sys.modules:
        raise RuntimeError(
            "This copy does not say which repository it comes from. Its owner "
            "runs `plaincourse configure --owner NAME` and `plaincourse sync`.")
    raise ModuleNotFoundError(
        'To get the course from its folder: %pip install "FOLDER[student]"')
"""
_SHAPES = """\
# A tensor of the wrong shape raises an error that names its axes.
%load_ext jaxtyping
%jaxtyping.typechecker plaincourse.typed
"""
_GRADING = "Grading has Python's own modules and the packages {all_but_last} and {last}."


def source(settings: Settings, *, exercise: bool) -> str:
    """Return the setup cell's code, which installs the course and, for exercises, checks shapes.

    A comment between these parts names the packages that are available in grading.

    If the course is installed, the cell only looks for it. It looks for ``plaincourse``, because
    next to a clone there is a folder with the name of the course's package, which Python would
    mistake for that package.
    """
    name, git, address = settings.pip_spec.partition("git+")
    missing = _KNOWN.format(name=name + git, address=address) if settings.owner else _UNKNOWN
    if exercise:
        cell = _HEAD.replace("\n\n", "\n") + missing + _grading() + _SHAPES  # at most 15 lines
    else:
        cell = _HEAD + missing
    return cell.rstrip("\n")


def _grading() -> str:
    """Return the comment that names the packages available in grading; empty if none is known."""
    *others, last = packages() or [""]
    if not others:
        return ""
    said = _GRADING.format(all_but_last=", ".join(others), last=last)
    return textwrap.fill(said, 80, initial_indent="# ", subsequent_indent="# ") + "\n"


def _place(path: Path, text: str) -> Block:
    """Find the setup cell of a text.

    Raises:
        PageError: if there is none, more than one, or it is not the first code cell.
    """
    code = [cell for cell in read_text(path, text).cells if cell.cell_type == "code"]
    tagged = [i for i, cell in enumerate(code) if TAG in cell.metadata.get("tags", [])]
    blocks = code_blocks(text)
    if tagged == [0]:
        return blocks[0]
    seen = f"code cells {[i + 1 for i in tagged]} have it" if tagged else "no cell has it"
    raise PageError(
        f"{path}: the first code cell, and no other, is the setup cell, tagged [setup, hide-cell];"
        f" here {seen}. Put this above all code:\n"
        "```{code-cell} python\n:tags: [setup, hide-cell]\n```"
    )


def fill(path: Path, text: str, settings: Settings, *, exercise: bool) -> str:
    """Return the text with its setup cell filled in; the author provides only the empty cell."""
    block = _place(path, text)
    lines = text.split("\n")
    options = lines[: block.body - 1]
    while options and not options[-1].strip():
        options.pop()
    code = source(settings, exercise=exercise)
    return "\n".join([*options, "", *code.split("\n"), *lines[block.end - 1 :]])
