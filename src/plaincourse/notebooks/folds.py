"""The parts of a page that are closed until a reader predicts: a cell's output and the verdict.

The text of a prediction::

    ```{admonition} Predict
    :class: tip
    How many rows has the product?

    - (a) three
    - (b) five
    - (c) fifteen
    ```

    (code cells; the last one prints)

    It is (b): each query has a row.

    - (a) counts the keys.
    - (c) counts the entries.

    Whatever the reader needs afterwards is a paragraph of its own, outside the fold.

The site closes the output, the paragraph that begins with "It is" and the list of reasons why the
other options are wrong. ``_static/course/predict.js`` shows a reader the reason for the chosen
option.
"""

import ast
import re
from collections.abc import Iterator

from nbformat import NotebookNode

BOX = re.compile(r"^(`{3,}|:{3,})\{admonition\} (?:Predict|Self-test)\n(.*?)^\1", re.M | re.S)
OPTION = re.compile(r"\(([a-d])\)\s")
ANSWER = re.compile(r"It is \(([a-d])\)")
_OPTIONS = re.compile(r"^- \(([a-d])\) ", re.M)
_KEPT_OUT = {
    "a heading": re.compile(r"^#{1,6} ", re.M),
    "a label": re.compile(r"^\([\w-]+\)=|^:label:|^\$\$ ?\([\w-]+\)", re.M),
    "a picture": re.compile(r"!\[|\{figure\}|\{image\}|\{interactive\}"),
}


def split(source: str) -> tuple[str, str]:
    """Split a cell's code into the visible part and the assertions at its end.

    The assertions would reveal the answer. Whole statements are kept together, such as a loop with
    its body. A cell that consists of assertions only is visible as a whole.

    Returns:
        The visible code, and the assertions, or "" if there are none.
    """
    try:
        body = ast.parse(source).body
    except SyntaxError:  # a line that only IPython can parse
        return source, ""
    kept = len(body)
    while kept and _asserts(body[kept - 1]):
        kept -= 1
    if kept in (0, len(body)):
        return source, ""
    lines = source.split("\n")
    end = body[kept - 1].end_lineno or 0
    return "\n".join(lines[:end]), "\n".join(lines[end:]).strip("\n")


def may_show(source: str) -> bool:
    """Return whether a cell's code has a statement whose purpose may be its output."""
    try:
        todo: list[ast.AST] = [*ast.parse(source).body]
    except SyntaxError:
        return True
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Expr) and not (_asserts(node) or _sets(node)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            todo += [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt)]
    return False


def _sets(statement: ast.Expr) -> bool:
    """Return whether a statement calls a setter, which shows nothing."""
    called = statement.value.func if isinstance(statement.value, ast.Call) else None
    name = ast.unparse(called).rpartition(".")[2] if called else ""
    return name.startswith("set_")


def _asserts(statement: ast.stmt) -> bool:
    """Return whether a statement does nothing but assert."""
    if isinstance(statement, (ast.For, ast.With, ast.If)):
        parts = [*statement.body, *getattr(statement, "orelse", [])]
        return all(map(_asserts, parts))
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        called = ast.unparse(statement.value.func).rpartition(".")[2]
        return called.startswith("assert_")
    return isinstance(statement, ast.Assert)


def closed_boxes(notebook: NotebookNode) -> Iterator[tuple[int, str]]:
    """Check that a prediction has one printing cell, a verdict, and reasons why the rest fail.

    Yields:
        The number of a cell, from 1, and a description of its fault.
    """
    cells = notebook.cells
    for index, cell in enumerate(cells):
        if cell.cell_type != "markdown":
            continue
        boxes = list(BOX.finditer(cell.source))
        for box in boxes[:-1]:
            yield index + 1, f"no code follows the prediction {_first_words(box[2])!r}"
        if not boxes:
            continue
        if cell.source[boxes[-1].end() :].strip():
            yield index + 1, "text stands between a prediction and its cell"
            continue
        rest = index + 1
        while rest < len(cells) and cells[rest].cell_type == "code":
            rest += 1
        code = cells[index + 1 : rest]
        yield from _prints_once(code, index + 2)
        letters = _OPTIONS.findall(boxes[-1][2])
        if rest == len(cells):
            yield index + 1, "no verdict follows the prediction's cell"
        else:
            for what in _verdict(cells[rest].source, letters):
                yield rest + 1, what


def _first_words(box: str) -> str:
    text = " ".join(line for line in box.splitlines() if not line.startswith(":"))
    return text[:40]


def _prints_once(code: list[NotebookNode], first: int) -> Iterator[tuple[int, str]]:
    shown = [
        (first + n, cell)
        for n, cell in enumerate(code)
        if cell.outputs and not {"remove-cell", "setup"} & set(cell.metadata.get("tags", []))
    ]
    if len(shown) != 1:
        yield (
            first - 1,
            f"{len(shown)} cells print between a prediction and its verdict, expected 1: "
            "what a later one shows belongs after the verdict",
        )
    for number, cell in shown:
        if any("image/png" in output.get("data", {}) for output in cell.outputs):
            yield number, "a figure is never folded: draw it after the verdict"


def _verdict(text: str, letters: list[str]) -> Iterator[str]:
    """Yield the faults of the text after a prediction's cell."""
    paragraph, *others = re.split(r"\n\s*\n", text.strip())
    named = ANSWER.match(paragraph)
    if not named:
        yield f"a verdict begins 'It is (b)', or another letter; this begins {paragraph[:30]!r}"
        return
    if named[1] not in letters:
        yield f"the answer is ({named[1]}), the options are {', '.join(letters)}"
    reasons = others[0] if others and _OPTIONS.match(others[0]) else ""
    told = _OPTIONS.findall(reasons)
    if told != (wrong := [letter for letter in letters if letter != named[1]]):
        yield (
            f"after the verdict on ({named[1]}) stands a list that says why each of "
            f"{', '.join(wrong)} is wrong, in this order; it tells of {', '.join(told) or 'none'}"
        )
    for part in (paragraph, reasons):
        if re.search(r"[:,;]\s*\Z", part):
            yield f"a fold ends in {part.rstrip()[-1]!r}: what leads on stands outside"
        for what, pattern in _KEPT_OUT.items():
            if pattern.search(part):
                yield f"a fold holds {what}"


def shown_code_parses(notebook: NotebookNode) -> Iterator[tuple[int, str]]:
    """Check that the visible part of a cell's code consists of whole statements."""
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type == "code" and not re.search(r"^\s*[%!]", cell.source, re.M):
            try:
                ast.parse(split(cell.source)[0])
            except SyntaxError as error:
                yield number, f"shows code that does not parse: {error.msg}"
