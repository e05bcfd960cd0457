"""Text derived from settings and results, in README, CITATION.cff, _config.yml, gates.json, a page.

Each function takes a file's text and returns it updated for the settings. ``plaincourse configure``
writes the result; ``plaincourse configure --check`` and a test compare it with the file.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

from plaincourse import measured
from plaincourse.exercise.course import subject
from plaincourse.settings import Settings, block

HOW = "plaincourse configure --owner NAME"


def derive(root: Path, settings: Settings) -> dict[Path, tuple[str, str]]:
    """Return the current and the expected text of each file that contains derived text.

    Raises:
        SettingsError: a file lacks the markers between which its block is written.
    """
    found = {}
    for name, rewrite in _FILES.items():
        path = root / name
        if path.exists():
            text = path.read_text(encoding="utf-8")
            found[path] = (text, rewrite(root, text, settings))
    return found


def chapter_table(root: Path, settings: Settings) -> str:
    """Return the README's table: one row per chapter, with links to the files that exist."""
    parts: list[dict[str, Any]] = yaml.safe_load((root / "book/chapters.yml").read_text("utf-8"))
    colab = [" Colab |"] if settings.owner else []
    lines = [
        "".join(["| | chapter | read |", *colab, " exercise | solution | source |"]),
        "|---" * (6 + len(colab)) + "|",
    ]
    for part in parts:
        lines.append(f"| | **{part['part']}** |" + " |" * (4 + len(colab)))
        lines += [_row(root, settings, chapter) for chapter in part["chapters"]]
    if not settings.owner:
        lines += ["", f"To add a column of Colab links, set an owner: `{HOW}`."]
    return "\n".join(lines)


def _row(root: Path, settings: Settings, chapter: dict[str, Any]) -> str:
    page = f"{chapter['id']}-{chapter['slug']}"
    notebook, folder = f"book/{page}.ipynb", f"{page}/{page}"
    if not (root / notebook).exists():
        return f"| {chapter['id']} | {chapter['title']} | planned |" + " |" * (
            3 + bool(settings.owner)
        )
    read = f"{settings.site_url}book/{page}.html" if settings.site_url else notebook
    cells = [chapter["id"], chapter["title"], f"[read]({read})"]
    if settings.owner:
        kinds = {"chapter": notebook, "exercise": f"exercises/{folder}.ipynb"}
        there = {kind: path for kind, path in kinds.items() if (root / path).exists()}
        links = [f"[{kind}]({settings.colab_url(path)})" for kind, path in there.items()]
        cells.append(" ".join(links))
    for kind in ("exercises", "solutions"):
        file = f"{kind}/{folder}.ipynb"
        cells.append(f"[{kind[:-1]}]({file})" if (root / file).exists() else "planned")
    names = chapter.get("source", [])
    cells.append(" ".join(f"[{name}]({_source(root, name)})" for name in names))
    return f"| {' | '.join(cells)} |"


def _source(root: Path, name: str) -> str:
    """Return the path of a module or package of the course's package."""
    path = "/".join(["src", *subject(), name])
    return f"{path}/" if (root / path).is_dir() else f"{path}.py"


def _readme(root: Path, text: str, settings: Settings) -> str:
    where, comment = "README.md", "<!-- {} -->"
    badges = ""
    if settings.owner:
        workflows = f"{settings.repository}/actions/workflows"
        badges = f"[![tests]({workflows}/tests.yml/badge.svg)]({workflows}/tests.yml)"
        badges += f" · [read it online]({settings.site_url})"
    text = block(text, "badges", badges, where=where, comment=comment)
    text = block(text, "chapters", chapter_table(root, settings), where=where, comment=comment)
    return block(text, "benchmarks", measured.short(root), where=where, comment=comment)


def _benchmarks(root: Path, text: str, _: Settings) -> str:
    where, table = "benchmarks/README.md", measured.table(root)
    return block(text, "benchmarks", table, where=where, comment="<!-- {} -->")


def _citation(_: Path, text: str, settings: Settings) -> str:
    lines = ""
    if settings.owner:
        lines = f"repository-code: {settings.repository}\nurl: {settings.site_url}\n"
    return block(text, "settings", lines, where="CITATION.cff", comment="# {}")


def _config(_: Path, text: str, settings: Settings) -> str:
    wanted = {
        ("repository", "url"): settings.repository,
        ("repository", "branch"): settings.branch,
        ("html", "baseurl"): settings.site_url,
    }
    section, lines = "", []
    for line in text.split("\n"):
        if heading := re.match(r"([a-z_]+):", line):
            section = heading[1]
        key = re.match(r"  ([a-z_]+): *\"?(.*?)\"?$", line)
        value = wanted.get((section, key[1])) if key else None
        if key and value is not None and value != key[2]:
            line = f'  {key[1]}: "{value}"'
        lines.append(line)
    return "\n".join(lines)


def _gates(root: Path, _: str, settings: Settings) -> str:
    """Return the address of each published chapter, by number, for an installed course.

    An installation has no pyproject.toml, yet ``total()`` must link to a chapter's gate. If the
    site is not known, the address is the page's path within the site.
    """
    parts: list[dict[str, Any]] = yaml.safe_load((root / "book/chapters.yml").read_text("utf-8"))
    pages = {c["id"]: f"{c['id']}-{c['slug']}" for part in parts for c in part["chapters"]}
    known = {
        number: f"{settings.site_url}book/{page}.html"
        for number, page in pages.items()
        if (root / f"book/{page}.ipynb").exists()
    }
    return json.dumps(known, indent=1) + "\n"


_COLAB = """\
[Open chapter {id} in Colab]({chapter}), or [its graded notebook]({graded}). Each
chapter has the same two links. The first cell installs the course and leaves Colab's own packages
as they are. *File → Save a copy in Drive* keeps what you write."""
_NO_COLAB = """\
Colab opens notebooks from a public repository, but this copy of the course does not name one yet.
Its owner can set it: `{how}`."""
_RUN = """\
(sec-run-colab)=
## In the browser, with Colab

{colab}

(sec-run-clone)=
## On your computer, from a clone

You need Python 3.11 or newer on Linux, macOS or WSL.

```sh
{clone}
make lab
```

The first `make lab` installs everything into the folder `.venv` and nowhere else. Then it opens
JupyterLab on `work/`, your own copy of all notebooks. An update of the course never overwrites a
notebook that you have changed. `make book` builds this site, and `make serve` shows it.
`make epub` writes it as one file for an e-reader, into `_build/epub`.

(sec-run-pip)=
## On your computer, installed with pip

This installs the package, the notebooks and JupyterLab, without a clone.

```sh
python3 -m venv course
course/bin/pip install "{spec}"
course/bin/plaincourse lab
```

`plaincourse lab` creates `work/` in the folder where you run it. After an update, run it there
again."""


def _run_it(root: Path, text: str, settings: Settings) -> str:
    """Return the page of ways to run the course, with its addresses if they are known."""
    parts: list[dict[str, Any]] = yaml.safe_load((root / "book/chapters.yml").read_text("utf-8"))
    first = parts[0]["chapters"][0]
    page = f"{first['id']}-{first['slug']}"
    colab, clone = _NO_COLAB.format(how=HOW), "cd FOLDER   # the folder of your copy of the course"
    spec = "FOLDER[student]"
    if settings.owner:
        chapter = settings.colab_url(f"book/{page}.ipynb")
        graded = settings.colab_url(f"exercises/{page}/{page}.ipynb")
        colab = _COLAB.format(id=first["id"], chapter=chapter, graded=graded)
        clone = (
            f"git clone --branch {settings.branch} {settings.repository}.git\ncd {settings.name}"
        )
        spec = settings.pip_spec.replace("[notebook]", "[student]")
    content = _RUN.format(colab=colab, clone=clone, spec=spec)
    return block(text, "run", content, where="book/run-it-yourself.md", comment="% {}")


_FILES: dict[str, Callable[[Path, str, Settings], str]] = {
    "README.md": _readme,
    "benchmarks/README.md": _benchmarks,
    "CITATION.cff": _citation,
    "_config.yml": _config,
    "src/plaincourse/gates.json": _gates,
    "book/run-it-yourself.md": _run_it,
}
