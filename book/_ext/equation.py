r"""The ``{equation}`` directive: an equation knows its function, and the function its equations.

In a page::

    ```{equation} eq-attention
    :code: plainformer.attention.attend
    O = \operatorname{softmax}(QK^\top/\sqrt d)\,V
    ```

This is a displayed equation with the label ``eq-attention`` (refer to it with ``{eq}``), followed
by a link to ``attend`` on the API page. There, ``attend`` lists the equations that it implements.
Several functions are separated by commas. A name that no API page documents is a warning.
"""

import difflib
from collections import defaultdict
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from numbering import bare
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.directives.patches import MathDirective
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

logger = logging.getLogger(__name__)


class code_link(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes so
    """Where the link from an equation to its function goes, once all pages are read."""


class Equation(SphinxDirective):
    """A labelled displayed equation with the functions that implement it."""

    has_content = True
    required_arguments = 1
    option_spec: ClassVar = {"code": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Write the equation as the ``math`` directive would, and a place for the links."""
        label = self.arguments[0]
        if not "".join(self.content).strip():
            raise self.error(f"equation {label!r} is empty: write its LaTeX below the options")
        names = [name.strip() for name in self.options.get("code", "").split(",") if name.strip()]
        if not names:
            raise self.error(
                f"equation {label!r} has no :code: option: name the function that implements it, "
                "such as plainformer.attention.attend, or use the math directive"
            )
        math = MathDirective(
            "math", [], {"label": label}, self.content, self.lineno, self.content_offset,
            self.block_text, self.state, self.state_machine,
        )  # fmt: skip
        box = nodes.container(classes=["equation"])
        box += math.run()
        link = code_link(functions=names, label=label)
        self.set_source_info(link)
        box += link
        _links(self.env).setdefault(self.env.docname, []).append((label, names))
        return [box]


class LinkEquations(SphinxPostTransform):
    """Fill in both directions: equation to function, function to equation."""

    default_priority = 5  # before the references that it writes are resolved

    def run(self, **kwargs: Any) -> None:
        """Replace the places held by the directive, and add lines to documented functions."""
        for link in list(self.document.findall(code_link)):
            link.replace_self(self.to_code(link))
        equations = _by_name(self.env)
        for description in self.document.findall(addnodes.desc):
            if description.get("domain") != "py":
                continue
            names = [sig.get("ids", []) for sig in description.findall(addnodes.desc_signature)]
            found = [eq for ids in names[:1] for name in ids for eq in equations.get(name, [])]
            content = description.next_node(addnodes.desc_content)
            if found and content is not None:
                content += self.to_equations(found)

    def to_code(self, link: code_link) -> list[nodes.Node]:
        """Write "in code: attend()"; say so when a name is not documented."""
        objects = self.env.domains["py"].objects
        line = nodes.paragraph(classes=["in-code"])
        line += nodes.inline("", "in code: ")
        known = [name for name in link["functions"] if name in objects]
        for name in link["functions"]:
            if name not in known:
                logger.warning(_unknown(name, link["label"], objects), location=link)
        for place, name in enumerate(known):
            call = "()" if objects[name].objtype in ("function", "method") else ""
            text = nodes.literal("", name.rsplit(".", 1)[-1] + call, classes=["xref", "py"])
            line += [nodes.Text(", ")] if place else []
            line += self.refer("py", "obj", name, text)
        return [line] if known else []

    def to_equations(self, found: list[tuple[str, str]]) -> nodes.paragraph:
        """Write "Implements equation (2.1) of Scaled dot-product attention."."""
        line = nodes.paragraph(classes=["implements"])
        line += nodes.Text("Implements equation ")
        for place, (docname, label) in enumerate(found):
            line += [nodes.Text("; equation ")] if place else []
            line += self.refer("math", "eq", label, nodes.Text(label))
            line += nodes.Text(f" of {bare(self.env.titles[docname])}")
        line += nodes.Text(".")
        return line

    def refer(self, domain: str, kind: str, target: str, text: nodes.Node) -> nodes.Element:
        """Write a reference from this page, which Sphinx resolves next."""
        where = {"refdomain": domain, "reftype": kind, "reftarget": target}
        return addnodes.pending_xref(
            "", text, refdoc=self.env.docname, refexplicit=True, refwarn=True, **where
        )


def _unknown(name: str, label: str, objects: dict[str, Any]) -> str:
    near = difflib.get_close_matches(name, objects, n=1) or difflib.get_close_matches(
        name.rsplit(".", 1)[-1], [o.rsplit(".", 1)[-1] for o in objects], n=1
    )
    hint = f"; did you mean {near[0]}?" if near else ""
    return (
        f"equation {label!r}: :code: names {name!r}, which no API page documents{hint} "
        "Give the full name, and list its module in book/api"
    )


def _links(env: BuildEnvironment) -> dict[str, list[tuple[str, list[str]]]]:
    if not hasattr(env, "equation_links"):
        env.equation_links = {}
    return env.equation_links


def _by_name(env: BuildEnvironment) -> dict[str, list[tuple[str, str]]]:
    found = defaultdict(list)
    for docname, equations in sorted(_links(env).items()):
        for label, names in equations:
            for name in names:
                found[name].append((docname, label))
    return found


def _forget(app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    _links(env).pop(docname, None)


def _merge(app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment) -> None:
    _links(env).update({name: found for name, found in _links(other).items() if name in docnames})


def _write_again(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Rewrite both ends whenever anything was read again: a link may have appeared or gone."""
    objects = env.domains["py"].objects
    return sorted({entry.docname for entry in objects.values()} | set(_links(env)))


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_node(code_link)
    app.add_directive("equation", Equation)
    app.add_post_transform(LinkEquations)
    app.connect("env-purge-doc", _forget)
    app.connect("env-merge-info", _merge)
    app.connect("env-updated", _write_again)
    return {
        "version": "1",
        "env_version": 1,  # of the node code_link: raise it when its attributes change
        "parallel_read_safe": True,
        "parallel_write_safe": True,
    }
