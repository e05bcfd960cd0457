"""What stands for a student's object where only data is wanted: its name and its words, inert.

A :class:`Thing` asks nobody anything. It can be shown and named in a message, as the object itself
would be, and it is no tensor, number, list or text: whatever computes with it fails here.
"""

from typing import Any

from plaincourse.judge.faults import WireError
from plaincourse.judge.proxies import is_remote

#: How much of an object's own words is kept; a message shows less.
LONGEST = 400
_kinds: dict[tuple[str, bool], type] = {}


class Thing:
    """An object of the student's, seen once."""

    __slots__ = ("__name__", "_text")

    def __init__(self, name: str, text: str) -> None:
        self.__name__, self._text = name, text

    def __repr__(self) -> str:
        return self._text


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
    return _made(kind, calls, str(about.get("name") or kind)[:100], text)


def settled(value: Any, deep: int = 40) -> Any:
    """Return a value without a proxy in it: each is asked once what it is, and let go of.

    Args:
        value: what a call of a task came to; lists, tuples and dictionaries are looked through.
        deep: how far they may be nested.
    """
    if is_remote(value):
        call = callable(value)
        name = value.__name__ if call and hasattr(value, "__name__") else ""
        return _made(type(value).__name__, call, str(name)[:100], repr(value)[:LONGEST])
    if deep and type(value) in {list, tuple}:
        return type(value)(settled(each, deep - 1) for each in value)
    if deep and type(value) is dict:
        return {key: settled(each, deep - 1) for key, each in value.items()}
    return value


def _made(kind: str, calls: bool, name: str, text: str) -> Thing:
    kind = kind if kind.isidentifier() else "object"
    if (kind, calls) not in _kinds and len(_kinds) < 10_000:
        members: dict[str, Any] = {"__slots__": (), **({"__call__": _refuse} if calls else {})}
        _kinds[kind, calls] = type(kind, (Thing,), members)
    made: Thing = _kinds.get((kind, calls), Thing)(name or kind, text)
    return made


def _refuse(self: Thing, *args: Any, **kwargs: Any) -> Any:
    raise TypeError(
        f"a {type(self).__name__} of the student's is not called: only data was fetched. A test "
        "that needs the object gets it by plaincourse.judge.answers.whole(function, ...)"
    )
