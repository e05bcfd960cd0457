"""Citations in which "and others" of the bibliography's source is "et al.", as for many names.

The styles are those of the extension, author and year in the text and ``alpha`` in the list; of
themselves they print what the source says.
"""

from dataclasses import dataclass, field
from typing import Any

from pybtex.plugin import register_plugin as register_list
from pybtex.richtext import Tag, Text
from pybtex.style.formatting.alpha import Style as Alpha
from pybtex.style.template import FieldIsMissing, first_of, join, node, optional, sentence, tag
from pybtex.style.template import field as said
from sphinx.application import Sphinx
from sphinxcontrib.bibtex.plugin import register_plugin
from sphinxcontrib.bibtex.style.referencing import PersonStyle
from sphinxcontrib.bibtex.style.referencing.author_year import AuthorYearReferenceStyle

SEPARATORS = {"sep": ", ", "sep2": " and ", "last_sep": ", and "}
ET_AL = Tag("em", "et al.")
FEW = 2  # names that the text has; of more it has the first


def _persons(data: dict[str, Any], role: str) -> tuple[list[Any], bool]:
    """Return those with a name, and whether the source says that there are others."""
    persons = data["entry"].persons.get(role)
    if not persons:
        raise FieldIsMissing(role, data["entry"])
    known = [person for person in persons if str(person) != "others"]
    return known, len(known) < len(persons)


@node  # type: ignore[untyped-decorator]  # pybtex has no types
def in_text(children: Any, data: dict[str, Any], role: str, full: bool) -> Text:
    """Name the authors as a sentence does."""
    known, others = _persons(data, role)
    style = data["style"].person
    names = [style.style_plugin.format(person, style.abbreviate) for person in known]
    if not full and (others or len(names) > FEW):
        return Text(join[names[:1]].format_data(data), " ", ET_AL)
    shown = join(**SEPARATORS)[names].format_data(data)
    return Text(shown, " ", ET_AL) if others else shown


@node  # type: ignore[untyped-decorator]  # pybtex has no types
def in_list(children: Any, data: dict[str, Any], role: str) -> Text:
    """Name the authors as the bibliography does."""
    known, others = _persons(data, role)
    style = data["style"]
    names = [style.format_name(person, style.abbreviate_names) for person in known]
    if not others:
        return join(**SEPARATORS)[names].format_data(data)
    return Text(join(sep=", ")[names].format_data(data), ", " if len(names) > 1 else " ", "et al.")


class Persons(PersonStyle):
    """Authors in the text."""

    def names(self, role: str, full: bool) -> Any:
        """Return the template of the names of a role."""
        return in_text(role, full)

    def author_or_editor_or_title(self, full: bool) -> Any:
        """Return the template of whoever is known."""
        found = [optional[self.names(role, full)] for role in ("author", "editor")]
        return first_of[(*found, tag("em")[said("title")])]


@dataclass
class InText(AuthorYearReferenceStyle):
    """Author and year."""

    person: PersonStyle = field(default_factory=Persons)


class InList(Alpha):  # type: ignore[misc]  # nor has its class
    """The style ``alpha``."""

    def format_names(self, role: str, as_sentence: bool = True) -> Any:
        """Return the template of the names of a role."""
        names = in_list(role)
        return sentence[names] if as_sentence else names


def setup(app: Sphinx) -> dict[str, Any]:
    """Register both styles under the name that _config.yml asks for."""
    register_plugin("sphinxcontrib.bibtex.style.referencing", "course", InText)
    register_list("pybtex.style.formatting", "course", InList)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
