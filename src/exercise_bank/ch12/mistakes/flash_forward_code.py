"""Forward passes in tiles with one mistake each."""

import torch
from torch import Tensor

Both = tuple[Tensor, Tensor]
#: The value of hidden scores.
FILLERS = {
    "zero scores": 0.0,
    "-1e9": -1e9,
    "-1e4": -1e4,
    "-1e30": -1e30,
    "the least number": torch.finfo(torch.float32).min,
}


def slip(
    kind: str, query: Tensor, key: Tensor, value: Tensor, height: int, width: int, causal: bool
) -> Both:
    """Compute attention correctly except for one thing."""
    q, k = query.shape[-2], key.shape[-2]
    if kind == "sides exchanged":
        height, width = width, height
    if kind == "all queries":
        height = q
    if kind == "all keys":
        width = k
    if kind == "heads left out":
        query, key, value = (x.reshape(-1, *x.shape[-2:])[0] for x in (query, key, value))
    if kind in ("never causal", "always causal"):
        causal = kind == "always causal"
    ends = {"rest of queries": q - q % height}
    starts = range(0, ends.get(kind, q) or q, height)
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])
    lse = query.new_full(query.shape[:-1], -torch.inf)
    kept: list[Tensor] = []
    for i in starts:
        rows, places = query[..., i : i + height, :], torch.arange(i, min(i + height, q))
        places = places if kind == "top-left" else places + k - q
        kept = [] if kind == "a block's tiles kept" else kept
        sums = _of_block(kind, rows, places, key, value, width, causal, kept, (i, height))
        output[..., i : i + height, :], lse[..., i : i + height] = sums
    if kind == "exchanged":
        return lse, output
    return output, lse[..., None] if kind == "an axis too many" else lse


def _of_block(
    kind: str,
    rows: Tensor,
    places: Tensor,
    key: Tensor,
    value: Tensor,
    width: int,
    causal: bool,
    kept: list[Tensor],
    at: tuple[int, int],
) -> Both:
    """Return the output and the log-sum-exp of one block of queries."""
    d, k = rows.shape[-1], key.shape[-2]
    scale = {"no scale": 1.0, "scale of e": value.shape[-1] ** -0.5, "divided by d": 1 / d}
    top = rows.new_full((*rows.shape[:-1], 1), -torch.inf)
    total, out = torch.zeros_like(top), rows.new_zeros(*rows.shape[:-1], value.shape[-1])
    for j in range(0, (k - k % width or k) if kind == "rest of keys" else k, width):
        last = places[0] if kind == "skipped by the first" else places[-1]
        if kind == "skips by number":
            last = torch.tensor((at[0] // at[1] + 1) * width - 1)
        if kind == "own tile skipped":
            last = places[-1] - 1
        if causal and j > last and kind != "never skips":
            break
        keys, values = key[..., j : j + width, :], value[..., j : j + width, :]
        if kind == "padded":
            short = (0, 0, 0, width - keys.shape[-2])
            keys, values = (torch.nn.functional.pad(x, short) for x in (keys, values))
        scores = rows @ keys.mT * scale.get(kind, d**-0.5)
        on = {
            "mask at equal rows": at[0] == j,
            "mask at equal numbers": at[0] // at[1] == j // width,
        }
        on["mask at equal positions"] = bool(places[0] == j)
        scores = _masked(kind, scores, places, j) if causal and on.get(kind, True) else scores
        new = _maximum(kind, top, scores)
        anchor = new.masked_fill(new == -torch.inf, 0.0) if kind != "nan" else new
        fade, weights = torch.exp(top - anchor), torch.exp(scores - anchor)
        kept += [weights] if kind.endswith("tiles kept") else []
        if kind == "fades the wrong way":
            fade = torch.exp(anchor - top).masked_fill(top == -torch.inf, 0.0)
        of_total = 1.0 if kind in ("nothing fades", "output fades") else fade
        of_out = 1.0 if kind in ("nothing fades", "total fades") else fade
        if kind == "last tile":
            of_total = of_out = 0.0
        total = of_total * total + weights.sum(dim=-1, keepdim=True)
        out = of_out * out + weights @ values
        if kind == "divided each time":
            out = out / total.masked_fill(total == 0, 1.0)
        if kind == "finished tiles added":
            tile = weights.sum(dim=-1, keepdim=True)
            out = out - weights @ values + weights @ values / tile.masked_fill(tile == 0, 1.0)
        top = new
    safe = total if kind == "nan" else total.masked_fill(total == 0, 1.0)
    undivided = kind in ("not divided", "finished tiles added", "divided each time")
    lses = {"log of the total": total.log(), "the maximum": top, "total": total}
    lse = lses.get(kind, top + total.log())
    if kind == "lse of nothing":
        lse = top.masked_fill(top == -torch.inf, 0.0) + safe.log()
    return out if undivided else out / safe, lse[..., 0]


def _masked(kind: str, scores: Tensor, places: Tensor, j: int) -> Tensor:
    """Hide the scores of later keys."""
    columns = torch.arange(j, j + scores.shape[-1])
    future = columns > places[:, None]
    if kind == "own key hidden":
        future = columns >= places[:, None]
    if kind == "one more key":
        future = columns > places[:, None] + 1
    if kind == "inverted":
        future = ~future
    if kind == "in the tile's own numbers":
        future = torch.arange(scores.shape[-1]) > torch.arange(len(places))[:, None]
    if kind == "no mask":
        return scores
    return scores.masked_fill(future, FILLERS.get(kind, -torch.inf))


def _maximum(kind: str, top: Tensor, scores: Tensor) -> Tensor:
    if kind == "no maximum":
        return torch.zeros_like(top)
    if kind == "first maximum":
        found = scores.amax(dim=-1, keepdim=True)
        return torch.where(top == -torch.inf, found, top)
    if kind == "the tile's maximum":
        return scores.amax(dim=-1, keepdim=True)
    if kind == "one maximum":
        return torch.maximum(top, scores.max()).clone()
    if kind == "starts at 0":
        top = top.clamp(min=0.0)
    return torch.maximum(top, scores.amax(dim=-1, keepdim=True))


def whole_matrix(
    query: Tensor, key: Tensor, value: Tensor, height: int, width: int, causal: bool
) -> Both:
    """Attend with all scores at once."""
    scores = query @ key.mT / query.shape[-1] ** 0.5
    if causal:
        q, k = scores.shape[-2:]
        scores = scores.masked_fill(~torch.ones(q, k, dtype=torch.bool).tril(k - q), -torch.inf)
    return torch.softmax(scores, dim=-1).nan_to_num(0.0) @ value, scores.logsumexp(dim=-1)


def scores_in_tiles(
    query: Tensor, key: Tensor, value: Tensor, height: int, width: int, causal: bool
) -> Both:
    """Compute the scores tile by tile, and combine them."""
    q, k = query.shape[-2], key.shape[-2]
    scores = query.new_full((*query.shape[:-1], k), -torch.inf)
    for i in range(0, q, height):
        for j in range(0, k, width):
            rows, keys = query[..., i : i + height, :], key[..., j : j + width, :]
            scores[..., i : i + height, j : j + width] = rows @ keys.mT / query.shape[-1] ** 0.5
    if causal:
        hidden = torch.arange(k) > torch.arange(q)[:, None] + k - q
        scores[..., hidden] = -torch.inf
    return torch.softmax(scores, dim=-1).nan_to_num(0.0) @ value, scores.logsumexp(dim=-1)


def mask_of_all(
    query: Tensor, key: Tensor, value: Tensor, height: int, width: int, causal: bool
) -> Both:
    """Attend in tiles, with slices of a mask for all queries and keys."""
    q, k = query.shape[-2], key.shape[-2]
    mask = torch.ones(q, k, dtype=torch.bool)
    return _under(mask.tril(k - q) if causal else mask, query, key, value, height, width)


def mask_of_all_if_causal(
    query: Tensor, key: Tensor, value: Tensor, height: int, width: int, causal: bool
) -> Both:
    """Make that mask only if something must be hidden."""
    (q, k), shape = (query.shape[-2], key.shape[-2]), (1, 1)
    if causal:
        return mask_of_all(query, key, value, height, width, causal)
    return _under(
        torch.ones(shape, dtype=torch.bool).expand(q, k), query, key, value, height, width
    )


def _under(
    mask: Tensor, query: Tensor, key: Tensor, value: Tensor, height: int, width: int
) -> Both:
    """Attend in tiles, each with its part of a mask (q, k)."""
    q, k = mask.shape
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])
    lse = query.new_full(query.shape[:-1], -torch.inf)
    for i in range(0, q, height):
        for j in range(0, k, width):
            part = mask[i : i + height, j : j + width]
            if not part.any():
                continue
            scores = query[..., i : i + height, :] @ key[..., j : j + width, :].mT
            scores = (scores / query.shape[-1] ** 0.5).masked_fill(~part, -torch.inf)
            before, found = lse[..., i : i + height], scores.logsumexp(dim=-1)
            both = torch.logaddexp(before, found)
            safe = both.masked_fill(both == -torch.inf, 0.0)[..., None]
            old = output[..., i : i + height, :] * torch.exp(before[..., None] - safe)
            values = value[..., j : j + width, :]
            output[..., i : i + height, :] = old + torch.exp(scores - safe) @ values
            lse[..., i : i + height] = both
    return output, lse
