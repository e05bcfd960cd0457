"""The targets of the book's labels, citations and names of code, outside the site.

With an address (``plaincourse configure``) a link leads to the site. Without one, it leads to the
neighbouring notebook or file, which exists in a clone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pybtex.database import BibliographyData, Entry, Person, parse_file
from pybtex.richtext import Text

from plaincourse.notebooks.page import PageError, jump
from plaincourse.settings import Settings

NEEDED = 0.8
"""The share of the points that opens a gate."""

_MADE = re.compile(
    r"^\((?P<label>[\w-]+)\)=$"
    r"|^(?P<level>#{1,6}) (?P<title>.+)$"
    r"|^`{3,}\{(?P<kind>equation|figure|exercise)\}[ ]*(?P<argument>.*)\n(?P<options>(?:^:.*\n)*)",
    re.M,
)
_USED = re.compile(r"\]\(#?([\w-]+)\)|\{(?:ref|numref|eq)\}`(?:[^`<]*<)?([\w-]+)>?`")
_PICTURES = (".svg", ".png")
_TOP = re.compile(r"ch-\d\d")
_NAMED = re.compile(r"(?P<words>[^<]*?)\s*<(?P<target>[^>]+)>", re.S)


@dataclass(frozen=True)
class Place:
    """The location of a label: its page, its title and its number."""

    page: str
    title: str
    number: str = ""


class References:
    """All references in the pages of one book.

    Args:
        root: of the course; its pages are in ``book/``.
        settings: the addresses of the site and the repository, if known.
    """

    def __init__(self, root: Path, settings: Settings) -> None:
        self.root, self.settings, self.book = root, settings, root / "book"

    @cached_property
    def texts(self) -> dict[str, str]:
        """The text of each page, by its name."""
        return {path.stem: path.read_text("utf-8") for path in sorted(self.book.glob("*.md"))}

    @cached_property
    def places(self) -> dict[str, Place]:
        """Each label of the book."""
        found: dict[str, Place] = {}
        for page in self.texts:
            for label, place in self._of(page):
                if label in found and not label.endswith(_PICTURES):
                    places = " and ".join(sorted({f"{found[label].page}.md", f"{page}.md"}))
                    raise PageError(f"the label {label} stands twice, in {places}: rename one")
                found[label] = place
        return found

    @cached_property
    def entries(self) -> BibliographyData:
        """The bibliography."""
        return parse_file(str(self.book / "references.bib"))

    @cached_property
    def used(self) -> set[str]:
        """Each label that a page or a card refers to; the top of a page needs none."""
        texts = [
            *self.texts.values(),
            *(path.read_text() for path in self.book.glob("cards/*.yml")),
        ]
        found = {label for text in texts for each in _USED.findall(text) for label in each}
        return {label for label in found if not _TOP.fullmatch(label)}

    def number(self, label: str) -> str:
        """Return the number of an equation, a figure or an exercise, as on the site."""
        return self._place(label).number

    def title(self, target: str) -> str:
        """Return the heading below a label."""
        return self._place(target.removeprefix("#")).title

    def role(self, role: str, content: str, page: str) -> str:
        """Return a role's plain Markdown.

        Raises:
            PageError: the role, or its target, is not known.
        """
        named = _NAMED.fullmatch(content)
        words, target = named.group("words", "target") if named else ("", content)
        if role in ("cite:p", "cite:t"):
            return self._cited(content, bracketed=role == "cite:p")
        if role.startswith("py:"):
            return self.code(target.removeprefix("~"))
        if role == "download":
            return f"[{words or Path(target).name}]({self._file(target)})"
        if role in ("ref", "numref", "eq"):
            place = self._place(target)
            what = {"ref": place.title, "numref": f"Figure {place.number}"}
            what["eq"] = f"equation ({place.number})"
            return f"[{words or what[role]}]({self.target(target, page)})"
        raise PageError(f"the role {{{role}}} has no form in a plain notebook")

    def target(self, target: str, page: str) -> str:
        """Return the address of a link: to a label, a page of the book, or an external site."""
        label = target.removeprefix("#")
        if "://" in target or (label not in self.places and "/" in target):
            return target
        if label.endswith(".md"):
            name = label.removesuffix(".md")
            if name not in self.texts:
                raise PageError(f"{target}: no such page; the pages are {', '.join(self.texts)}")
            return self._page(name) if self.settings.site_url else label
        place = self._place(label)
        if place.page != page and self.settings.site_url:
            return f"{self._page(place.page)}#{label}"
        file = "" if place.page == page else self._page(place.page)
        return file + (jump(label) if label in self.used else "")

    def code(self, name: str) -> str:
        """Return a link to a function or class: its entry on the site, or its file.

        Raises:
            PageError: there is no such file.
        """
        *path, last = name.split(".")
        if not path or not last:
            raise PageError(f"{name!r}: expected a full name, such as package.module.function")
        file = self._source(path, last)
        words = f"`{last}`" if last[:1].isupper() else f"`{last}()`"
        if self.settings.site_url:
            return f"[{words}]({self.settings.site_url}{self._described(file)}#{name})"
        return f"[{words}](../{file.relative_to(self.root).as_posix()})"

    def picture(self, path: str) -> str:
        """Return the address of a picture, whose name is relative to the book."""
        if not (self.book / path).is_file():
            raise PageError(f"no picture book/{path}")
        return self.settings.site_url + path if self.settings.site_url else path

    def live(self, page: str, anchor: str) -> str:
        """Return a sentence on where a picture of this page is interactive."""
        if self.settings.site_url:
            address = f"{self.settings.site_url}book/{page}.html#{anchor}"
            return f"A still. [On the page of this chapter]({address}) the picture moves."
        return "A still. On the page of this chapter the picture moves (`make serve` shows it)."

    def elsewhere(self, page: str) -> str:
        """Return links to a chapter in Colab and on the site; empty while no address is known."""
        links = {
            "Open in Colab": self.settings.colab_url(f"book/{page}.ipynb"),
            "Read on the site": self.settings.site_url
            and f"{self.settings.site_url}book/{page}.html",
        }
        return " · ".join(f"[{words}]({address})" for words, address in links.items() if address)

    def gate(self, page: str) -> str:
        """Return sentences with links to the gate of a chapter and to its graded notebook."""
        notebook = f"exercises/{page}/{page}.ipynb"
        if self.settings.site_url:
            address = f"{self.settings.site_url}book/{page}.html#gate-{page[:2]}"
            link = f"[On the page of this chapter]({address})"
        else:
            link = "On the page of this chapter (`make serve`)"
        said = f"{link} it keeps count."
        if colab := self.settings.colab_url(notebook):
            said += f" [Open the graded notebook in Colab]({colab})."
        return said

    def _of(self, page: str) -> Iterator[tuple[str, Place]]:
        pending: list[str] = []
        counts = {"equation": 0, "figure": 0, "exercise": 0}
        for made in _MADE.finditer(self.texts[page]):
            if made["label"]:
                pending.append(made["label"])
            elif made["level"]:
                yield from ((label, Place(page, made["title"].strip())) for label in pending)
                pending = []
            else:
                kind = made["kind"]
                counts[kind] += 1
                option = re.search(r"^:(?:label|name): *(\S+)", made["options"], re.M)
                label = option[1] if option else made["argument"].strip()
                number = f"{int(page[:2])}.{counts[kind]}" if page[:2].isdigit() else ""
                title = made["argument"] if kind == "exercise" else ""
                yield label, Place(page, title or label, number)

    def _place(self, label: str) -> Place:
        if label not in self.places:
            raise PageError(f"no label ({label})= in book/*.md")
        return self.places[label]

    def _page(self, name: str) -> str:
        if self.settings.site_url:
            return f"{self.settings.site_url}book/{name}.html"
        notebook = (self.book / f"{name}.ipynb").exists() or name[:2].isdigit()
        return f"{name}.ipynb" if notebook else f"{name}.md"

    def _file(self, path: str) -> str:
        """Return the address of a file of the repository, given relative to ``book/``."""
        full = (self.book / path).resolve()
        if not full.is_file():
            raise PageError(f"{path}: no such file")
        return self.settings.source_url(full.relative_to(self.root.resolve()).as_posix()) or path

    def _source(self, path: list[str], last: str) -> Path:
        place = self.root.joinpath("src", *path)
        defined = re.compile(rf"^(?:def|class) {re.escape(last)}\b", re.M)
        for file in [place.with_suffix(".py"), *sorted(place.glob("*.py"))]:
            if file.is_file() and defined.search(file.read_text("utf-8")):
                return file
        raise PageError(f"{'.'.join(path)}: no file in src/ defines {last}")

    def _described(self, file: Path) -> str:
        """Return the site's page that describes a module, according to the book's API pages."""
        path = file.relative_to(self.root / "src").with_suffix("")
        module = ".".join(path.parts).removesuffix(".__init__")
        listed = re.compile(rf"^\.\. auto\w+:: {re.escape(module)}(?:\.[a-z_]\w*)?$", re.M)
        for page in sorted(self.book.glob("api/*.md")):
            if listed.search(page.read_text("utf-8")):
                return f"book/api/{page.stem}.html"
        raise PageError(f"{module}: no page in book/api describes it")

    def _cited(self, content: str, *, bracketed: bool) -> str:
        found = []
        for key in re.split(r"\s*,\s*", content.strip()):
            if key not in self.entries.entries:
                raise PageError(f"{key!r} is not in book/references.bib")
            entry = self.entries.entries[key]
            if "year" not in entry.fields:
                raise PageError(f"{key!r} has no year in book/references.bib")
            names, year = _authors(entry), entry.fields["year"]
            words = f"{names}, {year}" if bracketed else f"{names} ({year})"
            address = _address(entry) or (
                f"{self.settings.site_url}book/bibliography.html" if self.settings.site_url else ""
            )
            found.append(f"[{words}]({address})" if address else words)
        return f"({'; '.join(found)})" if bracketed else ", ".join(found)


def _authors(entry: Entry) -> str:
    people = entry.persons.get("author") or entry.persons.get("editor") or []
    names = [_last(person) for person in people]
    if not names:
        return str(Text.from_latex(entry.fields["title"]))
    if len(names) > 2 or names[-1] == "others":
        return f"{names[0]} et al."
    return " and ".join(names)


def _last(person: Person) -> str:
    parts = [*person.prelast_names, *person.last_names]
    return " ".join(str(Text.from_latex(part)) for part in parts)


def _address(entry: Entry) -> str:
    fields = entry.fields
    if "url" in fields:
        return str(fields["url"])
    if "doi" in fields:
        return f"https://doi.org/{fields['doi']}"
    return f"https://arxiv.org/abs/{fields['eprint']}" if "eprint" in fields else ""
