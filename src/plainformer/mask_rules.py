"""A mask that is not written down: it says, from two positions, whether one may look at the other.

A boolean mask holds q·k answers. A rule holds a few numbers, and gives the answers for any tile of
queries and keys, or says of a whole tile that nothing (or everything) in it is visible. That is
what lets fast attention skip work, and what lets a cache that keeps its keys out of order mask
them all the same. Where a tensor is wanted, :func:`written_out` and :func:`at_positions` make it,
and make one of a bias that is a function of positions.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import torch
from jaxtyping import Bool
from torch import Tensor

WHOLE = {torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8}


@dataclass(frozen=True, kw_only=True, eq=False)
class Rule:
    """Say which keys a query may look at, by their positions. All conditions must hold.

    Positions are places in the (padded) row, from 0. A key at a negative position is an empty
    place of a cache; nobody looks at it.

    Args:
        causal: a query may look at its own position and at earlier ones.
        window: a query may look at positions less than ``window`` away.
        sinks: the first ``sinks`` positions are in every window.
        prefix: the first ``prefix`` positions are visible to all, whatever ``causal`` says.
        starts: (b,) where each sequence starts; what stands before it is padding on the left.
            Sinks and prefix are counted from there.
        lengths: (b,) where each sequence ends; what stands from there on is padding.

    Raises:
        ValueError: a number is negative or not whole, ``window`` is below 1, ``causal`` is neither
            true nor false, or starts or lengths are no whole numbers (b,).

    Ref: Beltagy et al. 2020 (window); Xiao et al. 2024 (sinks); Raffel et al. 2020 (prefix).
    """

    causal: bool = True
    window: int | None = None
    sinks: int = 0
    prefix: int = 0
    starts: Tensor | None = None
    lengths: Tensor | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.causal, bool):
            raise ValueError(f"causal={self.causal!r}: expected True or False")
        for name in ("window", "sinks", "prefix"):
            value = getattr(self, name)
            if value is None and name == "window":
                continue
            if isinstance(value, bool) or not hasattr(value, "__index__"):
                raise ValueError(f"{name}={value!r}: expected a whole number of positions")
        if self.window is not None and self.window < 1:
            raise ValueError(f"window={self.window}: a query sees itself, so at least 1")
        for name in ("sinks", "prefix"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name}={getattr(self, name)}: a number of positions is not < 0")
        for name in ("starts", "lengths"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, Tensor):
                raise ValueError(
                    f"{name}={value!r}: expected a tensor (b,), torch.tensor({value!r})"
                )
            if value is not None and (value.ndim != 1 or (len(value) and value.dtype not in WHOLE)):
                raise ValueError(
                    f"{name} is a tensor of shape {tuple(value.shape)} and {value.dtype}: expected "
                    "whole numbers (b,), one for each sequence; of a mask of real tokens (b, k), "
                    "padded on the right, lengths=mask.sum(-1)"
                )

    @property
    def only_causal(self) -> bool:
        """Whether this is the causal mask and nothing else."""
        others = (self.window, self.starts, self.lengths)
        return self.causal and not self.prefix and all(other is None for other in others)

    def allows(self, q_positions: Tensor, k_positions: Tensor) -> Bool[Tensor, "#b 1 q k"]:
        """Write out the mask of some queries and keys.

        Args:
            q_positions: (q,) or (b, q), where the queries stand.
            k_positions: (k,) or (b, k), where the keys stand; negative = empty.

        Returns:
            True = may look; it broadcasts over the heads, and over the batch where all sequences
            are alike.

        Cost: b·q·k booleans.
        """
        q, k = _rows(q_positions)[..., :, None], _rows(k_positions)[..., None, :]
        start = 0 if self.starts is None else self.starts[:, None, None].to(k.device)
        seen = (k >= start) & (k >= 0)
        if self.lengths is not None:
            seen = seen & (k < self.lengths[:, None, None].to(k.device))
        near = (k <= q) if self.causal else torch.ones_like(k <= q)
        if self.window is not None:
            close = (q - k).abs() < self.window
            near = near & (close | (k - start < self.sinks))
        if self.prefix:
            near = near | (k - start < self.prefix)
        return (seen & near)[:, None]

    def dense(
        self, q: int, k: int, *, device: torch.device | None = None
    ) -> Bool[Tensor, "#b 1 {q} {k}"]:
        """Write out the mask of the last ``q`` of ``k`` positions against all of them.

        Args:
            q: number of queries, aligned bottom-right.
            k: number of keys.
            device: where the mask is made.

        Cost: b·q·k booleans.

        >>> Rule(window=2, sinks=1).dense(2, 4)[0, 0].int().tolist()
        [[1, 1, 1, 0], [1, 0, 1, 1]]
        """
        keys = torch.arange(k, device=device)
        return self.allows(torch.arange(k - q, k, device=device), keys)

    def sees(self, queries: range, keys: range) -> bool | None:
        """Say of a tile whether all of it is visible (True), nothing (False), or some (None).

        Args:
            queries: the positions of the tile's queries, in a row.
            keys: the positions of its keys, in a row.

        Cost: a few comparisons. ``starts`` and ``lengths`` are read the first time, once for all
        tiles and layers; so neither may change in place.
        """
        if not queries or not keys:
            return False
        first, last = keys[0], keys[-1]
        (least, most), (shortest, end) = self._ends
        if last < least or first >= end:
            return False
        in_prefix, in_sinks = last - least < self.prefix, last - least < self.sinks
        touches = first - most < max(self.prefix, self.sinks)  # a key of the prefix or the sinks
        if self.causal and first > queries[-1] and not (self.prefix and touches):
            return False
        distance = max(queries[0] - last, first - queries[-1])
        if self.window is not None and distance >= self.window and not touches:
            return False
        reach = max(queries[-1] - first, last - queries[0])
        past = not self.causal or last <= queries[0]
        near = self.window is None or reach < self.window or in_sinks
        real = first >= most and last < shortest
        return True if real and (in_prefix or (past and near)) else None

    @property
    def padded_left(self) -> bool:
        """Whether a sequence starts elsewhere than at 0; read once, as by :meth:`sees`."""
        return self._ends[0] != (0, 0)

    def each(self, b: int) -> "list[Rule]":
        """Return the rule of each of ``b`` sequences alone; made once, for every layer that asks.

        Raises:
            ValueError: see :meth:`check_batch`.
        """
        if self.starts is None and self.lengths is None:
            return [self] * b
        if b not in self._alone:
            self.check_batch(b)
            starts, lengths = _split(self.starts, b), _split(self.lengths, b)
            pairs = zip(starts, lengths, strict=True)
            self._alone[b] = [replace(self, starts=start, lengths=end) for start, end in pairs]
        return self._alone[b]

    def check_batch(self, b: int) -> None:
        """Refuse to be the rule of ``b`` sequences.

        Raises:
            ValueError: starts or lengths are of another number of sequences; one is for all.
        """
        for name, ends in {"starts": self.starts, "lengths": self.lengths}.items():
            if ends is not None and len(ends) not in (1, b):
                raise ValueError(
                    f"{name} of {len(ends)} sequences, but there are {b}: expected {b}, or 1"
                )

    @cached_property
    def _alone(self) -> "dict[int, list[Rule]]":
        return {}

    @cached_property
    def _ends(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the least and the most of ``starts``, and of ``lengths``; on a GPU this waits."""
        return _between(self.starts, 0), _between(self.lengths, sys.maxsize)

    def with_starts(self, starts: Tensor | None) -> "Rule":
        """Return the same rule for sequences padded on the left up to ``starts``."""
        return replace(self, starts=starts)


def written_out(
    mask: Tensor | Rule | None,
    bias: Tensor | Callable[[Tensor, Tensor], Tensor] | None,
    q: int,
    k: int,
    device: torch.device,
) -> tuple[Tensor | None, Tensor | None]:
    """Turn a rule into a mask, and a function of positions into a bias.

    Args:
        mask: a mask, or a rule.
        bias: a bias, or a function of positions.
        q: number of queries, the last of the positions.
        k: number of keys.
        device: where they are made.
    """
    if isinstance(mask, Rule):
        mask = mask.dense(q, k, device=device)
    if bias is not None and not isinstance(bias, Tensor):
        keys = torch.arange(k, device=device)
        bias = bias(torch.arange(k - q, k, device=device), keys)
    return mask, bias


def at_positions(
    mask: Tensor | Rule | None,
    bias: Tensor | Callable[[Tensor, Tensor], Tensor] | None,
    q: Tensor,
    k: Tensor,
) -> tuple[Tensor, Tensor | None]:
    """Write a mask and a bias out for keys that stand in no particular order.

    Args:
        mask: a rule, or a mask of all positions.
        bias: a function of positions, or a bias of all positions.
        q: (q,) where the queries stand.
        k: (k,) where the keys stand; negative = empty, which nobody looks at.

    Returns:
        The mask, (b, 1, q, k) or what its broadcasting leaves of that; the bias.
    """
    held = (k >= 0)[None, None, None]
    if isinstance(mask, Rule):
        mask = mask.allows(q, k)
    elif mask is not None:
        mask = _columns(mask, k) & held
    else:
        mask = held.expand(1, 1, len(q), len(k))
    if isinstance(bias, Tensor):
        return mask, _columns(bias, k)
    return mask, None if bias is None else bias(q, k.clamp_min(0))


def _columns(whole: Tensor, k: Tensor) -> Tensor:
    """Pick the columns of some positions; one column for all stays one."""
    return whole if whole.shape[-1] == 1 else whole[..., k.clamp_min(0)]


def _rows(positions: Tensor) -> Tensor:
    return positions if positions.ndim == 2 else positions[None]


def _between(values: Tensor | None, default: int) -> tuple[int, int]:
    if values is None or not len(values):
        return default, default
    return int(values.min()), int(values.max())


def _split(values: Tensor | None, b: int) -> Sequence[Tensor | None]:
    return [values] * b if values is None or len(values) == 1 else torch.split(values, 1)
