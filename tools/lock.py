"""Resolve every extra of pyproject.toml into requirements.lock, with exact versions only.

Versions in the lock are kept, and only missing packages are added. ``--upgrade`` takes the newest
version of every package; ``NAME`` that of one package. Indexes, hosts and paths are not written,
and a local version such as ``+cpu`` is cut off, so that the lock installs anywhere. Each pin has a
wheel for the oldest Python that the course supports.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from bootstrap import uv_environment

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
HEADER = """\
# Every package of the course at the version that it was tested with. Made by `make lock`.
# CUDA's packages are left out: where torch is a CUDA build, it brings its own.
"""
CONSTRAINTS = "-c tools/constraints.txt"
# Packages for one system only; the resolver drops such markers.
LINUX = 'platform_system == "Linux"'
ONLY_ON = {"triton": LINUX, "pyseccomp": LINUX}
OPTIONS = (
    f"{CONSTRAINTS} --quiet --all-extras --python-version=3.11.0 --only-binary=:all: "
    "--no-header --annotation-style=line --no-emit-index-url --no-emit-find-links"
).split()


def clean(text: str, project: str) -> str:
    """Drop CUDA's packages, local versions and the names of files from a compiled lock."""
    kept = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    kept = [line for line in kept if not re.match(r"(nvidia|cuda)-", line)]
    kept = [re.sub(r"^(\S+==[^\s+]+)\+\S+", r"\1", line) for line in kept]
    kept = [re.sub(r" +# via .*", lambda via: _via(via[0], project), line) for line in kept]
    for name, marker in ONLY_ON.items():
        kept = [re.sub(rf"^({name}==\S+)(?=  #|$)", rf"\1 ; {marker}", line) for line in kept]
    wrong = [line for line in kept if not re.match(r"[a-z0-9.-]+==[^\s+/]+( ;.*)?(  # .*)?$", line)]
    if wrong:
        raise SystemExit(f"requirements.lock would hold a line that pins no version: {wrong[0]!r}")
    return HEADER + "\n".join(kept) + "\n"


def _via(comment: str, project: str) -> str:
    names = comment.split("via ")[1].replace(f"{project} (pyproject.toml)", "this course")
    asked = {name for name in names.split(", ") if not name.startswith("-c ")}
    return "  # via " + ", ".join(sorted(asked))


def main(arguments: list[str]) -> None:
    """Write the lock."""
    upgrade = [f"--upgrade-package={name}" for name in arguments if not name.startswith("-")]
    if arguments == ["--upgrade"]:
        upgrade = ["--upgrade"]
    before = LOCK.read_text() if LOCK.exists() else ""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / LOCK.name
        output.write_text(before)
        command = [Path(sys.executable).with_name("uv"), "pip", "compile", *OPTIONS, *upgrade]
        command += [f"--output-file={output}", "pyproject.toml"]
        subprocess.run(command, cwd=ROOT, env=uv_environment(), check=True)
        after = clean(output.read_text(), "plainformer")
    LOCK.write_text(after)
    pins = {line.split("  #")[0] for line in after.splitlines() if "==" in line}
    old = {line.split("  #")[0] for line in before.splitlines() if "==" in line}
    for pin in sorted(pins ^ old):
        print(("+ " if pin in pins else "- ") + pin)
    print(f"requirements.lock: {len(pins)} packages")


if __name__ == "__main__":
    main(sys.argv[1:])
