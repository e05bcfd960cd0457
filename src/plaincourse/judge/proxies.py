"""Proxies that represent the student's objects in the tests.

A proxy forwards calls, attributes, items, iteration, ``with``, arithmetic and order, and receives
plain data or further proxies. It does not forward equality: two proxies are equal if they refer to
the same object, and a proxy equals nothing else. If a test is about a student's own ``__eq__``,
:func:`plaincourse.judge.answers.equal` calls it.
"""

import inspect
import operator
import sys
import warnings
from typing import Any

from torch import nn

from plaincourse.checking.remote import Away, is_remote
from plaincourse.judge.faults import ProxyError, WireError

_ASKED = {"__name__", "__qualname__", "__annotations__", "__dict__"}
_kinds: dict[tuple[str, bool], type] = {}


class Remote(Away):
    """An object that lives in the student's process."""

    __slots__ = ("__weakref__", "_about", "_number", "_session")

    def __init__(self, session: Any, number: int, about: dict[str, Any]) -> None:
        for name, value in (("_session", session), ("_number", number), ("_about", about)):
            object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        if name == "__signature__":
            return _signature(self._session.ask("signature", self))
        if name == "__bases__" and self._about.get("kind"):
            return tuple(self._known()) or (object,)
        if name.startswith("__") and name.endswith("__") and name not in _ASKED:
            raise AttributeError(f"{name} of a student's object is not asked for")
        return self._session.ask("get", self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        self._session.ask("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        self._session.ask("del", self, name)

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        known = [] if self._about.get("kind") else self._known()
        return known[0] if known else type(self)

    def _known(self) -> list[type]:
        """Return the modules of torch.nn that the student's side lists as its types.

        No other type is accepted, because torch's C++ treats any object that claims to be a tensor
        as one.
        """
        found = []
        for module, name in self._about["kinds"]:
            if module.split(".")[:2] == ["torch", "nn"]:
                kind = getattr(sys.modules.get(module), name, None)
                if isinstance(kind, type) and issubclass(kind, nn.Module):
                    found.append(kind)
        return found

    def __eq__(self, other: object) -> bool:
        if not is_remote(other):
            return False
        same = self._session is other._session and self._number == other._number  # type: ignore[attr-defined]
        if not same:
            warnings.warn(
                "== between two objects of a student's says whether they are the same object; "
                "plaincourse.judge.answers.equal(a, b) asks their own ==",
                stacklevel=2,
            )
        return same

    def __hash__(self) -> int:
        return hash(("plaincourse.Remote", self._number))

    def __del__(self) -> None:
        self._session.forget(self._number)

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise ProxyError(
            "a student's object cannot be pickled; take its data, or call it where it is"
        )

    def __copy__(self) -> Any:
        return self._session.ask("copied", self)

    def __deepcopy__(self, memo: Any) -> Any:
        return self._session.ask("deepcopied", self)

    def __instancecheck__(self, instance: Any) -> bool:
        return is_remote(instance) and _truth(self._session.ask("isinstance", instance, self))

    def __bool__(self) -> bool:
        return _truth(self._session.ask("bool", self))

    def __repr__(self) -> str:
        return _text(self, self._session.ask("repr", self))

    def __str__(self) -> str:
        return _text(self, self._session.ask("str", self))

    def __len__(self) -> int:
        return operator.index(self._session.ask("len", self))

    def __exit__(self, *raised: Any) -> bool:
        text = str(raised[1]) if raised[1] is not None else None
        kind = raised[0].__name__ if raised[0] else None
        return bool(self._session.ask("exit", self, kind, text))


def _asking(op: str) -> Any:
    def method(self: Any, *args: Any) -> Any:
        return self._session.ask(op, self, *args)

    return method


for _name in ("iter", "next", "contains", "enter", "reversed", "float", "int", "index"):
    setattr(Remote, f"__{_name}__", _asking(_name))
for _name in ("getitem", "setitem", "delitem"):
    setattr(Remote, f"__{_name}__", _asking(_name))
for _name in "add sub mul truediv floordiv mod pow matmul and or xor lshift rshift".split():
    setattr(Remote, f"__{_name}__", _asking(f"{_name}"))
    setattr(Remote, f"__r{_name}__", _asking(f"r{_name}"))
for _name in "lt le gt ge neg pos abs invert".split():
    setattr(Remote, f"__{_name}__", _asking(_name))


def _call(self: Any, *args: Any, **kwargs: Any) -> Any:
    __tracebackhide__ = True
    return self._session.ask("call", self, *args, **kwargs)


def made(session: Any, number: Any, about: Any) -> Any:
    """Return the proxy of an object; the name of its type is that of the object's own type.

    Raises:
        WireError: the description is invalid.
    """
    if type(number) is not int or not isinstance(about, dict):
        raise WireError("expected the number of an object, and what it is")
    try:
        kinds = [(str(module)[:200], str(name)[:100]) for module, name in about["kinds"][:50]]
        name, calls = str(about["type"])[:100], about["call"] is True
    except (LookupError, TypeError, ValueError) as error:
        raise WireError(f"what came describes no object: {error}"[:200]) from None
    name = name if name.isidentifier() else "object"
    if (name, calls) not in _kinds and len(_kinds) < 10_000:
        members: dict[str, Any] = {"__slots__": (), **({"__call__": _call} if calls else {})}
        _kinds[name, calls] = type(name, (Remote,), members)
    plain = {"kinds": kinds, "kind": about.get("kind") is True, "unread": about.get("unread")}
    return _kinds.get((name, calls), Remote)(session, number, plain)


def _text(proxy: Remote, said: Any) -> str:
    return said if type(said) is str else f"<a {type(proxy).__name__} without words>"


def _truth(said: Any) -> bool:
    if type(said) is not bool:
        raise WireError("expected True or False")
    return said


def _signature(parameters: Any) -> inspect.Signature:
    kinds = {kind.name: kind for kind in inspect._ParameterKind}
    made_up = [
        inspect.Parameter(str(name), kinds[kind], default=... if given else inspect.Parameter.empty)
        for name, kind, given in parameters
    ]
    return inspect.Signature(made_up)
