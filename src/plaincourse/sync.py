"""``plaincourse sync``: write the notebooks that the text asks for, and the exercise release.

For each page of text: fill in its setup cell, turn it into a notebook, run the notebook if its
code differs from the committed one, write it. Then generate ``exercises/`` from ``solutions/``.
``--check`` says what would change, changes nothing and exits 1 if anything would.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from nbformat import NotebookNode

from plaincourse import execute, setup_cell
from plaincourse.notebooks import (
    PageError,
    content,
    dumps,
    identity,
    is_notebook,
    load,
    read_text,
    recipe,
    write_atomically,
)
from plaincourse.settings import load as load_settings


def is_solution(page: Path) -> bool:
    """Say whether a page is a graded notebook: whether it lies in ``solutions/<name>/``."""
    return page.absolute().parent.parent.name == "solutions"


def difference(have: NotebookNode, want: NotebookNode) -> tuple[int, str] | None:
    """Find the first cell in which a notebook is not what its text asks for.

    Returns:
        the cell's number, from 1, and what differs; ``None`` if nothing does.
    """
    for number, (old, new) in enumerate(zip(have.cells, want.cells, strict=False), start=1):
        if content(old) == content(new):
            continue
        if old.cell_type != new.cell_type:
            return number, f"is a {old.cell_type} cell, a {new.cell_type} cell in the text"
        pairs = zip(
            [*old.source.split("\n"), None], [*new.source.split("\n"), None], strict=False
        )
        for line, (a, b) in enumerate(pairs, start=1):
            if a != b:
                return number, f"line {line} is {_quote(a)}, {_quote(b)} in the text"
        return number, f"has the metadata {dict(old.metadata)}, {dict(new.metadata)} in the text"
    if len(have.cells) != len(want.cells):
        fewer = min(len(have.cells), len(want.cells))
        return fewer + 1, f"the notebook has {len(have.cells)} cells, the text {len(want.cells)}"
    kept = {k: v for k, v in have.metadata.items()}
    if kept != dict(want.metadata):
        return 0, f"the notebook's metadata is {kept}, {dict(want.metadata)} in the text"
    return None


def _quote(line: str | None) -> str:
    return "missing" if line is None else f"`{line}`"


def edited(have: NotebookNode) -> list[int]:
    """List the cells, by number from 1, that were changed by hand: whose id is not theirs."""
    return [
        number
        for number, cell in enumerate(have.cells, start=1)
        if str(cell.get("id", "")).split("-")[0] != identity(cell)
    ]


def _has_run(have: NotebookNode) -> bool:
    counts = [c.execution_count for c in have.cells if c.cell_type == "code"]
    return counts == list(range(1, len(counts) + 1))


def sync_page(page: Path, *, check: bool = False, force: bool = False) -> bool:
    """Bring one page's notebook in line with its text.

    Returns:
        whether anything was (or with ``check``, would be) changed.

    Raises:
        PageError: if a cell fails, or the notebook was edited by hand and ``force`` is not set;
            with ``check``, if the pair disagrees.
    """
    exercise, target = is_solution(page), page.with_suffix(".ipynb")
    mend = f"plaincourse sync {page}"
    text = page.read_text(encoding="utf-8")
    filled = setup_cell.fill(page, text, load_settings(), exercise=exercise)
    want = read_text(page, filled)
    have = load(target) if target.exists() else None
    if check and filled != text:
        raise PageError(f"{page}: the setup cell is not the template's. Run: {mend}")
    if have is None:
        if check:
            raise PageError(f"{target}: missing. Run: {mend}")
    elif not force and (hand := edited(have)):
        _, what = difference(have, want) or (0, "its id is not the text's")
        raise PageError(
            f"{target}: cell {hand[0]} was edited by hand: {what}. The text is the source: move "
            f"what you want to keep to {page}, then run: {mend} --force"
        )
    differs = None if have is None else difference(have, want)
    if check and differs:
        raise PageError(f"{target}: cell {differs[0]}: {differs[1]}. Run: {mend}")
    stale = have is None or recipe(have) != recipe(want) or (not exercise and not _has_run(have))
    if check and stale:
        raise PageError(f"{target}: its cells were not all run, in order. Run: {mend}")
    if have is not None and not (stale or differs or force or filled != text):
        return False
    if check:
        return False
    if stale or force:
        _run(want, page, filled, strip=exercise)
    elif have is not None:
        _carry(have, want)
    if filled != text:
        write_atomically(page, filled)
    write_atomically(target, dumps(want))
    return True


def _run(want: NotebookNode, page: Path, text: str, *, strip: bool) -> None:
    """Execute, and for a solution throw the outputs away: what counts is that it ran."""
    cells = sum(cell.cell_type == "code" for cell in want.cells)
    print(f"{page}: running {cells} cells", flush=True)
    start = time.perf_counter()
    execute.run(want, page, text)
    print(f"{page}: ran in {time.perf_counter() - start:.1f} s", flush=True)
    if strip:
        for cell in want.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None


def _carry(have: NotebookNode, want: NotebookNode) -> None:
    """Copy the outputs over: the code is the same, only prose or metadata changed."""
    old = [cell for cell in have.cells if cell.cell_type == "code"]
    new = [cell for cell in want.cells if cell.cell_type == "code"]
    for before, after in zip(old, new, strict=True):
        after.outputs, after.execution_count = before.outputs, before.execution_count


def pages(root: Path) -> Iterator[Path]:
    """List the tree's pages that are notebooks, chapters first."""
    for path in [*sorted(root.glob("book/*.md")), *sorted(root.glob("solutions/*/*.md"))]:
        if is_notebook(path):
            yield path


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command by itself: ``python -m plaincourse.sync``."""
    parser = argparse.ArgumentParser(prog="plaincourse sync", description=__doc__)
    configure(parser)
    return run(parser.parse_args(argv))


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("paths", nargs="*", type=Path, help="pages of text; all by default")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if stale")
    parser.add_argument("--force", action="store_true", help="run everything, overwrite edits")


def run(args: argparse.Namespace) -> int:
    """Sync what the arguments name."""
    failed = False
    for page in args.paths or list(pages(Path.cwd())):
        try:
            changed = sync_page(page, check=args.check, force=args.force)
            print(f"{page}: {'written' if changed else 'up to date'}", flush=True)
        except PageError as error:
            failed = True
            print(f"error: {error}", file=sys.stderr, flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
