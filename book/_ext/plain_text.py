"""The prose of a part of a page as one line of text, formulas included."""

import re
import unicodedata
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from docutils import nodes
from docutils.utils.math import latex2mathml
from html_tag import html_tag
from sphinx import addnodes

# What is no prose, or is told elsewhere: code and outputs, and the question cards.
SKIPPED = (
    nodes.literal_block,
    nodes.doctest_block,
    nodes.math_block,
    nodes.raw,
    nodes.comment,
    nodes.image,
    nodes.title,
    nodes.target,
    nodes.system_message,
    addnodes.toctree,
    addnodes.desc,
)
CELL = "cell"
TOLD = {"question-cards", "in-code", "keep-book"}  # by class; the last is a box with a button
BLOCKS = (nodes.paragraph, nodes.term, nodes.entry, nodes.caption, nodes.citation)
UNKNOWN = {"{,}": r"\text{,}", r"\dots": r"\ldots", r"\big": "", r"\Big": "", r"\textit": r"\text"}
HIGH = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻ⁿᵀ"
SCRIPTS = str.maketrans("0123456789+-−n⊤", HIGH)
LETTERS = re.compile("[\U0001d400-\U0001d7ff]")  # bold, script and so on, each a sign of its own
RELATION = re.compile(r"\s*[=≈≤≥<>+−→∝&]|\s*$")  # a cell that goes on with the one before it
APPLIED = "\N{FUNCTION APPLICATION}"


def paragraphs(part: nodes.Element) -> Iterator[str]:
    """Give the text of each block of prose, in order, without those of the sections within."""
    for child in part.children:
        if not isinstance(child, nodes.Element) or isinstance(child, (nodes.section, *SKIPPED)):
            continue
        if CELL in child["classes"] and child.get("nb_element"):
            continue
        made = child["attributes"] if isinstance(child, html_tag) else {}
        if TOLD.intersection([*child["classes"], made.get("class")]):
            continue
        if isinstance(child, BLOCKS) and not _holds_blocks(child):
            if text := inline(child):
                yield text
        else:
            yield from paragraphs(child)


def _holds_blocks(node: nodes.Element) -> bool:
    return any(isinstance(child, (*BLOCKS, nodes.bullet_list)) for child in node.children)


def inline(node: nodes.Node) -> str:
    """Return the text of a heading or a paragraph, its formulas readable."""
    return " ".join("".join(_texts(node)).split())


def _texts(node: nodes.Node) -> Iterator[str]:
    if isinstance(node, nodes.Text):
        yield str(node)
    elif isinstance(node, nodes.math):
        yield formula(node.astext())
    elif "chapter-number" in getattr(node, "attributes", {}).get("classes", ()):
        return  # who shows the words says the number too
    elif not isinstance(node, (nodes.raw, nodes.footnote_reference, nodes.image)):
        for child in node.children:
            yield from _texts(child)


def formula(latex: str) -> str:
    r"""Return a formula as it is typed: ``\frac{a}{\sqrt d}`` as ``a/√d``."""
    for name, known in UNKNOWN.items():
        latex = re.sub(re.escape(name) + r"(?![a-zA-Z])", lambda _, new=known: new, latex)
    latex = latex.replace("{split}", "{aligned}")
    latex = re.sub(r"(\\\\)\[[\d.]+(?:pt|em|ex)\]", r"\1", latex)  # more room below a row
    latex = re.sub(r"\\[td]?frac(\d)(\d)", r"\\frac{\1}{\2}", latex)
    try:
        tree = latex2mathml.parse_latex_math(latex2mathml.math(), latex)
    except (latex2mathml.MathError, SyntaxError, AttributeError):
        return " ".join(re.sub(r"\\[a-zA-Z]+|[{}\\]", " ", latex).split())
    typed = re.sub(r"\s+", " ", _typed(tree).replace("⊤", "ᵀ").replace(APPLIED, "")).strip()
    return re.sub(r"(^|[(=,⋅/] ?)− ", r"\1−", typed)


def _typed(node: Element) -> str:
    name = type(node).__name__
    parts = [_typed(child) for child in node]
    if name == "mtable":
        return "; ".join(part.strip() for part in parts)
    if name == "mtr":
        return " ".join(parts) if RELATION.match(parts[-1]) else ", ".join(p.strip() for p in parts)
    if name == "mfrac":
        return "/".join(_together(part) for part in parts)
    if name == "msqrt":
        return "√" + _together("".join(parts))
    if name == "msup" or (name == "mover" and len(parts) == 2):
        return parts[0] + _power(parts[1])
    if name == "msubsup":
        return f"{parts[0]}_{parts[1]}{_power(parts[2])}"
    if name == "msub":
        return "_".join(parts)
    if name == "mspace":
        return " "
    text = "".join(parts) or LETTERS.sub(_upright, str(node.text or ""))
    if name == "mo" and text == ",":
        return ", "
    if name == "mo" and node.get("form") != "prefix" and text in "=≈≤≥<>+−⋅∝→∼≪≫≠":
        return f" {text.strip()} " if text.strip() else ""
    return f" {text} " if name == "mtext" and text != "," else text


def _upright(letter: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", letter[0])


def _together(text: str) -> str:
    return text if len(text.strip("( )")) <= 2 or " " not in text.strip() else f"({text.strip()})"


def _power(text: str) -> str:
    high = text.replace(" ", "").translate(SCRIPTS)
    return high if set(high) <= set(HIGH) else f"^{_together(text)}"
