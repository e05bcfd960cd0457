"""Location and subject of the installed course.

Everything specific to a course is in its package ``exercise_bank``: the tasks, and in its
``__init__.py`` the name of the package that it teaches with, such as ``SUBJECT = "torch"``. A
course that teaches without a package omits that line.
"""

import ast
import re
from functools import cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

NAME = "exercise_bank"
RULES = "AGENTS.md"
"""The file in which coding assistants look for the rules of a folder."""
# Matches a package that pip installs always or with the extra for notebooks, on no other condition.
_REQUIRED = re.compile(r"([\w.-]+)[^;\[]*(?:; *extra *== *[\"']notebook[\"'] *)?", re.ASCII)


def folder(package: str = NAME) -> Path:
    """Return the folder of a package without importing it, by default that of the tasks.

    Args:
        package: its name, without a dot.

    Raises:
        LookupError: the package is not installed; for the tasks' package, no course is installed.
    """
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        role = ", which holds a course's tasks" if package == NAME else ""
        raise LookupError(f"there is no package {package!r}{role}; install it")
    return Path(next(iter(spec.submodule_search_locations)))


@cache
def subject() -> tuple[str, ...]:
    """Return the package that the course teaches with; empty if none is stated or installed.

    The file is parsed and not imported, because this function also runs in a student's kernel,
    which must not have the tasks.

    Raises:
        ValueError: ``SUBJECT`` is not the name of a package.
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


def rules_for_assistants() -> Path:
    """Return the rules for a coding assistant that helps a student: teach, and do not solve.

    They are next to the student's notebooks under the name :data:`RULES`. Here they have another
    name, because they are not rules for changes to this package.
    """
    return Path(__file__).parents[1] / "teaching_assistant.md"


def distribution() -> str:
    """Return pip's name for the course: the distribution that installed this command."""
    for command in metadata.entry_points(group="console_scripts", name="plaincourse"):
        if command.dist is not None:
            return command.dist.name
    return "plaincourse"


def packages() -> list[str]:
    """Return the packages that notebooks of the course may rely on, also where they are graded."""
    try:
        stated = metadata.requires(distribution()) or []
    except metadata.PackageNotFoundError:
        stated = []
    return sorted(found[1] for each in stated if (found := _REQUIRED.fullmatch(each)))
