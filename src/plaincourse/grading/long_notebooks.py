"""Read a notebook that is long because of its outputs, without them.

A cell that prints a progress bar, or draws an animation, makes a file of a hundred megabytes, and
none of it is an answer. Grading makes outputs anew, so those of a long file are skipped while
reading, and only the rest must fit into the limit.
"""

import mmap
import re
from typing import BinaryIO

#: The maximal number of bytes of a file that are scanned.
LONGEST = 512 * 2**20

_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_TOKEN = re.compile(_STRING + rb"|[\[\]{}]", re.DOTALL)
_LIST = re.compile(rb"\s*:\s*\[")
_KEY = b'"outputs"'


class RefusedError(ValueError):
    """A file is not read; the message gives the reason, as the end of a sentence."""


class _BrokenOffError(ValueError):
    """The file ends in the middle of its outputs."""


def read_long(file: BinaryIO, size: int, limit: int) -> bytes:
    """Read a notebook that is longer than the limit without its outputs.

    Args:
        file: the open file.
        size: its length in bytes.
        limit: the maximal number of bytes without outputs.

    Raises:
        RefusedError: the rest is too long, too, or the file has no end.
    """
    all_of_it = megabytes(size, limit)
    if size > LONGEST:
        raise RefusedError(
            f"the file has {all_of_it}; at most {LONGEST // 2**20} MB are looked through. Clear "
            "its outputs and hand it in again"
        )
    try:
        kept = _without_outputs(file, limit=limit)
    except _BrokenOffError:
        raise RefusedError(
            f"the file has {all_of_it} and breaks off in the middle. It was not saved or sent as a "
            "whole"
        ) from None
    if len(kept) > limit:
        raise RefusedError(
            f"the file has {all_of_it}, of which more than {limit / 2**20:.0f} MB are no outputs; "
            f"at most {limit / 2**20:.0f} MB of those are read. Remove large pictures and pasted "
            "data, and hand it in again"
        )
    return kept


def megabytes(size: int, limit: int) -> str:
    """Return the size of something larger than a limit, in words that differ from the limit's."""
    shown, most = f"{size / 2**20:.0f} MB", f"{limit / 2**20:.0f} MB"
    return shown if shown != most else f"more than {most}"


def _without_outputs(file: BinaryIO, *, limit: int) -> bytes:
    """Return the content of a notebook's file with empty lists for all outputs.

    Args:
        file: an open file that is not empty.
        limit: the number of bytes to keep; reading stops beyond it.

    Returns:
        At most one byte more than the limit.

    Raises:
        _BrokenOffError: the outputs of a cell have no end.
    """
    kept, size, start, skipped = [], 0, 0, 0
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as raw:
        while size <= limit:
            opened = _next_outputs(raw, skipped)
            piece = raw[start : min(opened or len(raw), start + limit + 1 - size)]
            kept.append(piece)
            size += len(piece)
            if not opened:
                break
            start = skipped = _closing(raw, opened)
    return b"".join(kept)[: limit + 1]


def _next_outputs(raw: mmap.mmap, start: int) -> int:
    """Return the start of the content of the next list of outputs; 0 if there are no more."""
    for token in _TOKEN.finditer(raw, start):
        if token.end() - token.start() == len(_KEY) and token[0] == _KEY:
            found = _LIST.match(raw, token.end())
            if found:
                return found.end()
    return 0


def _closing(raw: mmap.mmap, start: int) -> int:
    """Return the position of the bracket that closes a list."""
    depth = 1
    for token in _TOKEN.finditer(raw, start):
        first = raw[token.start()]
        depth += {0x5B: 1, 0x5D: -1}.get(first, 0)
        if depth == 0:
            return token.start()
    raise _BrokenOffError
