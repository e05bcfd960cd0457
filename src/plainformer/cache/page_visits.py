"""Attention over the pages of one sequence, visited where they lie."""

import torch
from jaxtyping import Float
from torch import Tensor

from plainformer.attention import Attend, Bias, written_out
from plainformer.cache.grouped import attend_grouped
from plainformer.cache.page_growth import runs
from plainformer.cache.page_tables import PageTable
from plainformer.heads import check_divides
from plainformer.mask_rules import Rule
from plainformer.scores import Score, dot, scale_of, scaled_dot
from plainformer.softmax import softmax


def attend_pages(
    query: Float[Tensor, "1 h n d"],
    table: PageTable,
    layer: int,
    length: int,
    mask: Tensor | Rule | None,
    *,
    score: Score,
    bias: Tensor | Bias | None,
    backend: Attend,
) -> Float[Tensor, "1 h n e"]:
    """Let the last n of ``length`` positions of a sequence attend to its pages.

    Pages in a row are one slice, and cost nothing more than a static cache. Where they lie apart,
    one query visits each slice: its scores first, one softmax over all of them, then the weighted
    values, slice by slice. For more queries the keys are gathered once; the products outweigh it.

    Args:
        query: the queries of one sequence.
        table: its pages.
        layer: which layer's keys and values are read.
        length: how many positions of the table count.
        mask: a rule, or a mask of all positions.
        score: how a query and a key are matched.
        bias: added to the scores, or a function of positions that makes it.
        backend: what computes attention where nothing is visited.

    Raises:
        ValueError: the mask is unfit.

    Cost: h·n·k·(d + e) multiplications; one query copies no key.

    Ref: Kwon et al. 2023, equation 4; Milakov & Gimelshein 2018 (softmax over parts).
    """
    h, n, g = query.shape[1], query.shape[2], table.pool.sizes[0]
    check_divides("n_heads", h, "the number of key/value heads", g)
    slices = runs(table, length)
    per_head = isinstance(mask, Tensor) and mask.ndim > 2 and mask.shape[-3] > 1
    if n != 1 or len(slices) <= 1 or per_head:
        key, value = gathered(table, layer, length)
        return attend_grouped(
            query, key[None], value[None], mask, score=score, bias=bias, backend=backend
        )
    rows = query.reshape(g, h // g, query.shape[-1])
    visits = [table.pool.slices(layer, s) for s in slices]
    if score is scaled_dot or score is dot:  # scale the query once; then bare products
        rows = rows * scale_of(score, query.shape[-1])
        scores = torch.cat([torch.bmm(rows, key) for key, _ in visits], dim=-1)
    else:
        scores = torch.cat([score(rows, key.transpose(1, 2)) for key, _ in visits], dim=-1)
    if isinstance(mask, Rule) and mask.sees(range(length - 1, length), range(length)):
        mask = None
    mask, bias = written_out(mask, bias, 1, length, query.device)
    if bias is not None:
        scores = (scores.view(1, h, 1, length) + bias).view(scores.shape)
    if mask is not None:
        mask = mask.reshape(-1, mask.shape[-1])[:1]
    weights = torch.softmax(scores, dim=-1) if mask is None else softmax(scores, mask)
    sizes = [s.stop - s.start for s in slices]
    parts = torch.split(weights.to(query.dtype), sizes, dim=-1)  # a bias may be wider
    out = torch.bmm(parts[0], visits[0][1])
    for part, (_, value) in zip(parts[1:], visits[1:], strict=True):
        out.baddbmm_(part, value)
    return out.view(1, h, 1, out.shape[-1])


def gathered(table: PageTable, layer: int, length: int) -> tuple[Tensor, Tensor]:
    """Return keys (g, k, d) and values (g, k, e) in order, a view where the pages lie in a row.

    Args:
        table: the sequence.
        layer: which layer's.
        length: how many positions.
    """
    keys, values = table.pool.layers[layer]
    slices = runs(table, length) or [slice(0, 0)]
    if len(slices) == 1:
        return keys[:, slices[0]], values[:, slices[0]]
    return (
        torch.cat([keys[:, s] for s in slices], dim=1),
        torch.cat([values[:, s] for s in slices], dim=1),
    )
