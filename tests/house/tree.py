"""The files of the repository, as the tests of the house see them."""

import ast
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


def modules(package: Path) -> dict[str, Path]:
    """Map dotted names below ``src`` to files, ``__init__`` as the package's own name."""
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(ROOT / "src").with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


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
