"""API pages that read as the source does.

Autodoc prints annotations as Python objects: ``jaxtyping.Float[Tensor, 'b q d']`` with the path of
every module. The source says ``Float[Tensor, "b q d"]``, which is what a reader should see.

Napoleon takes the words before a colon, in "Returns" and of a property, for a type, and knows no
"Cost" and no "Ref".
"""

import ast
import inspect
import textwrap
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx


def as_written(app: Sphinx, what: str, name: str, thing: Any, *args: Any) -> tuple[str, str] | None:
    """Return the arguments and the result of a function as its source has them."""
    function = thing.__init__ if inspect.isclass(thing) else thing
    function = inspect.unwrap(function)
    if not inspect.isfunction(function) or function.__qualname__.startswith("<"):
        return None
    try:
        source = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        return None
    definition = ast.parse(source).body[0]
    if not isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef):
        return None
    parameters = definition.args
    if "." in function.__qualname__ and what in ("class", "method"):
        _drop_self(parameters)
    result = "" if inspect.isclass(thing) else _text(definition.returns)
    return f"({ast.unparse(parameters)})", result


def as_fields(
    app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]
) -> None:
    """Turn "Returns", "Cost" and "Ref" of a docstring into fields, before napoleon reads it."""
    if what in ("attribute", "property") and lines and ":" in lines[0]:
        lines[0] = f": {lines[0]}"  # an empty type, so that the words before the colon are none
    for place, line in enumerate(lines):
        if line.strip() == "Returns:":
            lines[place] = ":returns:"
        for heading in ("Cost", "Ref"):
            if line.startswith(f"{heading}: "):
                lines[place] = f":{heading}: {line.removeprefix(heading + ': ')}"
                _indent_rest(lines, place)


def _indent_rest(lines: list[str], place: int) -> None:
    for after in range(place + 1, len(lines)):
        if not lines[after].strip():
            return
        lines[after] = "    " + lines[after]


def double_quotes(app: Sphinx, doctree: nodes.document) -> None:
    """Quote the shapes in signatures as the source does."""
    for node in doctree.findall(addnodes.desc_sig_literal_string):
        text = node.astext()
        if text[:1] == "'" and '"' not in text:
            node.children = [nodes.Text(f'"{text[1:-1]}"')]


def _drop_self(parameters: ast.arguments) -> None:
    first = parameters.posonlyargs or parameters.args
    if first and first[0].arg in ("self", "cls"):
        first.pop(0)


def _text(annotation: ast.expr | None) -> str:
    return "" if annotation is None else ast.unparse(annotation)


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen to autodoc, where it is loaded."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-signature", as_written)
    app.connect("autodoc-process-docstring", as_fields, priority=400)
    app.connect("doctree-read", double_quotes)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
