"""``plaincourse doctor``: the software and hardware of this machine, to paste into a bug report.

It prints versions and whether they match the lock. It prints no path, name or address.
"""

import argparse
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from plaincourse.exercise.course import distribution, subject
from plaincourse.settings import SettingsError, root

_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PACKAGES = ("torch", "numpy", "ipython", "jupyter-book", "nbgrader")


def add_parser(sub: Any) -> None:
    """Add the command ``doctor``."""
    parser = sub.add_parser(
        "doctor",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run)


def run(_: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        1 if an installed version differs from the lock or is missing, else 0.
    """
    try:
        home: Path | None = root()
    except SettingsError:
        home = None
    differences = None if home is None else lock_differences(home / "requirements.lock")
    for name, found in report(differences):
        print(f"{name:<13} {found}")
    return int(bool(differences))


def report(differences: Sequence[str] | None) -> Iterator[tuple[str, str]]:
    """Yield pairs of a name and the finding to print for it."""
    system = f"{platform.system()} {platform.machine()}"
    yield distribution(), _installed(distribution()) or "not installed"
    yield "python", f"{platform.python_version()} on {system}"
    for name in _PACKAGES:
        yield name, _installed(name) or "not installed"
    yield "device", _device()
    yield "node", version("node") or "not found (the site needs Node 20 or newer)"
    browser = next((found for name in _BROWSERS if (found := version(name))), None)
    yield "browser", browser or "not found (only `make site-test` needs one)"
    if differences is None:
        yield "lock", "not in a clone of the course, so there is no lock to compare with"
    elif not differences:
        yield "lock", "every package is the lock's"
    else:
        more = f", and {len(differences) - 8} more" if len(differences) > 8 else ""
        yield "lock", f"{'; '.join(differences[:8])}{more}. Any make target mends .venv"


def lock_differences(lock: Path) -> list[str]:
    """Compare the installed packages with a lock.

    Args:
        lock: a file of lines ``name==version``.

    Returns:
        One phrase for each package that is missing or has another version. A local version such as
        ``+cpu`` is ignored in the comparison.
    """
    if not lock.exists():
        return ["requirements.lock is missing"]
    pins = re.findall(r"^([a-z0-9.-]+)==([^\s;]+)", lock.read_text(encoding="utf-8"), flags=re.M)
    found = []
    for name, wanted in pins:
        have = _installed(name)
        if have is None:
            found.append(f"{name} is missing")
        elif have.partition("+")[0] != wanted:
            found.append(f"{name} is {have}, the lock has {wanted}")
    return found


def version(program: str) -> str | None:
    """Return the first line that ``program --version`` prints, or ``None`` if it does not run."""
    if shutil.which(program) is None:
        return None
    try:
        result = subprocess.run(
            [program, "--version"], capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return result.stdout.strip().partition("\n")[0] or None


def _installed(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _device() -> str:
    try:
        import torch
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    kind = "cuda" if torch.cuda.is_available() else "mps" if torch.mps.is_available() else "cpu"
    name = f" ({torch.cuda.get_device_name()})" if kind == "cuda" else ""
    wishes = [f"{package.upper()}_DEVICE" for package in subject()]
    wished = "".join(f", {each}={os.environ[each]}" for each in wishes if each in os.environ)
    return f"{kind}{name}, {torch.get_num_threads()} threads{wished}"
