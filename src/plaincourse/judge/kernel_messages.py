"""Which messages of a student's kernel, which may say anything, may become outputs."""

import json
from typing import Any


def well_formed(message: Any) -> bool:
    """Say whether a message is one that a kernel sends and that a notebook can hold."""
    if not isinstance(message, dict) or not isinstance(message.get("content"), dict):
        return False
    parent, kind, content = (
        message.get("parent_header"),
        message.get("msg_type"),
        message["content"],
    )
    if not isinstance(parent, dict) or not isinstance(kind, str):
        return False
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


def size(message: dict[str, Any]) -> int:
    """Return how many characters a message would add to a notebook."""
    return len(json.dumps(message["content"], default=str))


def _texts(data: Any) -> bool:
    """Say whether data by its kinds is text, lines of text, or JSON where its kind says so."""
    if not isinstance(data, dict):
        return False
    for kind, value in data.items():
        lines = isinstance(value, list) and all(isinstance(x, str) for x in value)
        if not isinstance(kind, str) or not (isinstance(value, str) or lines or "json" in kind):
            return False
    return True
