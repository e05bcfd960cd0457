"""Detect operations that run past the modes of PyTorch that would observe them.

An operation can be run through the key of its kernel, and the modes can be removed for a while.
PyTorch itself does both; an answer needs neither.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

import torch
from torch._ops import OpOverload
from torch.utils import _python_dispatch

from plaincourse.checking.packages import telling

#: Called with the operation, or with ``None`` if modes are removed.
Passed = Callable[[Any], None]
_BY_KEY = tuple(vars(OpOverload)[name] for name in ("redispatch", "decompose"))
_TAKE_OFF = tuple(
    getattr(_python_dispatch, name)
    for name in ("_disable_current_modes", "_pop_mode_temporarily", "_pop_mode")
)
_codes: dict[int, CodeType] = {}
_tells = False


@contextlib.contextmanager
def telling_passages(passed: Passed) -> Iterator[None]:
    """Report in the body every operation that is run by its kernel, and every removal of modes.

    Args:
        passed: receives the report. It is the same for the whole life of a process.
    """
    global _tells
    if _tells:
        yield
        return

    def by_key(name: str, given: tuple[Any, ...]) -> None:
        passed(given[0] if given else None)

    def taken_off(name: str, given: tuple[Any, ...]) -> None:
        passed(None)

    ways = [(each, by_key) for each in _BY_KEY] + [(each, taken_off) for each in _TAKE_OFF]
    before: list[tuple[FunctionType, CodeType]] = []
    _tells = True
    try:
        for function, tell in ways:
            before.append((function, function.__code__))
            if id(function) not in _codes:
                _codes[id(function)] = telling(function, "", tell)
            function.__code__ = _codes[id(function)]
        seen = property(lambda self: _Kernel(self, passed), _set)
        setattr(OpOverload, "_op_dk", seen)  # noqa: B010  mypy does not see a property
        yield
    finally:
        if "_op_dk" in vars(OpOverload):
            delattr(OpOverload, "_op_dk")
        for function, code in before:
            function.__code__ = code
        _tells = False


def _set(operation: OpOverload[..., Any], value: Any) -> None:
    vars(operation)["_op_dk"] = value


class _Kernel:
    """The kernels of an operation, which are called with a key."""

    def __init__(self, operation: Any, passed: Passed) -> None:
        self._operation, self._passed = operation, passed

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        operation, passed = self._operation, self._passed
        _told(passed, operation)
        return vars(operation)["_op_dk"](*args, **kwargs)


def _told(passed: Passed, operation: Any) -> None:
    passed(operation)


#: The compiler stance while calls are held; empty otherwise.
_eager: list[Any] = []


def uncompiled() -> contextlib.AbstractContextManager[Any]:
    """Run compiled functions uncompiled in the body, if there can be any."""
    now = _stance()
    if now is None or (_eager and now is _eager[0]):
        return contextlib.nullcontext()
    stance: contextlib.AbstractContextManager[Any] = torch.compiler.set_stance("force_eager")
    return stance


def _stance() -> Any:
    """Return PyTorch's current compiler stance; ``None`` if nothing can have been compiled."""
    return getattr(sys.modules.get("torch._dynamo.eval_frame"), "_stance", None)


@contextlib.contextmanager
def held_uncompiled() -> Iterator[None]:
    """Run compiled functions uncompiled until the body ends, for many calls."""
    with uncompiled():
        _eager[:] = [_stance()]
        try:
            yield
        finally:
            _eager.clear()
