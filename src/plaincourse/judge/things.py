"""What an object of the student's says of itself, where only data is wanted: asked, and read."""

from typing import Any

from plaincourse.checking.remote import LONGEST, Thing, inert
from plaincourse.judge.faults import WireError


def described(value: Any) -> dict[str, Any]:
    """Return what an object says of itself, asked once, where it lives."""
    try:
        text = str(repr(value))[:LONGEST]
    except Exception:
        text = f"<a {type(value).__name__} without words>"
    name = getattr(value, "__name__", None) if callable(value) else None
    return {
        "type": type(value).__name__,
        "call": callable(value),
        "name": str(name)[:100] if isinstance(name, str) else "",
        "text": text,
    }


def thing(about: Any) -> Thing:
    """Return what stands for an object that was described. The description may be anyone's.

    Raises:
        WireError: it describes none.
    """
    if not isinstance(about, dict):
        raise WireError("expected what an object is")
    kind, calls = str(about.get("type", "object"))[:100], about.get("call") is True
    text = str(about.get("text") or f"<a {kind}>")[:LONGEST]
    return inert(kind, calls, str(about.get("name") or kind)[:100], text)
