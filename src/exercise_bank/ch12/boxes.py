"""Tiled attentions in closed boxes: sound in several ways, or with one fault.

A box takes a query (q, d), a key (k, d), a value (k, e), whether the mask is causal, and the sides
of a tile. It returns the output (q, e), the log-sum-exp (q,), and its peak memory in bytes. The box
counts the bytes where it makes its tensors, because importing a meter of all operations of PyTorch
would take longer than a check may.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from exercise_bank.arguments import MOST_NUMBERS, alike, in_reach, numbers, true_or_false, whole
from exercise_bank.closing import closed

Box = Callable[[Tensor, Tensor, Tensor, bool, int, int], tuple[Tensor, Tensor, int]]
FAULTS = (
    "none",
    "matrix",
    "top-left",
    "diagonal",
    "skipped",
    "sixteen",
    "padding",
    "no maximum",
    "log-sum-exp",
)
SOUND = ("rows stay", "keys stay", "lazy", "backwards")


def box(kind: str) -> Box:
    """Return a box with a fault, or a sound one of its own kind, under an uninformative name."""

    def attention(
        query: Tensor, key: Tensor, value: Tensor, causal: bool, height: int, width: int
    ) -> tuple[Tensor, Tensor, int]:
        tiles = _Tiles(kind)
        output, lse = tiles.attend(query, key, value, causal, height, width)
        return output, lse, tiles.most

    made: Box = closed(attention, _taken)
    return made


def _taken(query: Any, key: Any, value: Any, causal: Any, height: Any, width: Any) -> list[Any]:
    named = {"query": query, "key": key, "value": value}
    query, key, value = (numbers(name, x, 2) for name, x in named.items())
    causal = true_or_false("causal", causal)
    height, width = whole("height", height, 1, 10_000), whole("width", width, 1, 10_000)
    if query.shape[1] != key.shape[1] or len(key) != len(value):
        raise ValueError(
            f"query is {tuple(query.shape)}, key {tuple(key.shape)} and value "
            f"{tuple(value.shape)}: expected (q, d), (k, d) and (k, e)"
        )
    in_reach(queries=len(query), keys=len(key))
    features = {"features of a query": query.shape[1], "features of a value": value.shape[1]}
    in_reach(most=MOST_NUMBERS, **features)
    in_reach(tiles=-(-len(query) // height) * -(-len(key) // width))
    return [*alike(query=query, key=key, value=value), causal, height, width]


class _Tiles:
    """Process tiles as one kind of box does."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.most = 0

    def _hold(self, *tensors: Tensor) -> None:
        """Record the peak of the bytes in memory."""
        self.most = max(self.most, sum(x.nbytes for x in tensors))

    def attend(
        self, query: Tensor, key: Tensor, value: Tensor, causal: bool, height: int, width: int
    ) -> tuple[Tensor, Tensor]:
        if self.kind == "matrix":
            return self._whole(query, key, value, causal)
        q, k = len(query), len(key)
        m, total = query.new_full((q,), -torch.inf), query.new_zeros(q)
        if self.kind == "no maximum":
            m.zero_()
        out = query.new_zeros(q, value.shape[1])
        tiles = [(i, j) for i in range(0, q, height) for j in range(0, k, width)]
        if self.kind == "keys stay":
            tiles.sort(key=lambda tile: tile[1])
        for i, j in reversed(tiles) if self.kind == "backwards" else tiles:
            rows = slice(i, min(i + height, q))
            if not self._skips(rows, j, q, k, causal, width):
                part = m[rows], total[rows], out[rows]
                stands = self._stands(rows, q, k)
                tile = self._add(part, query[rows], key, value, stands, j, causal, width)
                self._hold(m, total, out, *tile)
        lse = total.log() if self.kind == "log-sum-exp" else m + total.log()
        return out / total.masked_fill(total == 0, 1.0)[:, None], lse

    def _stands(self, rows: slice, q: int, k: int) -> Tensor:
        """Return the positions of the queries of a block."""
        return torch.arange(rows.start, rows.stop) + (0 if self.kind == "top-left" else k - q)

    def _skips(self, rows: slice, j: int, q: int, k: int, causal: bool, width: int) -> bool:
        if self.kind == "sixteen" and j >= 16 * width:
            return True
        stands = self._stands(rows, q, k)
        return causal and bool(j > stands[0 if self.kind == "skipped" else -1])

    def _add(
        self,
        part: tuple[Tensor, Tensor, Tensor],
        query: Tensor,
        key: Tensor,
        value: Tensor,
        stands: Tensor,
        j: int,
        causal: bool,
        width: int,
    ) -> tuple[Tensor, Tensor]:
        """Update the sums of a block of queries, and return scores and weights."""
        m, total, out = part
        keys, values = key[j : j + width], value[j : j + width]
        if self.kind == "padding":
            short = (0, 0, 0, width - len(keys))
            keys, values = (torch.nn.functional.pad(x, short) for x in (keys, values))
        scores = query @ keys.mT / query.shape[1] ** 0.5
        if causal and self.kind != "diagonal":
            future = torch.arange(j, j + len(keys)) > stands[:, None]
            scores = scores.masked_fill(future, -torch.inf)
        new = self._maximum(m, scores)
        anchor = new.masked_fill(new == -torch.inf, 0.0)
        fade, weights = torch.exp(m - anchor), torch.exp(scores - anchor[:, None])
        total.mul_(fade).add_(weights.sum(dim=1))
        out.mul_(fade[:, None]).add_(weights @ values)
        m.copy_(new)
        return scores, weights

    def _maximum(self, m: Tensor, scores: Tensor) -> Tensor:
        if self.kind == "no maximum":
            return m.clone()
        top = scores.amax(dim=1)
        if self.kind == "lazy":
            return torch.where(top > m + 3.0, top, m)
        return torch.maximum(m, top)

    def _whole(
        self, query: Tensor, key: Tensor, value: Tensor, causal: bool
    ) -> tuple[Tensor, Tensor]:
        """Attend with all scores at once."""
        scores = query @ key.mT / query.shape[1] ** 0.5
        if causal:
            stands = self._stands(slice(0, len(query)), len(query), len(key))
            scores = scores.masked_fill(torch.arange(len(key)) > stands[:, None], -torch.inf)
        weights = torch.softmax(scores, dim=1).nan_to_num(0.0)
        output, lse = weights @ value, scores.logsumexp(dim=1)
        self._hold(scores, weights, output, lse)
        return output, lse
