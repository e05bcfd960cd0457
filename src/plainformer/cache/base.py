"""What every key/value cache of one layer can do.

A model with n layers has a list of n caches. A layer appends its new keys and values, then asks
the cache to attend: the cache knows best how what it holds is read.
"""

from abc import ABC, abstractmethod

import torch
from jaxtyping import Float
from torch import Tensor

from plainformer.attention import Attend, Bias, attend_heads
from plainformer.cache.checks import check_queries
from plainformer.cache.grouped import attend_grouped
from plainformer.mask_rules import Rule
from plainformer.scores import Score, scaled_dot


class LayerCache(ABC):
    """Keys and values of one layer, for the positions seen so far.

    Caches are for inference: those that reserve their memory write into it, and pass no gradient.

    Attributes:
        length: how many positions were appended, those since forgotten included. The next token
            stands at this position.
    """

    length: int = 0

    @abstractmethod
    def append(self, key: Float[Tensor, "b g n d"], value: Float[Tensor, "b g n e"]) -> None:
        """Add the keys and values of the next n positions; n may be 0.

        Raises:
            ValueError: they do not fit, and nothing was written.
        """

    @abstractmethod
    def read(self) -> tuple[Tensor, Tensor]:
        """Return the keys (b, g, k, d) and values (b, g, k, e) that are held."""

    @abstractmethod
    def truncate(self, length: int) -> None:
        """Forget the positions from ``length`` on, as if they had never been appended.

        Raises:
            ValueError: ``length`` is negative or above the cache's.
        """

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Bytes that are reserved for keys and values (and what they need to be read)."""

    def positions(self, device: torch.device | None = None) -> Tensor | None:
        """Return the position of each key of :meth:`read`, or None where key i stands at i.

        Args:
            device: where they are made.
        """
        return None

    def attend(
        self,
        query: Float[Tensor, "b h n d"],
        mask: Tensor | Rule | None = None,
        *,
        score: Score = scaled_dot,
        bias: Tensor | Bias | None = None,
        backend: Attend = attend_heads,
    ) -> Float[Tensor, "b h n e"]:
        """Let the last n positions attend to what is held.

        Args:
            query: the queries of the last n positions that were appended.
            mask: a rule, or a mask of all positions so far, broadcasting to (b, h, n, length).
            score: how a query and a key are matched.
            bias: added to the scores, over all positions too, or a function of positions that
                makes it.
            backend: what computes attention.

        Raises:
            ValueError: the mask is causal, and there are more queries than positions.
        """
        check_queries(query.shape[-2], self.length, mask)
        key, value = self.read()
        k_positions = self.positions(query.device)
        if k_positions is not None:
            n = query.shape[-2]
            q = torch.arange(self.length - n, self.length, device=query.device)
            mask, bias = at_positions(mask, bias, q, k_positions)
        return attend_grouped(query, key, value, mask, score=score, bias=bias, backend=backend)


def at_positions(
    mask: Tensor | Rule | None, bias: Tensor | Bias | None, q: Tensor, k: Tensor
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
