"""Resolve every extra of pyproject.toml into requirements.lock: exact versions, nothing else.

Versions that the lock already holds are kept, and only what is missing is added. ``--upgrade``
takes the newest of everything; ``NAME`` that of one package. No index, host or path is
written, and a local version such as ``+cpu`` is cut off, so that the lock installs anywhere.
It is refused unless every pin installs on the oldest Python that the course supports.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "requirements.lock"
HEADER = """\
# Every package of the course at the version that it was tested with. Made by `make lock`.
# torch comes without CUDA packages here; where pip finds a CUDA build it brings its own.
"""
CONSTRAINTS = "-c tools/constraints.txt"
OLDEST_PYTHON = "3.11.0"
# What exists for one system only; the resolver drops such markers.
LINUX = 'platform_system == "Linux"'
ONLY_ON = {"triton": LINUX, "pyseccomp": LINUX}
OPTIONS = (
    f"{CONSTRAINTS} --quiet --all-extras --strip-extras --allow-unsafe "
    "--no-header --annotation-style=line --no-emit-index-url --no-emit-find-links "
    "--no-emit-trusted-host --no-emit-options"
).split()


def clean(text: str, project: str) -> str:
    """Drop the project itself, local versions and the names of files from a compiled lock."""
    kept = [line for line in text.splitlines() if not re.match(rf"{project}( @|\[)", line)]
    kept = [line for line in kept if line.strip() and not line.startswith("#")]
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
    return "  # via " + ", ".join(sorted(set(names.split(", ")) - {project, CONSTRAINTS}))


def installs_on_oldest(lock: Path) -> None:
    """Stop where a pin cannot be installed on the oldest Python."""
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--quiet", "--no-deps"]
    command += [f"--python-version={OLDEST_PYTHON}", "--only-binary=:all:", "--target=nowhere"]
    result = subprocess.run([*command, "-r", str(lock)], capture_output=True, text=True)
    if result.returncode:
        failed = re.findall(r"No matching distribution found for (\S+)", result.stderr)
        raise SystemExit(
            f"no wheel of {failed[0] if failed else result.stderr} fits Python {OLDEST_PYTHON}: "
            "bound it in tools/constraints.txt and run `make lock` again"
        )


def main(arguments: list[str]) -> None:
    """Write the lock."""
    upgrade = [f"--upgrade-package={name}" for name in arguments if not name.startswith("-")]
    if arguments == ["--upgrade"]:
        upgrade = ["--upgrade"]
    before = LOCK.read_text() if LOCK.exists() else ""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / LOCK.name
        output.write_text(before)
        command = [sys.executable, "-m", "piptools", "compile", *OPTIONS, *upgrade]
        command += [f"--output-file={output}", "pyproject.toml"]
        subprocess.run(command, cwd=ROOT, check=True)
        after = clean(output.read_text(), "plainformer")
        output.write_text(after)
        installs_on_oldest(output)
    LOCK.write_text(after)
    pins = {line.split("  #")[0] for line in after.splitlines() if "==" in line}
    old = {line.split("  #")[0] for line in before.splitlines() if "==" in line}
    for pin in sorted(pins ^ old):
        print(("+ " if pin in pins else "- ") + pin)
    print(f"requirements.lock: {len(pins)} packages")


if __name__ == "__main__":
    main(sys.argv[1:])
