"""Measure the memory of tensors: the largest tensor made, and the peak of those alive."""

import math
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import torch
from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


@dataclass(frozen=True)
class Made:
    """The shape, dtype and memory of a tensor that was made.

    Args:
        shape: its shape.
        dtype: its dtype; None if no tensor was made.
        nbytes: bytes of its memory.
    """

    shape: tuple[int, ...]
    dtype: torch.dtype | None
    nbytes: int


class Meter(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Record the tensors made inside a ``with`` block, and the peak of their memory.

    Memory is counted, not tensors: a view costs nothing, and neither does writing to existing
    memory. Tensors from outside are not counted, and neither is memory that an operation allocates
    and frees internally. Inside the block PyTorch runs on one thread, because work on other threads
    would not be counted.

    Attributes:
        largest: the largest tensor made.
        peak: the largest number of bytes alive at once, among tensors made inside.
        made: number of tensors made with memory of their own.

    >>> x = torch.ones(1000)
    >>> with Meter() as meter:
    ...     y = (x + 1).sum()
    >>> meter.largest.shape, meter.peak
    ((1000,), 4004)
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.largest = Made((), None, 0)
        self.peak = self.made = 0
        self._alive: dict[int, tuple[StorageWeakRef, int]] = {}
        self._threads: list[int] = []

    def __enter__(self) -> "Meter":
        self._threads.append(torch.get_num_threads())
        try:
            torch.set_num_threads(1)
            super().__enter__()  # type: ignore[no-untyped-call]
        except BaseException:
            torch.set_num_threads(self._threads.pop())
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            super().__exit__(kind, error, traceback)  # type: ignore[no-untyped-call]
        finally:
            torch.set_num_threads(self._threads.pop())

    def makes(self, *shape: int) -> bool:
        """Return whether a tensor was made with at least as many numbers as a given shape has.

        Args:
            shape: the shape, one number for each axis.
        """
        return math.prod(self.largest.shape) >= math.prod(shape)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        given = {_storage(x)._cdata for x in tree_leaves((args, kwargs)) if isinstance(x, Tensor)}
        for x in tree_leaves(result):
            if isinstance(x, Tensor) and _storage(x)._cdata not in given:
                self._count(x)
        return result

    def _count(self, x: Tensor) -> None:
        """Count a tensor with memory of its own, and uncount those that are gone."""
        gone = [key for key, (reference, _) in self._alive.items() if _expired(reference)]
        for key in gone:
            del self._alive[key]
        storage = _storage(x)
        if storage._cdata in self._alive:
            return
        nbytes = storage.nbytes()
        reference = StorageWeakRef(storage)  # type: ignore[no-untyped-call]
        self._alive[storage._cdata] = (reference, nbytes)
        self.made += 1
        self.peak = max(self.peak, sum(size for _, size in self._alive.values()))
        if nbytes > self.largest.nbytes:
            self.largest = Made(tuple(x.shape), x.dtype, nbytes)


def _storage(x: Tensor) -> torch.UntypedStorage:
    return x.untyped_storage()


def _expired(reference: StorageWeakRef) -> bool:
    gone: bool = reference.expired()  # type: ignore[no-untyped-call]
    return gone
