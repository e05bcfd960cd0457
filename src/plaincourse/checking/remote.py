"""An answer that lives in another process, as far as checking must know of it.

:mod:`plaincourse.judge` implements it: a proxy of an object of the student's is an :class:`Away`,
and a conversation with their process the :class:`Session` that it names. What a call comes to is
data, or a :class:`Thing`: what an object said of itself once, inert. A thing asks nobody anything.
It can be shown and named in a message, as the object itself would be, and it is no tensor, number,
list or text: whatever computes with it fails here.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from plaincourse.checking.readable import Unread, is_key, unreadable

#: How much of an object's own words is kept; a message shows less.
LONGEST = 400
#: How deep a value may be nested, and how many items of lists and tuples it may have in all. More
#: would take seconds to take apart, at each call again.
DEEPEST, MOST_ITEMS = 40, 500_000
_PLAIN = frozenset({type(None), bool, int, float, str})
_kinds: dict[tuple[str, bool], type] = {}


class StudentGone(RuntimeError):  # noqa: N818  it says what happened
    """The student's process died, does not answer, or answers nonsense."""


class Session(Protocol):
    """Who calls an answer that lives elsewhere: what is used here of the judge's own Session.

    Its methods and attributes are described at :class:`plaincourse.judge.session.Session`.
    """

    seen: str

    def half(self) -> AbstractContextManager[float]:
        """See :meth:`plaincourse.judge.session.Session.half`."""

    def scope(
        self, answer: Any, seconds: float, forbid: Sequence[str] = ()
    ) -> AbstractContextManager[None]:
        """See :meth:`plaincourse.judge.session.Session.scope`."""

    def calls(
        self,
        answer: Any,
        given: list[Any],
        seconds: float,
        forbid: Sequence[str] = (),
        number: int = 0,
    ) -> list[tuple[str, Any, Any, str]]:
        """See :meth:`plaincourse.judge.session.Session.calls`."""

    def tell(self, said: Any) -> None:
        """See :meth:`plaincourse.judge.session.Session.tell`."""

    def find(self, answer: Any, forbid: list[str]) -> str | None:
        """See :meth:`plaincourse.judge.session.Session.find`."""


class Away:
    """An object that lives in another process; its ``_session`` is who is asked about it."""

    __slots__ = ()


class Thing:
    """An object of the student's, seen once."""

    __slots__ = ("__name__", "_text")

    def __init__(self, name: str, text: str) -> None:
        self.__name__, self._text = name, text

    def __repr__(self) -> str:
        return self._text


def is_remote(value: Any) -> bool:
    """Return whether a value is a proxy. Its type alone decides."""
    return issubclass(type(value), Away)


def session_of(value: Any) -> Any:
    """Return the :class:`Session` that is asked about a proxy, ``None`` for anything else."""
    return object.__getattribute__(value, "_session") if is_remote(value) else None


def settled(value: Any, deep: int = DEEPEST) -> Any:
    """Return a value without a proxy in it: each is asked once what it is, and let go of.

    Args:
        value: what a call of a task came to; lists, tuples and dictionaries are looked through.
        deep: how far they may be nested.
    """
    if type(value) in _PLAIN:
        return value
    if is_remote(value):
        key = object.__getattribute__(value, "_about").get("unread")
        if is_key(key):
            return Unread(key, said_of(value))
        call = callable(value)
        name = value.__name__ if call and hasattr(value, "__name__") else ""
        return inert(type(value).__name__, call, str(name)[:100], repr(value)[:LONGEST])
    if key := unreadable(value):
        return Unread(key, said_of(value))
    if deep and type(value) in {list, tuple}:
        return type(value)(settled(each, deep - 1) for each in value)
    if deep and type(value) is dict:
        return {key: settled(each, deep - 1) for key, each in value.items()}
    return value


def said_of(value: Any) -> str:
    """Return what an object says of itself, asked once, where it lives."""
    try:
        return str(repr(value))[:LONGEST]
    except Exception:
        return f"<a {type(value).__name__} without words>"


def inert(kind: str, calls: bool, name: str, text: str) -> Thing:
    """Make a thing, of a type that bears the name of the object's own.

    Args:
        kind: the name of that type.
        calls: whether the object can be called; the thing then says why it is not.
        name: the object's own; empty for that of its type.
        text: what it says of itself.
    """
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
