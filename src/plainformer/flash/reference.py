"""FlashAttention as in the paper: two loops, and a softmax that is never stored as a whole."""

import torch
from jaxtyping import Float
from torch import Tensor

from plainformer.mask_rules import Rule
from plainformer.online_softmax import Partial
from plainformer.scores import Score, scaled_dot


def attend_in_blocks(
    query: Float[Tensor, "*batch q d"],
    key: Float[Tensor, "*batch k d"],
    value: Float[Tensor, "*batch k e"],
    rule: Rule | None = None,
    *,
    score: Score = scaled_dot,
    height: int = 64,
    width: int = 64,
) -> tuple[Float[Tensor, "*batch q e"], Float[Tensor, "*batch q"]]:
    """Attend to one block of keys after another, with three running sums for each query.

    Args:
        query: the last q of the k positions.
        key: vectors to compare with the queries.
        value: vectors to average.
        rule: which keys a query may attend to; all keys when left out. Its ``starts`` and
            ``lengths`` need inputs of four axes.
        score: how a query and a key are compared.
        height: queries in a block.
        width: keys in a block.

    Returns:
        The output, zeros for a fully masked query, and the logarithm of each query's sum of
        exp(score), -inf for such a query.

    Raises:
        ValueError: a block is smaller than 1.

    Cost: q·k·(d + e) multiplications; one block of scores at a time, never q·k of them.

    Ref: Dao et al. 2022 (FlashAttention), algorithm 1, with the loops in the order of Dao 2023,
    algorithm 1.
    """
    if height < 1 or width < 1:
        raise ValueError(f"height={height}, width={width}: a block is at least 1 by 1")
    q, k = query.shape[-2], key.shape[-2]
    outputs, lses = [query.new_zeros(*query.shape[:-2], 0, value.shape[-1])], []
    lses.append(outputs[0].sum(dim=-1))
    for i in range(0, q, height):
        rows = query[..., i : i + height, :]
        stands = range(i + k - q, i + k - q + rows.shape[-2])
        so_far = Partial.nothing(value.new_zeros(*rows.shape[:-1], value.shape[-1]))
        for j in range(0, k, width):
            columns = range(j, min(j + width, k))
            if rule is not None and rule.sees(stands, columns) is False:
                continue
            scores = score(rows, key[..., j : j + width, :])
            mask = _mask(rule, stands, columns, scores)
            so_far = so_far.merge(Partial.of(scores, value[..., j : j + width, :], mask))
        outputs.append(so_far.output)
        lses.append(so_far.lse)
    return torch.cat(outputs, dim=-2), torch.cat(lses, dim=-1)


def _mask(rule: Rule | None, queries: range, keys: range, scores: Tensor) -> Tensor | None:
    """Compute the mask of one tile."""
    if rule is None:
        return None
    ends = (torch.arange(r.start, r.stop, device=scores.device) for r in (queries, keys))
    mask = rule.allows(*ends)
    if scores.ndim != 4 and mask.shape[:2] != (1, 1):
        raise ValueError(
            f"rule={rule} differs between sequences or heads, and the scores have {scores.ndim} "
            "axes: give query, key and value four, (b, h, n, d)"
        )
    return mask if scores.ndim == 4 else mask[0, 0]
