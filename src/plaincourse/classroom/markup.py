"""Build HTML in which text is escaped by default."""

import re
from collections.abc import Iterable, Sequence
from html import escape

_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


class Html(str):
    """Text that is already HTML. Values of other types are escaped before they are inserted."""

    __slots__ = ()


#: An underscore, after which a line may break.
_BREAK = Html("_<wbr>")


def html(value: object) -> Html:
    """Return a value as HTML: escaped, unless it is already HTML.

    Characters that a page cannot show, or that change the direction of text, are shown by their
    code.
    """
    if isinstance(value, Html):
        return value
    return Html(escape(_HIDDEN.sub(_visible, str(value)), quote=True))


def join(parts: Iterable[object], by: str = "") -> Html:
    """Join values into one piece of HTML."""
    return Html(html(by).join(html(part) for part in parts))


def tag(name: str, *inside: object, **attributes: object) -> Html:
    """Return an element.

    Args:
        name: the element's name.
        *inside: its content.
        **attributes: its attributes; ``_`` becomes ``-``, and a final ``_`` is dropped.
    """
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html(value)}"' for key, value in attributes.items()
    )
    return Html(f"<{name}{shown}>{join(inside)}</{name}>")


def code(text: str) -> Html:
    """Return a sentence as HTML, with `code` between backticks set as code and the rest escaped."""
    return Html(re.sub(r"`([^`]+)`", r"<code>\1</code>", html(text)))


def prose(text: str) -> Html:
    """Return a sentence of the bank as HTML: `code` in backticks, emphasis between stars."""
    said = code(text)
    return Html(re.sub(r"(?<![\w*])\*(\w[^*<]*\w|\w)\*(?![\w*])", r"<em>\1</em>", said))


def table(
    caption: str, heads: Sequence[str], rows: Iterable[Sequence[object]], *, said: bool = False
) -> Html:
    """Return a table that scrolls within a narrow page.

    The first cell of a row is its heading. A head that ends in ``#`` marks a column of numbers, and
    one that ends in ``~`` a column of sentences.

    Args:
        caption: the table's description; unique on the page.
        heads: the columns' headings.
        rows: the cells.
        said: whether the heading above repeats the caption, so that only screen readers need it.
    """
    kinds = [{"#": "n", "~": "p"}.get(head[-1], "t") for head in heads]
    top = join(
        tag("th", join(head.rstrip("#~").split("_"), by=_BREAK), scope="col", class_=kind)
        for head, kind in zip(heads, kinds, strict=True)
    )
    body = join(
        tag(
            "tr",
            tag("th", row[0], scope="row", class_="t"),
            *(tag("td", cell, class_=kind) for cell, kind in zip(row[1:], kinds[1:], strict=True)),
        )
        for row in rows
    )
    hidden = {"class_": "hidden"} if said else {}
    inside = tag(
        "table",
        tag("caption", tag("span", caption), **hidden),
        tag("thead", tag("tr", top)),
        tag("tbody", body),
    )
    return tag("div", inside, class_="scroll", role="region", aria_label=caption, tabindex="0")


def number(value: float | None, digits: int = 2) -> str:
    """Return a number with at most ``digits`` decimals, without trailing zeros."""
    if value is None:
        return "–"
    shown = f"{value:.{digits}f}"
    shown = shown.rstrip("0").rstrip(".") if "." in shown else shown
    return "0" if shown == "-0" else shown.replace("-", "−")


def percent(share: float | None) -> str:
    """Return a share as a whole percentage."""
    return "–" if share is None else f"{100 * share:.0f}\N{NO-BREAK SPACE}%"


def count(how_many: int, one: str, more: str = "") -> str:
    """Return a number with its noun: ``1 student``, ``3 students``."""
    return f"{how_many} {one if how_many == 1 else more or one + 's'}"


def _visible(found: re.Match[str]) -> str:
    return f"[U+{ord(found.group()):04X}]"
