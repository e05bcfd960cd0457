"""One query, several heads to a key: the group becomes rows of one product."""

from jaxtyping import Float
from torch import Tensor

from plainformer.attention import Attend, Bias, written_out
from plainformer.heads import check_divides
from plainformer.mask_rules import Rule
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
    """Attend, the h / g query heads of a group as rows of one matrix where there is one query.

    A key is then read once for its group. Repeating it reads, and writes, h / g copies.

    Args:
        query: h heads of queries, the last q of the k positions.
        key: g heads of keys; g divides h.
        value: g heads of values.
        mask: True = may look, or a rule.
        score: how a query and a key are matched.
        bias: added to the scores, or a function of positions that makes it.
        backend: what computes attention.

    Raises:
        ValueError: g does not divide h.

    Cost: h·q·k·(d + e) multiplications; of one query, g·k·(d + e) numbers are read.

    Ref: Shazeer 2019, section 3; Ainslie et al. 2023.
    """
    h, q, g, k = query.shape[1], query.shape[2], key.shape[1], key.shape[2]
    check_divides("n_heads", h, "the number of key/value heads", g)
    if isinstance(mask, Rule) and bias is None and mask.sees(range(k - q, k), range(k)):
        mask = None
    per_head = isinstance(mask, Tensor) and mask.ndim > 2 and mask.shape[-3] > 1
    if h == g or q != 1 or per_head:
        return backend(query, key, value, mask, score=score, bias=bias)
    mask, bias = written_out(mask, bias, q, k, query.device)
    if isinstance(bias, Tensor) and bias.ndim > 2 and bias.shape[-3] > 1:
        bias = bias[..., 0, :].reshape(*bias.shape[:-3], g, h // g, bias.shape[-1])
    rows = query.reshape(query.shape[0], g, h // g, query.shape[-1])
    folded = backend(rows, key, value, mask, score=score, bias=bias)
    return folded.reshape(query.shape[0], h, 1, value.shape[-1])
