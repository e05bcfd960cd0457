"""Open a reader's own copy of the course in JupyterLab.

``work/`` is laid out like the course, so every relative link of a notebook leads to the right file
there too: notebooks are copied, and what they link to is shown by links. Git ignores it. A copy is
made once. While its reader has not changed it, it follows the course; from then on it is theirs.

    plaincourse lab                    what `make lab` runs
    plaincourse lab -- --port=9999     JupyterLab's own options, after two dashes
"""

import argparse
import hashlib
import importlib.util
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from plaincourse.exercise.course import subject
from plaincourse.notebooks.page import PageError, dumps, load, write_atomically
from plaincourse.settings import SettingsError, root

WORK = "work"
START = "START.md"
RECORD = ".lab/copied.json"
CONFIG = f"{WORK}/.lab/config"
#: What notebooks link to and no reader changes; beside the copies as it lies beside the originals.
SHOWN = (
    *(f"src/{name}" for name in subject()),
    *("book/_static", "book/notation.md", "book/equivalence.md"),
)
#: Not listed in the file browser: what Jupyter hides by default, and pictures.
HIDDEN = ("__pycache__", "*.py[co]", ".DS_Store", "*~", "_static")
#: Parts of JupyterLab that a reader has no use for; those that run in the browser are switched off
#: in tools/lab/page_config.json.
OFF = (
    "jupyter_lsp",
    "jupyterlab_jupytext",
    "nbgrader.server_extensions.assignment_list",
    "nbgrader.server_extensions.course_list",
    "nbgrader.server_extensions.formgrader",
    "notebook",
)
_PAGE = """\
# Start here

Everything listed here is your own copy. Run it, change it, break it: an update of the course never
touches what you have changed. To start a notebook over, rename or delete it, and run `make lab`
again.

1. **A chapter** asks what you expect before a cell runs. *Predict*, then *run* the cell
   (Shift+Enter), then open the explanation.
2. **A graded notebook** has a cell for each answer and a check below it. Run both, read what the
   check says, and change your answer as often as you like. `total()`, at the end, adds up your
   points.
3. **To hand in**, save the notebook and press *Validate* in its toolbar. Then send the file: it
   lies in `{work}/exercises/`, and *File → Download* gives it to you too.
{newer}
| | chapter | graded notebook |
|---|---|---|
{table}
"""
_NEWER = """
**The course has a newer version** of these notebooks. You have changed your copies, so they were
left alone. To take a new version, rename your copy and run `make lab` again.

{}
"""
_LEFT = """
**No longer in the course**, or there under another name. Your copies lie where they were.

{}
"""


@dataclass(frozen=True)
class Copy:
    """One notebook of the course and the reader's copy of it.

    Attributes:
        name: its path in the course, and in the reader's folder.
        did: ``"copied"``, ``"updated"``, ``"unchanged"``, ``"yours"``: changed by the reader, or
            ``"left"``: the course has it no more, or under another name.
        newer: the reader changed it, and the course has changed since it was copied.
    """

    name: str
    did: str
    newer: bool = False


def notebooks(course: Path) -> Iterator[str]:
    """List what a reader works on, chapters first, as paths in the course."""
    for pattern in ("book/*.ipynb", "exercises/*/*.ipynb"):
        for path in sorted(course.glob(pattern)):
            yield path.relative_to(course).as_posix()


def opened(path: Path) -> str:
    """Return a notebook as JupyterLab would save it right after its kernel has started.

    JupyterLab writes the kernel's version into it, and then calls it changed. The course's own
    notebooks name no version, so that they are the same whoever runs them.
    """
    notebook = load(path)
    notebook.metadata.setdefault("language_info", {})["version"] = sys.version.split()[0]
    return dumps(notebook)


def follow(course: Path, work: Path) -> list[Copy]:
    """Bring a reader's folder up to date, and leave alone what the reader changed.

    Args:
        course: the root of the course.
        work: the reader's folder; made if it is missing.

    Returns:
        what became of each notebook.

    Raises:
        PageError: the folder's record, or a notebook of the course, cannot be read; or something
            else has the folder's name.
    """
    if not work.is_dir() and (work.exists() or work.is_symlink()):
        raise PageError(f"{work}: expected the folder of your notebooks, found none. Rename it.")
    known, found = _recorded(work / RECORD), []
    for name in notebooks(course):
        original, copy = _digest((course / name).read_bytes()), work / name
        before = known.get(name, {})
        have = _digest(copy.read_bytes()) if copy.exists() else None
        want = opened(course / name)
        if have is None or have in (before.get("copy"), _digest(want.encode())):
            if have != _digest(want.encode()):
                write_atomically(copy, want)
                found.append(Copy(name, "updated" if have else "copied"))
            else:
                found.append(Copy(name, "unchanged"))
            known[name] = {"course": original, "copy": _digest(want.encode())}
        else:
            found.append(Copy(name, "yours", newer=before.get("course") != original))
    for name in sorted(known.keys() - {copy.name for copy in found}):
        if (work / name).exists():
            found.append(Copy(name, "left"))
        else:
            del known[name]
    write_atomically(work / RECORD, json.dumps(known, indent=1, sort_keys=True) + "\n")
    for name in SHOWN:
        _show(course / name, work / name)
    return found


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _recorded(path: Path) -> dict[str, dict[str, str]]:
    if not path.exists():
        return {}
    try:
        known = json.loads(path.read_text(encoding="utf-8"))
        return {
            name: {key: str(each[key]) for key in ("course", "copy")}
            for name, each in known.items()
        }
    except (ValueError, AttributeError, KeyError, TypeError) as error:
        raise PageError(
            f"{path}: cannot be read ({error!r}). It says which copies you have not changed. "
            "Delete it, and every notebook there that differs from the course's counts as yours."
        ) from error


def _show(target: Path, link: Path) -> None:
    """Let a file of the course, or each file of a folder, appear in the reader's folder.

    Folders are the reader's own, because JupyterLab writes beside what it opens.
    """
    if target.is_dir():
        for each in target.iterdir():
            if each.name != "__pycache__" and not each.name.startswith("."):
                _show(each, link / each.name)
    elif target.exists() and not link.exists():
        link.unlink(missing_ok=True)  # it led to where the course was before
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(os.path.relpath(target, link.parent))


def start_page(course: Path, copies: Sequence[Copy]) -> str:
    """Return the page that JupyterLab opens on: how it works, and a link to every notebook."""
    parts: list[dict[str, Any]] = yaml.safe_load((course / "book/chapters.yml").read_text("utf-8"))
    names, table = {copy.name for copy in copies}, []
    titles: dict[str, str] = {}
    for part in parts:
        table.append(f"| | **{part['part']}** | |")
        for chapter in part["chapters"]:
            page, title = f"{chapter['id']}-{chapter['slug']}", chapter["title"]
            read, graded = f"book/{page}.ipynb", f"exercises/{page}/{page}.ipynb"
            titles |= {read: title, graded: f"{title}: graded"}
            if read in names:
                size = f"[{_size(course / graded)}]({graded})" if graded in names else ""
                table.append(f"| {chapter['id']} | [{title}]({read}) | {size} |")
        if table[-1].startswith("| | "):
            table.pop()  # nothing of this part is written yet
    left = [f"- [{x.name}]({x.name})" for x in copies if x.did == "left"]
    newer = [f"- [{titles.get(x.name, x.name)}]({x.name})" for x in copies if x.newer]
    told = _NEWER.format("\n".join(newer)) if newer else ""
    told += _LEFT.format("\n".join(left)) if left else ""
    return _PAGE.format(work=WORK, newer=told, table="\n".join(table))


def _size(graded: Path) -> str:
    """Return what a graded notebook says of its points and minutes."""
    first = " ".join(load(graded).cells[0].source.split())
    said = re.search(r"\d+ points, about \d+ minutes", first)
    return said[0] if said else "exercises"


def options(course: Path) -> list[str]:
    """Return JupyterLab's options: what a reader sees, and nothing written to their home."""
    own = course / WORK / ".lab"
    return [
        f"--ServerApp.root_dir={course / WORK}",
        f"--LabApp.default_url=/lab/tree/{START}",
        f"--LabApp.app_settings_dir={course / 'tools/lab'}",
        "--LabApp.custom_css=True",
        f"--LabApp.user_settings_dir={own / 'settings'}",
        f"--LabApp.workspaces_dir={own / 'workspaces'}",
        # The other handler of files refuses to follow links.
        "--ContentsManager.files_handler_class=jupyter_server.files.handlers.FilesHandler",
        *(f"--ContentsManager.hide_globs={name}" for name in HIDDEN),
        *(f"--ServerApp.jpserver_extensions={name}=False" for name in OFF),
    ]


def add_parser(sub: Any) -> None:
    """Add the command ``lab``."""
    parser = sub.add_parser(
        "lab",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("options", nargs="*", help="options for JupyterLab, after `--`")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Bring the reader's folder up to date and become JupyterLab; return 1 where that cannot be."""
    try:
        if importlib.util.find_spec("jupyterlab") is None:
            raise SettingsError("JupyterLab is not installed. Run `make lab`, which installs it.")
        course = root()
        copies = follow(course, course / WORK)
        write_atomically(course / WORK / START, start_page(course, copies))
        style = (course / "tools/lab/custom.css").read_text(encoding="utf-8")
        write_atomically(course / CONFIG / "custom/custom.css", style)
    except (SettingsError, PageError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    counts = Counter(copy.did for copy in copies).items()
    said = ", ".join(f"{count} {did}" for did, count in counts)
    print(f"Your notebooks are in {WORK}/: {said}.", flush=True)
    # Validate reads nbgrader's configuration where the server runs; the root's is for grading.
    os.chdir(course / WORK)
    words = [sys.executable, "-m", "jupyterlab", *options(course), *args.options]
    os.execve(words[0], words, {**os.environ, "JUPYTER_CONFIG_DIR": str(course / CONFIG)})
