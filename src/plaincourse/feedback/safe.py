"""Sanitise untrusted HTML and Markdown, so that the result can only be read."""

import re
from functools import lru_cache
from typing import Any

import mistune
import tinycss2  # type: ignore[import-untyped]
from bleach.sanitizer import Cleaner  # type: ignore[import-untyped]

from plaincourse.feedback.tex import formulas

_TAGS = frozenset(
    "a abbr b blockquote br caption code dd del details div dl dt em figcaption figure h1 h2 h3 h4 "
    "h5 h6 hr i img ins kbd li mark ol p pre q s samp small span strong sub summary sup table "
    "tbody td tfoot th thead tr u ul var".split()
)
_ATTRIBUTES = frozenset("alt colspan height open rowspan scope start style title width".split())
#: More attributes of the course's reports; outputs with them could imitate a report.
_OURS = frozenset("aria-hidden aria-label data-ladder role tabindex".split())
_PROPERTIES = frozenset(
    "background background-color border border-bottom border-collapse border-left border-radius "
    "border-right border-top color cursor display font-family font-size font-style font-weight "
    "height line-height list-style margin margin-bottom margin-left margin-right margin-top "
    "max-width min-width overflow-x padding padding-left padding-right text-align "
    "text-decoration vertical-align white-space width".split()
)
_LENGTHS = frozenset({"number", "percentage", "dimension"})
_WORDS = frozenset({"comment", "hash", "ident", "literal", "string", "whitespace"})
_FUNCTIONS = frozenset({"rgb", "rgba", "hsl", "hsla"})  # not those that compute a length
_PICTURE = re.compile(r"data:image/(png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/=\s]+")
_UNSEEN = re.compile(r"<(script|style|template|title)\b.*?(</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_HEADING = re.compile(r"(</?h)([1-6])\b")
_IMAGE = re.compile(r"""<img((?:"[^"]*"|'[^']*'|[^"'>])*)>""")
_VALUE = re.compile(r"""\s([\w-]+)=(?:"([^"]*)"|'([^']*)')""")


class _Style:
    """Keep only the parts of a style attribute that cannot load, cover or move anything."""

    def sanitize_css(self, style: str) -> str:
        kept = [
            token
            for token in tinycss2.parse_declaration_list(style)
            if token.type == "declaration"
            and token.lower_name in _PROPERTIES
            and all(_plain(value) for value in token.value)
        ]
        return str(tinycss2.serialize(kept)).strip()


def _plain(value: Any) -> bool:
    """Return whether a value is a word, a colour, or a length that cannot make boxes overlap."""
    if value.type == "function":
        return value.lower_name in _FUNCTIONS and all(_plain(each) for each in value.arguments)
    if value.type in _LENGTHS:
        return bool(value.value >= 0)
    return value.type in _WORDS


def _ours(tag: str, name: str, value: str) -> bool:
    return name in _OURS or _attribute(tag, name, value)


def _attribute(tag: str, name: str, value: str) -> bool:
    if name == "href":
        return tag == "a" and bool(re.match(r"(https?://|mailto:)", value))
    if name == "src":
        return tag == "img" and bool(_PICTURE.fullmatch(value))
    return name in _ATTRIBUTES


@lru_cache(maxsize=2)
def _cleaner(ours: bool) -> Cleaner:
    return Cleaner(
        tags=_TAGS,
        attributes=_ours if ours else _attribute,
        protocols={"http", "https", "mailto", "data"},
        strip=True,
        strip_comments=True,
        css_sanitizer=_Style(),
    )


def safe_html(text: str, *, ours: bool = False) -> str:
    """Return HTML that can neither run nor load anything.

    Tags, attributes, styles and pictures that are not known to be harmless are dropped; their text
    is kept, and a picture's alternative text. Links are kept, since they load nothing until they
    are followed. Classes, ids, roles and data attributes are kept only in the course's own reports.

    Args:
        text: the HTML.
        ours: whether it is a report of the course.
    """
    return _IMAGE.sub(_picture_or_words, _cleaner(ours).clean(_UNSEEN.sub("", text)))


def _picture_or_words(image: re.Match[str]) -> str:
    known = attributes(image[1])
    return image[0] if "src" in known else known.get("alt", "")


def attributes(text: str) -> dict[str, str]:
    """Return the attributes in a tag of clean HTML, with their values as written."""
    return {name: double or single for name, double, single in _VALUE.findall(text)}


def safe_markdown(text: str, pictures: Any = None, *, level: int = 3, typed: bool = False) -> str:
    """Convert Markdown to harmless HTML, with formulas as MathML.

    Args:
        text: the Markdown of a notebook's cell.
        pictures: the cell's attachments: by name, by type, in base64.
        level: the level of its highest headings, so that they fit below those of the page.
        typed: whether formulas stay as typed, for a page with MathJax.
    """
    for name, kinds in (pictures or {}).items():
        for kind, content in kinds.items():
            if isinstance(content, str):
                text = text.replace(f"attachment:{name}", f"data:{kind};base64,{content}")
    text, put_back = formulas(text, typed=typed)
    html = safe_html(_markdown()(text))
    return put_back(below(html, level))


def below(html: str, level: int) -> str:
    """Lower every heading, so that it fits into the outline of the page."""
    found = [int(number) for _, number in _HEADING.findall(html)]
    down = max(0, level - min(found, default=level))
    return _HEADING.sub(lambda m: f"{m[1]}{min(6, int(m[2]) + down)}", html)


@lru_cache(maxsize=1)
def _markdown() -> Any:
    return mistune.create_markdown(
        escape=False, plugins=["table", "strikethrough"], renderer=_Renderer(escape=False)
    )


class _Renderer(mistune.HTMLRenderer):
    """Keep pictures that are attached to a cell; :func:`safe_html` checks them again."""

    def safe_url(self, url: str) -> str:
        return url if url.startswith("data:image/") else str(super().safe_url(url))
