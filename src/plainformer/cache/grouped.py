"""A group's heads as rows of one matrix for a single query, and keys in the queries' dtype."""

from jaxtyping import Float
from torch import Tensor

from plainformer.attention import Attend, Bias
from plainformer.mask_rules import Rule
from plainformer.mask_tensors import written_out
from plainformer.scores import Score


def attend_grouped(
    query: Float[Tensor, "b h q d"],
    key: Float[Tensor, "b g k d"],
    value: Float[Tensor, "b g k e"],
    mask: Tensor | Rule | None,
    *,
    score: Score,
    bias: Tensor | Bias | None,
    backend: Attend,
) -> Float[Tensor, "b h q e"]:
    """Attend; for a single query, the h / g heads of a group become one matrix and share each key.

    Args:
        query: h heads of queries, the last q of the k positions.
        key: g heads of keys; g divides h.
        value: g heads of values.
        mask: True where a query may attend to a key; or a rule.
        score: how a query and a key are compared.
        bias: added to the scores, or a function of positions that makes it.
        backend: the function that computes attention.

    Raises:
        ValueError: g does not divide h.

    Cost: h·q·k·(d + e) multiplications; for one query, g·k·(d + e) numbers are read.

    Ref: Shazeer 2019, section 3; Ainslie et al. 2023.
    """
    h, q, g, k = query.shape[1], query.shape[2], key.shape[1], key.shape[2]
    if isinstance(mask, Rule) and bias is None and mask.sees(range(k - q, k), range(k)):
        mask = None
    if q != 1 or not 0 < g < h or h % g:  # the back end refuses h not divisible by g
        return backend(query, key, value, mask, score=score, bias=bias)
    mask, bias = written_out(mask, bias, q, k, query.device)
    if isinstance(mask, Tensor) and mask.ndim > 2 and mask.shape[-3] > 1:
        return backend(query, key, value, mask, score=score, bias=bias)
    if isinstance(bias, Tensor) and bias.ndim > 2 and bias.shape[-3] > 1:
        bias = bias[..., 0, :].reshape(*bias.shape[:-3], g, h // g, bias.shape[-1])
    rows = query.reshape(query.shape[0], g, h // g, query.shape[-1])
    folded = backend(rows, key, value, mask, score=score, bias=bias)
    return folded.reshape(query.shape[0], h, 1, value.shape[-1])


def as_wide_as(query: Tensor, key: Tensor, value: Tensor) -> tuple[Tensor, Tensor]:
    """Return keys and values in the dtype of the queries, which autocast may have changed.

    Args:
        query: the queries.
        key: the stored keys.
        value: the stored values.
    """
    if query.dtype == key.dtype == value.dtype:  # faster than a call
        return key, value
    return key.to(query.dtype), value.to(query.dtype)
