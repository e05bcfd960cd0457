"""``plaincourse sync``: write the notebooks that the text asks for, and the exercise release.

For each page of text: fill in its setup cell, turn it into a notebook, run the notebook if its
code differs from the committed one's, write it. Then generate ``exercises/`` from ``solutions/``.
``--check`` changes nothing, and exits 1 naming what would change.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plaincourse import settings


def add_parser(sub: Any) -> None:
    """Add the command to the sub-commands of ``plaincourse``."""
    text = (__doc__ or "").partition(": ")[2]
    _declare(sub.add_parser("sync", help="write notebooks and exercises", description=text))


def _declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", type=Path, help="pages or folders; all if left out")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if stale")
    parser.add_argument("--force", action="store_true", help="run all cells, overwrite hand edits")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Sync what the arguments name; every page is tried, whatever happened to the one before."""
    # Only who writes the course has these packages; a student's `plaincourse` works without.
    from plaincourse import pairs, release, rules
    from plaincourse.notebooks import PageError, load

    failed = 0
    try:
        root = _root()
        todo = [page for path in args.paths for page in _named(path)] or list(pairs.pages(root))
    except PageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    for page in todo:
        try:
            written = pairs.sync_page(page, settings.load(), check=args.check, force=args.force)
            print(f"{page}: {'written' if written else 'in order'}", flush=True)
            notebook = page.with_suffix(".ipynb")
            found = rules.broken(load(notebook), graded=pairs.is_solution(page))
            for what in found:
                print(f"{'error' if args.check else 'rule'}: {notebook}: {what}", file=sys.stderr)
            failed += args.check and bool(found)
        except PageError as error:
            failed += 1
            print(f"error: {error}", file=sys.stderr, flush=True)
    if failed:
        print(f"{failed} of {len(todo)} pages failed; exercises/ is as it was.", file=sys.stderr)
        return 1
    if not args.paths or any(pairs.is_solution(page) for page in todo):
        try:
            changed = release.sync_release(root, check=args.check)
        except PageError as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
        print(f"exercises: {len(changed)} files written" if changed else "exercises: in order")
    return 0


def _root() -> Path:
    """Return the course's folder, relative to where we are if we are in it.

    Raises:
        PageError: we are not in a course.
    """
    from plaincourse.notebooks import PageError

    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / "pyproject.toml").exists() and (folder / "book").is_dir():
            return Path() if folder == here else folder
    raise PageError(f"{here}: no folder here or above holds pyproject.toml and book/. Go there.")


def _named(path: Path) -> list[Path]:
    """Return the pages that a path means: a text, its notebook, or all of a folder.

    Raises:
        PageError: it means none.
    """
    from plaincourse.notebooks import PageError, is_notebook

    if path.is_dir():
        if found := [text for text in sorted(path.rglob("*.md")) if is_notebook(text)]:
            return found
        raise PageError(f"{path}: no page in it is a notebook.")
    text = path.with_suffix(".md")
    if not text.exists():
        raise PageError(f"{text}: no such page.")
    if not is_notebook(text):
        raise PageError(f"{text}: not a notebook: its header has no `jupytext:` entry.")
    return [text]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command by itself: ``python -m plaincourse.sync``."""
    parser = argparse.ArgumentParser(prog="plaincourse sync", description=__doc__)
    _declare(parser)
    return run(parser.parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())
