"""Checks of a kernel's messages: their validity, their length, and repetitions of source.

A kernel sends the source of each cell back, and an error quotes the lines that raised it. Neither
counts as output of the cell.
"""

import json
from typing import Any

#: Limits for errors that quote a long source: characters kept of a frame, number of frames, length
#: of an error with colours relative to its source, and length of any such error.
_QUOTED, _FRAMES, _QUOTATION, _LONGEST_ERROR = 16 << 10, 20, 64, 128 << 20


def well_formed(message: Any) -> bool:
    """Return whether a message is a valid kernel message that a notebook can hold if short."""
    if not isinstance(message, dict) or not isinstance(message.get("content"), (dict, bytes)):
        return False
    parent, kind, content = (
        message.get("parent_header"),
        message.get("msg_type"),
        message["content"],
    )
    if not isinstance(parent, dict) or not isinstance(kind, str):
        return False
    if isinstance(content, bytes):
        return True
    if type(content.get("execution_count")) not in {int, type(None)}:
        return False
    if not isinstance(content.get("transient") or {}, dict):
        return False
    if kind == "stream":
        return content.get("name") in {"stdout", "stderr"} and isinstance(content.get("text"), str)
    if kind in {"display_data", "execute_result", "update_display_data"}:
        return _texts(content.get("data")) and isinstance(content.get("metadata"), dict)
    if kind == "error":
        lines = content.get("traceback")
        named = all(isinstance(content.get(each), str) for each in ("ename", "evalue"))
        return named and isinstance(lines, list) and all(isinstance(x, str) for x in lines)
    if kind == "status":
        return isinstance(content.get("execution_state"), str)
    return kind in {"execute_input", "clear_output"} or kind.startswith("comm_")


def _texts(data: Any) -> bool:
    """Return whether data by MIME type is text or lines of text; JSON types may hold any value."""
    if not isinstance(data, dict):
        return False
    for kind, value in data.items():
        lines = isinstance(value, list) and all(isinstance(x, str) for x in value)
        if not isinstance(kind, str) or not (isinstance(value, str) or lines or "json" in kind):
            return False
    return True


def echo_of(source: str) -> int:
    """Return the maximum length of the message in which a kernel repeats a cell's source."""
    return len(json.dumps(source)) + _QUOTED


def without_quotation(content: dict[str, Any] | bytes, source: str) -> dict[str, Any] | None:
    """Return a long error with most quotations of a cell's source removed.

    Args:
        content: the content of the message.
        source: the source of the cell.

    Returns:
        None if the error is short enough, or longer than the source explains.
    """
    if not _QUOTED < length(content) <= min(_QUOTATION * echo_of(source), _LONGEST_ERROR):
        return None
    said = json.loads(content) if isinstance(content, bytes) else content
    return {
        "ename": str(said["ename"])[:_QUOTED],
        "evalue": shortened(str(said["evalue"])),
        "traceback": [shortened(str(frame)) for frame in said["traceback"][-_FRAMES:]],
    }


def length(content: dict[str, Any] | bytes) -> int:
    """Return how many characters a message would add to a notebook."""
    return len(content) if isinstance(content, bytes) else len(json.dumps(content, default=str))


def shortened(text: str) -> str:
    """Return the beginning and the end of a long text."""
    half = _QUOTED // 2
    return text if len(text) <= _QUOTED else f"{text[:half]}\x1b[0m … {text[-half:]}"
