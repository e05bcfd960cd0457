"""Multi-head latent attention: keys and values of all heads are computed from one narrow vector."""

import math

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn

from plainformer.attention import Attend, Bias, attend_heads
from plainformer.cache.base import LayerCache, check_sizes
from plainformer.mask_rules import Rule
from plainformer.norms import RMSNorm
from plainformer.observing import Call, Observer, observe
from plainformer.placed import placed
from plainformer.positions.rotary import Rotary
from plainformer.scores import dot


class LatentAttention(nn.Module):
    r"""Attend through a latent vector of width r, from which the keys and values are computed.

    Without a cache the keys and values of all heads are computed from the latent :math:`c`. With
    one, their matrices move to the other side of the products:

    .. math:: q^\top (W^K c) = (W^{K\top} q)^\top c \qquad \sum a\,(W^V c) = W^V \sum a\, c

    so a position takes r + dr numbers, shared by all heads: one key/value head whose key is the
    latent next to a rotary key, and whose value is the latent. Any
    :class:`~plainformer.cache.base.LayerCache` can hold that; one made with ``value_in_key`` stores
    the latent once.

    Args:
        d_model: model width m.
        n_heads: query heads h.
        latent_width: width r of the latent.
        rotary_width: width dr of the rotated part of queries and keys; 0 for none.
        head_width: width d of the other part.
        value_width: width e of values.
        query_latent_width: width of a latent that queries are computed from; none when left out.
        rotary: turns the parts of width ``rotary_width``; its scaling may also sharpen all scores
            (:attr:`~plainformer.positions.rotary_by_parts.YaRN.score_factor`).
        norm_eps: epsilon of the norms of the latents.
        backend: the function that computes attention.

    Raises:
        ValueError: a width is below 1, or ``rotary`` and ``rotary_width`` do not match.

    Cost: expanded, h·k·r·(d + e) multiplications for keys and values and h·q·k·(d + dr + e) for
    attention; absorbed, h·q·r·(d + e) and h·q·k·(2r + dr).

    Ref: DeepSeek-AI 2024 (DeepSeek-V2), section 2.1 and equations 37 to 47.
    """

    def __init__(
        self,
        *,
        d_model: int,
        n_heads: int,
        latent_width: int,
        rotary_width: int,
        head_width: int,
        value_width: int,
        query_latent_width: int | None = None,
        rotary: Rotary | None = None,
        norm_eps: float = 1e-6,
        backend: Attend = attend_heads,
    ) -> None:
        super().__init__()
        check_sizes(d_model=d_model, n_heads=n_heads, latent_width=latent_width,
                    head_width=head_width, value_width=value_width)  # fmt: skip
        if rotary_width < 0 or (rotary is None) != (rotary_width == 0):
            raise ValueError(
                f"rotary_width={rotary_width} with rotary={rotary}: expected both, the one the "
                "width of the other, or 0 and None"
            )
        self.n_heads, self.latent_width, self.rotary_width = n_heads, latent_width, rotary_width
        self.head_width, self.value_width = head_width, value_width
        self.rotary, self.backend = rotary, backend
        self.observers: list[Observer] = []
        source = d_model
        if query_latent_width is not None:
            check_sizes(query_latent_width=query_latent_width)
            self.query_down = nn.Linear(d_model, query_latent_width, bias=False)
            self.query_norm = RMSNorm(query_latent_width, eps=norm_eps)
            source = query_latent_width
        self.query_latent_width = query_latent_width
        self.query = nn.Linear(source, n_heads * (head_width + rotary_width), bias=False)
        self.down = nn.Linear(d_model, latent_width + rotary_width, bias=False)
        self.norm = RMSNorm(latent_width, eps=norm_eps)
        self.key_up = nn.Linear(latent_width, n_heads * head_width, bias=False)
        self.value_up = nn.Linear(latent_width, n_heads * value_width, bias=False)
        self.output = nn.Linear(n_heads * value_width, d_model, bias=False)

    def forward(
        self,
        x: Float[Tensor, "b q m"],
        memory: Float[Tensor, "b k m"] | None = None,
        mask: Tensor | Rule | None = None,
        *,
        positions: Tensor | None = None,
        bias: Tensor | Bias | None = None,
        cache: LayerCache | None = None,
    ) -> Float[Tensor, "b q m"]:
        """Attend from ``x`` to itself, or to ``memory`` if given.

        Args:
            x: the positions of the queries.
            memory: the positions of the keys and values.
            mask: True where a query may attend to a key, broadcasting to (b, h, q, k); or a rule.
            positions: (q,) or (b, q), the positions of ``x``; by default they follow the cache.
            bias: added to the scores, or a function from positions to it, applied to ``positions``
                if they are given (see :mod:`plainformer.placed`).
            cache: latents and rotary keys of earlier positions; those of ``x`` are appended.

        Returns:
            A tensor of the shape of ``x``.

        Raises:
            ValueError: the mask is invalid (see :func:`plainformer.masks.check`).
        """
        if bias is not None:
            bias = placed(bias, positions, x.shape[-2], cache=cache, memory=memory)
        earlier = 0 if cache is None or memory is not None else cache.length
        if positions is None:
            positions = torch.arange(earlier, earlier + x.shape[-2], device=x.device)
        plain, turned = self._queries(x, positions)
        source = (x, positions) if memory is None else (memory, None)
        key: Tensor | None = None
        value: Tensor | None = None
        lift: Tensor | None = None
        if cache is None:
            query, key, value = self._expanded(plain, turned, *self.latents(*source))
            heads = self.backend(query, key, value, mask, score=dot, bias=bias)
        else:
            if memory is None or cache.length == 0:
                latent, rotary_key = self.latents(*source)
                cache.append(torch.cat([latent, rotary_key], dim=-1)[:, None], latent[:, None])
            absorb = self.key_up.weight.view(self.n_heads, self.head_width, self.latent_width)
            query = torch.cat([plain @ absorb, turned], dim=-1)
            found = cache.attend(query, mask, score=dot, bias=bias, backend=self.backend)
            lift = self.value_up.weight.view(self.n_heads, self.value_width, self.latent_width)
            heads = found @ lift.transpose(-2, -1)
        if self.observers:
            call = Call(query=query, key=key, value=value, mask=mask, score=dot, bias=bias,
                        cache=cache, lift=lift)  # fmt: skip
            heads = observe(self.observers, heads, call)
        out: Tensor = self.output(rearrange(heads, "b h q e -> b q (h e)"))
        return out

    def latents(
        self, source: Float[Tensor, "b k m"], positions: Tensor | None = None
    ) -> tuple[Float[Tensor, "b k r"], Float[Tensor, "b k dr"]]:
        """Return the part of ``source`` that a cache keeps: the latent and the rotated rotary key.

        Args:
            source: the positions of the keys and values.
            positions: (k,) or (b, k), the positions of ``source``; 0, 1, … when left out.
        """
        if positions is None:
            positions = torch.arange(source.shape[-2], device=source.device)
        latent, key = self.down(source).split([self.latent_width, self.rotary_width], dim=-1)
        if self.rotary is not None:
            key = self.rotary(key[:, None], positions)[:, 0]
        return self.norm(latent), key

    def _queries(self, x: Tensor, positions: Tensor) -> tuple[Tensor, Tensor]:
        """Return both parts of the queries, scaled so that their products with keys are scores."""
        if self.query_latent_width is not None:
            x = self.query_norm(self.query_down(x))
        query = rearrange(self.query(x), "b q (h d) -> b h q d", h=self.n_heads)
        scaling = None if self.rotary is None else self.rotary.scaling
        factor = 1.0 if scaling is None else scaling.score_factor
        query = query / (math.sqrt(self.head_width + self.rotary_width) / factor)
        plain, turned = query.split([self.head_width, self.rotary_width], dim=-1)
        return plain, turned if self.rotary is None else self.rotary(turned, positions)

    def _expanded(
        self,
        plain: Tensor,
        turned: Tensor,
        latent: Tensor,
        rotary_key: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Return whole queries, and the keys and values of every head, computed from the latent."""
        key = rearrange(self.key_up(latent), "b k (h d) -> b h k d", h=self.n_heads)
        value = rearrange(self.value_up(latent), "b k (h e) -> b h k e", h=self.n_heads)
        shared = rotary_key[:, None].expand(-1, self.n_heads, -1, -1)
        return torch.cat([plain, turned], dim=-1), torch.cat([key, shared], dim=-1), value
