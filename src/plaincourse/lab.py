"""Open a reader's own copy of the course in JupyterLab.

``work/`` is laid out like the course, so every relative link in a notebook leads to the right file
there too: notebooks are copied, and the files they link to appear as links. Git ignores the folder.
A notebook is copied once. Until the reader changes the copy, it is updated with the course; after
that it is left alone.

In a clone, `work/` is at its root. If the course was installed by pip, the notebooks come with the
package, and `work/` is created in the folder where the command runs.

    plaincourse lab                    the command behind `make lab`
    plaincourse lab -- --port=9999     JupyterLab's own options, after two dashes
"""

import argparse
import hashlib
import importlib.util
import json
import os
import re
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import yaml

from plaincourse.exercise.course import (
    RULES,
    distribution,
    folder,
    rules_for_assistants,
    subject,
)
from plaincourse.exercise.totals import site
from plaincourse.notebooks.page import PageError, dumps, load, write_atomically
from plaincourse.settings import SettingsError, root

WORK = "work"
START = "START.md"
RECORD = ".lab/copied.json"
CONFIG = ".lab/config"
CHAPTERS = "book/chapters.yml"
#: Files that notebooks link to and readers do not change, at the same relative path as in the
#: course.
SHOWN = ("book/_static", "book/notation.md", "book/equivalence.md", "book/playground.md")
#: Hidden in the file browser: Jupyter's own default, and pictures.
HIDDEN = ("__pycache__", "*.py[co]", ".DS_Store", "*~", "_static")
#: Parts of JupyterLab that a reader does not need. Those that run in the browser are disabled in
#: tools/lab/page_config.json.
OFF = (
    "jupyter_lsp",
    "jupyterlab_jupytext",
    "nbgrader.server_extensions.assignment_list",
    "nbgrader.server_extensions.course_list",
    "nbgrader.server_extensions.formgrader",
    "notebook",
)
#: Seconds by which the time of a copy may differ, because some disks store times to two seconds.
_COARSE = 2.0
_PAGE = """\
# Start here

Everything listed here is your own copy. Run it, change it, break it: an update of the course never
touches what you have changed. To start a notebook over, rename or delete it, and run `{command}`
again.

1. **A chapter** asks what you expect before a cell runs. *Predict*, then *run* the cell
   (Shift+Enter), then open the explanation.
2. **A graded notebook** has a cell for each answer and a check below it. Run both, read what the
   check says, and change your answer as often as you like.
3. **The gate** of a chapter is at the end of its page on the course's site: {site}.
   `total()`, near the end of the graded notebook, adds up your points and gives the code that the
   gate takes. The gate also asks for the chapter's *cards*, the questions above it on the page.
4. **To hand in** to a teacher, save the notebook and run its last cell, `hand_in(…)`. It names the
   file to send and says whether the answers that you ran last are saved in it. If you learn by
   yourself, there is nothing to hand in.
{newer}
| | chapter | graded notebook |
|---|---|---|
{table}
"""
_NEWER = """
**The course has a newer version** of these notebooks. You have changed your copies, so they were
left alone. To take a new version, rename your copy and run `{command}` again.

{notebooks}
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
        did: ``"copied"``, ``"updated"``, ``"unchanged"``, ``"yours"`` (changed by the reader) or
            ``"left"`` (no longer in the course, or renamed there).
        newer: whether the reader changed it and the course has changed since it was copied.
    """

    name: str
    did: str
    newer: bool = False


def places() -> tuple[Path, Path]:
    """Return the folder of the course's notebooks, and the reader's folder.

    Raises:
        SettingsError: the current folder is not inside a clone, and no notebooks were installed by
            pip.
    """
    try:
        return (course := root()), course / WORK
    except SettingsError:
        for file in metadata.files(distribution()) or ():
            if file.as_posix().endswith(f"/{CHAPTERS}"):
                here = Path.cwd()
                above = (each for each in (here, *here.parents) if (each / RECORD).is_file())
                return Path(str(file.locate())).resolve().parents[1], next(above, here / WORK)
        raise


def notebooks(course: Path) -> dict[str, Path]:
    """Return the reader's notebooks, chapters first: the name in the reader's folder, and the file.

    Pip installs the graded notebooks into one folder.
    """
    graded = {path.stem: path for path in sorted(course.glob("exercises/**/*.ipynb"))}
    return {f"book/{path.name}": path for path in sorted(course.glob("book/*.ipynb"))} | {
        f"exercises/{name}/{name}.ipynb": path for name, path in graded.items()
    }


def opened(path: Path) -> str:
    """Return a notebook as JupyterLab would save it right after its kernel has started.

    JupyterLab writes the kernel's version into a notebook and then marks it as changed. The
    course's own notebooks contain no version, so that they are identical on every machine. The
    text of any other file is returned unchanged.
    """
    if path.suffix != ".ipynb":
        return path.read_text(encoding="utf-8")
    notebook = load(path)
    notebook.metadata.setdefault("language_info", {})["version"] = sys.version.split()[0]
    return dumps(notebook)


def follow(course: Path, work: Path) -> list[Copy]:
    """Update a reader's folder, without touching the notebooks that the reader changed.

    Args:
        course: the root of the course.
        work: the reader's folder; created if it is missing.

    Returns:
        One :class:`Copy` for each notebook, and for the rules, with its new state.

    Raises:
        PageError: the folder's record, or a notebook of the course, cannot be read; or the folder's
            name is taken by something else.
    """
    if not work.is_dir() and (work.exists() or work.is_symlink()):
        raise PageError(f"{work}: expected the folder of your notebooks, found none. Rename it.")
    known, found = _recorded(work / RECORD), []
    for name, source in {**notebooks(course), RULES: rules_for_assistants()}.items():
        original, copy = _digest(source.read_bytes()), work / name
        before = known.get(name, {})
        have = _digest(copy.read_bytes()) if copy.exists() else None
        want = opened(source)
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
    for name in subject():
        package = course / "src" / name
        _show(package if package.exists() else folder(name), work / "src" / name)
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
    """Make a file of the course, or each file of a folder, appear in the reader's folder.

    If the disk has no symbolic links, the file is copied, and the copy is updated with the course.
    Folders belong to the reader, because JupyterLab writes next to the files that it opens.
    """
    if target.is_dir():
        for each in target.iterdir():
            if each.name != "__pycache__" and not each.name.startswith("."):
                _show(each, link / each.name)
    elif target.exists() and not link.exists():
        link.unlink(missing_ok=True)  # it pointed to the course's previous location
        link.parent.mkdir(parents=True, exist_ok=True)
        try:
            link.symlink_to(os.path.relpath(target, link.parent))
        except (OSError, NotImplementedError):  # exFAT, or a virtual machine's shared folder
            shutil.copy2(target, link)
    elif target.exists() and not link.is_symlink() and _is_older(link, target):
        shutil.copy2(target, link)


def _is_older(copy: Path, target: Path) -> bool:
    return copy.stat().st_mtime + _COARSE < target.stat().st_mtime


def start_page(course: Path, copies: Sequence[Copy]) -> str:
    """Return the page that JupyterLab opens first: instructions, and a link to every notebook."""
    parts: list[dict[str, Any]] = yaml.safe_load((course / CHAPTERS).read_text("utf-8"))
    names, table, files = {copy.name for copy in copies}, [], notebooks(course)
    command = "make lab" if (course / "pyproject.toml").exists() else "plaincourse lab"
    titles: dict[str, str] = {}
    for part in parts:
        table.append(f"| | **{part['part']}** | |")
        for chapter in part["chapters"]:
            page, title = f"{chapter['id']}-{chapter['slug']}", chapter["title"]
            read, graded = f"book/{page}.ipynb", f"exercises/{page}/{page}.ipynb"
            titles |= {read: title, graded: f"{title}: graded"}
            if read in names:
                size = f"[{_size(files[graded])}]({graded})" if graded in names else ""
                table.append(f"| {chapter['id']} | [{title}]({read}) | {size} |")
        if table[-1].startswith("| | "):
            table.pop()  # no chapter of this part exists yet
    left = [f"- [{x.name}]({x.name})" for x in copies if x.did == "left"]
    newer = [f"- [{titles.get(x.name, x.name)}]({x.name})" for x in copies if x.newer]
    told = _NEWER.format(command=command, notebooks="\n".join(newer)) if newer else ""
    told += _LEFT.format("\n".join(left)) if left else ""
    return _PAGE.format(command=command, site=site(), newer=told, table="\n".join(table))


def _size(graded: Path) -> str:
    """Return the points and minutes that a graded notebook states."""
    first = " ".join(load(graded).cells[0].source.split())
    said = re.search(r"\d+ points, about \d+ minutes", first)
    return said[0] if said else "exercises"


def options(course: Path, work: Path) -> list[str]:
    """Return JupyterLab's options: show only the reader's folder, write nothing to their home."""
    own = work / ".lab"
    return [
        f"--ServerApp.root_dir={work}",
        f"--LabApp.default_url=/lab/tree/{START}",
        f"--LabApp.app_settings_dir={course / 'tools/lab'}",
        "--LabApp.custom_css=True",
        f"--LabApp.user_settings_dir={own / 'settings'}",
        f"--LabApp.workspaces_dir={own / 'workspaces'}",
        # The other file handler refuses to follow links.
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
    """Update the reader's folder and replace this process by JupyterLab; return 1 on failure."""
    try:
        if importlib.util.find_spec("jupyterlab") is None:
            raise SettingsError(
                "JupyterLab is not installed. Run `make lab`, which installs it; outside a clone "
                "`pip install jupyterlab`."
            )
        course, work = places()
        copies = follow(course, work)
        write_atomically(work / START, start_page(course, copies))
        style = (course / "tools/lab/custom.css").read_text(encoding="utf-8")
        write_atomically(work / CONFIG / "custom/custom.css", style)
    except (SettingsError, PageError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    counts = Counter(copy.did for copy in copies if copy.name != RULES).items()
    said = ", ".join(f"{count} {did}" for did, count in counts)
    where = f"{WORK}/" if (course / WORK) == work else str(work)
    print(f"Your notebooks are in {where}: {said}.", flush=True)
    # Validate reads nbgrader's configuration from the server's folder; the root's is for grading.
    os.chdir(work)
    words = [sys.executable, "-m", "jupyterlab", *options(course, work), *args.options]
    os.execve(words[0], words, {**os.environ, "JUPYTER_CONFIG_DIR": str(work / CONFIG)})
