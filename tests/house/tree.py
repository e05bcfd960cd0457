"""The files of the repository, for the tests of house rules."""

import ast
import functools
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FORMER, COURSE = ROOT / "src/plainformer", ROOT / "src/plaincourse"
BANK = ROOT / "src/exercise_bank"


def files() -> list[Path]:
    """List every file that is, or would be, committed."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


@functools.cache
def modules(package: Path) -> dict[str, Path]:
    """Map dotted names below ``src`` to files; ``__init__`` has the package's own name."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(ROOT / "src").with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def named(source: str) -> set[str]:
    """List the modules of the machinery that a file names in a string, to import by name.

    ``"plaincourse.kernels.student:run"`` counts as its module.
    """
    form = re.compile(r"(plaincourse(?:\.\w+)+)(?::\w+)?")
    texts = (node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant))
    found = (form.fullmatch(each) for each in texts if isinstance(each, str))
    known = modules(COURSE)
    return {each[1] for each in found if each and each[1] in known}


def imports(source: str, package: str = "") -> set[str]:
    """List the dotted names that a file imports, also inside its functions.

    ``from a import b`` counts as both ``a`` and ``a.b``.
    """
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                up = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*up, *([node.module] if node.module else [])])
            found |= {base} | {f"{base}.{alias.name}" for alias in node.names}
    return found
