"""One row per argument: a different value gives a different result, or an error that names it.

The arguments come from the signature of the callable, so an argument without a row fails by name.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
import torch


@dataclass(frozen=True)
class Other:
    """A different value of an argument, if it needs more than the base of its case.

    Args:
        value: the different value.
        refused: a part of the message, if the value is refused.
        beside: arguments that both calls get, so that this one is read.
    """

    value: Any
    refused: str | None = None
    beside: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """A callable, and a different value for each of its arguments.

    Args:
        target: the callable whose signature names the arguments.
        base: the arguments of a call that works.
        others: a different value, or an :class:`Other`, by the name of each argument.
        result: calls it by name and returns its visible result; default ``target``.
        unread: arguments that this call does not use, and why.
        name: the name of the case; default the target's name.
    """

    target: Callable[..., Any]
    base: Mapping[str, Any]
    others: Mapping[str, Any]
    result: Callable[..., Any] | None = None
    unread: Mapping[str, str] = field(default_factory=dict)
    name: str = ""

    def __str__(self) -> str:
        return self.name or self.target.__qualname__

    def arguments(self) -> list[str]:
        return [name for name in inspect.signature(self.target).parameters if name != "self"]

    def check_complete(self) -> None:
        """Fail with the names of arguments without a row, and of rows without an argument."""
        rows, arguments = {*self.others, *self.unread}, set(self.arguments())
        assert not arguments - rows, f"{self}: no row for {sorted(arguments - rows)}"
        assert not rows - arguments, f"{self}: no argument {sorted(rows - arguments)}"

    def check_read(self, name: str) -> None:
        """Fail if the argument can be changed without changing the result."""
        other = self.others[name]
        other = other if isinstance(other, Other) else Other(other)
        call = self.result or self.target
        given = {**self.base, **other.beside}
        key = str(self), repr(other.beside)
        if key not in _usual:
            _usual[key] = plain(call(**given))
        if other.refused is not None:
            with pytest.raises((ValueError, NotImplementedError), match=re.escape(other.refused)):
                call(**{**given, name: other.value})
            return
        changed = plain(call(**{**given, name: other.value}))
        assert changed != _usual[key], f"{self} does not read {name}"


_usual: dict[tuple[str, str], Any] = {}  # many rows of a case share the base call


def plain(result: Any) -> Any:
    """Return a result in a form for ``==``: tensors by their type and all their numbers."""
    if isinstance(result, torch.Tensor):
        shape = str(result.dtype), str(result.device), tuple(result.shape)
        return shape if result.is_meta else (*shape, str(result.detach().tolist()))
    if isinstance(result, Mapping):
        return {name: plain(value) for name, value in result.items()}
    if isinstance(result, list | tuple):
        return [plain(value) for value in result]
    return result
