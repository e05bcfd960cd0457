"""Ids of students that are safe as a folder's name, in a page and in a terminal.

A folder in ``submitted/`` may have any name. Formgrader writes an id into its pages, where some
characters would be code, and paths, shells and spreadsheets interpret others as commands. Work
under such a name is graded under a safe one, and a person is notified.
"""

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable

#: The maximal length of an id in bytes: a file system allows 255, and other parts are added to it.
LONGEST = 200
#: Invisible characters that occur in names: joiners of Persian and Indian scripts.
_JOINERS = "\N{ZERO WIDTH NON-JOINER}\N{ZERO WIDTH JOINER}"
_UNFIT = frozenset('<>"\\/')
_SAID = {" ": "a space", ".": "a full stop", "-": "a hyphen", "~": "a tilde"}
#: Names that Windows reserves for devices, whatever follows the first dot.
_DEVICES = re.compile(r"(con|prn|aux|nul|(com|lpt)[0-9])(\..*)?", re.IGNORECASE)


def normal(name: str) -> str:
    """Return a name in the Unicode spelling by which names are compared, NFC."""
    return unicodedata.normalize("NFC", name)


def spellings(ids: Iterable[str], *, first: Collection[str] = ()) -> dict[str, str]:
    """Return the ids by their `normal` spelling.

    Args:
        ids: as they are spelled, such as those of the gradebook.
        first: ids that take precedence over others with the same normal spelling.
    """
    chosen = sorted(ids, key=lambda id: (id in first, id == normal(id), id))
    return {normal(id): id for id in chosen}


def one_spelling(name: str) -> str:
    """Return a name in one of its Unicode spellings, with single spaces."""
    return " ".join(unicodedata.normalize("NFC", name).split())


def unfit(name: str) -> str:
    """Return why a name is not safe as an id, as the end of a sentence; empty if it is."""
    for each in name:
        if each in _UNFIT:
            return f"formgrader would take its {each} for code"
        if not each.isprintable() and each not in _JOINERS:
            return f"it has the invisible character U+{ord(each):04X}"
    if not name.strip(" ._-" + _JOINERS):
        return "it has no letter"
    if name[0] in ".-~* ":
        return f"it begins with {_SAID.get(name[0], name[0])}"
    if name[-1] in ". ":
        return f"it ends with {_SAID[name[-1]]}, which Windows drops from the name of a folder"
    if _DEVICES.fullmatch(name):
        return "Windows keeps it for a device"
    if len(name.encode(errors="replace")) > LONGEST:
        return f"it is longer than {LONGEST} bytes"
    return ""


def safe_id(name: str) -> str:
    """Return the name if it is safe as an id, else one derived from it, the same each time."""
    if not unfit(name):
        return name
    digest = hashlib.sha256(name.encode(errors="surrogatepass")).hexdigest()[:8]
    kept = name.replace(".", "_") if _DEVICES.fullmatch(name) else name
    shown = "".join(
        each if each not in _UNFIT and (each.isprintable() or each in _JOINERS) else "_"
        for each in kept
    )
    short = shown.encode(errors="replace")[: LONGEST - 20].decode(errors="ignore")
    return f"{short.strip(' ._-~*') or 'student'}-{digest}"
