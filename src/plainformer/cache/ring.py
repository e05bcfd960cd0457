"""Where a ring keeps which position."""

from typing import TypeVar

import torch
from torch import Tensor

from plainformer.cache.checks import Forgotten
from plainformer.mask_rules import Rule

Position = TypeVar("Position", int, Tensor)


class Ring:
    """Keep the first ``sinks`` positions in place, and of the others the last ``size``.

    Attributes:
        first: the oldest position, sinks aside, that has not been overwritten.

    Args:
        sinks: places before the ring.
        size: places of the ring.

    Ref: Xiao et al. 2024, figure 4.

    >>> ring = Ring(sinks=1, size=2)
    >>> [ring.place(p) for p in range(6)]
    [0, 1, 2, 1, 2, 1]
    """

    def __init__(self, *, sinks: int, size: int) -> None:
        self.sinks, self.size, self.first = sinks, size, sinks

    @property
    def in_order(self) -> bool:
        """Whether nothing was overwritten, so that each position is its own place."""
        return self.first == self.sinks

    def place(self, position: Position) -> Position:
        """Return where ``position`` is kept; of several, where each is."""
        in_ring = self.sinks + (position - self.sinks) % self.size
        if isinstance(position, Tensor):
            return torch.where(position < self.sinks, position, in_ring)
        return position if position < self.sinks else in_ring

    def held(self, length: int, device: torch.device | None) -> Tensor:
        """Return the positions that are held of ``length``, in order, made on ``device``."""
        sinks = torch.arange(min(length, self.sinks), device=device)
        ring = torch.arange(self.first, max(length, self.first), device=device)
        return torch.cat([sinks, ring])

    def grown(self, length: int) -> None:
        """Note that positions up to ``length`` were written."""
        self.first = max(self.first, length - self.size)


def covers(rule: Rule, window: int, sinks: int) -> bool:
    """Say whether a rule shows the last query all that a window and its sinks hold.

    Args:
        rule: the rule.
        window: positions of the window.
        sinks: positions beside it.
    """
    reaches = rule.window is None or (rule.window >= window and rule.sinks >= sinks)
    return reaches and rule.starts is None and rule.lengths is None


def refuse_padding(mask: Tensor | Rule | None, sinks: int) -> None:
    """Refuse sinks where the first positions of a sequence are padding.

    Args:
        mask: what was given to attend.
        sinks: how many first positions are kept.

    Raises:
        ValueError: there are sinks, and a sequence starts later than at 0.
    """
    if sinks and isinstance(mask, Rule) and mask.starts is not None and bool(mask.starts.any()):
        raise ValueError(
            f"sinks={sinks} with sequences padded on the left: the first positions are padding in "
            "some. Pad on the right, use sinks=0, or one cache for each sequence."
        )


def check_window(position: int, window: int, sinks: int, first: int) -> None:
    """Refuse a position whose window has been overwritten.

    Args:
        position: where a query stands, or will stand.
        window: how many positions it looks back, its own included.
        sinks: first positions, which are always held.
        first: the oldest of the others that is held.

    Raises:
        Forgotten: its window starts before ``first``.
    """
    oldest = max(sinks, position - window + 1)
    if oldest < first:
        raise Forgotten(
            f"position {position}: its window starts at {oldest}, and what is held at {first}. "
            "Attend once after each append; a larger slack lets more be taken back."
        )
