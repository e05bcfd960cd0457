"""Batches: every row once per epoch, in an order that depends only on the seed."""

import zlib
from dataclasses import dataclass, field, replace

import numpy as np
import torch

from plainformer.training.data import Rows, Source


@dataclass(kw_only=True)
class Batches:
    """Split each batch between the processes.

    The order of an epoch is a permutation drawn from the seed and the epoch's number. A batch is
    the next ``size`` rows of it, and may span two epochs. Process ``rank`` takes every ``world``-th
    of them. So a batch does not depend on the number of processes, no two processes share a row of
    it, and the place in the data is one number.

    Args:
        source: the rows.
        size: rows in a batch, of all processes together.
        seed: seed of the order.
        rank: the number of this process.
        world: number of processes.
        position: number of rows that all processes together have taken.

    Raises:
        ValueError: the size is not divisible by ``world``, or a number is out of range.

    >>> from plainformer.training.data import Windows
    >>> one = Batches(source=Windows(np.arange(9), 3), size=2, seed=0)
    >>> sorted(n for _ in range(2) for n in one.numbers())
    [0, 1, 2, 3]
    """

    source: Source
    size: int
    seed: int = 0
    rank: int = 0
    world: int = 1
    position: int = 0
    _order: tuple[int, np.ndarray] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.size < 1 or not 0 <= self.rank < self.world or self.position < 0 or self.seed < 0:
            raise ValueError(
                f"size={self.size}, rank={self.rank} of {self.world}, position={self.position}, "
                f"seed={self.seed}: expected a size of at least 1, a rank below the number of "
                "processes, and no negative number"
            )
        if self.size % self.world:
            raise ValueError(
                f"a batch of {self.size} rows is not divisible by {self.world} processes"
            )

    def of(self, rank: int, world: int) -> "Batches":
        """Return the share of process ``rank`` of ``world``, from the current position on.

        Raises:
            ValueError: the size is not divisible by ``world``.
        """
        return replace(self, rank=rank, world=world)

    def numbers(self) -> list[int]:
        """Take the next batch, and return the numbers of this process's rows."""
        return [number for number, _ in self._take()]

    def take(self) -> tuple[Rows, list[tuple[int, ...]]]:
        """Take the next batch.

        Returns:
            This process's rows, and for each the key of its noise: the seed, the epoch, and the
            row's number.
        """
        taken = self._take()
        rows = self.source.rows([number for number, _ in taken])
        return rows, [(self.seed, epoch, number) for number, epoch in taken]

    def state_dict(self) -> dict[str, int]:
        """Return the position in the data, and the seed, size and checksum of the data."""
        ends = self.source.rows([0, len(self.source) - 1]).tokens
        return {
            "position": self.position,
            "seed": self.seed,
            "rows": len(self.source),
            "text": zlib.crc32(ends.numpy().tobytes()),
        }

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Go to the position in ``state``.

        Raises:
            ValueError: the state belongs to another seed, or to other data.
        """
        mine = self.state_dict()
        for name in ("seed", "rows", "text"):
            if state[name] != mine[name]:
                raise ValueError(
                    f"the checkpoint's data has {name}={state[name]}, this run's {mine[name]}: "
                    "resume with the same data and seed, or start in another folder"
                )
        self.position = state["position"]

    def _take(self) -> list[tuple[int, int]]:
        places = range(self.position + self.rank, self.position + self.size, self.world)
        self.position += self.size
        return [self._at(place) for place in places]

    def _at(self, place: int) -> tuple[int, int]:
        epoch, index = divmod(place, len(self.source))
        if self._order is None or self._order[0] != epoch:
            order = np.random.default_rng([self.seed, epoch]).permutation(len(self.source))
            self._order = (epoch, order)
        return int(self._order[1][index]), epoch


def micro_batches(rows: Rows, count: int) -> list[Rows]:
    """Split a process's rows into equal parts, one for each micro-step.

    Args:
        rows: the rows.
        count: number of parts.

    Raises:
        ValueError: the number of rows is not divisible by ``count``.
    """
    b = len(rows.tokens)
    if b % count:
        raise ValueError(f"{b} rows of a process are not divisible by {count} micro-steps")
    segments = [None] * count if rows.segments is None else torch.chunk(rows.segments, count)
    parts = zip(rows.tokens.chunk(count), rows.lengths.chunk(count), segments, strict=True)
    return [Rows(*part) for part in parts]
