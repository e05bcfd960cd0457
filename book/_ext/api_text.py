"""API pages that read as the source does.

Autodoc prints annotations as Python objects: ``jaxtyping.Float[Tensor, 'b q d']`` with the path of
every module. The source says ``Float[Tensor, "b q d"]``, which is what a reader should see.

Napoleon takes the words before a colon, in "Returns" and of a property, for a type, and knows no
"Cost" and no "Ref".

The directive ``{modules}`` lists the modules of the pages below its own, a line for each.
"""

import ast
import importlib
import inspect
import textwrap
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective


class module_list(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes so
    """Where the modules are listed, once all pages are read."""


class Modules(SphinxDirective):
    """A list of the modules that the pages below this one describe."""

    def run(self) -> list[nodes.Node]:
        """Keep their place."""
        return [module_list()]


class ListModules(SphinxPostTransform):
    """Write the list."""

    default_priority = 5  # before the references that it writes are resolved

    def run(self, **kwargs: Any) -> None:
        """Write each page of the package, and its modules with the first line of each."""
        for place in list(self.document.findall(module_list)):
            pages = self.env.toctree_includes.get(self.env.docname, [])
            place.replace_self([node for page in pages for node in self.page(page)])

    def page(self, page: str) -> list[nodes.Node]:
        """Write one page's name and modules."""
        title = self.env.titles[page].astext()
        known = self.env.domains["py"].modules
        found = [name for name, entry in known.items() if entry.docname == page]
        heading = nodes.paragraph(
            "", "", self.refer("std", "doc", f"/{page}", nodes.strong("", title))
        )
        return [heading, nodes.bullet_list("", *(self.module(name) for name in found))]

    def module(self, name: str) -> nodes.list_item:
        """Write one module: its name, and what it is for."""
        says = (importlib.import_module(name).__doc__ or "").strip().split("\n\n")[0]
        line = nodes.paragraph("", "", self.refer("py", "mod", name, nodes.literal("", name)))
        line += nodes.Text(f": {' '.join(says.split())}")
        return nodes.list_item("", line)

    def refer(self, domain: str, kind: str, target: str, text: nodes.Node) -> nodes.Element:
        """Write a reference from this page, which Sphinx resolves next."""
        where = {"refdomain": domain, "reftype": kind, "reftarget": target}
        return addnodes.pending_xref(
            "", text, refdoc=self.env.docname, refexplicit=True, refwarn=True, **where
        )


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


def without_aliases(
    app: Sphinx, what: str, name: str, thing: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out the fields of a named tuple, whose text is a number; its class tells them."""
    return True if (inspect.getdoc(thing) or "").startswith("Alias for field number") else None


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
    app.add_node(module_list)
    app.add_directive("modules", Modules)
    app.add_post_transform(ListModules)
    app.connect("autodoc-process-signature", as_written)
    app.connect("autodoc-skip-member", without_aliases)
    app.connect("autodoc-process-docstring", as_fields, priority=400)
    app.connect("doctree-read", double_quotes)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
