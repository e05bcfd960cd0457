"""What the tests may ask of a student's objects; all of it runs in the student's process."""

import copy
import inspect
import operator
from collections.abc import Callable
from typing import Any

from plaincourse.checking.forbidden import find
from plaincourse.judge import answers  # noqa: F401  its functions are the helpers
from plaincourse.judge.many import called


class Whole:
    """A value that crosses as an object, though it may be plain data."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _names(agent: Any, wanted: list[str]) -> dict[str, Any]:
    return {name: agent.namespace[name] for name in wanted if name in agent.namespace}


def _signature(agent: Any, function: Any) -> list[Any]:
    given = inspect.signature(function).parameters.values()
    return [[each.name, each.kind.name, each.default is not each.empty] for each in given]


def _find(agent: Any, answer: Any, forbid: list[str]) -> str | None:
    return find(answer, tuple(forbid))


def _exit(agent: Any, manager: Any, kind: str | None, text: str | None) -> bool:
    error = RuntimeError(f"{kind}: {text}") if kind else None
    return bool(manager.__exit__(type(error) if error else None, error, None))


def _help(agent: Any, name: str, *args: Any, **kwargs: Any) -> Any:
    return agent.helpers[name](*args, **kwargs)


def _settle(agent: Any) -> None:
    agent.graphs.clear()


def _plain(function: Callable[..., Any]) -> Callable[..., Any]:
    def asked(agent: Any, *args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return asked


def _turned(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda agent, right, left: function(left, right)


_BINARY = "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift".split()

OPERATIONS: dict[str, Callable[..., Any]] = {
    "names": _names,
    "signature": _signature,
    "find": _find,
    "exit": _exit,
    "help": _help,
    "settle": _settle,
    "backward": lambda agent, graph, gradient: agent.gradients(graph, gradient),
    "call": lambda agent, function, *args, **kwargs: function(*args, **kwargs),
    "calls": called,
    "enter": lambda agent, manager: manager.__enter__(),
    **{name: _plain(f) for name, f in (("get", getattr), ("set", setattr), ("del", delattr))},
    **{f.__name__: _plain(f) for f in (repr, str, len, iter, next, reversed, bool, float, int)},
    **{f.__name__: _plain(f) for f in (isinstance, operator.index, operator.contains)},
    **{name: _plain(getattr(operator, name)) for name in ("getitem", "setitem", "delitem")},
    **{name: _plain(getattr(operator, name)) for name in "lt le gt ge neg pos abs invert".split()},
    **{name.rstrip("_"): _plain(getattr(operator, name)) for name in _BINARY},
    **{"r" + name.rstrip("_"): _turned(getattr(operator, name)) for name in _BINARY},
    "copied": _plain(copy.copy),
    "deepcopied": _plain(copy.deepcopy),
}
