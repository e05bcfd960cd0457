"""Measure the memory of a call: its largest tensor, its numbers at once, and its Python objects."""

import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

from torch import Tensor
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode


class Footprint(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Record the tensors with memory of their own that are made in a ``with`` block.

    A view has no memory of its own, and a tensor that was made before is not counted. Arrays of
    NumPy are not recorded.

    Attributes:
        largest: the shape of the tensor with the most numbers.
        at_once: the largest count of numbers that were alive at once.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.largest: tuple[int, ...] = (0,)
        self.at_once = self._most = 0
        self._alive: dict[int, tuple[Any, int]] = {}

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # PyTorch would import dynamo to skip it, which takes seconds

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        given = {x.untyped_storage()._cdata for x in _tensors((args, kwargs))}
        for x in _tensors(result):
            if x.untyped_storage()._cdata not in given:
                self._count(x)
        return result

    def _count(self, x: Tensor) -> None:
        storage = x.untyped_storage()
        self._alive = {key: each for key, each in self._alive.items() if not each[0].expired()}
        if storage._cdata in self._alive:
            return
        numbers = storage.nbytes() // x.element_size()
        reference = StorageWeakRef(storage)  # type: ignore[no-untyped-call]
        self._alive[storage._cdata] = reference, numbers
        self.at_once = max(self.at_once, sum(count for _, count in self._alive.values()))
        if numbers > self._most:
            self._most, self.largest = numbers, tuple(x.shape)


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _tensors(each)
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))


#: A call with more bytes in Python objects is repeated, because the first one also imports modules.
_FIRST = 1 << 15
#: The size reported for a call that ended the measurement.
_UNKNOWN = 1 << 50


def measured(function: Callable[..., Any], given: dict[str, Any]) -> list[Any]:
    """Call a function; return its result, its largest shape, its most numbers and most bytes.

    The bytes are those of Python objects, such as lists of numbers, and not of tensors.

    Args:
        function: a function of this process.
        given: its arguments by name.
    """
    again = {name: x.clone() if isinstance(x, Tensor) else x for name, x in given.items()}
    result, footprint, size = _traced(function, given)
    if size > _FIRST:
        size = min(size, _traced(function, again)[2])
    return [result, list(footprint.largest), footprint.at_once, size]


def _traced(function: Callable[..., Any], given: dict[str, Any]) -> tuple[Any, Footprint, int]:
    """Return the result of a call, the tensors that it made, and its most bytes at once."""
    tracemalloc.start()
    try:
        with Footprint() as footprint:
            result = function(**given)
        size = tracemalloc.get_traced_memory()[1] if tracemalloc.is_tracing() else _UNKNOWN
    finally:
        tracemalloc.stop()
    return result, footprint, size
