"""Construct subclasses of ``torch.Tensor`` while a dispatch mode of PyTorch is active.

Under a mode, PyTorch raises an error for ``Subclass(data)``, because the mode has returned a plain
tensor already. ``torch.nn.attention.bias.causal_lower_right`` would fail in a check for the same
reason. Here the constructor makes a plain tensor, which the mode sees, and then changes its type.
"""

import contextlib
from collections.abc import Iterator
from typing import Any

from torch import Tensor

_make: Any = Tensor.__new__


def _made(*args: Any, **kwargs: Any) -> Tensor:  # PyTorch's compiler takes no other parameters
    made: Tensor = _make(Tensor, *args[1:], **kwargs)
    return made if args[0] is Tensor else made.as_subclass(args[0])


@contextlib.contextmanager
def made_plainly() -> Iterator[None]:
    """Make constructors of subclasses of ``torch.Tensor`` work in the body as they do outside."""
    if "__new__" in vars(Tensor):
        yield
        return
    Tensor.__new__ = _made  # type: ignore[method-assign, assignment]  # the purpose of this file
    try:
        yield
    finally:
        if vars(Tensor).get("__new__") is not None:
            del Tensor.__new__
