"""The command that runs the whole of ``plaincourse autograde`` in one container.

For macOS and Windows, and for machines whose kernel refuses namespaces. The course folder is
mounted, so grades and feedback are written to the usual places. In the container each submission is
still isolated: by namespaces if the engine allows them, else by landlock.
"""

import os
from pathlib import Path

INSIDE = "/course"
_ENGINES = ("docker", "podman")
_MEMORY, _PROCESSES, _SCRATCH = "8g", 4096, "2g"


def command(engine: str, course: Path, image: str, arguments: list[str]) -> list[str]:
    """Return the command line.

    Args:
        engine: "docker" or "podman".
        course: The course folder. It stays writable, because it holds the gradebook.
        image: An image with this package installed.
        arguments: The arguments of ``plaincourse autograde``.

    Returns:
        The words of the command, for ``subprocess.run``.

    Raises:
        ValueError: The engine is unknown, or the folder or image cannot be put on a command line.
    """
    if engine not in _ENGINES:
        raise ValueError(f"The engine is {engine!r}; expected one of {', '.join(_ENGINES)}.")
    folder = course.resolve()
    if not folder.is_dir():
        raise ValueError(f"The course folder {folder} is not there; give an existing folder.")
    if "," in str(folder):
        raise ValueError(f"The course folder {folder} has a comma in its name; move it elsewhere.")
    if not image or image.startswith("-"):
        raise ValueError(f"The image is {image!r}; expected a name such as grader:latest.")
    return [
        engine, "run", "--rm", "--init",
        "--network", "none",
        "--cap-drop", "ALL",
        "--security-opt", "no-new-privileges",
        "--pids-limit", str(_PROCESSES),
        "--memory", _MEMORY,
        "--read-only",
        "--tmpfs", f"/tmp:rw,nosuid,nodev,size={_SCRATCH}",
        "--mount", f"type=bind,source={folder},target={INSIDE}",
        "--workdir", INSIDE,
        *_user(engine),
        "--env", "HOME=/tmp/home",
        "--env", "OMP_NUM_THREADS=1",
        image, "plaincourse", "autograde", *arguments,
    ]  # fmt: skip


def _user(engine: str) -> list[str]:
    """Return options that make files in the course folder belong to the user of the command."""
    if not hasattr(os, "getuid"):
        return []  # Docker Desktop on Windows does this itself
    mapped = ["--userns", "keep-id"] if engine == "podman" and os.getuid() else []
    return [*mapped, "--user", f"{os.getuid()}:{os.getgid()}"]
