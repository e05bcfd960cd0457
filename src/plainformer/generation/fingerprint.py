"""Notice that a model has changed, so that results of its old weights are not reused.

Packed weights, keys and values in a cache and the state of a drafter are valid only for the model
that computed them. There are two checks. A close one reads all weights once, which takes about as
long as one step of decoding. A glance reads a few numbers of each tensor and PyTorch's count of its
changes.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from torch import Tensor, nn

from plainformer.exact import exact
from plainformer.observing import places_of_observers

SAMPLED = 32  # numbers of each tensor that a glance reads
INTEGERS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


@dataclass(frozen=True)
class Seen:
    """The state of a model at one time.

    Args:
        parts: of each module its name, type, hooks and attributes, of each tensor its dtype, its
            shape, its address, and PyTorch's count of its changes.
        probes: the product of each tensor with :func:`probe`'s vector.
    """

    parts: list[object]
    probes: list[Tensor]

    def still(self, other: "Seen") -> bool:
        """Return whether nothing has changed since; ``other`` is the current state."""
        return self.parts == other.parts and all(map(torch.equal, self.probes, other.probes))


@torch.no_grad()
def look_at(model: nn.Module) -> Seen:
    """Return the current state of a model.

    A write that PyTorch counts is always detected. One that it does not count (to ``.data``, or to
    an array that shares the memory) is detected by the probe.

    Args:
        model: the model.

    Cost: reads all weights once.
    """
    parts: list[object] = []
    probes = []
    for name, module in model.named_modules():
        parts += [name, type(module), *_hooks(module)]
        own = {key: value for key, value in vars(module).items() if not key.startswith("_")}
        for key, value in (own | module._parameters | module._buffers).items():
            parts.append(key)
            if isinstance(value, Tensor):
                parts += [value.dtype, value.shape, value.data_ptr(), _writes(value)]
                probes.append(probe(value))
            else:  # the current items of a list, such as that of observers
                parts.append(tuple(value) if isinstance(value, list) else value)
    return Seen(parts, probes)


def probe(tensor: Tensor) -> Tensor:
    """Multiply a matrix by a vector of random numbers; return a vector unchanged.

    Exchanging two rows, two columns or two signs changes the product, and so does any change that
    is larger than the rounding of the product itself, in float32 or float64.

    Args:
        tensor: the matrix or vector.

    Returns:
        One number for each row, or a copy; NaN is replaced by 0 and infinity by the largest number,
        so that they equal themselves.
    """
    if tensor.ndim < 2:
        return tensor.clone().nan_to_num_()
    wide = torch.promote_types(tensor.dtype, torch.float32)
    rows = tensor.flatten(1).to(wide)
    with exact(rows.device):
        return (rows @ _random(rows.shape[1], wide).to(rows.device)).nan_to_num_()


@lru_cache(maxsize=64)
def _random(n: int, dtype: torch.dtype) -> Tensor:
    return torch.randn(
        n, dtype=dtype, device="cpu", generator=torch.Generator("cpu").manual_seed(n)
    )


class Fingerprint:
    """Detect whether a model has changed since the last check.

    Args:
        model: the model.
    """

    def __init__(self, model: nn.Module) -> None:
        self.model = model
        self._seen: Seen | None = None
        self._glance: Glance | None = None

    def changed(self, *, closely: bool = False) -> bool:
        """Compare the model with the state at the last :meth:`renew`; True before the first one.

        Args:
            closely: whether hooks are compared and all weights are read. A glance misses a write to
                a few numbers that PyTorch does not count.
        """
        if self._glance is None or self._glance.differs():
            return True
        return closely and (self._seen is None or not self._seen.still(look_at(self.model)))

    def renew(self) -> None:
        """Store the current state of the model."""
        self._seen, self._glance = look_at(self.model), Glance(self.model)


class Glance:
    """A quick check of a model's parts and observers, and of a few numbers of each tensor.

    Args:
        model: the model.
    """

    def __init__(self, model: nn.Module) -> None:
        self._dicts: list[tuple[dict[str, Any], dict[str, Any]]] = []
        tensors: list[Tensor] = []
        for module in model.modules():
            for held in (module._parameters, module._buffers, module._modules):
                if held:
                    self._dicts.append((held, dict(held)))
            tensors += [t for t in (*module._parameters.values(), *module._buffers.values())
                        if t is not None]  # fmt: skip
        self._tensors = [(t, t.dtype, t.data_ptr(), _writes(t)) for t in tensors]
        self._views = [_few(t.detach()) for t in tensors if t.numel()]
        self._numbers = self._read()
        self._places = places_of_observers(model)
        self._observers = self._hung_up()

    def differs(self) -> bool:
        """Return whether the model has changed."""
        for now, before in self._dicts:
            if len(now) != len(before) or any(now.get(k) is not v for k, v in before.items()):
                return True
        if self._hung_up() != self._observers:
            return True
        for tensor, dtype, place, writes in self._tensors:
            if tensor.dtype != dtype or tensor.data_ptr() != place or _writes(tensor) != writes:
                return True
        return not torch.equal(self._numbers, self._read())

    def _hung_up(self) -> list[tuple[object, ...]]:
        """Return the current hooks and observers."""
        held = filter(None, self._places)
        return [tuple(one.values() if isinstance(one, dict) else one) for one in held]

    def _read(self) -> Tensor:
        return torch.cat(self._views) if self._views else torch.empty(0, device="cpu")


def _few(tensor: Tensor) -> Tensor:
    """Return a view of some numbers of a tensor, as integers, so that NaN equals itself."""
    flat = tensor.view(-1) if tensor.is_contiguous() else tensor[(0,) * (tensor.ndim - 1)]
    if not flat.is_contiguous():
        return flat.new_empty(0, dtype=torch.int64)
    whole = flat.view(INTEGERS[flat.element_size()])
    return whole[:: -(-len(whole) // SAMPLED)]


def _writes(tensor: Tensor) -> int | None:
    return None if tensor.is_inference() else tensor._version


def _hooks(module: nn.Module) -> list[Callable[..., object]]:
    return [*module._forward_hooks.values(), *module._forward_pre_hooks.values()]
