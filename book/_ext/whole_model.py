"""The whole model at the head of each chapter: its parts, each a link, the chapter's own in colour.

The picture is made of nested lists, so it wraps on a telephone, and a screen reader reads it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from docutils import nodes
from numbering import CHAPTER
from sphinx.application import Sphinx

NAME = "The whole model, and the part of this chapter"


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of the model.

    Attributes:
        name: as the picture shows it.
        chapter: two digits; the chapter that builds it.
        inside: the parts in its frame; without any it is a box.
        then: whether an arrow leads to it from the part before it.
    """

    name: str
    chapter: str
    inside: tuple["Part", ...] = ()
    then: bool = False


ATTENTION = Part(
    name="Attention",
    chapter="01",
    inside=(
        Part(name="scores", chapter="02"),
        Part(name="mask", chapter="03"),
        Part(name="heads", chapter="04"),
        Part(name="online softmax", chapter="11"),
        Part(name="tiles", chapter="12"),
        Part(name="KV cache", chapter="13"),
    ),
)
LAYERS = Part(
    name="N layers",
    chapter="07",
    inside=(ATTENTION, Part(name="norms, residuals, feed-forward", chapter="06", then=True)),
    then=True,
)
MODEL = (
    Part(name="position", chapter="05"),
    LAYERS,
    Part(name="next word", chapter="14", then=True),
)
AROUND = (
    Part(name="training", chapter="08"),
    Part(name="a look inside", chapter="09"),
    Part(name="costs", chapter="10"),
    Part(name="long texts", chapter="15"),
    Part(name="serving", chapter="16"),
    Part(name="your own", chapter="17"),
)


def picture(here: str, addresses: Mapping[str, str]) -> str:
    """Return the picture for a chapter, as HTML.

    Args:
        here: two digits.
        addresses: of each chapter, by its two digits; a chapter without one is not a link.
    """

    def named(part: Part) -> str:
        words = f'{escape(part.name)} <span class="whole-number">{part.chapter}</span>'
        if part.chapter == here:
            return f'<span class="whole-name" aria-current="page">{words}</span>'
        if part.chapter not in addresses:
            return f'<span class="whole-name">{words}</span>'
        return f'<a class="whole-name" href="{escape(addresses[part.chapter])}">{words}</a>'

    def row(parts: Sequence[Part], kind: str) -> str:
        return f'<ul class="{kind}">{"".join(map(item, parts))}</ul>'

    def item(part: Part) -> str:
        classes = ["whole-frame"] * bool(part.inside) + ["whole-then"] * part.then
        classes += ["whole-here"] * (part.chapter == here)
        inside = row(part.inside, "whole-inside") if part.inside else ""
        return f'<li class="{" ".join(classes)}">{named(part)}{inside}</li>'

    rows = row(MODEL, "whole-model") + row(AROUND, "whole-around")
    return f'<nav class="whole" aria-label="{NAME}">{rows}</nav>'


def chapters(documents: Sequence[str]) -> dict[str, str]:
    """Return the page of each chapter among the pages of a book."""
    found = {name: CHAPTER.fullmatch(name) for name in sorted(documents)}
    return {match[1]: name for name, match in found.items() if match}


def insert(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Put the picture under the title of a chapter."""
    match = CHAPTER.fullmatch(page)
    if match and app.builder.name == "html":
        pages = chapters(list(app.env.found_docs))
        to = {number: app.builder.get_relative_uri(page, name) for number, name in pages.items()}
        title, end, text = context["body"].partition("</h1>")
        context["body"] = f"{title}{end}{picture(match[1], to)}{text}" if end else title


def setup(app: Sphinx) -> dict[str, Any]:
    """Listen to each page."""
    app.connect("html-page-context", insert)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
