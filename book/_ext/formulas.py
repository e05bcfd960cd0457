r"""Formulas set while the site is built, so that no reader's browser has to.

KaTeX, in one process of Node for the whole build, turns the TeX of each formula into HTML that
needs a style and fonts only, and MathML that screen readers speak. One that KaTeX refuses is a
warning with its page and line, which ends a strict build.

What follows a formula without a space, a comma or a bracket, stays on its line.
"""

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

from docutils import nodes
from plain_text import formula
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

logger = logging.getLogger(__name__)

SCRIPT = Path(__file__).with_suffix(".mjs")
STYLE = "vendor/katex/katex.css"
HOW = "Run `make book`, which sets up what the site needs, or `npm ci` and `npm run vendor`."
CLOSES = re.compile(r"\w*[^\w\s(\[“‘]*")
OPENS = re.compile(r"[(\[“‘]*$")
SHORT = 24  # letters of TeX: such a formula fits a telephone's line


class Setter:
    """KaTeX in a process of Node, and what it has set."""

    def __init__(self) -> None:
        """Start Node and set a first formula.

        Raises:
            ExtensionError: Node or KaTeX is not there.
        """
        self.done: dict[tuple[str, bool], dict[str, str]] = {}
        try:
            self.node = subprocess.Popen(
                ["node", str(SCRIPT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
            )
        except FileNotFoundError:
            raise ExtensionError(
                f"formulas are set by Node, and no `node` is on the path. Install Node 20+. {HOW}"
            ) from None
        try:
            self("x", False)
        except (BrokenPipeError, json.JSONDecodeError):
            said = self.node.communicate()[1].strip().splitlines()
            problem = next((line for line in said if "Error" in line), "it said nothing")
            raise ExtensionError(
                f"KaTeX, which sets formulas, does not run: {problem}. {HOW}"
            ) from None

    def __call__(self, tex: str, display: bool) -> dict[str, str]:
        """Return the formula as ``html``, or why it was ``refused``."""
        key = (tex, display)
        if key not in self.done:
            assert self.node.stdin is not None
            assert self.node.stdout is not None
            self.node.stdin.write(json.dumps({"tex": tex, "display": display}) + "\n")
            self.node.stdin.flush()
            self.done[key] = json.loads(self.node.stdout.readline())
        return self.done[key]


_setters: dict[int, Setter] = {}


def setter() -> Setter:
    """Return the setter of this process: one that writes pages beside others has its own."""
    if os.getpid() not in _setters:
        _setters[os.getpid()] = Setter()
    return _setters[os.getpid()]


def set_formula(writer: Any, tex: str, display: bool, node: nodes.Node) -> str:
    """Set one formula; say so when it is refused.

    In an EPUB it is MathML only, with its words for a reader that cannot show it.
    """
    answer = setter()(tex, display)
    if "html" not in answer:
        logger.warning("formula %r: %s", tex, answer["refused"], location=node)
    if "html" in answer and writer.builder.name == "epub":
        words = writer.attval(formula(tex) or tex)
        return answer["mathml"].replace("<math", f'<math alttext="{words}"', 1)
    return answer.get("html", "")


def aligned(text: str) -> str:
    r"""Return the TeX of a displayed formula, whose blank lines and ``\\`` begin new lines."""
    parts = [part for part in text.split("\n\n") if part.strip()]
    parts = [rf"\begin{{split}}{part}\end{{split}}" if r"\\" in part else part for part in parts]
    joined = r"\\".join(parts)
    return joined if len(parts) == 1 else rf"\begin{{aligned}}{joined}\end{{aligned}}"


def visit_inline(writer: Any, node: nodes.math) -> None:
    """Write a formula within text, and what must stay beside it."""
    before, after = (writer.encode(node.get(side, "")) for side in ("before", "after"))
    joined = " joined" if before or after else ""
    # Browsers break between a formula that may break and what touches it.
    joined += " whole" if joined and len(node.astext()) <= SHORT else ""
    writer.body.append(
        writer.starttag(node, "span", "", CLASS=f"math notranslate nohighlight{joined}")
    )
    writer.body.append(f"{before}{set_formula(writer, node.astext(), False, node)}{after}</span>")
    raise nodes.SkipNode


def visit_display(writer: Any, node: nodes.math_block) -> None:
    """Write a displayed formula with its number and the link to it."""
    writer.body.append(writer.starttag(node, "div", CLASS="math notranslate nohighlight"))
    if node.get("number"):
        writer.body.append(f'<span class="eqno">({get_node_equation_number(writer, node)})')
        writer.add_permalink_ref(node, "Link to this equation")
        writer.body.append("</span>")
    tex = node.astext() if node.get("nowrap") else aligned(node.astext())
    writer.body.append(f"{set_formula(writer, tex, True, node)}</div>\n")
    raise nodes.SkipNode


class Join(SphinxPostTransform):
    """Take the letters and marks that touch a formula into it."""

    default_priority = 900
    formats = ("html",)

    def run(self, **kwargs: Any) -> None:
        """Move them from the text before and after."""
        for math in list(self.document.findall(nodes.math)):
            place = math.parent.index(math)
            after = math.next_node(descend=False, siblings=True)
            if isinstance(after, nodes.Text) and (found := CLOSES.match(after)) and found[0]:
                math["after"] = found[0]
                math.parent[place + 1] = nodes.Text(after[found.end() :])
            before = math.parent[place - 1] if place else None
            if isinstance(before, nodes.Text) and (found := OPENS.search(before)) and found[0]:
                math["before"] = found[0]
                math.parent[place - 1] = nodes.Text(before[: found.start()])


def need_katex(app: Sphinx) -> None:
    """Stop before anything is read where formulas could not be set."""
    if app.builder.format != "html":
        return
    folders = [Path(app.srcdir) / folder for folder in app.config.html_static_path]
    if not any((folder / STYLE).is_file() for folder in folders):
        raise ExtensionError(f"{STYLE} is in none of {app.config.html_static_path}. {HOW}")
    setter()


def load_style(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Load the style where a page, or what it says of its neighbours, has a formula."""
    neighbours = [(context.get(each) or {}).get("title", "") for each in ("prev", "next")]
    if any('class="katex' in text for text in [context.get("body", ""), *neighbours]):
        app.add_css_file(STYLE)


def finish(app: Sphinx, error: Exception | None) -> None:
    """End Node."""
    if found := _setters.pop(os.getpid(), None):
        found.node.communicate()


def setup(app: Sphinx) -> dict[str, Any]:
    """Take the place of MathJax."""
    app.add_html_math_renderer("katex", (visit_inline, None), (visit_display, None))
    app.add_post_transform(Join)
    app.connect("builder-inited", need_katex)
    app.connect("html-page-context", load_style)
    app.connect("build-finished", finish)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
