"""``plaincourse sync``: write the notebooks of the pages of text, and the exercise release.

For each page of text: fill in its setup cell, turn it into a notebook, run the notebook if its code
differs from the committed one's, write it. Then generate exercises/ from solutions/. A prompt that
states other points than its cell gives stops it before the release. With --check nothing is
changed, and the exit status is 1 if anything would be, or if a notebook breaks a rule of the book.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plaincourse import settings, startup
from plaincourse.exercise.course import distribution
from plaincourse.notebooks import pairs, rules
from plaincourse.notebooks.page import PageError, is_notebook


def add_parser(sub: Any) -> None:
    """Add the command ``sync``."""
    _declare(
        sub.add_parser(
            "sync",
            description=__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
    )


def _declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", type=Path, help="pages or folders; all if left out")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if stale")
    parser.add_argument("--force", action="store_true", help="run all cells, overwrite hand edits")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command; a failing page does not stop the others.

    Returns:
        1 if a page could not be synced or, with ``--check``, is not in order; else 0.
    """
    try:
        home = settings.root()
        home = Path() if home == Path.cwd() else home
        known = settings.load(home)
        todo = [page for path in args.paths for page in _named(path)] or list(pairs.pages(home))
    except (PageError, settings.SettingsError) as error:
        return _error(error)
    failed = sum(not _page(page, known, args) for page in todo)
    if failed:
        print(f"{failed} of {len(todo)} pages are not in order", file=sys.stderr)
        return 1
    graded = [page for page in todo if pairs.is_solution(page)]
    return _release(home, check=args.check) if graded or not args.paths else 0


def _page(page: Path, known: settings.Settings, args: argparse.Namespace) -> bool:
    """Sync one page, print the result and the broken rules, and return whether it passed."""
    try:
        written = pairs.sync_page(page, known, check=args.check, force=args.force)
    except PageError as error:
        return not _error(error)
    print(f"{page}: {'written' if written else 'in order'}", flush=True)
    notebook, graded = pairs.whole(page), pairs.is_solution(page)
    found = rules.broken(notebook, graded=graded)
    grave = found if args.check else rules.misleading(notebook) if graded else []
    for what in found:
        kind = "error" if what in grave else "rule"
        print(f"{kind}: {page.with_suffix('.ipynb')}: {what}", file=sys.stderr)
    return not grave


def _release(home: Path, *, check: bool) -> int:
    try:
        from plaincourse.notebooks.release import sync_release
    except ModuleNotFoundError as error:
        return _error(f"exercises/ needs {error.name}: pip install '{distribution()}[instructor]'")
    try:
        changed = sync_release(home, check=check)
    except PageError as error:
        return _error(error)
    for path in changed:
        print(f"{path}: {'written' if path.exists() else 'removed'}")
    if not changed:
        print("exercises: in order")
    return 0


def _error(what: object) -> int:
    print(f"error: {what}", file=sys.stderr, flush=True)
    return 1


def _named(path: Path) -> list[Path]:
    """Return the pages that a path refers to: a text, its notebook, or all of a folder.

    Raises:
        PageError: it refers to none.
    """
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
    """Run the command by itself: ``python -m plaincourse.notebooks.sync``."""
    startup.begin()
    parser = argparse.ArgumentParser(
        prog="plaincourse sync",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _declare(parser)
    return run(parser.parse_args(argv))


if __name__ == "__main__":
    sys.exit(main())
