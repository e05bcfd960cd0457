"""Parse the report's page: headings, tables, links, ids, and forbidden content."""

from dataclasses import dataclass, field
from html.parser import HTMLParser

_EMPTY = {"meta", "rect", "line", "br", "wbr"}


@dataclass
class Seen:
    """The content of a page."""

    text: str = ""
    tags: list[tuple[str, dict]] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)
    tables: dict[str, list[list[str]]] = field(default_factory=dict)
    unclosed: list[str] = field(default_factory=list)

    def all(self, name):
        """Return the attributes of all elements with a name."""
        return [attributes for tag, attributes in self.tags if tag == name]


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen, self.open, self.pieces = Seen(), [], {}
        self.caption = ""

    def handle_starttag(self, tag, attrs):
        self.seen.tags.append((tag, dict(attrs)))
        if tag in _EMPTY:
            return
        self.open.append(tag)
        if tag in {"h1", "h2", "h3", "caption", "th", "td"}:
            self.pieces[tag] = ""
        if tag == "tr" and self.caption:
            self.seen.tables[self.caption].append([])

    def handle_startendtag(self, tag, attrs):
        self.seen.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag
        if tag in {"h1", "h2", "h3"}:
            self.seen.headings.append((int(tag[1]), self.pieces.pop(tag)))
        elif tag == "caption":
            self.caption = self.pieces.pop(tag)
            assert self.caption not in self.seen.tables, f"two tables are called {self.caption}"
            self.seen.tables[self.caption] = []
        elif tag in {"th", "td"}:
            self.seen.tables[self.caption][-1].append(self.pieces.pop(tag))

    def handle_data(self, data):
        if "style" not in self.open:
            self.seen.text += data
        for tag in self.pieces:
            self.pieces[tag] += data


def seen(page):
    """Parse a page; its elements must be closed and correctly nested."""
    reader = _Reader()
    reader.feed(page)
    reader.close()
    reader.seen.unclosed = reader.open
    return reader.seen
