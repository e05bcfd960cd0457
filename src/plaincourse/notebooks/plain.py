r"""A chapter's notebook for JupyterLab, Colab and the code host.

The text of a chapter is written in MyST, whose directives, roles and labels only the site reads.
Here each of them becomes Markdown that every viewer renders: quotes, ``<details>``, ``$$``, links,
pictures. The output of a prediction's cells is closed, and the assertions at their end move into a
cell of its own whose code is closed. :func:`dressed` is the way back, for the site and for the
rules of the book: the text as written, with the outputs of the plain notebook.

A directive or role without a plain form is refused by name.
"""

import copy
import re
from collections.abc import Callable
from pathlib import Path

from nbformat import NotebookNode, v4

from plaincourse.cards import cards
from plaincourse.exercise import bank
from plaincourse.notebooks import counting
from plaincourse.notebooks.folds import ANSWER, BOX, may_show, split
from plaincourse.notebooks.page import PageError, anchor, named
from plaincourse.notebooks.references import NEEDED, References

_FENCE = re.compile(r"^(([`~:])\2{2,})(.*)\n((?:.*\n)*?)\1\2*[ ]*$", re.M)
_DIRECTIVE = re.compile(r"\{([\w:-]+)\}\s*(.*)")
_OPTION = re.compile(r"\A:([\w-]+):[ ]*(.*)(?:\n|\Z)")
_LABEL = re.compile(r"^\(([\w-]+)\)=\n", re.M)
_SPAN = re.compile(
    r"\{(?P<role>[\w:]+)\}`(?P<content>[^`]+)`"
    r"|(?P<code>(`+)(?!`).+?(?<!`)\4(?!`))"
    r"|(?P<math>\$\$.+?\$\$|\$[^$\n]+(?:\n[^$\n]+)?\$)"
    r"|(?P<escaped>\\[$`])"
    r"|(?P<picture>!)?\[(?P<words>[^\]]*)\]\((?P<target>[^)\s]*)(?P<tip>\s+\"[^\"]*\")?\)",
    re.S,
)
_DISPLAY = re.compile(r"\$\$\s*(.+?)\s*\$\$", re.S)
_CHECKED = "# @title What the cell above shows, checked"
"""The visible line of a closed cell in Jupyter; Colab uses it as a title."""
_TITLE = re.compile(r"\A# .+")
_ANCHOR = re.compile(r"\0([\w-]+)\0")
_CODE = re.compile(r"^([ >]*)(([`~])\3{2,})(?![ ]*\{).*\n(?:.*\n)*?\1\2\3*[ ]*$", re.M)
_TICKS = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.S)
_MATH = re.compile(r"(?<!\\)(\$\$?)[^$]+?\1")
_LEFT = {
    "a comment or break of MyST": re.compile(r"^(?:%(?:[ ].*|$)|\+\+\+.*)", re.M),
    "a footnote": re.compile(r"\[\^[\w-]+\]"),
    "a substitution": re.compile(r"\{\{.*?\}\}"),
}
"""Constructs that only the site reads, and that :class:`_Words` does not convert."""
_FENCES = re.compile(r"^[ >]*(?:`{3,}|~{3,}|:{3,}).*", re.M)
_LABELS = re.compile(r"^[ >]*\([\w-]+\)=[ ]*$|^\$\$[ ]*\([\w-]+\)", re.M)
_ROLE = re.compile(r"\{[a-z][\w:.-]*\}`")
_BLOCK = re.compile(r"[-*+] |\d+\. |#+ |```|~~~|\$\$|!\[|<|\|")
_ASKED = {"equation": "code", "figure": "alt", "interactive": "alt", "exercise": "label"}
"""The option that a directive needs for its plain form."""
_IN_WORDS = "The picture in words"
_CLOSED_CODE = {"hide-input", "remove-cell", "hide-cell"}
_CLOSED_OUTPUT = {"hide-output", "remove-cell"}


def plain(rich: NotebookNode, page: Path, references: References) -> NotebookNode:
    """Return the plain notebook, with the outputs and counts of ``rich``.

    Args:
        rich: a chapter from :func:`plaincourse.notebooks.page.read_text`, run or not.
        page: its text, to name it in errors.
        references: the targets of its labels, citations and names of code.

    Raises:
        PageError: a directive, a role, a label or a citation is not known.
    """
    notebook = copy.deepcopy(rich)
    notebook.cells = []
    words = _Words(page.stem, references)
    asked = False  # whether a prediction above still lacks its verdict
    for cell in copy.deepcopy(rich.cells):
        if cell.cell_type == "code":
            alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt")
            notebook.cells += _code(cell, predicted=asked)
            if alt:  # no notebook viewer shows the alt text of a cell's picture
                notebook.cells.append(v4.new_markdown_cell(_details(_IN_WORDS, alt)))
            continue
        try:
            source = _verdict(cell.source) if asked else cell.source
            cell.source = words.markdown(source).strip("\n")
            _refuse_left(cell.source)
            if not notebook.cells:
                cell.source = _TITLE.sub(words.elsewhere, cell.source, count=1)
        except (PageError, cards.CardError, LookupError) as error:
            raise PageError(f"{page}: {error}") from None
        asked = bool(BOX.search(source))
        notebook.cells += _at_anchors(cell)
    counts = [cell for cell in notebook.cells if cell.cell_type == "code"]
    if all(cell.execution_count for cell in counts):
        for count, cell in enumerate(counts, start=1):
            cell.execution_count = count
    return named(notebook)


def dressed(rich: NotebookNode, have: NotebookNode) -> NotebookNode:
    """Return the text's own notebook with the outputs of the plain one made from it.

    Args:
        rich: a chapter from :func:`plaincourse.notebooks.page.read_text`.
        have: its plain notebook.

    Raises:
        PageError: the plain notebook has other code.
    """
    notebook = copy.deepcopy(rich)
    left = [cell for cell in have.cells if cell.cell_type == "code"]
    in_order = [cell.execution_count for cell in left] == list(range(1, len(left) + 1))
    asked, count = False, 0
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type != "code":
            asked = bool(BOX.search(cell.source))
            continue
        parts = _code(copy.deepcopy(cell), predicted=asked)
        taken, left = left[: len(parts)], left[len(parts) :]
        if [part.source for part in parts] != [part.source for part in taken]:
            raise PageError(f"cell {number}: its notebook has other code. Run: plaincourse sync")
        cell.outputs = [output for part in taken for output in part.outputs]
        count += 1
        cell.execution_count = count if in_order else taken[0].execution_count
    if left:
        raise PageError(f"its notebook has {len(left)} code cells more. Run: plaincourse sync")
    return notebook


def _code(cell: NotebookNode, *, predicted: bool) -> list[NotebookNode]:
    """Close the parts of a cell that a reader need not see, or not yet."""
    tags = set(cell.metadata.get("tags", []))
    cell.metadata.pop("mystnb", None)
    shown, asserted = split(cell.source) if predicted and not _CLOSED_CODE & tags else ("", "")
    closed = {}
    if _CLOSED_CODE & tags and "setup" not in tags:
        closed["source_hidden"] = True
        cell.metadata["cellView"] = "form"  # the same, for Colab
    if (predicted and may_show(cell.source)) or _CLOSED_OUTPUT & tags:
        closed["outputs_hidden"] = True
    if closed:
        cell.metadata["jupyter"] = closed
        if "outputs_hidden" in closed:
            cell.metadata["collapsed"] = True  # Jupyter's older key, which Colab still uses
    if predicted and "remove-cell" in tags:  # closed code shows its first line
        cell.source = f"{_CHECKED}\n{cell.source}"
    if not asserted:
        return [cell]
    after = copy.deepcopy(cell)
    cell.source, after.source = shown, f"{_CHECKED}\n{asserted}"
    after.outputs = []
    after.metadata |= {"jupyter": {"source_hidden": True}, "cellView": "form"}
    after.metadata.pop("collapsed", None)
    return [cell, after]


def _at_anchors(cell: NotebookNode) -> list[NotebookNode]:
    """Split a text cell at each link target, because Colab jumps only to cells, by their ids."""
    before, *rest = _ANCHOR.split(cell.source)
    found = [(before, "")] + [
        each
        for label, text in zip(rest[::2], rest[1::2], strict=True)
        for each in ((anchor(label), label), (text, ""))
    ]
    cells = []
    for text, label in found:
        if text.strip():
            cells.append(copy.deepcopy(cell))
            cells[-1].source = text.strip("\n")
            cells[-1].id = label or cell.id
    return cells


def _verdict(source: str) -> str:
    """Put the text after a prediction's cells into a box: the verdict and the reasons."""
    parts = re.split(r"\n\s*\n", source.strip("\n"), maxsplit=2)
    if not ANSWER.match(parts[0]):
        return source
    kept = 2 if len(parts) > 1 and parts[1].startswith("- (") else 1
    rest = "\n\n".join(parts[kept:])
    fold = "\n\n".join(parts[:kept])
    return f"````{{dropdown}} The answer\n{fold}\n````\n\n{rest}".strip("\n")


def _refuse_left(source: str) -> None:
    """Refuse constructs that no notebook viewer reads, except in code.

    Raises:
        PageError: one is left in the plain Markdown.
    """
    text = _CODE.sub("", source)
    found = [("a fence that is indented or not closed", _FENCES.search(text))]
    text = _TICKS.sub("`", text)
    found += [("a role in a formula", _ROLE.search(text)), ("a label", _LABELS.search(text))]
    text = _MATH.sub("", text)
    found += [(what, pattern.search(text)) for what, pattern in _LEFT.items()]
    for what, match in found:
        if match:
            raise PageError(f"{what} has no form in a plain notebook: {match[0].strip()!r}")


def _details(summary: str, content: str) -> str:
    if re.search(r"[*`$<\[\]]", summary):
        raise PageError(f"the title {summary!r} of a closed box: expected words, no Markdown")
    if label := _ANCHOR.search(content):
        raise PageError(f"the label {label[1]} stands in a closed box; nothing can jump there")
    return f"<details>\n<summary>{summary}</summary>\n\n{content.strip()}\n\n</details>"


def _quoted(content: str) -> str:
    """Quote Markdown.

    A displayed formula is put on one line, because further lines would contain a ``>``.
    """
    content = _DISPLAY.sub(lambda m: "$$" + " ".join(m[1].split()) + "$$", content.strip())
    return "\n".join(f"> {line}".rstrip() for line in content.split("\n"))


class _Words:
    """The text of one chapter, converted to plain Markdown."""

    def __init__(self, page: str, references: References) -> None:
        self.page, self.references = page, references
        self.directives: dict[str, Callable[[str, dict[str, str], str], str]] = {
            "admonition": self.admonition,
            "dropdown": lambda title, _, body: _details(title, self.markdown(body)),
            "equation": self.equation,
            "figure": self.figure,
            "interactive": self.interactive,
            "exercise": self.exercise,
            "solution": lambda _, options, body: _details("Solution", self.markdown(body)),
            "cards": lambda chapter, *_: self.cards(chapter),
            "gate": lambda chapter, *_: self.gate(chapter),
            "minutes": lambda chapter, *_: self.minutes(chapter),
        }

    def markdown(self, source: str) -> str:
        """Convert Markdown, including the content of boxes."""
        parts, end = [], 0
        for fence in _FENCE.finditer(source):
            parts += [self.inline(source[end : fence.start()]), self.fence(fence)]
            end = fence.end()
        return "".join([*parts, self.inline(source[end:])])

    def fence(self, fence: re.Match[str]) -> str:
        """Convert one box; code is left as it is."""
        directive = _DIRECTIVE.match(fence[3].strip())
        if not directive:
            return fence[0]
        name, argument = directive.groups()
        if name not in self.directives:
            raise PageError(f"the directive {{{name}}} has no form in a plain notebook")
        options, body = {}, fence[4]
        while option := _OPTION.match(body):
            options[option[1]] = option[2]
            body = body[option.end() :]
        if (needed := _ASKED.get(name)) and not options.get(needed, "").strip():
            raise PageError(f"the directive {{{name}}} {argument} lacks its line :{needed}: …")
        return self.directives[name](argument.strip(), options, body.strip("\n"))

    def admonition(self, title: str, options: dict[str, str], body: str) -> str:
        """Return a box as a quote; its title leads a paragraph, or is above any other content."""
        text = self.markdown(body).strip()
        return _quoted(f"**{title}.**" + ("\n\n" if _BLOCK.match(text) else " ") + text)

    def inline(self, text: str) -> str:
        """Convert the roles, links and labels of running text."""
        text = _LABEL.sub(lambda m: self.anchor(m[1]), text)
        return _SPAN.sub(self.span, text)

    def span(self, match: re.Match[str]) -> str:
        """Convert one role or link; code and formulas are left as they are."""
        if match["role"]:
            return self.references.role(match["role"], match["content"], self.page)
        if match["target"] is None:
            return match[0]
        if match["picture"]:
            there = match["target"]
            there = there if "://" in there else self.references.picture(there)
            return f"![{match['words']}]({there})"
        target = self.references.target(match["target"], self.page)
        words = self.inline(match["words"]) or self.references.title(match["target"])
        return f"[{words}]({target}{match['tip'] or ''})"

    def anchor(self, label: str) -> str:
        """Mark a link target, if any page refers to it."""
        return f"\0{label}\0" if label in self.references.used else ""

    def elsewhere(self, title: re.Match[str]) -> str:
        """Add links to a chapter's other locations below its title, if they are known."""
        links = self.references.elsewhere(self.page)
        return f"{title[0]}\n\n{links}" if links else title[0]

    def equation(self, label: str, options: dict[str, str], body: str) -> str:
        """Return a displayed formula, then its number and a link to each implementing function."""
        names = [name.strip() for name in options.get("code", "").split(",")]
        code = ", ".join(self.references.code(name) for name in names)
        number = self.references.number(label)
        return f"{self.anchor(label)}$$\n{body}\n$$\n\nEquation ({number}), in code: {code}"

    def figure(self, path: str, options: dict[str, str], body: str) -> str:
        """Return a drawing with its number and caption."""
        label = options.get("name", path)
        picture = f"![{options['alt']}]({self.references.picture(path)})"
        number, caption = self.references.number(label), self.markdown(body).strip()
        return f"{self.anchor(label)}{picture}\n\n**Figure {number}.** {caption}"

    def interactive(self, name: str, options: dict[str, str], body: str) -> str:
        """Return a still of a picture that is interactive on the site, and its instructions."""
        still = self.references.picture(f"_static/widgets/{name}.png")
        live = self.references.live(self.page, f"interactive-{name}")
        return f"![{options['alt']}]({still})\n\n*{live}*\n\n{self.markdown(body)}"

    def exercise(self, title: str, options: dict[str, str], body: str) -> str:
        """Return a task with its number; its hint is a box in it."""
        label = options["label"]
        number = self.references.number(label)
        return f"{self.anchor(label)}**Exercise {number}. {title}**\n\n{self.markdown(body)}"

    def cards(self, chapter: str) -> str:
        """Return the question cards, each answer closed."""
        deck = cards.load(self.references.book / "cards" / f"{chapter}.yml")
        said = f"{len(deck)} questions. Answer each one aloud before you open its answer."
        parts = [said]
        for number, card in enumerate(deck, start=1):
            parts.append(f"**{number}.** {self.markdown(card.front.strip())}")
            parts.append(_details("Answer", self.markdown(card.back)))
        return "\n\n".join(parts)

    def minutes(self, chapter: str) -> str:
        """Return the minutes for each part of the chapter."""
        graded = sum(task.minutes for task in bank.counted(chapter))
        deck = cards.load(self.references.book / "cards" / f"{chapter}.yml")
        return counting.said(self.references.texts[self.page], cards=len(deck), graded=graded)

    def gate(self, chapter: str) -> str:
        """Return the conditions that open the gate, which is counted on the site."""
        points = sum(task.points for task in bank.counted(chapter))
        count = len(cards.load(self.references.book / "cards" / f"{chapter}.yml"))
        said = (
            f"**The gate of chapter {chapter}** opens with {NEEDED * points:g} of the {points:g} "
            f"points of the graded notebook, and with each of the {count} cards answered well "
            "once."
        )
        return f"{said} {self.references.gate(self.page)}"
