"""A node that is one HTML element: how the course's directives write their own markup."""

from html import escape
from typing import Any

from docutils import nodes

INLINE = ("a", "span")


class html_tag(nodes.General, nodes.TextElement):  # noqa: N801 - docutils names nodes so
    """One element with its attributes; other builders than HTML write the children alone."""


def tag(name: str, *children: nodes.Node, **attributes: str) -> html_tag:
    """Make an element: ``tag("p", nodes.Text("yes"), data_card="02-c01")``.

    In names of attributes ``_`` stands for ``-``, and one at the end is dropped (``class_``).
    """
    named = {key.strip("_").replace("_", "-"): value for key, value in attributes.items()}
    return html_tag("", "", *children, tag=name, attributes=named)


def visit(writer: Any, node: html_tag) -> None:
    """Open the element."""
    written = "".join(f' {key}="{escape(text)}"' for key, text in node["attributes"].items())
    writer.body.append(f"<{node['tag']}{written}>")


def depart(writer: Any, node: html_tag) -> None:
    """Close the element."""
    end = "" if node["tag"] in INLINE else "\n"  # a line's end would be a space in the text
    writer.body.append(f"</{node['tag']}>{end}")


def nothing(writer: Any, node: nodes.Element) -> None:
    """Leave other builders to the children."""
