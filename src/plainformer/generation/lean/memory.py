"""One stretch of memory for what a decode step reads from end to end.

A processor finds memory through a small table of pages. With pages of 4 KiB, 40 MB of weights are
10,000 pages, more than the table holds, so that reading stops at almost every page to look one up.
Huge pages of 2 MiB need 20. The step reads its tensors in the order in which they lie.
"""

import contextlib
import math
import mmap
from collections.abc import Sequence

import torch
from torch import Tensor

HUGE = 2 << 20  # bytes of a huge page
LINE = 64  # bytes of a cache line


def stretch(nbytes: int) -> Tensor:
    """Reserve bytes that start at a huge page, in huge pages where the system gives them.

    Args:
        nbytes: how many.

    Returns:
        (nbytes,) zeros of ``torch.uint8`` on the CPU.

    Cost: up to 2 MiB more than asked for.
    """
    if not hasattr(mmap, "MADV_HUGEPAGE"):
        return torch.zeros(nbytes, dtype=torch.uint8)
    private = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS  # shared memory gets no huge pages
    reserved = mmap.mmap(-1, nbytes + HUGE, flags=private)
    with contextlib.suppress(OSError):  # a system without huge pages is slower, not wrong
        reserved.madvise(mmap.MADV_HUGEPAGE)
    whole = torch.frombuffer(reserved, dtype=torch.uint8)
    start = -whole.data_ptr() % HUGE
    return whole[start : start + nbytes]


def zeros(shape: Sequence[int], *, dtype: torch.dtype, device: torch.device) -> Tensor:
    """Make a tensor of zeros, on the CPU in a stretch of its own.

    Args:
        shape: its shape.
        dtype: its type.
        device: where it is made.

    Returns:
        The tensor, contiguous.
    """
    size = math.prod(shape)
    if device.type != "cpu" or not size:
        return torch.zeros(*shape, dtype=dtype, device=device)
    return stretch(size * dtype.itemsize).view(dtype).view(*shape)


def together(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Copy tensors of the CPU one behind the other into one stretch.

    Args:
        tensors: contiguous tensors, of any types and shapes.

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
