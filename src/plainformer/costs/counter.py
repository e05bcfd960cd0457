"""Count what PyTorch executes: FLOPs and bytes of every operation that reaches a kernel."""

import math
from collections import defaultdict
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.flop_counter import (
    flop_registry,
    sdpa_backward_flop_count,
    sdpa_flop_count,
)

from plainformer.costs.operations import Count

# One operation for each number in the result. A transcendental function counts as one.
POINTWISE = set(
    """abs acos add addcdiv addcmul asin atan clamp clamp_max clamp_min cos cosh div erf exp exp2
    expm1 gelu log log1p log2 maximum minimum mul neg pow reciprocal relu rsqrt rsub sigmoid sign
    silu sin sinh softplus sqrt square sub tan tanh threshold""".split()
)
# One operation for each input less the number of results: n numbers take n − 1 steps.
REDUCTIONS = set("amax amin max min prod sum".split())
SOFTMAX = {"_safe_softmax", "_softmax"}
MOVES = set(
    """_to_copy arange bernoulli cat clone constant_pad_nd copy embedding eye fill flip full
    full_like gather index index_copy index_put index_select masked_fill native_dropout new_full
    new_ones new_zeros normal ones ones_like rand randn repeat roll scalar_tensor scatter
    slice_scatter stack tril triu uniform where zero zeros zeros_like""".split()
)
# Operations that overwrite their result without reading it, and those that read a few rows.
WRITES = set("copy_ fill_ zero_".split())
PICKS = set("embedding gather index index_select".split())
EMPTY = set("empty empty_like new_empty new_empty_strided empty_strided".split())


class OperationCounter(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Count the FLOPs and bytes of operations inside a ``with`` block.

    An operation reads each of its inputs once and writes each of its results once; an axis that is
    only expanded is read once; a view is free. Operations inside a kernel are not counted:
    attention in one kernel counts the products that it computes, with every pair included, and its
    inputs and outputs as bytes. PyTorch's own ``FlopCounterMode`` counts products in the same way,
    but no bytes and no softmax; and it counts fused attention on a CPU as 0 (PyTorch 2.9).

    Attributes:
        products: FLOPs of matrix products and fused attention; the bias of a linear layer adds
            none, as in PyTorch's counter.
        by_operation: the counts by name of operation, such as "mm".
        uncounted: operations on floating-point numbers with unknown arithmetic; only their bytes
            count.

    >>> import torch
    >>> x = torch.ones(2, 3)
    >>> with OperationCounter() as counter:
    ...     y = torch.softmax(x @ x.T, dim=-1)
    >>> counter.by_operation
    {'mm': Count(flops=24, nbytes=64), '_softmax': Count(flops=16, nbytes=32)}
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.products = 0
        self.uncounted: set[str] = set()
        self._counts: dict[str, Count] = defaultdict(Count)

    @property
    def by_operation(self) -> dict[str, Count]:
        """The counts by name of operation, in the order of their first use."""
        return dict(self._counts)

    @property
    def total(self) -> Count:
        """All operations together."""
        return sum(self._counts.values(), Count())

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        if func.namespace == "aten" and func.overloadpacket not in flop_registry:
            with self:  # in inference mode, composite operations arrive whole
                result = func.decompose(*args, **kwargs)
            if result is not NotImplemented:
                return result
        result = func(*args, **kwargs)
        inputs, outputs = _tensors((args, kwargs)), _tensors(result)
        name = func._schema.name.removeprefix("aten::")
        if outputs and name not in EMPTY and not _is_view(func, inputs, outputs):
            flops = self._flops(func, name, args, kwargs, result)
            self._counts[name] += Count(flops, _nbytes(name, inputs, outputs))
        return result

    def _flops(self, func: Any, name: str, args: Any, kwargs: dict[str, Any], result: Any) -> int:
        inputs, outputs = _tensors((args, kwargs)), _tensors(result)
        if func.overloadpacket in flop_registry:
            products = int(flop_registry[func.overloadpacket](*args, **kwargs, out_val=result))
        elif name.startswith("_scaled_dot_product"):
            shapes = [x.shape for x in inputs]
            backward = name.endswith("_backward")
            count, needed = (sdpa_backward_flop_count, 4) if backward else (sdpa_flop_count, 3)
            products = int(count(*shapes[:needed]))
        else:
            return self._elementwise(name.removesuffix("_"), args, inputs, outputs)
        self.products += products
        return products

    def _elementwise(
        self, name: str, args: Any, inputs: list[Tensor], outputs: list[Tensor]
    ) -> int:
        if not any(x.is_floating_point() for x in outputs) or name in MOVES:
            return 0
        if name in POINTWISE:
            return outputs[0].numel()
        if name in REDUCTIONS:
            return inputs[0].numel() - outputs[0].numel()
        if name == "mean":  # a sum, and one division for each result
            return inputs[0].numel()
        if name in SOFTMAX and outputs[0].numel():
            keys = int(outputs[0].shape[args[1]])
            return 5 * outputs[0].numel() - 2 * (outputs[0].numel() // keys)
        self.uncounted.add(name)
        return 0


def _tensors(tree: Any) -> list[Tensor]:
    return [x for x in tree_leaves(tree) if isinstance(x, Tensor)]


def _is_view(func: Any, inputs: list[Tensor], outputs: list[Tensor]) -> bool:
    """Return whether all results share the memory of an input, and nothing is changed."""
    held = {x.untyped_storage()._cdata for x in inputs}
    shared = all(x.untyped_storage()._cdata in held for x in outputs)
    return shared and not func._schema.is_mutable


def _nbytes(name: str, inputs: list[Tensor], outputs: list[Tensor]) -> int:
    """Return the bytes read and written."""
    if name in WRITES:
        inputs = inputs[1:]
    if name in PICKS:  # only the chosen rows of the table; the indices whole
        inputs = [*inputs[1:], *outputs]
    return sum(_spanned(x) for x in [*inputs, *outputs])


def _spanned(x: Tensor) -> int:
    """Return the bytes that a tensor covers, with an expanded axis counted once."""
    sizes = zip(x.shape, x.stride(), strict=True)
    return math.prod(size for size, stride in sizes if stride or not size) * x.element_size()
