"""Code as the page holds it: long lines are elements, and what has no colour of its own is none.

On a telephone a line goes on in the next row, two characters further in than it began
(``code.css``): code is read from top to bottom, and nobody has to push it left and right to see how
a line ends. What a cell prints is not broken, since columns stand in it; it scrolls, and its edge
shows that. A name in a table or heading may break after a dot or an underscore. Elsewhere the
elements change nothing, and what is copied is the same text.

Pygments makes an element of each name, bracket and blank, though ``code.css`` colours words, texts,
numbers and a few names only. The others were a quarter of a page's elements, which a telephone
reads and styles before it shows a word.
"""

import re
from html import unescape
from pathlib import Path
from typing import Any

from docutils import nodes
from pygments.token import STANDARD_TYPES
from sphinx.application import Sphinx

FITS = 36  # characters, on a screen of 320 pixels
MOST = 16  # characters by which a row is pushed in
SOURCE = re.compile(
    r'(<div class="cell_input docutils container">\s*<div class="[^"]*"><div class="highlight">'
    r"<pre>)(.*?)(</pre>)",
    re.DOTALL,
)


# After these a row may end, before it would end within a name.
BREAKS = re.compile(r'(<span class="(?:p|o|ow)">[^<]*[(\[{,.=]</span>)(?!\n)')

# A block of highlighted code; an element of it; and the kinds of words to which no colour is given.
CODE = re.compile(r'(<div class="highlight"><pre>)(.*?)(?=</pre>)', re.DOTALL)
TOKEN = re.compile(r'<span class="(\w+)">([^<]*)</span>')
STYLE = Path(__file__).parents[1] / "_static" / "code.css"
RULE = re.compile(r"\.highlight :is\(([^)]*)\) \{\s*color:")
COLOURED = re.findall(r"\w+", " ".join(RULE.findall(STYLE.read_text("utf-8"))))
PLAIN = frozenset(STANDARD_TYPES.values()).difference(COLOURED, {"go"})  # what is not copied

# Blanks for which a narrow screen has no room.
FAR = re.compile(rf"^( {{{MOST - 2}}})( +)")

# Where a long name has little room, and its joints.
NARROW = re.compile(r"<(table|h[12])\b.*?</\1>", re.DOTALL)
NAME = re.compile(r'(?<=<span class="pre">)[^<]{13,}(?=</span>)|(?<=<h[12]>)[^<]+')
JOINT = re.compile(r"(?<=[a-zA-Z][_.])(?=\w)")


def line(code: str) -> str:
    """Wrap a line of highlighted code if it is long."""
    text = unescape(re.sub(r"<[^>]*>", "", code))
    if len(text.rstrip("\n")) <= FITS or code.count("<span") != code.count("</span>"):
        return code
    inside = min(MOST, len(text) - len(text.lstrip(" ")) + 2)
    broken = BREAKS.sub(r"\1<wbr>", code)
    broken = FAR.sub(r'\1<span class="far">\2</span>', broken)
    return f'<span class="line" style="--in:{inside}ch">{broken}</span>'


def wrapped(body: str) -> str:
    """Wrap the long lines of the code cells of a page."""

    def block(match: re.Match[str]) -> str:
        return match[1] + "".join(map(line, match[2].splitlines(keepends=True))) + match[3]

    return SOURCE.sub(block, body)


def plainer(body: str) -> str:
    """Take away the elements around code that has no colour of its own."""

    def token(match: re.Match[str]) -> str:
        return match[2] if match[1] in PLAIN else match[0]

    return CODE.sub(lambda code: code[1] + TOKEN.sub(token, code[2]), body)


def _names(part: re.Match[str]) -> str:
    return NAME.sub(lambda name: JOINT.sub("<wbr>", name[0]), part[0])


def wrap(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Wrap the long lines of a page's code, then take away what breaks need and colours do not."""
    if "body" in context:
        context["body"] = NARROW.sub(_names, plainer(wrapped(context["body"])))


def setup(app: Sphinx) -> dict[str, Any]:
    """Wrap when a page is written."""
    app.connect("html-page-context", wrap)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
