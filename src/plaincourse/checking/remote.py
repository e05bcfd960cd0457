"""Interfaces for an answer that lives in another process.

:mod:`plaincourse.judge` implements them: a proxy of a student's object is an :class:`Away`, and it
refers to a :class:`Session`, the conversation with the student's process. The result of a call is
data, or a :class:`Thing`: an inert copy of the name and ``repr`` of an object. A thing makes no
requests to the other process. It can be shown and named in a message like the object itself, but it
is not a tensor, number, list or text, so computing with it fails here.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from plaincourse.checking.readable import Unread, is_key, unreadable

#: The maximum length of an object's ``repr`` that is stored; a message shows less.
LONGEST = 400
#: The maximum nesting depth of a value, and the maximum number of items of lists and tuples in it.
#: Larger values would take seconds to process in each call.
DEEPEST, MOST_ITEMS = 40, 500_000
_PLAIN = frozenset({type(None), bool, int, float, str})
_kinds: dict[tuple[str, bool], type] = {}


class StudentGone(RuntimeError):  # noqa: N818  named after the event
    """The student's process died, does not answer, or gives an invalid answer."""


class Session(Protocol):
    """Caller of an answer that lives in another process: the part of the judge's Session used here.

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
    """An object that lives in another process; requests about it go to its ``_session``."""

    __slots__ = ()


class Thing:
    """A copy of the name and the ``repr`` of an object of the student's."""

    __slots__ = ("__name__", "_text")

    def __init__(self, name: str, text: str) -> None:
        self.__name__, self._text = name, text

    def __repr__(self) -> str:
        return self._text


def is_remote(value: Any) -> bool:
    """Return whether a value is a proxy. Only its type is examined."""
    return issubclass(type(value), Away)


def session_of(value: Any) -> Any:
    """Return the :class:`Session` of a proxy, or ``None`` for any other value."""
    return object.__getattribute__(value, "_session") if is_remote(value) else None


def settled(value: Any, deep: int = DEEPEST) -> Any:
    """Return a value in which each proxy is replaced by a description, fetched once.

    Args:
        value: the result of a task's call; lists, tuples and dictionaries are searched.
        deep: the maximum nesting depth.
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
    """Return the ``repr`` of an object, computed once, in the process where it lives."""
    try:
        return str(repr(value))[:LONGEST]
    except Exception:
        return f"<a {type(value).__name__} without words>"


def inert(kind: str, calls: bool, name: str, text: str) -> Thing:
    """Make a thing whose type has the same name as the object's own.

    Args:
        kind: the name of that type.
        calls: whether the object can be called; calling the thing then raises an explanation.
        name: the object's own name; if it is empty, the name of its type is used.
        text: the object's ``repr``.
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
