"""Names and folders with brackets in them, which nbgrader treats as patterns.

nbgrader finds folders, notebooks, and files to leave out with `glob.glob`, and puts names into the
patterns without escaping. Then ``Li Na [Group 2]`` matches nothing: that student gets no page, and
in a course folder with such a name, files that must not be released are not left out.
"""

import glob
import importlib
import os
import sys
from types import SimpleNamespace

from plaincourse.grading.opening import open_anywhere

#: Modules of nbgrader that look for files of a course.
_MODULES = (
    "nbgrader.apps.api",
    "nbgrader.converters.base",
    "nbgrader.exchange.default.release_feedback",
    "nbgrader.utils",
)


def match_names_literally() -> None:
    """Make nbgrader look for files with `glob_literally`; for ``nbgrader_config.py``.

    It then also opens the gradebook in a folder whose name has a ``?`` or a ``%``.
    """
    open_anywhere()
    for name in _MODULES:
        importlib.import_module(name)
    stand_in = SimpleNamespace(**{**vars(glob), "glob": glob_literally})
    for name, module in list(sys.modules.items()):
        if name.startswith("nbgrader.") and vars(module).get("glob") is glob:
            module.glob = stand_in  # type: ignore[attr-defined]


def glob_literally(pattern: str) -> list[str]:
    """Return the paths that match a pattern whose parts may be meant literally.

    A part that exists literally is taken literally, unless it begins with ``*``. After the first
    part that does not exist, each part without ``*`` is taken literally if that matches a path.

    Args:
        pattern: of `glob.glob`.
    """
    done: list[str] = []
    left = pattern.split("/")
    while left and _is_literal("/".join([*done, left[0]]), left[0]):
        done.append(left.pop(0))
    known = [glob.escape(part) for part in done]
    meant = [part if "*" in part else glob.escape(part) for part in left]
    return _matching("/".join(known + meant)) or _matching("/".join(known + left))


_matching = glob.glob


def _is_literal(path: str, part: str) -> bool:
    if not glob.has_magic(part):
        return True
    return not part.startswith("*") and os.path.lexists(path)
