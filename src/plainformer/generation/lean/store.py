"""Memory with a fixed address: a block for the data that a step reads, and keys and values.

A processor finds memory through a small table of pages. With pages of 4 KiB, 40 MB of weights are
10,000 pages, more than the table holds, so that reading stops at almost every page to look one up.
Huge pages of 2 MiB need 20. A step reads its tensors in the order of their addresses.
"""

import contextlib
import math
import mmap
from collections.abc import Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from plainformer.cache.base import check_length, check_room, check_sizes
from plainformer.generation.lean.products import SUM
from plainformer.mask_rules import Rule
from plainformer.scores import dot
from plainformer.sdpa import sdpa

HUGE = 2 << 20  # bytes of a huge page
LINE = 64  # bytes of a cache line


def stretch(nbytes: int) -> Tensor:
    """Reserve bytes that start at a huge page, in huge pages if the system provides them.

    Args:
        nbytes: number of bytes.

    Returns:
        (nbytes,) zeros of ``torch.uint8`` on the CPU.

    Cost: up to 2 MiB more than requested.
    """
    if not hasattr(mmap, "MADV_HUGEPAGE"):
        return torch.zeros(nbytes, dtype=torch.uint8, device="cpu")
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS  # shared memory gets no huge pages
    reserved = mmap.mmap(-1, nbytes + HUGE, flags=private)
    with contextlib.suppress(OSError):  # a system without huge pages is only slower
        reserved.madvise(mmap.MADV_HUGEPAGE)
    whole = torch.frombuffer(reserved, dtype=torch.uint8)
    start = -whole.data_ptr() % HUGE
    return whole[start : start + nbytes]


def zeros(shape: Sequence[int], *, dtype: torch.dtype, device: torch.device) -> Tensor:
    """Make a tensor of zeros, on the CPU in a block of its own.

    Args:
        shape: its shape.
        dtype: its dtype.
        device: its device.

    Returns:
        The tensor, contiguous.
    """
    size = math.prod(shape)
    if device.type != "cpu" or not size:
        return torch.zeros(*shape, dtype=dtype, device=device)
    return stretch(size * dtype.itemsize).view(dtype).view(*shape)


def together(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Copy tensors on the CPU into one block of memory, one directly after another.

    Args:
        tensors: contiguous tensors, of any dtypes and shapes.

    Returns:
        Tensors equal to them, in their order, each starting at a cache line.
    """
    sizes = [-(-t.numel() * t.element_size() // LINE) * LINE for t in tensors]
    if not sum(sizes):
        return list(tensors)
    parts = torch.split(stretch(sum(sizes)), sizes)
    copies = []
    for tensor, part in zip(tensors, parts, strict=True):
        used = part[: tensor.numel() * tensor.element_size()]
        copies.append(used.view(tensor.dtype).view(tensor.shape).copy_(tensor))
    return copies


class Store:
    """Store keys and values, and let the newest position of each sequence attend to them.

    The views of a step are made once for all layers, because making a view costs as much as a small
    product.

    Args:
        layers: number of layers.
        batch: number of sequences b.
        heads: query heads h.
        groups: key/value heads g.
        width: width d of a head.
        capacity: the largest length of the sequences.
        dtype: dtype of keys and values.
        device: device of keys and values.

    Raises:
        ValueError: a size is below 1.
    """

    def __init__(
        self,
        *,
        layers: int,
        batch: int,
        heads: int,
        groups: int,
        width: int,
        capacity: int,
        dtype: torch.dtype,
        device: torch.device,
    ) -> None:
        check_sizes(batch=batch, capacity=capacity)
        shape = (2, layers, batch, groups, capacity, width)
        self.held = zeros(shape, dtype=dtype, device=device)
        self.capacity, self.length = capacity, 0
        self.width, self.shape = width, (batch, 2, groups, width)
        self.sizes = (0, heads * width), (heads * width, 2 * groups * width)
        self.rows = (batch * groups, heads // groups, width)  # queries that share keys: one matrix
        self.tables = self.held[1].flatten(1, 3).unbind(0)
        # Start of the values of each group in such a table, for each of its queries.
        starts = torch.arange(0, batch * groups * capacity, capacity, device=device)
        steps = starts[:, None, None] + torch.arange(capacity, device=device)
        self.places = steps.expand(-1, heads // groups, -1).to(torch.int32)
        self.bagged = device.type == "cpu" and batch > 1 and dtype == torch.float32

    def room(self, n: int) -> None:
        """Refuse ``n`` more positions if they do not fit.

        Raises:
            CacheFull: they do not fit.
        """
        check_room(self.length, n, self.capacity)

    def truncate(self, length: int) -> None:
        """Remove the positions from ``length`` on.

        Raises:
            ValueError: ``length`` is negative, or above the current length.
        """
        check_length(length, self.length)
        self.length = length

    def open(self) -> None:
        """Make the views that a step needs; at its end the step increases the length."""
        self.room(1)
        now, length = self.length, self.length + 1
        self.slots = self.held[..., now, :].unbind(1)
        seen = self.held[..., :length, :].flatten(2, 3)
        self.keys = seen[0].transpose(-2, -1).unbind(0)
        if self.bagged:
            indices = self.places[..., :length].reshape(-1)
            self.bags = (
                indices,
                torch.arange(0, len(indices), length, dtype=torch.int32, device="cpu"),
            )
        else:
            self.values = seen[1].unbind(0)

    def attend(self, layer: int, made: Float[Tensor, "b n"]) -> Float[Tensor, "b m"]:
        """Write the newest keys and values, and attend to all positions.

        There are no later positions, so there is no mask. Queries of a group are rows of one
        matrix, so that its keys are read once and not once for each of them.

        Args:
            layer: index of the layer.
            made: h heads of queries, scaled, then g of keys, then g of values.
        """
        query, keys_values = (made.narrow(1, *size) for size in self.sizes)
        slot = self.slots[layer]
        slot.copy_(keys_values.view(self.shape).transpose(0, 1))
        weights = torch.softmax(torch.bmm(query.reshape(self.rows), self.keys[layer]), dim=-1)
        if not self.bagged:
            return torch.bmm(weights, self.values[layer]).view(len(made), -1)
        # The BLAS reads many small matrices of values slowly; a weighted sum of rows is a bag.
        factors = weights.view(-1)
        out = torch.embedding_bag(self.tables[layer], *self.bags, False, SUM, False, factors)[0]
        return out.view(len(made), -1)

    def attend_many(
        self, layer: int, made: Float[Tensor, "b q n"], start: int
    ) -> Float[Tensor, "b q m"]:
        """Write the keys and values of several positions, and attend causally from each.

        Args:
            layer: index of the layer.
            made: h heads of queries, scaled, then g of keys, then g of values.
            start: the first of the positions.
        """
        end = start + made.shape[1]
        query, keys_values = (made.narrow(2, *size) for size in self.sizes)
        split = keys_values.reshape(*made.shape[:2], *self.shape[1:]).permute(2, 0, 3, 1, 4)
        self.held[:, layer, ..., start:end, :] = split
        key, value = self.held[:, layer, ..., :end, :].unbind(0)
        query = query.reshape(*made.shape[:2], -1, self.width).transpose(1, 2)
        return sdpa(query, key, value, Rule(), score=dot).transpose(1, 2).flatten(2)

    @property
    def nbytes(self) -> int:
        """Reserved bytes: 2·b·g·d·capacity numbers for each layer."""
        return self.held.numel() * self.held.element_size()
