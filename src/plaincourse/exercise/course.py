"""Where the course that is installed lies, and what it is about.

All that the machinery knows of a course is in its package ``exercise_bank``: the tasks, and in its
``__init__.py`` the name of the package that it teaches with, such as ``SUBJECT = "torch"``. A
course that teaches with none says nothing there.
"""

import ast
import re
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

NAME = "exercise_bank"
# A package that pip installs always, or with the course's part for notebooks; no other condition.
_REQUIRED = re.compile(r"([\w.-]+)[^;\[]*(?:; *extra *== *[\"']notebook[\"'] *)?", re.ASCII)


def folder(package: str = NAME) -> Path:
    """Return the folder of a package without importing it: the tasks' own, unless you name another.

    Args:
        package: its name, without a dot.

    Raises:
        LookupError: it is not installed; of the tasks', no course is.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        role = ", which holds a course's tasks" if package == NAME else ""
        raise LookupError(f"there is no package {package!r}{role}; install it")
    return Path(next(iter(spec.submodule_search_locations)))


@cache
def subject() -> tuple[str, ...]:
    """Return the package that the course teaches with; none where it says none, or is not there.

    It is read and not imported, for a student's kernel asks too, and must not have the tasks.

    Raises:
        ValueError: ``SUBJECT`` is something other than the name of a package.
    """
    try:
        text = (folder() / "__init__.py").read_text(encoding="utf-8")
    except (LookupError, FileNotFoundError):
        return ()
    for line in ast.parse(text).body:
        if isinstance(line, ast.Assign) and ast.unparse(line.targets[0]) == "SUBJECT":
            name = ast.literal_eval(line.value)
            if not isinstance(name, str) or not name.isidentifier():
                raise ValueError(
                    f"{NAME}/__init__.py: SUBJECT = {name!r}; expected the name of the package "
                    "that the course teaches with, or no such line"
                )
            return (name,)
    return ()


def distribution() -> str:
    """Return by what name pip knows the course: what was installed with this command in it."""
    for command in metadata.entry_points(group="console_scripts", name="plaincourse"):
        if command.dist is not None:
            return command.dist.name
    return "plaincourse"


def packages() -> list[str]:
    """Return the packages that notebooks of the course may count on, also where they are graded."""
    try:
        stated = metadata.requires(distribution()) or []
    except metadata.PackageNotFoundError:
        stated = []
    return sorted(found[1] for each in stated if (found := _REQUIRED.fullmatch(each)))
