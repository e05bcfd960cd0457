"""Take out of a text what concerns only the machine that it was made on."""

import re
import sys
import tempfile
from pathlib import Path

_PATH = re.compile(r"(?<![\w.<:/])(?:~|[A-Za-z]:)?(?:[/\\][\w.@+-]+){2,}[/\\]?")
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}\b")
_ANSI = re.compile(r"\x1b\[[0-9;]*m")


def scrub(text: str) -> str:
    """Replace file-system paths and memory addresses by an ellipsis."""
    return _ADDRESS.sub("0x…", _PATH.sub("…", text))


def scrub_known(text: str, *folders: str) -> str:
    """Replace only these folders, and this machine's own, in a text that may hold other slashes."""
    own = (sys.prefix, tempfile.gettempdir(), str(Path.home()))
    for folder in sorted({*folders, *own} - {"", "/"}, key=len, reverse=True):
        text = text.replace(folder, "…")
    return _ADDRESS.sub("0x…", text)


def plain(text: str) -> str:
    """Remove terminal colours."""
    return _ANSI.sub("", text)
