"""Notice that an operation is run past the modes of PyTorch that would see it.

An operation can be run by the number of its kernel, and the modes can be taken off for a while.
PyTorch does both itself; an answer needs neither.
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

#: Called with the operation, or with none where modes are taken off.
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
    """Let in the body tell whatever runs an operation by its kernel or takes modes off.

    Args:
        passed: is told. It is the same for the whole life of a process.
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
        setattr(OpOverload, "_op_dk", seen)  # noqa: B010  to mypy it is no property
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
    """The kernels of an operation, which are called by a key."""

    def __init__(self, operation: Any, passed: Passed) -> None:
        self._operation, self._passed = operation, passed

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        operation, passed = self._operation, self._passed
        _told(passed, operation)
        return vars(operation)["_op_dk"](*args, **kwargs)


def _told(passed: Passed, operation: Any) -> None:
    passed(operation)


#: How compiled functions run while calls are held; nothing where no calls are.
_eager: list[Any] = []


def uncompiled() -> contextlib.AbstractContextManager[Any]:
    """Let compiled functions run as they are written in the body, if any can be there."""
    now = _stance()
    if now is None or (_eager and now is _eager[0]):
        return contextlib.nullcontext()
    stance: contextlib.AbstractContextManager[Any] = torch.compiler.set_stance("force_eager")
    return stance


def _stance() -> Any:
    """Return how PyTorch runs compiled functions now; None where nothing can have been compiled."""
    return getattr(sys.modules.get("torch._dynamo.eval_frame"), "_stance", None)


@contextlib.contextmanager
def held_uncompiled() -> Iterator[None]:
    """Let compiled functions run as they are written until the body ends, for many calls."""
    with uncompiled():
        _eager[:] = [_stance()]
        try:
            yield
        finally:
            _eager.clear()
