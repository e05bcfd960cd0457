"""Attention: score, softmax, weighted sum. Then the same with many heads."""

from einops import rearrange
from jaxtyping import Float
from torch import Tensor, nn

from plainformer.scores import Score, scaled_dot
from plainformer.softmax import softmax


def attention_weights(
    query: Float[Tensor, "*batch q d"],
    key: Float[Tensor, "*batch k d"],
    mask: Tensor | None = None,
    *,
    score: Score = scaled_dot,
) -> Float[Tensor, "*batch q k"]:
    r"""Say how much each query looks at each key.

    .. math:: A = \operatorname{softmax}(Q K^\top / \sqrt d)

    Args:
        query: what each position looks for.
        key: what each position can be found by.
        mask: True = may look; broadcasts to (..., q, k).
        score: how a query and a key are matched.

    Returns:
        Weights. Each row sums to 1 over the keys, or is all zeros where the query may look
        nowhere.

    Raises:
        ValueError: the mask is unfit (see :func:`plainformer.masks.check`).

    Cost: q·k·d multiplications; q·k numbers of memory.

    Ref: Vaswani et al. 2017, equation 1.
    """
    return softmax(score(query, key), mask)


def attend(
    query: Float[Tensor, "*batch q d"],
    key: Float[Tensor, "*batch k d"],
    value: Float[Tensor, "*batch k e"],
    mask: Tensor | None = None,
    *,
    score: Score = scaled_dot,
) -> Float[Tensor, "*batch q e"]:
    r"""Give each query the average of the values, weighted by how well their keys match.

    .. math:: O = \operatorname{softmax}(Q K^\top / \sqrt d)\, V

    Args:
        query: what each position looks for.
        key: what each position can be found by.
        value: what each position passes on.
        mask: True = may look; broadcasts to (..., q, k).
        score: how a query and a key are matched.

    Returns:
        One vector of width e for each query. A query that may look nowhere gets zeros.

    Raises:
        ValueError: the mask is unfit (see :func:`plainformer.masks.check`).

    Cost: q·k·(d + e) multiplications; q·k numbers of memory.

    Ref: Vaswani et al. 2017, equation 1.
    """
    return attention_weights(query, key, mask, score=score) @ value


class MultiHeadAttention(nn.Module):
    """Attend several times at once, each time in a smaller space of its own.

    The model width m is cut into ``n_heads`` slices of width d. Each head attends in its slice;
    a last projection mixes what the heads bring back. Without ``memory`` this is self-attention,
    with it cross-attention: queries from ``x``, keys and values from ``memory``.

    With fewer key/value heads than query heads, each serves a group of neighbouring query heads:
    ``n_kv_heads=1`` is multi-query attention, anything between is grouped-query attention.

    Args:
        d_model: model width m.
        n_heads: query heads h.
        n_kv_heads: key/value heads g; the same as ``n_heads`` when left out.
        memory_width: width of ``memory``; ``d_model`` when left out.
        bias: whether the four projections add a bias.
        score: how a query and a key are matched.

    Raises:
        ValueError: ``d_model`` is not divisible by ``n_heads``, ``n_heads`` not by
            ``n_kv_heads``, or one of them is below 1.

    Cost: a call multiplies q·m² (queries, output) + 2·k·m·g·d (keys, values) + 2·q·k·m
    (attention) times; it holds h·q·k weights.

    Ref: Vaswani et al. 2017, section 3.2.2; Shazeer 2019 (MQA); Ainslie et al. 2023 (GQA).
    """

    def __init__(
        self,
        *,
        d_model: int,
        n_heads: int,
        n_kv_heads: int | None = None,
        memory_width: int | None = None,
        bias: bool = False,
        score: Score = scaled_dot,
    ) -> None:
        super().__init__()
        n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
        memory_width = d_model if memory_width is None else memory_width
        _check_divides("d_model", d_model, "n_heads", n_heads)
        _check_divides("n_heads", n_heads, "n_kv_heads", n_kv_heads)
        d = d_model // n_heads
        self.n_heads, self.n_kv_heads, self.score = n_heads, n_kv_heads, score
        self.query = nn.Linear(d_model, n_heads * d, bias=bias)
        self.key = nn.Linear(memory_width, n_kv_heads * d, bias=bias)
        self.value = nn.Linear(memory_width, n_kv_heads * d, bias=bias)
        self.output = nn.Linear(n_heads * d, d_model, bias=bias)

    def forward(
        self,
        x: Float[Tensor, "b q m"],
        memory: Float[Tensor, "b k n"] | None = None,
        mask: Tensor | None = None,
    ) -> Float[Tensor, "b q m"]:
        """Attend from ``x`` to itself, or to ``memory`` where one is given.

        Args:
            x: the positions that ask.
            memory: the positions that are looked at.
            mask: True = may look; broadcasts to (b, h, q, k).

        Returns:
            A tensor of the shape of ``x``.

        Raises:
            ValueError: the mask is unfit (see :func:`plainformer.masks.check`).
        """
        query, key, value = self.project(x, memory)
        heads = attend(query, key, value, mask, score=self.score)
        out: Tensor = self.output(rearrange(heads, "b h q d -> b q (h d)"))
        return out

    def project(
        self, x: Float[Tensor, "b q m"], memory: Float[Tensor, "b k n"] | None = None
    ) -> tuple[Float[Tensor, "b h q d"], Float[Tensor, "b h k d"], Float[Tensor, "b h k d"]]:
        """Return queries, keys and values, split into heads and ready for :func:`attend`."""
        source = x if memory is None else memory
        query = rearrange(self.query(x), "b q (h d) -> b h q d", h=self.n_heads)
        key = rearrange(self.key(source), "b k (g d) -> b g k d", g=self.n_kv_heads)
        value = rearrange(self.value(source), "b k (g d) -> b g k d", g=self.n_kv_heads)
        return query, repeat_heads(key, self.n_heads), repeat_heads(value, self.n_heads)


def repeat_heads(x: Float[Tensor, "b g k d"], n_heads: int) -> Float[Tensor, "b {n_heads} k d"]:
    """Repeat each key/value head for the group of neighbouring query heads that it serves.

    Args:
        x: keys or values, g heads.
        n_heads: query heads h, a multiple of g.

    Returns:
        A tensor with h heads, each of the g repeated h / g times in a row.

    Raises:
        ValueError: ``n_heads`` is not a multiple of g.

    Cost: a copy of h·k·d numbers.
    """
    g = x.shape[-3]
    _check_divides("n_heads", n_heads, "the number of key/value heads", g)
    return x.repeat_interleave(n_heads // g, dim=-3)


def _check_divides(name: str, whole: int, part_name: str, part: int) -> None:
    if whole < 1 or part < 1:
        raise ValueError(f"{name}={whole}, {part_name}={part}: both must be at least 1")
    if whole % part:
        fits = [n for n in range(1, whole + 1) if whole % n == 0]
        raise ValueError(
            f"{name}={whole} is not divisible by {part_name}={part}: use one of {fits}"
        )
