"""The directives ``{front}`` and ``{chapter-cards}``: the course on one screen, and its chapters.

The grid of attention is plain HTML: a radio button for each word and a checkbox for the mask. What
they show is in the page and chosen by its style, so that the grid needs no script. Its numbers are
the package's own, computed when the page is made.
"""

import re
from html import escape

import torch
from component import Component, mastery_data
from course_map import chapters
from docutils import nodes
from html_tag import tag
from map_drawing import Chapter

from plaincourse.notebooks.counting import core
from plainformer import attention_weights, masks

# Two numbers for each word, chosen by hand: an axis of water and one of money.
SENTENCE = {
    "the": (0, 0), "river": (3, 0), "bank": (1, 1), "was": (0, 0), "eroding": (2, 0),
}  # fmt: skip
SPOKEN_OF = "bank"  # the row that is chosen at first
PRACTICE = re.compile(r"^`{3,}\{exercise\}", re.MULTILINE)


class Front(Component):
    """What this is, where it starts, and the grid to touch."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """Write the text and its buttons, then the grid."""
        found = chapters(self.data("chapters.yml"), self.concepts(), self.env.found_docs)
        first = next((chapter for chapter in found if chapter.document), None)
        text = tag("div", *self.markdown("\n".join(self.content)), class_="front-text")
        if first:
            words = nodes.inline("", f"Start chapter {first.id}")
            start = tag("span", self.page(first.document, words), class_="front-start")
            colab = self.in_colab(f"{first.document}.ipynb", "Open in Colab")
            text += tag("p", start, *([colab] if colab else []), class_="front-buttons")
        return [tag("div", text, grid(), class_="front"), self.facts(found)]

    def facts(self, found: list[Chapter]) -> nodes.Node:
        """Count what there is: a list of numbers, each with what it counts."""
        written = [chapter for chapter in found if chapter.document]
        texts = [self.text(chapter.document) for chapter in written]
        counted = {
            "chapters": len(written),
            "hours to read and run": round(sum(core(text).minutes for text in texts) / 60),
            "exercises with hints": sum(len(PRACTICE.findall(text)) for text in texts),
            "graded tasks": sum(len(self.tasks(chapter.id)) for chapter in written),
            "question cards": sum(len(self.cards(chapter.id)) for chapter in written),
        }
        pairs = [
            tag("div", tag("dt", nodes.Text(what)), tag("dd", nodes.Text(str(number))))
            for what, number in counted.items()
        ]
        return tag("dl", *pairs, class_="front-facts")


class ChapterCards(Component):
    """One card a chapter: what it shows, how long it takes, what it needs."""

    def run(self) -> list[nodes.Node]:
        """Write the parts, each with its chapters."""
        found = chapters(self.data("chapters.yml"), self.concepts(), self.env.found_docs)
        box = tag("div", class_="chapter-cards")
        for number, part in enumerate(dict.fromkeys(chapter.part for chapter in found)):
            numeral = ("I", "II", "III", "IV", "V")[number]
            name = nodes.Text(f"{numeral} · {part}")
            box += tag("p", name, class_="part-name", id=f"part-{number}")
            cards = [self.card(chapter) for chapter in found if chapter.part == part]
            box += tag("ol", *cards, class_="chapter-list", aria_labelledby=f"part-{number}")
        return [box]

    def card(self, chapter: Chapter) -> nodes.Node:
        """Write one card; the script adds how far the reader is."""
        title: nodes.Node = nodes.Text(chapter.title)
        if chapter.document:
            title = self.page(chapter.document, nodes.inline("", chapter.title))
        about, data = ["planned"], dict[str, str]()
        if chapter.document:
            graded = sum(task.minutes for task in self.tasks(chapter.id))
            about = [
                f"read {core(self.text(chapter.document)).minutes} min",
                f"graded {graded:g} min",
            ]
            about.append("needs " + ", ".join(chapter.needs) if chapter.needs else "needs no other")
            data = mastery_data(chapter.id, self.cards(chapter.id), self.points(chapter.id))
        return tag(
            "li",
            tag("span", nodes.Text(chapter.id), class_="card-number"),
            tag("p", title, class_="card-title"),
            tag("p", nodes.Text(chapter.shows), class_="card-shows"),
            tag("p", nodes.Text(" · ".join(about)), class_="card-about"),
            class_="chapter-card",
            **data,
        )  # fmt: skip


def grid() -> nodes.Node:
    """Draw who looks at whom, with a causal mask and without."""
    words = list(SENTENCE)
    x = torch.tensor(list(SENTENCE.values()), dtype=torch.float32)
    free = attention_weights(x, x).tolist()
    masked = attention_weights(x, x, masks.causal(len(words))).tolist()
    head = "".join(f'<th scope="col">{escape(word)}</th>' for word in words)
    rows = "".join(
        f'<tr class="row-{i}"><th scope="row"><label><input type="radio" name="query" id="look-{i}"'
        f' aria-labelledby="word-{i}"{" checked" if word == SPOKEN_OF else ""}> '
        f'<span id="word-{i}">{escape(word)}</span></label></th>'
        + "".join(_cell(i, j, free[i][j], masked[i][j]) for j in range(len(words)))
        + "</tr>"
        for i, word in enumerate(words)
    )
    said = "".join(
        f'<span class="said said-{i} {kind}">{escape(sentence)}</span>'
        for i in range(len(words))
        for kind, sentence in (
            ("free", _said(words, i, free[i])),
            ("masked", _said(words, i, masked[i][: i + 1])),
        )
    )
    caption = "How much each row reads from each column"
    html = (
        f"<table><caption>{caption}</caption><thead><tr><td></td>{head}</tr></thead>"
        f'<tbody>{rows}</tbody></table><p class="grid-switch"><label><input type="checkbox" '
        'name="mask"> Causal mask: no word looks ahead</label></p>'
        f'<p class="grid-said" role="status">{said}</p>'
    )
    return tag("div", nodes.raw("", html, format="html"), class_="front-grid")


def _cell(i: int, j: int, free: float, masked: float) -> str:
    hidden = ' class="ahead"' if j > i else ""
    shown = f"{masked:.2f}" if j <= i else "0"
    return (
        f'<td{hidden} style="--free:{free:.3f};--masked:{masked:.3f}"><label for="look-{i}">'
        f'<span class="free">{free:.2f}</span><span class="masked">{shown}</span></label></td>'
    )


def _said(words: list[str], i: int, weights: list[float]) -> str:
    """Say what the row of word i shows."""
    ahead = len(words) - len(weights)
    seen = f"all {len(words)} words" if not ahead else f"{len(weights)} of {len(words)} words"
    if len(weights) == 1:
        return f"“{words[i]}” comes first and sees only itself: its weight is 1."
    top = max(weights)
    if top - min(weights) < 1e-6:
        return f"“{words[i]}” sees {seen}, and each gets the same: {top:.2f}."
    best = words[weights.index(top)]
    most = "itself" if best == words[i] else f"“{best}”"
    return f"“{words[i]}” sees {seen}; {most} gets most, {top:.2f}."
