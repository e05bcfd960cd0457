"""Multi-head attention as a module: projections, positions, cache, and one call of the back end."""

import torch
from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn

from plainformer.attention import Attend, Bias, attend_heads
from plainformer.cache.base import LayerCache
from plainformer.heads import check_divides
from plainformer.mask_rules import Rule
from plainformer.observing import Call, Observer, observe
from plainformer.placed import placed
from plainformer.positions.rotary import Rotary
from plainformer.scores import Score, scaled_dot


class MultiHeadAttention(nn.Module):
    """Attend with several heads in parallel, each in a space of smaller width.

    Each head attends with vectors of width d, and a last projection mixes the outputs of the heads.
    Without ``memory`` this is self-attention. With it, it is cross-attention: queries from ``x``,
    keys and values from ``memory``.

    With fewer key/value heads than query heads, each serves a group of neighbouring query heads:
    ``n_kv_heads=1`` is multi-query attention, anything in between is grouped-query attention.

    Args:
        d_model: model width m.
        n_heads: query heads h.
        n_kv_heads: key/value heads g; the same as ``n_heads`` when left out.
        head_width: width d of a head; ``d_model / n_heads`` when left out.
        memory_width: width of ``memory``; ``d_model`` when left out.
        bias: whether the projections of queries, keys and values add a bias.
        output_bias: whether the last projection adds one; the same as ``bias`` when left out.
        score: how a query and a key are compared.
        rotary: rotates queries and keys by their positions.
        backend: the function that computes attention; all back ends compute the same result.

    Raises:
        ValueError: ``d_model`` is not divisible by ``n_heads``, ``n_heads`` not by ``n_kv_heads``,
            a size is below 1, ``rotary`` rotates vectors of another width, or ``backend`` or
            ``score`` is a name.

    Cost: a call multiplies q·m² (queries, output) + 2·k·m·g·d (keys, values) + 2·q·k·m
    (attention) times; :func:`~plainformer.attention.attend_heads` holds h·q·k weights.

    Ref: Vaswani et al. 2017, section 3.2.2; Shazeer 2019 (MQA); Ainslie et al. 2023 (GQA).
    """

    def __init__(
        self,
        *,
        d_model: int,
        n_heads: int,
        n_kv_heads: int | None = None,
        head_width: int | None = None,
        memory_width: int | None = None,
        bias: bool = False,
        output_bias: bool | None = None,
        score: Score = scaled_dot,
        rotary: Rotary | None = None,
        backend: Attend = attend_heads,
    ) -> None:
        super().__init__()
        n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
        memory_width = d_model if memory_width is None else memory_width
        if head_width is None:
            check_divides("d_model", d_model, "n_heads", n_heads)
            head_width = d_model // n_heads
        check_divides("n_heads", n_heads, "n_kv_heads", n_kv_heads)
        _check_widths(head_width, memory_width, rotary)
        _check_called(backend=backend, score=score)
        self.n_heads, self.n_kv_heads = n_heads, n_kv_heads
        self.score, self.rotary, self.backend = score, rotary, backend
        self.observers: list[Observer] = []
        self.query = nn.Linear(d_model, n_heads * head_width, bias=bias)
        self.key = nn.Linear(memory_width, n_kv_heads * head_width, bias=bias)
        self.value = nn.Linear(memory_width, n_kv_heads * head_width, bias=bias)
        output_bias = bias if output_bias is None else output_bias
        self.output = nn.Linear(n_heads * head_width, d_model, bias=output_bias)

    def forward(
        self,
        x: Float[Tensor, "b q m"],
        memory: Float[Tensor, "b k n"] | None = None,
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
            cache: keys and values of earlier positions; those of ``x`` are appended. For a memory
                they are computed in the first call and kept.

        Returns:
            A tensor of the shape of ``x``.

        Raises:
            ValueError: the mask is invalid (see :func:`plainformer.masks.check`), or was passed in
                place of the memory.
        """
        if isinstance(memory, Rule) or (memory is not None and not memory.is_floating_point()):
            raise ValueError(
                "memory, the second argument, looks like a mask: pass it by name, mask=…"
            )
        if bias is not None:
            bias = placed(bias, positions, x.shape[-2], cache=cache, memory=memory)
        earlier = 0 if cache is None or memory is not None else cache.length
        if positions is None:
            positions = torch.arange(earlier, earlier + x.shape[-2], device=x.device)
        query = self._turn(self._split(self.query, x, self.n_heads), positions)
        key: Tensor | None = None
        value: Tensor | None = None
        if cache is None:
            key, value = (
                self.keys_values(memory) if memory is not None else self.keys_values(x, positions)
            )
            heads = self.backend(query, key, value, mask, score=self.score, bias=bias)
        else:
            if memory is None:
                cache.append(*self.keys_values(x, positions))
            elif cache.length == 0:
                cache.append(*self.keys_values(memory))
            heads = cache.attend(query, mask, score=self.score, bias=bias, backend=self.backend)
        if self.observers:
            call = Call(query=query, key=key, value=value, mask=mask, score=self.score, bias=bias,
                        cache=cache)  # fmt: skip
            heads = observe(self.observers, heads, call)
        out: Tensor = self.output(rearrange(heads, "b h q d -> b q (h d)"))
        return out

    def keys_values(
        self, source: Float[Tensor, "b k n"], positions: Tensor | None = None
    ) -> tuple[Float[Tensor, "b g k d"], Float[Tensor, "b g k d"]]:
        """Return the keys and values of ``source``, split into heads, with the keys rotated.

        Args:
            source: the positions of the keys and values.
            positions: (k,) or (b, k), the positions of ``source``; 0, 1, … when left out.
        """
        if positions is None:
            positions = torch.arange(source.shape[-2], device=source.device)
        key = self._turn(self._split(self.key, source, self.n_kv_heads), positions)
        return key, self._split(self.value, source, self.n_kv_heads)

    def _split(self, projection: nn.Linear, x: Tensor, heads: int) -> Tensor:
        projected: Tensor = projection(x)
        return rearrange(projected, "b n (h d) -> b h n d", h=heads)

    def _turn(self, x: Tensor, positions: Tensor) -> Tensor:
        if self.rotary is None:
            return x
        turned: Tensor = self.rotary(x, positions)
        return turned


def _check_called(**functions: object) -> None:
    for name, value in functions.items():
        if not callable(value):
            raise ValueError(
                f"{name}={value!r}: expected a function, such as plainformer.sdpa.sdpa for backend "
                "or plainformer.scores.dot for score; names belong in a Config"
            )


def _check_widths(head_width: int, memory_width: int, rotary: Rotary | None) -> None:
    if head_width < 1 or memory_width < 1:
        raise ValueError(
            f"head_width={head_width}, memory_width={memory_width}: both must be at least 1"
        )
    if rotary is not None and rotary.width != head_width:
        raise ValueError(
            f"rotary turns vectors of width {rotary.width}, but head_width={head_width}: make it "
            f"Rotary({head_width}), with rotated=… where only a part shall turn"
        )
