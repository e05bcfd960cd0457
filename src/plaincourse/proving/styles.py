"""Write a known answer in another style: the same belief with other arithmetic or other types.

A student with a misconception may write it differently from the bank: with another precision
inside, with an explicit softmax, with -1e9 for -∞, or with NumPy's numbers. :func:`styled` makes
such answers from a known one by changing its inputs, its outputs, and the operations of PyTorch
that it calls.
"""

import copy
import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar

import numpy as np
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from plaincourse.checking.compare import same

Answer = Callable[..., Any]

#: The number that code often uses in place of infinity.
_HUGE = 1e9
_OTHER = {torch.float64: torch.float32, torch.float32: torch.float64}


class Style:
    """One way to write an answer differently.

    Attributes:
        engaged: whether it has changed anything in an answer so far.
        usual: whether it is so common that a mistake in it must be named even if the style itself
            is a mistake.
    """

    usual = False

    def __init__(self) -> None:
        self.engaged = False

    def apply(self, function: Answer, args: Any, kwargs: Any) -> Any:
        """Call an answer in this style."""
        with self.running():
            return function(*args, **kwargs)

    def running(self) -> AbstractContextManager[Any]:
        """Return the context that an answer runs in."""
        return nullcontext()


class OtherPrecision(Style):
    """Compute float64 inputs in float32, and vice versa.

    If that changes more than the last digits, for example because a number exceeds the range of
    float32, the answer is left unchanged, since it would be a different mistake.
    """

    def apply(self, function: Answer, args: Any, kwargs: Any) -> Any:
        """Call the answer in both precisions; return the other result if the two agree."""
        own = function(*copy.deepcopy(args), **copy.deepcopy(kwargs))
        used = [t for t in _OTHER if t in map(_dtype, _parts([*args, *kwargs.values()]))]
        if len(used) != 1:
            return own
        to = {used[0]: _OTHER[used[0]]}
        try:
            made = function(*_each(_cast(to), args), **_each(_cast(to), kwargs))
        except Exception:
            return own
        made = _each(_cast({there: here for here, there in to.items()}), made)
        if not same(own, made, rtol=1e-4, atol=1e-5, dtype="any"):
            return own
        self.engaged = True
        return made


class OtherTypes(Style):
    """Return NumPy's numbers, float64 for float32, int32 for int64, lists for tuples."""

    def apply(self, function: Answer, args: Any, kwargs: Any) -> Any:
        """Call an answer, and change the types of its result."""
        return _each(self._other, function(*args, **kwargs))

    def _other(self, x: Any) -> Any:
        other = x
        if type(x) in (bool, int, float) and abs(x) < 2**62:
            other = {bool: np.bool_, int: np.int64, float: np.float64}[type(x)](x)
        elif type(x) in (tuple, list):
            other = tuple(x) if type(x) is list else list(x)
        elif isinstance(x, Tensor):
            other = _cast({torch.float32: torch.float64, torch.int64: torch.int32})(x)
        elif isinstance(x, np.ndarray) and x.dtype == np.float32:
            other = x.astype(np.float64)
        self.engaged = self.engaged or other is not x
        return other


class OtherDigits(Style):
    """Change the last digits, as sums and products in another order do.

    A whole number is kept, because it is exact in any order.
    """

    _STEP: ClassVar = {torch.float32: 2.0**-21, torch.float64: 2.0**-40}

    def apply(self, function: Answer, args: Any, kwargs: Any) -> Any:
        """Call an answer, and make one number a little larger, the next a little smaller."""
        return _each(self._other, function(*args, **kwargs))

    def _other(self, x: Any) -> Any:
        if type(x) is float and not x.is_integer():
            self.engaged = True
            return x * (1 - self._STEP[torch.float64])
        if isinstance(x, np.ndarray) and x.dtype in (np.float32, np.float64):
            return self._other(torch.from_numpy(x.copy())).numpy()
        if isinstance(x, Tensor) and x.dtype in self._STEP:
            self.engaged = True
            signs = 1.0 - 2 * (torch.arange(x.numel(), dtype=torch.float64).reshape(x.shape) % 2)
            other = x * (1 + self._STEP[x.dtype] * signs).to(x.dtype)
            return torch.where(x == x.round(), x, other)
        return x


class _Mode(TorchFunctionMode):
    """Pass each call of PyTorch to a style first; ``None`` means that the call runs unchanged."""

    def __init__(self, instead: Callable[..., Any]) -> None:
        super().__init__()
        self.instead = instead

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        kwargs = dict(kwargs or {})
        changed = self.instead(func, args, kwargs)
        return func(*args, **kwargs) if changed is None else changed


class WrittenOut(Style):
    """Compute softmax by exp and sum, products by multiplying and adding, means by sums."""

    def running(self) -> AbstractContextManager[Any]:
        """Replace the operations that can be written out."""
        return _Mode(self._instead)

    def _instead(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        name = getattr(func, "__name__", "")
        make = _WRITTEN_OUT.get(name)
        tensors = [x for x in args if isinstance(x, Tensor)]
        if make is None or not tensors or not all(x.is_floating_point() for x in tensors):
            return None
        try:
            made = make(*args, **kwargs)
        except TypeError:  # the arguments are not supported
            return None
        self.engaged = self.engaged or made is not None
        return made


class FiniteForInfinite(Style):
    """Replace -∞ by -1e9 and ∞ by 1e9 in the answer."""

    usual = True
    _WRITERS = frozenset(
        ("masked_fill", "masked_fill_", "where", "full", "full_like", "new_full", "fill_", "tensor")
    )

    def running(self) -> AbstractContextManager[Any]:
        """Replace infinities in calls of PyTorch."""
        return _Mode(self._instead)

    def _instead(self, func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
        if getattr(func, "__name__", "") not in self._WRITERS:
            return None
        args = tuple(map(self._finite, args))
        return func(*args, **{name: self._finite(x) for name, x in kwargs.items()})

    def _finite(self, x: Any) -> Any:
        endless = isinstance(x, float) and abs(x) == float("inf")
        if not endless and not (isinstance(x, Tensor) and x.ndim == 0 and bool(x.isinf())):
            return x
        self.engaged = True
        return _HUGE if x > 0 else -_HUGE


STYLES: dict[str, Callable[[], Style]] = {
    "in the other precision": OtherPrecision,
    "in other types": OtherTypes,
    "with other last digits": OtherDigits,
    "written out": WrittenOut,
    "with -1e9 for -∞": FiniteForInfinite,
}


def styled(answer: Answer) -> Iterator[tuple[str, Answer, Style]]:
    """Yield an answer in each style, and the style, which records whether it changed anything.

    Args:
        answer: a function, or a class of modules, whose ``forward`` runs in the style.
    """
    for name, make in STYLES.items():
        style = make()
        if not isinstance(answer, type):
            yield name, _within(style, answer), style
        elif (
            hasattr(answer, "forward") and make is not OtherPrecision
        ):  # its weights have their own
            yield (
                name,
                type(answer.__name__, (answer,), {"forward": _within(style, answer.forward)}),
                style,
            )


def _within(style: Style, function: Answer) -> Answer:
    @functools.wraps(function)
    def answer(*args: Any, **kwargs: Any) -> Any:
        return style.apply(function, args, kwargs)

    return answer


def _each(change: Callable[[Any], Any], x: Any) -> Any:
    """Apply a change to a value, and to the values in plain containers."""
    if type(x) in (tuple, list):
        return change(type(x)(_each(change, one) for one in x))
    if type(x) is dict:
        return {key: _each(change, one) for key, one in x.items()}
    return change(x)


def _parts(x: Any) -> Iterator[Any]:
    if type(x) in (tuple, list, dict):
        for one in x.values() if type(x) is dict else x:
            yield from _parts(one)
    else:
        yield x


def _dtype(x: Any) -> torch.dtype | None:
    if isinstance(x, np.ndarray):
        return {np.float32: torch.float32, np.float64: torch.float64}.get(x.dtype.type)
    return x.dtype if isinstance(x, Tensor) else None


def _cast(to: Mapping[torch.dtype, torch.dtype]) -> Callable[[Any], Any]:
    def cast(x: Any) -> Any:
        own = _dtype(x)
        dtype = None if own is None else to.get(own)
        if dtype is None:
            return x
        return x.to(dtype) if isinstance(x, Tensor) else torch.from_numpy(x).to(dtype).numpy()

    return cast


def _softmax(x: Tensor, dim: int, **others: Any) -> Tensor | None:
    if any(value is not None and name != "_stacklevel" for name, value in others.items()):
        return None
    powers = torch.exp(x - x.amax(dim, keepdim=True))
    return powers / powers.sum(dim, keepdim=True)


def _log_softmax(x: Tensor, dim: int, **others: Any) -> Tensor | None:
    if any(value is not None and name != "_stacklevel" for name, value in others.items()):
        return None
    less = x - x.amax(dim, keepdim=True)
    return less - less.exp().sum(dim, keepdim=True).log()


def _logsumexp(x: Tensor, dim: int, keepdim: bool = False) -> Tensor | None:
    most = x.amax(dim, keepdim=True)
    if not bool(most.isfinite().all()):
        return None
    found = (x - most).exp().sum(dim, keepdim=True).log() + most
    return found if keepdim else found.squeeze(dim)


def _product(a: Tensor, b: Tensor) -> Tensor | None:
    if a.ndim < 2 or b.ndim < 2 or a.shape[-1] != b.shape[-2] or a.dtype != b.dtype:
        return None
    return (a[..., :, :, None] * b[..., None, :, :]).sum(-2)


def _mean(x: Tensor, dim: int, keepdim: bool = False) -> Tensor | None:
    return x.sum(dim, keepdim=keepdim) / x.shape[dim] if isinstance(dim, int) else None


_WRITTEN_OUT: dict[str, Callable[..., Tensor | None]] = {
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "logsumexp": _logsumexp,
    "matmul": _product,
    "__matmul__": _product,
    "mean": _mean,
}
