"""One page of text and its notebook: compare them, and make them."""

import time
from collections.abc import Iterator
from pathlib import Path

from nbformat import NotebookNode

from plaincourse.notebooks import execute, setup_cell
from plaincourse.notebooks.page import (
    PageError,
    content,
    dumps,
    identity,
    is_anchor,
    is_notebook,
    load,
    read_text,
    recipe,
    write_atomically,
)
from plaincourse.notebooks.plain import dressed, plain
from plaincourse.notebooks.references import References
from plaincourse.settings import Settings


def pages(root: Path) -> Iterator[Path]:
    """Yield the pages of a tree that are notebooks, chapters first.

    Raises:
        PageError: a notebook has no text.
    """
    for folder in ("book", "solutions/*"):
        for text in sorted(root.glob(f"{folder}/*.md")):
            if is_notebook(text):
                yield text
        for notebook in sorted(root.glob(f"{folder}/*.ipynb")):
            if not notebook.with_suffix(".md").exists():
                raise PageError(
                    f"{notebook}: has no text. Expected {notebook.with_suffix('.md').name} beside "
                    "it: write it, or delete the notebook."
                )


def is_solution(page: Path) -> bool:
    """Return whether a page is a graded notebook: whether it lies in ``solutions/<name>/``."""
    return page.absolute().parent.parent.name == "solutions"


def whole(page: Path) -> NotebookNode:
    """Return a page's notebook with the text as written, and the stored outputs.

    Raises:
        PageError: the notebook does not belong to the text.
    """
    have = load(page.with_suffix(".ipynb"))
    return have if is_solution(page) else dressed(read_text(page), have)


def difference(have: NotebookNode, want: NotebookNode) -> str | None:
    """Describe where a notebook first differs from its text's notebook; ``None`` if nowhere."""
    for number, (old, new) in enumerate(zip(have.cells, want.cells, strict=False), start=1):
        if content(old) == content(new):
            continue
        if old.cell_type != new.cell_type:
            return f"cell {number} is a {old.cell_type} cell, in the text a {new.cell_type} cell"
        before, after = old.source.split("\n"), new.source.split("\n")
        for line, (a, b) in enumerate(zip([*before, None], [*after, None], strict=False), start=1):
            if a != b:
                return f"cell {number}, line {line} is {_quote(a)}, in the text {_quote(b)}"
        return f"cell {number} has the metadata {_flat(old)}, in the text {_flat(new)}"
    if len(have.cells) != len(want.cells):
        first = min(len(have.cells), len(want.cells)) + 1
        return f"cell {first}: it has {len(have.cells)} cells, the text {len(want.cells)}"
    if have.metadata != want.metadata:
        return f"its metadata is {_flat(have)}, in the text {_flat(want)}"
    return None


def _quote(line: str | None) -> str:
    return "missing" if line is None else f"`{line}`"


def _flat(node: NotebookNode) -> str:
    return str({key: node.metadata[key] for key in sorted(node.metadata)})


def edited(have: NotebookNode) -> list[int]:
    """List the cells, by number from 1, that were edited by hand, so that their id does not fit."""
    return [
        number
        for number, cell in enumerate(have.cells, start=1)
        if not is_anchor(cell) and str(cell.get("id", "")).split("-")[0] != identity(cell)
    ]


def sync_page(page: Path, settings: Settings, *, check: bool = False, force: bool = False) -> bool:
    """Bring one page's notebook in line with its text.

    Args:
        page: the text.
        settings: the address of the repository, for the setup cell.
        check: change nothing; raise if something would change.
        force: run every cell, and overwrite edits by hand.

    Returns:
        whether anything was written.

    Raises:
        PageError: a cell fails; or the notebook was edited by hand; or, with ``check``, the pair
            disagrees.
    """
    target, graded = page.with_suffix(".ipynb"), is_solution(page)
    text = page.read_text(encoding="utf-8")
    filled = setup_cell.fill(page, text, settings, exercise=graded)
    rich = read_text(page, filled)
    references = References(page.parent.parent, settings)
    want = rich if graded else plain(rich, page, references)
    have = load(target) if target.exists() else None
    force = force and not check
    if have is not None and not force and (hand := edited(have)):
        raise PageError(
            f"{target}: edited by hand in cell {hand[0]}: {difference(have, want) or 'its id'}. "
            f"The text is the source: move to {page} what you want to keep, then run: "
            f"plaincourse sync --force {page}"
        )
    stale = have is None or recipe(have) != recipe(want) or not (graded or _has_run(have))
    change = f"{page}: the setup cell is not the template's" if filled != text else None
    if have is None:
        change = change or f"{target}: missing"
    elif where := difference(have, want):
        change = change or f"{target}: {where}"
    elif stale:
        change = change or f"{target}: its cells were not all run, in order"
    if check and change:
        raise PageError(f"{change}. Run: plaincourse sync {page}")
    if not (change or force):
        return False
    if have is None or stale or force:
        _run(rich, page, filled, strip=graded)
        want = rich if graded else plain(rich, page, references)
    else:
        _carry(have, want)
    if filled != text:
        write_atomically(page, filled)
    write_atomically(target, dumps(want))
    return True


def _has_run(have: NotebookNode) -> bool:
    counts = [cell.execution_count for cell in have.cells if cell.cell_type == "code"]
    return counts == list(range(1, len(counts) + 1))


def _run(want: NotebookNode, page: Path, text: str, *, strip: bool) -> None:
    """Run every cell. A solution keeps no outputs; it only has to run.

    Its outputs would be scores, which carry no information (they are full) and change with the
    grader's wording; nbgrader drops them from the release in any case.
    """
    cells = [cell for cell in want.cells if cell.cell_type == "code"]
    print(f"{page}: running {len(cells)} cells …", flush=True)
    start = time.perf_counter()
    execute.run(want, page, text)
    print(f"{page}: ran in {time.perf_counter() - start:.1f} s", flush=True)
    if strip:
        for cell in cells:
            cell.outputs, cell.execution_count = [], None


def _carry(have: NotebookNode, want: NotebookNode) -> None:
    """Copy the outputs over: the code is the same, only prose or metadata changed."""
    old = [cell for cell in have.cells if cell.cell_type == "code"]
    new = [cell for cell in want.cells if cell.cell_type == "code"]
    for before, after in zip(old, new, strict=True):
        after.outputs, after.execution_count = before.outputs, before.execution_count
