"""Gradescope's list of submissions and their authors, ``submission_metadata.yml``.

It contains the outputs of tests, which students write. It is therefore read event by event, within
limits on its time, size and depth.
"""

import time
from dataclasses import dataclass, field

import yaml

from plaincourse.grading.files import RefusedError

LIST = "submission_metadata.yml"
#: Limits: seconds to read a list, its bytes, its nesting depth, and people in a group.
_SECONDS, _LONGEST, _DEEPEST, _MOST_PEOPLE = 60, 64 * 2**20, 50, 20
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(kw_only=True)
class Submitted:
    """A submission in the list.

    Attributes:
        people: ``name``, ``sid`` and ``email`` of each author, if given.
        time: the time of submission as written in the list; empty if missing.
    """

    people: list[dict[str, str]] = field(default_factory=list)
    time: str = ""


def read_list(content: bytes) -> dict[str, Submitted]:
    """Return the submissions in a list by the names of their folders.

    Raises:
        RefusedError: it cannot be read.
    """
    if len(content) > _LONGEST:
        raise RefusedError(f"{LIST} is larger than {_LONGEST // 2**20} MiB")
    found: dict[str, Submitted] = {}
    path: list[str | None] = []  # the keys above; None before a key, "" in a list
    deadline = time.monotonic() + _SECONDS
    try:
        for event in yaml.parse(content, Loader=_LOADER):
            if time.monotonic() > deadline or len(path) > _DEEPEST:
                raise RefusedError(f"{LIST} takes too long to read, or is nested too deep")
            if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
                _begin(found, path)
                path.append(None if isinstance(event, yaml.MappingStartEvent) else "")
            elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
                path.pop()
                _valued(path)
            elif isinstance(event, yaml.ScalarEvent | yaml.AliasEvent):
                text = event.value if isinstance(event, yaml.ScalarEvent) else ""
                if path and path[-1] is None:
                    path[-1] = text
                else:
                    _take(found, path, text)
                    _valued(path)
    except yaml.YAMLError as error:
        said = str(getattr(error, "problem", "") or error)[:100]
        raise RefusedError(f"{LIST} could not be read ({said})") from None
    return found


def _begin(found: dict[str, Submitted], path: list[str | None]) -> None:
    match path:
        case [str(name)] if name:
            found[name] = Submitted()
        case [str(name), ":submitters", ""] if name in found:
            if len(found[name].people) < _MOST_PEOPLE:
                found[name].people.append({})


def _take(found: dict[str, Submitted], path: list[str | None], text: str) -> None:
    match path:
        case [str(name), ":created_at"] if name in found:
            found[name].time = text[:100]
        case [str(name), ":submitters", "", str(what)] if name in found and found[name].people:
            found[name].people[-1].setdefault(what.removeprefix(":"), text.strip()[:200])


def _valued(path: list[str | None]) -> None:
    """Expect the next key of a mapping after the value of the last key."""
    if path and path[-1] != "":
        path[-1] = None
