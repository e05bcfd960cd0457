"""The data on how a submission arrived, next to its notebook in ``collected.json``.

The collector writes it, grading reads it. It holds names and marks but no sentences, because a
student may hand in a file with this name in another way; such a file can only flag its own
submission.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from plaincourse.grading.files import read_notebook
from plaincourse.grading.times import quoted

NAME = "collected.json"
#: The reasons why a platform does not identify the student of a submission.
NAMELESS = {
    "nobody": "submission_metadata.yml names nobody for it",
    "unlisted": "submission_metadata.yml does not have it, or could not be read",
    "no list": "the archive had no submission_metadata.yml, which says whose it is",
}
#: The maximal size of the file in bytes, and of a list in it.
_LONGEST, _MOST = 2**18, 20


@dataclass(frozen=True, kw_only=True)
class Collected:
    """How a submission came from a learning platform.

    Attributes:
        platform: the platform whose archive held it.
        name: the platform's name for the student.
        number: the platform's number of the student or submission; empty if it gives none.
        late: whether the platform marked it late.
        time: the time of submission, as the platform wrote it; empty if it gives no time.
        older: earlier submissions of the same student, which are not graded, by name.
        left_out: why a file is not graded, by its name.
        group: the number of students who handed it in together.
        comment: the student's comment on the platform's page; may be cut short.
        nameless: why the student is unknown: a key of `NAMELESS`, or empty.
    """

    platform: str = ""
    name: str = ""
    number: str = ""
    late: bool = False
    time: str = ""
    older: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    group: int = 1
    nameless: str = ""
    comment: str = ""

    def text(self) -> str:
        """Return it as JSON."""
        return json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n"


def read_collected(folder: Path) -> Collected:
    """Return the collector's data on a submission; the default if there is nothing to read.

    Args:
        folder: the submission.
    """
    try:
        raw = read_notebook(folder / NAME, limit=_LONGEST)
        said = json.loads(raw) if len(raw) <= _LONGEST else None
    except (ValueError, OSError, RecursionError):
        return Collected()
    return _checked(said) if isinstance(said, dict) else Collected()


def _checked(said: Mapping[str, Any]) -> Collected:
    """Keep the values of the right type, and truncate them."""
    nameless = said.get("nameless")
    texts = {
        name: said[name][:200]
        for name in ("platform", "name", "number", "time", "comment")
        if isinstance(said.get(name), str)
    }
    older, left_out, group = said.get("older"), said.get("left_out"), said.get("group")
    pairs = list(left_out.items())[:_MOST] if isinstance(left_out, dict) else []
    return Collected(
        **texts,
        late=said.get("late") is True,
        older=tuple(str(each)[:200] for each in (older if isinstance(older, list) else [])[:_MOST]),
        left_out={str(name)[:200]: quoted(str(why), 200)[1:-1] for name, why in pairs},
        nameless=nameless if isinstance(nameless, str) and nameless in NAMELESS else "",
        group=group if isinstance(group, int) and 1 <= group <= _MOST else 1,
    )
