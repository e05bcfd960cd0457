"""Masks as rules: a function of two positions decides whether one may attend to the other.

A boolean mask holds q·k entries. A rule holds a few numbers, and computes the entries of any tile
of queries and keys, or reports that a whole tile is hidden or visible. So fast attention can skip
work, and a cache can store its keys out of order.
"""

import sys
from collections.abc import Callable, Sequence
from dataclasses import Field, dataclass, fields, replace
from functools import cached_property
from numbers import Number
from typing import Any

import torch
from jaxtyping import Bool
from torch import Tensor

from plainformer.mask_checks import check_ends

FAR = 2**30  # larger than any distance between two positions
KNOWN = frozenset("causal window sinks prefix starts lengths".split())  # Rule.allows reads these


@dataclass(frozen=True, kw_only=True, eq=False)
class Rule:
    """Decide from positions which keys a query may attend to.

    ``causal`` and ``window`` restrict attention; ``sinks`` makes positions outside the window
    visible again, and ``prefix`` positions hidden by either. ``starts`` and ``lengths`` hide
    padding from all queries. Positions are indices in the (padded) row, from 0; a key at a negative
    position is an empty slot of a cache, and hidden. For a new kind of mask, override
    :meth:`allows` in a subclass. Back ends and caches read no field, but call :meth:`sees`,
    :meth:`as_band` and :meth:`each`. Unless the subclass overrides these too, they treat every mask
    as partly visible and not a band.

    Args:
        causal: a query attends only to its own position and to earlier ones.
        window: a query attends only to positions less than ``window`` away.
        sinks: the first ``sinks`` positions are in every window.
        prefix: the first ``prefix`` positions are visible to all, whatever ``causal`` is.
        starts: (b,) start of each sequence; positions before it are padding on the left. Sinks and
            prefix are counted from there.
        lengths: (b,) end of each sequence; positions from there on are padding.

    Raises:
        ValueError: a number is negative or not whole, ``window`` is below 1, ``causal`` is not a
            truth value, or starts or lengths are not whole numbers (b,).

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
        for name in ("sinks", "prefix", *(["window"] if self.window is not None else [])):
            value = getattr(self, name)
            if isinstance(value, bool) or not hasattr(value, "__index__"):
                raise ValueError(f"{name}={value!r}: expected a whole number of positions")
            if value < 0:
                raise ValueError(f"{name}={value}: a number of positions is not < 0")
        if self.window == 0:
            raise ValueError("window=0: a query sees itself, so at least 1")
        check_ends(starts=self.starts, lengths=self.lengths)

    def __init_subclass__(cls) -> None:
        """Replace inherited methods that are valid only for the parent's :meth:`allows`."""
        super().__init_subclass__()
        for name, cautious in _CAUTIOUS.items():
            if _height(cls, "allows") < _height(cls, name):
                setattr(cls, name, cautious)

    def as_band(self) -> tuple[int, int] | None:
        """Return how far a query attends behind and ahead of itself, if that is the whole rule.

        Returns:
            Two numbers of positions, at most ``FAR``, which means without limit; or None.

        >>> Rule(window=3).as_band(), Rule(prefix=1).as_band()
        ((2, 0), None)
        """
        given = self._given - ({"sinks"} if self.window is None else set())
        back = FAR if self.window is None else min(int(self.window) - 1, FAR)
        return None if given - {"causal", "window"} else (back, 0 if self.causal else back)

    @cached_property
    def only_causal(self) -> bool:
        """Whether this is exactly the causal mask."""
        return self.as_band() == (FAR, 0)

    def allows(self, q_positions: Tensor, k_positions: Tensor) -> Bool[Tensor, "#b 1 q k"]:
        """Compute the mask of some queries and keys.

        Args:
            q_positions: (q,) or (b, q), the positions of the queries.
            k_positions: (k,) or (b, k), the positions of the keys; negative for an empty slot.

        Returns:
            True where a query may attend to a key; broadcasts over heads, and over equal sequences.

        Raises:
            ValueError: a subclass has a field of its own and does not override this method.

        Cost: b·q·k booleans.
        """
        if type(self).allows is Rule.allows and self._unknown:
            raise ValueError(
                f"{self}: Rule.allows does not read {sorted(self._unknown)} and would ignore it; "
                f"override allows in {type(self).__name__}"
            )
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
        """Compute the mask of the last ``q`` of ``k`` positions against all of them.

        Args:
            q: number of queries, aligned bottom-right.
            k: number of keys.
            device: device of the mask.

        Cost: b·q·k booleans.

        >>> Rule(window=2, sinks=1).dense(2, 4)[0, 0].int().tolist()
        [[1, 1, 1, 0], [1, 0, 1, 1]]
        """
        keys = torch.arange(k, device=device)
        return self.allows(torch.arange(k - q, k, device=device), keys)

    def sees(self, queries: range, keys: range) -> bool | None:
        """Return whether a tile is visible entirely (True), not at all (False), or in part (None).

        Args:
            queries: consecutive positions of the tile's queries.
            keys: consecutive positions of its keys.

        Cost: a few comparisons. ``starts`` and ``lengths`` are read once for all tiles and layers,
        so neither may change in place.
        """
        if not queries or not keys:
            return False
        if self._unknown:
            return None
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
        """Whether a sequence starts after 0; read once, as by :meth:`sees`."""
        return self._ends[0] != (0, 0)

    @cached_property
    def varying(self) -> frozenset[str]:
        """The fields that may hold one value per sequence, because they are not a single number."""
        simple = Number | str | None
        return frozenset(n for n in self._given if not isinstance(getattr(self, n), simple))

    def each(self, b: int) -> "list[Rule]":
        """Return the rule of each of ``b`` sequences alone; computed once for all layers.

        Raises:
            ValueError: see :meth:`check_batch`; or another field is neither a number nor a string.
        """
        if not self.varying:
            return [self] * b
        if unknown := sorted(self.varying - {"starts", "lengths"}):
            raise ValueError(
                f"{unknown} of {type(self).__name__} cannot be split into sequences: use a cache "
                "that is not paged, or override each"
            )
        if b not in self._alone:
            self.check_batch(b)
            starts, lengths = _split(self.starts, b), _split(self.lengths, b)
            pairs = zip(starts, lengths, strict=True)
            self._alone[b] = [self.changed(starts=start, lengths=end) for start, end in pairs]
        return self._alone[b]

    def padding(self) -> "Rule":
        """Return the part of this rule about padding; the rest does not apply to another sequence.

        Raises:
            ValueError: it is unknown whether a field of a subclass concerns padding.
        """
        if self._unknown or type(self).allows is not Rule.allows:
            raise ValueError(
                f"memory_mask={self}: which part of it hides padding is not known; give this rule "
                "to encode(), and memory_mask=Rule(causal=False, starts=…, lengths=…) to decode()"
            )
        return Rule(causal=False, starts=self.starts, lengths=self.lengths)

    def check_batch(self, b: int) -> None:
        """Check that this rule can apply to ``b`` sequences.

        Raises:
            ValueError: starts or lengths have another number of sequences; one applies to all.
        """
        for name, ends in (("starts", self.starts), ("lengths", self.lengths)):
            if (n := b if ends is None else len(ends)) not in (1, b):
                raise ValueError(f"{name} of {n} sequences, but there are {b}: expected {b}, or 1")

    @cached_property
    def _given(self) -> frozenset[str]:
        """Return the fields that differ from ``Rule()``; those of a subclass unless left empty."""
        return frozenset(f.name for f in fields(self) if not _is_default(self, f))

    @cached_property
    def _unknown(self) -> frozenset[str]:
        return self._given - KNOWN

    @cached_property
    def _alone(self) -> "dict[int, list[Rule]]":
        return {}

    @cached_property
    def _ends(self) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return the extremes of ``starts`` and of ``lengths``; this waits for a GPU."""
        return _between(self.starts, 0), _between(self.lengths, sys.maxsize)

    def changed(self, **values: Any) -> "Rule":
        """Return the same rule with other values of some fields.

        Raises:
            ValueError: a subclass holds an attribute that is not a field, which would be lost.
        """
        kept = {field.name for field in fields(self)} | vars(Rule).keys()
        if lost := sorted(name for name in vars(self).keys() - kept if name[0] != "_"):
            raise ValueError(
                f"{lost} of {type(self).__name__} would be lost in a copy: make them fields, with "
                "@dataclass(frozen=True, kw_only=True, eq=False) above the class"
            )
        return replace(self, **values)

    def with_starts(self, starts: Tensor | None) -> "Rule":
        """Return the same rule for sequences padded on the left up to ``starts``."""
        return self.changed(starts=starts)


# The defaults for a subclass that overrides ``allows`` and not these.
_CAUTIOUS: dict[str, Callable[..., Any]] = {
    "sees": lambda self, queries, keys: None if queries and keys else False,
    "as_band": lambda self: None,
}


def _height(kind: type, name: str) -> int:
    return next(i for i, parent in enumerate(kind.__mro__) if name in vars(parent))


def _is_default(rule: Rule, field: "Field[Any]") -> bool:
    value = getattr(rule, field.name)
    if field.name not in KNOWN:
        return value is field.default and (value is None or value is False)
    return value is field.default or (isinstance(value, Number) and value == field.default)


def _rows(positions: Tensor) -> Tensor:
    return positions if positions.ndim == 2 else positions[None]


def _between(values: Tensor | None, default: int) -> tuple[int, int]:
    if values is None or not len(values):
        return default, default
    return int(values.min()), int(values.max())


def _split(values: Tensor | None, b: int) -> Sequence[Tensor | None]:
    return [values] * b if values is None or len(values) == 1 else torch.split(values, 1)
