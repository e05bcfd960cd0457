"""Call an answer by names although it takes its arguments by position only.

A check passes each argument by its name. ``functools.singledispatch`` needs its first argument by
position, and a parameter before a slash cannot be passed by name. The examples of a prompt pass
arguments by position, so such an answer is right.
"""

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any


def by_name(answer: Callable[..., Any]) -> Callable[..., Any]:
    """Return an answer that accepts all arguments by name; usually the same object.

    Args:
        answer: an answer of this process.
    """
    names = _first(answer)
    if not names:
        return answer

    @functools.wraps(answer)
    def called(*args: Any, **kwargs: Any) -> Any:
        if args or not set(names) <= kwargs.keys():
            return answer(*args, **kwargs)
        by_place = [kwargs.pop(name) for name in names]
        return answer(*by_place, **kwargs)

    return called


def _first(answer: Callable[..., Any]) -> list[str]:
    """Return the names of the parameters that must be passed by position."""
    if type(answer) is FunctionType and not answer.__code__.co_posonlyargcount:
        dispatches = {"dispatch", "registry", "register"} <= vars(answer).keys()
        if not (dispatches or hasattr(answer, "__wrapped__")):
            return []  # most answers
    else:
        dispatches = False
    try:
        parameters = [*inspect.signature(answer).parameters.values()]
    except (TypeError, ValueError):
        return []
    alone = [each.name for each in parameters if each.kind is each.POSITIONAL_ONLY]
    return alone or [each.name for each in parameters[: int(dispatches)]]
