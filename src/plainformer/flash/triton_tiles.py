"""How large the tiles are on which GPU: a small table, and why."""

from typing import NamedTuple

import torch


class Tiles(NamedTuple):
    """The sides of a tile, and how one run of a program is spread over the hardware.

    Attributes:
        q_tile: queries in a tile.
        k_tile: keys in a tile.
        warps: groups of 32 threads that share a run.
        stages: how many tiles are on their way from memory at once.
    """

    q_tile: int
    k_tile: int
    warps: int
    stages: int


# A run keeps its own tile and its sums in registers, and the visiting tiles, times ``stages``, in
# shared memory (64 KB on 7.5, 99 KB on the smallest 8.x, 227 KB on 9.0). Large tiles read memory
# less often; too large ones spill registers, which costs more. Wide heads and float32 therefore
# halve a side. 7.5 has no asynchronous copies, so one stage; more warps spread its registers.
# The sides are the largest of those tried that spill nothing, or at most 64 bytes a thread.
#
# (capability at least, itemsize at most, width at most): forward, queries' and keys' gradients
TABLE: dict[tuple[tuple[int, int], int, int], tuple[Tiles, Tiles, Tiles]] = {
    ((9, 0), 2, 64): (Tiles(128, 128, 8, 2), Tiles(128, 64, 8, 2), Tiles(32, 128, 8, 2)),
    ((9, 0), 2, 128): (Tiles(128, 64, 8, 2), Tiles(128, 64, 8, 2), Tiles(32, 64, 8, 2)),
    ((8, 0), 2, 64): (Tiles(128, 64, 4, 3), Tiles(128, 32, 8, 2), Tiles(32, 64, 4, 2)),
    ((8, 0), 2, 128): (Tiles(64, 64, 4, 2), Tiles(64, 64, 8, 2), Tiles(32, 64, 8, 2)),
    ((8, 0), 2, 256): (Tiles(64, 32, 8, 1), Tiles(32, 32, 8, 1), Tiles(32, 32, 8, 1)),
    ((8, 0), 4, 64): (Tiles(64, 32, 8, 1), Tiles(32, 32, 8, 1), Tiles(32, 32, 8, 1)),
    ((8, 0), 4, 256): (Tiles(32, 16, 8, 1), Tiles(16, 16, 8, 1), Tiles(16, 16, 8, 1)),
    ((7, 5), 2, 64): (Tiles(64, 32, 8, 1), Tiles(32, 32, 8, 1), Tiles(32, 32, 8, 1)),
    ((7, 5), 4, 128): (Tiles(16, 16, 8, 1), Tiles(16, 16, 8, 1), Tiles(16, 16, 8, 1)),
}
SMALLEST = Tiles(16, 16, 4, 1)  # without a GPU: small, so that short rows have several tiles


def tiles_for(
    width: int, dtype: torch.dtype, capability: tuple[int, int] | None
) -> tuple[Tiles, Tiles, Tiles]:
    """Look up the tiles of the forward pass, of the queries' gradient, and of the keys'.

    Args:
        width: the head width, padded to a power of two of at least 16.
        dtype: of query, key and value.
        capability: the GPU's compute capability; None where programs are interpreted.

    Returns:
        The three, from the first row of the table that fits.

    Raises:
        ValueError: no row fits.

    >>> tiles_for(64, torch.float16, (7, 5))[0]
    Tiles(q_tile=64, k_tile=32, warps=8, stages=1)
    """
    if capability is None:
        return SMALLEST, SMALLEST, SMALLEST
    for (least, itemsize, widest), tiles in TABLE.items():
        if capability >= least and dtype.itemsize <= itemsize and width <= widest:
            return tiles
    raise ValueError(
        f"head width {width}, {dtype}, compute capability {capability}: the GPU kernel has tiles "
        "up to width 256 (128 before 8.0), 32 bits, from 7.5 on; use plainformer.sdpa.sdpa"
    )
