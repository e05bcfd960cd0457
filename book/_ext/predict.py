"""Predict, then run, then read on: what a cell shows stays closed until the reader has chosen.

:mod:`plaincourse.notebooks.folds` says how a prediction is written, and its rule refuses what
cannot be folded. Here the page is made of it: what the cell prints, what it asserts at its end, the
paragraph that begins with "It is (b)" and the reasons against the other options go into a
``<details>``, which opens without scripts too. ``_static/course/predict.js`` makes buttons of the
options, opens the rest when one is pressed, and remembers which. A self-test is folded alike.
"""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from docutils import nodes
from html_tag import html_tag, tag
from sphinx.application import Sphinx
from sphinx.util import logging

from plaincourse.notebooks.folds import ANSWER, OPTION, split

TITLES = ("Predict", "Self-test")
CLOSED = "See the output"

log = logging.getLogger(__name__)


def fold(app: Sphinx, document: nodes.document) -> None:
    """Fold what follows each prediction of a page."""
    chapter = app.env.docname.rpartition("/")[2][:2]
    if not chapter.isdigit():
        return
    for box in list(document.findall(nodes.admonition)):
        if box[0].astext() in TITLES:
            _fold(chapter, box)


def _fold(chapter: str, box: nodes.admonition) -> None:
    letters = [OPTION.match(item.astext()) for item in box.findall(nodes.list_item)]
    siblings = box.parent.children
    after = siblings[siblings.index(box) + 1 :]
    found = _until_answer(after)
    if len(letters) < 3 or not all(letters) or found is None:
        log.warning(
            "a prediction has three options or four, each beginning with its letter, "
            "then a cell that prints, then a paragraph that begins 'It is (b)', or another letter",
            location=box,
        )
        return
    right, rest = found
    if len(rest) < 2:
        log.warning("no cell stands between a prediction and its answer", location=box)
        return
    if right not in {letter[1] for letter in letters if letter}:
        log.warning("the answer is (%s), which is no option", right, location=box)
    asked = f"{chapter}-{sha256(box.astext().encode()).hexdigest()[:8]}"
    first, *others = rest
    output = _output(first)
    while output is None and len(others) > 1:  # a cell that only defines is read before one chooses
        first, *others = others
        output = _output(first)
    place = box.parent.index(first) + 1
    for node in others:
        box.parent.remove(node)
    if output is not None:
        first.remove(output)
        told = _asserted(first)
        others.insert(0, nodes.container("", *told, output, classes=["cell"]))
    box["classes"].append("predict")
    box["ids"].append(f"predict-{asked}")
    summary = tag("summary", nodes.Text(CLOSED))
    box.parent.insert(
        place,
        tag("details", summary, *others, class_="predicted", data_right=right, data_question=asked),
    )


def _until_answer(after: Sequence[nodes.Node]) -> tuple[str, list[nodes.Node]] | None:
    """Return the right letter, and the nodes up to the verdict and the reasons after it."""
    for number, node in enumerate(after):
        if isinstance(node, (nodes.section, nodes.admonition)):
            return None
        named = ANSWER.match(node.astext()) if isinstance(node, nodes.paragraph) else None
        if named:
            reasons = after[number + 1 : number + 2]
            found = [each for each in reasons if _says_why(each)]
            return named[1], [*after[: number + 1], *found]
    return None


def _says_why(node: nodes.Node) -> bool:
    """Say whether this is the list of why options are wrong; name its entries for the script."""
    if not isinstance(node, nodes.bullet_list):
        return False
    letters = [OPTION.match(item.astext()) for item in node.children]
    if not all(letters):
        return False
    node["classes"].append("predict-reasons")
    for item, letter in zip(node.children, letters, strict=True):
        if letter and isinstance(item, nodes.Element):
            item["classes"].append(f"against-{letter[1]}")
    return True


def _output(node: nodes.Node) -> nodes.Element | None:
    """Return what a code cell shows, where it is one and shows something."""
    for child in node.children:
        if isinstance(child, nodes.Element) and child.get("nb_element") == "cell_code_output":
            return child
    return None


def _asserted(cell: nodes.Node) -> list[nodes.Node]:
    """Take the asserts off the end of a cell's code, since they tell what it will show."""
    source = cell.children[0]
    blocks = list(source.findall(nodes.literal_block))
    if len(blocks) != 1:
        return []
    shown, asserted = split(blocks[0].astext())
    if not asserted:
        return []
    told = source.deepcopy()
    for block, part in ((blocks[0], shown), (told.next_node(nodes.literal_block), asserted)):
        block.children.clear()
        block += nodes.Text(part)
        block.rawsource = part
    return [told]


def load_scripts(
    app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Load the script and the style where a page has predictions."""
    tags = doctree.findall(html_tag) if doctree else []
    if any(node["attributes"].get("class") == "predicted" for node in tags):
        app.add_js_file("course/predict.js", type="module")
        app.add_css_file("course/components.css")


def setup(app: Sphinx) -> dict[str, Any]:
    """Fold when a page has been read."""
    app.setup_extension("course_components")  # it knows the node html_tag
    app.connect("doctree-read", fold)
    app.connect("html-page-context", load_scripts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
