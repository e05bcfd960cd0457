"""The ``{interactive}`` directive: a picture that the reader can move.

In a page::

    ```{interactive} attention-explorer
    :alt: One query and five keys in the plane, with the weights that the query gives them.
    Drag a key until its weight is above one half.
    ```

The page gets the text, then the element ``<plain-attention-explorer>`` and, on this page only, the
module ``_static/widgets/attention-explorer.js`` that defines it, once the reader scrolls or presses
anything. With the option ``:later:`` the module is also loaded only then, for one that is large.
Inside the element stands what remains where no script runs: the picture
``widgets/attention-explorer.png``, where there is one, and the alternative text. Other builders
get that, too.
"""

import re
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

STILL = "An interactive picture, here as a still: to move it takes JavaScript."
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


class interactive(nodes.General, nodes.Element):  # noqa: N801 - docutils names nodes so
    """The place of one widget; its children are the fallback."""


class Interactive(SphinxDirective):
    """Place a widget, with its alternative text and the task to do in it."""

    has_content = True
    required_arguments = 1
    option_spec: ClassVar = {"alt": directives.unchanged, "later": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Write the task, then the widget with its fallback."""
        name = self.arguments[0]
        alt = " ".join(self.options.get("alt", "").split())
        if not NAME.fullmatch(name):
            raise self.error(
                f"interactive {name!r}: expected lower-case words joined by '-', such as mask-lab"
            )
        if not alt:
            raise self.error(
                f"interactive {name!r} has no :alt: text: say what the picture shows, for readers "
                "who cannot see it and for paper"
            )
        if alt[-1] not in ".?!":
            raise self.error(
                f"interactive {name!r}: the :alt: text ends in {alt.split()[-1]!r}, not in a full "
                "stop. Write it in one line: what stands in the next line is not part of it"
            )
        if not self.find(f"{name}.js"):
            raise self.error(
                f"interactive {name!r}: no file widgets/{name}.js in "
                f"{', '.join(self.config.html_static_path)}; write it, or mend the name"
            )
        box = nodes.container(classes=["interactive"])
        box["ids"].append(f"interactive-{name}")
        if self.content:
            task = nodes.container(classes=["interactive-task"])
            self.state.nested_parse(self.content, self.content_offset, task)
            for part in task:
                if isinstance(part, nodes.paragraph) and part.astext().startswith("Question"):
                    part["classes"].append("interactive-question")
            box += task
        widget = interactive(name=name, alt=alt, later="later" in self.options)
        picture = self.find(f"{name}.png")
        if picture:
            widget += nodes.image(uri="/" + picture, alt=alt, loading="lazy")
        said = STILL if picture else f"Interactive picture, which needs JavaScript: {alt}"
        widget += nodes.paragraph("", said, classes=["fallback"])
        box += widget
        return [box]

    def find(self, file: str) -> str | None:
        """Return the path of a widget's file from the source folder, if it exists."""
        paths = [Path(folder) / "widgets" / file for folder in self.config.html_static_path]
        source = Path(self.env.srcdir)
        return next((path.as_posix() for path in paths if (source / path).is_file()), None)


def visit_html(writer: Any, node: interactive) -> None:
    """Open the custom element; until it is set up, it shows what is inside."""
    alt = escape(node["alt"], quote=True)
    name = node["name"]
    writer.body.append(f'<plain-{name} role="group" aria-label="{alt}" data-alt="{alt}">')


def depart_html(writer: Any, node: interactive) -> None:
    """Close the custom element."""
    writer.body.append(f"</plain-{node['name']}>\n")


def _only_the_fallback(writer: Any, node: interactive) -> None:
    """Other builders write the children."""


def load_scripts(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Load a widget's module on the pages that use it."""
    if doctree is not None:
        found = {node["name"]: node.get("later") for node in doctree.findall(interactive)}
        for name, later in found.items():
            held = {"data-later": "later"} if later else {}
            app.add_js_file(f"widgets/{name}.js", type="module", **held)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    fallback = (_only_the_fallback, _only_the_fallback)
    others = dict.fromkeys(("latex", "text", "man", "texinfo"), fallback)
    app.add_node(interactive, html=(visit_html, depart_html), **others)
    app.add_directive("interactive", Interactive)
    app.connect("html-page-context", load_scripts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
