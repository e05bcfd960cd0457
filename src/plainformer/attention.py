"""Attention: score, softmax, weighted sum. Then the same for many heads.

:func:`attend_heads` is the function that every model calls. It has faster equivalents with the same
signature (:data:`Attend`): :func:`plainformer.sdpa.sdpa` and :func:`plainformer.flash.attend`.
"""

from collections.abc import Callable
from typing import Protocol, TypeVar, runtime_checkable

from jaxtyping import Float
from torch import Tensor

from plainformer.heads import repeat_heads
from plainformer.mask_checks import check_bias
from plainformer.mask_rules import Rule
from plainformer.mask_tensors import written_out
from plainformer.scores import Score, scaled_dot
from plainformer.softmax import softmax

AnyAttend = TypeVar("AnyAttend", bound=Callable[..., object])

# From the positions of queries (q,) or (b, q) and keys (k,) or (b, k) to a bias for their scores:
# (h, q, k) or (b, h, q, k).
Bias = Callable[[Tensor, Tensor], Tensor]


@runtime_checkable
class Attend(Protocol):
    """The signature that :func:`attend_heads` shares with its faster equivalents."""

    def __call__(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | Rule | None = None,
        *,
        score: Score = scaled_dot,
        bias: Tensor | Bias | None = None,
    ) -> Tensor:
        """Attend as :func:`attend_heads` does."""
        ...


def headwise(backend: AnyAttend) -> AnyAttend:
    """Declare that a back end computes all heads and sequences in the same way, independently.

    Caches may then call it with the queries of a group as rows of one matrix, or with one sequence
    at a time. A back end without the declaration always gets (b, h, q, d), in one call per layer.

    Args:
        backend: computes attention.

    Returns:
        The back end itself.
    """
    backend.headwise = True  # type: ignore[attr-defined]
    return backend


def is_headwise(backend: Callable[..., object]) -> bool:
    """Return whether a back end was declared :func:`headwise`.

    Args:
        backend: computes attention.
    """
    return getattr(backend, "headwise", False)


def attention_weights(
    query: Float[Tensor, "*batch q d"],
    key: Float[Tensor, "*batch k d"],
    mask: Tensor | None = None,
    *,
    score: Score = scaled_dot,
    bias: Tensor | None = None,
) -> Float[Tensor, "*batch q k"]:
    r"""Compute the attention weights of each query over the keys.

    .. math:: A = \operatorname{softmax}(Q K^\top / \sqrt d + B)

    Args:
        query: vectors to compare with the keys.
        key: vectors to compare with the queries.
        mask: True where a query may attend to a key; broadcasts to (..., q, k).
        score: how a query and a key are compared.
        bias: B, added to the scores (ALiBi, relative positions); broadcasts to (..., q, k).

    Returns:
        Weights in the dtype of the queries. Each row sums to 1 over the keys, or is all zeros for a
        fully masked query.

    Raises:
        ValueError: the mask or the bias is invalid (see :mod:`plainformer.mask_checks`).

    Cost: q·k·d multiplications; q·k numbers of memory.

    Ref: Vaswani et al. 2017, equation 1.
    """
    scores = score(query, key)
    if bias is not None:
        check_bias(bias, scores)
    weights = softmax(scores if bias is None else scores + bias, mask)
    return weights.to(query.dtype)  # scores and bias may be wider


def attend(
    query: Float[Tensor, "*batch q d"],
    key: Float[Tensor, "*batch k d"],
    value: Float[Tensor, "*batch k e"],
    mask: Tensor | None = None,
    *,
    score: Score = scaled_dot,
    bias: Tensor | None = None,
) -> Float[Tensor, "*batch q e"]:
    r"""Give each query the average of the values, weighted by how well their keys match.

    .. math:: O = \operatorname{softmax}(Q K^\top / \sqrt d + B)\, V

    Args:
        query: vectors to compare with the keys.
        key: vectors to compare with the queries.
        value: vectors to average.
        mask: True where a query may attend to a key; broadcasts to (..., q, k).
        score: how a query and a key are compared.
        bias: B, added to the scores; broadcasts to (..., q, k).

    Returns:
        One vector of width e for each query; zeros for a fully masked query.

    Raises:
        ValueError: the mask or the bias is invalid (see :mod:`plainformer.mask_checks`).

    Cost: q·k·(d + e) multiplications; q·k numbers of memory.

    Ref: Vaswani et al. 2017, equation 1.
    """
    return attention_weights(query, key, mask, score=score, bias=bias) @ value


@headwise
def attend_heads(
    query: Float[Tensor, "b h q d"],
    key: Float[Tensor, "b g k d"],
    value: Float[Tensor, "b g k e"],
    mask: Tensor | Rule | None = None,
    *,
    score: Score = scaled_dot,
    bias: Tensor | Bias | None = None,
) -> Float[Tensor, "b h q e"]:
    """Attend with many heads, each key/value head serving its group of query heads.

    Args:
        query: h heads of queries; with q < k they are the last q of the k positions.
        key: g heads of keys; g divides h.
        value: g heads of values.
        mask: True where a query may attend to a key, broadcasting to (b, h, q, k); or a rule for
            all positions.
        score: how a query and a key are compared.
        bias: added to the scores; a tensor broadcasting to (b, h, q, k), or a function from the
            positions of queries and keys to such a tensor.

    Returns:
        One vector of width e for each head and query; zeros for a fully masked query.

    Raises:
        ValueError: the mask or the bias is invalid, or g does not divide h.

    Cost: h·q·k·(d + e) multiplications; h·q·k numbers of memory.

    Ref: Vaswani et al. 2017, section 3.2.2; Ainslie et al. 2023 (groups).
    """
    h, q, k = query.shape[-3], query.shape[-2], key.shape[-2]
    mask, bias = written_out(mask, bias, q, k, query.device)
    return attend(query, repeat_heads(key, h), repeat_heads(value, h), mask, score=score, bias=bias)
