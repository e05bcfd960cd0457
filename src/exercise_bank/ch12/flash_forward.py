"""Exercise 12.flash_forward: the forward pass of FlashAttention, in tiles and with their memory."""

import math
from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.ch12.mistakes.flash_forward import MISCONCEPTIONS
from exercise_bank.draws import in_float32, more, normal, some, stretched
from exercise_bank.parts import parts
from exercise_bank.skills import in_single, rung
from plaincourse.checking.in_words import difference
from plaincourse.exercise import Alternative, Exercise, Inputs
from plaincourse.exercise.precision import SUMMED
from plaincourse.judge.answers import footprint

Both = tuple[Tensor, Tensor]
NAMES = ("output", "log-sum-exp")
#: Quantities measured besides the result; not arguments of the answer.
WATCHED = "watched"
#: Bytes of a number in a list.
FLOAT = 32


def tiles(
    g: Generator,
    q: int,
    k: int,
    d: int,
    e: int,
    height: int,
    width: int,
    *,
    causal: bool = False,
    batch: tuple[int, ...] = (),
    lift: float = 0.0,
) -> Inputs:
    """Draw inputs; ``lift`` is added to the last key's score, and less to those before."""
    query, key = normal(g, *batch, q, d), normal(g, *batch, k, d)
    query[..., 0] = 1 + query[..., 0].abs()
    key[..., 0] += lift * torch.linspace(0, 1, k, dtype=torch.float64)
    sides = {"height": height, "width": width, "causal": causal}
    return {"query": query, "key": key, "value": 2 + normal(g, *batch, k, e), **sides}


def shown() -> Inputs:
    """Make the example."""
    key = torch.tensor([[1.0], [2.0], [3.0]]).log()
    query, value = torch.tensor([[0.0], [1.0]]), torch.tensor([[6.0], [12.0], [18.0]])
    sides = {"height": 1, "width": 1, "causal": True}
    return {"query": query, "key": key, "value": value, **sides}


def one_tile(g: Generator) -> list[Inputs]:
    return [tiles(g, 1, 2, 1, 1, 1, 2), tiles(g, 2, 3, 3, 2, 2, 3), tiles(g, 3, 4, 4, 3, 3, 4)]


def blocks_of_keys(g: Generator) -> list[Inputs]:
    a = 2 * some(g, 2, 4)
    return [
        tiles(g, 1, 2, 1, 1, 1, 1, lift=2.0),
        tiles(g, 1, 4, 1, 2, 1, 2, lift=-2.0),
        tiles(g, 2, 6, 3, 2, 2, 2, lift=4.0),
        tiles(g, 3, a, 2, 3, 3, 2, lift=-4.0),
    ]


def rests(g: Generator) -> list[Inputs]:
    a, b = stretched(g, 11, 13)
    return [
        tiles(g, 1, 3, 2, 1, 1, 2),
        tiles(g, 3, 2, 1, 2, 2, 1),
        tiles(g, 5, 7, 3, 2, 2, 3),
        tiles(g, a, b, 2, 3, 4, 5, lift=3.0),
    ]


def logarithms(g: Generator) -> list[Inputs]:
    return [tiles(g, 1, 1, 1, 1, 1, 1), *blocks_of_keys(g), tiles(g, 4, 6, 2, 1, 2, 3)]


def square(g: Generator) -> list[Inputs]:
    a = 2 * some(g, 3, 5)
    return [
        tiles(g, 2, 2, 1, 1, 1, 1, causal=True),
        tiles(g, 4, 4, 2, 3, 2, 2, causal=True),
        tiles(g, a, a, 3, 2, 2, 1, causal=True),
    ]


def last_of_many(g: Generator) -> list[Inputs]:
    a = 2 * some(g, 5, 9)
    return [
        shown(),
        tiles(g, 1, 2, 2, 1, 1, 1, causal=True),
        tiles(g, 2, 6, 2, 3, 2, 2, causal=True),
        tiles(g, 4, a, 3, 2, 4, 2, causal=True, lift=3.0),
        tiles(g, 6, 12, 3, 2, 3, 4, causal=True),
    ]


def many_tiles(g: Generator) -> list[Inputs]:
    """Draw rows and columns of many small tiles, with a causal mask too."""
    q, k, further = 42 + 6 * more(g), 54 + 6 * more(g), 6 * more(g)
    causal = tiles(g, 42 + further, 54 + further, 1, 1, 6, 6, causal=True)
    long = tiles(g, 16, 120, 1, 1, 16, 4)  # one block of queries, whose tiles are the matrix
    return [{**each, WATCHED: True} for each in (tiles(g, q, k, 1, 1, 6, 6), causal, long)]


def garbage(g: Generator) -> list[Inputs]:
    """Draw a causal mask that hides the last tiles of keys, which contain NaN."""
    found = []
    for q, k, height, width in (
        (2, 3, 1, 1),
        (4, 8, 2, 1),
        (6, 6, 2, 3),
        (6, 12 + 3 * some(g, 0, 3), 3, 3),
    ):
        inputs = tiles(g, q, k, 2, 2, height, width, causal=True)
        for name in ("key", "value"):
            inputs[name][k - width :] = torch.nan
        found.append(in_float32(inputs))
    return found


def large(g: Generator) -> list[Inputs]:
    """Draw scores in the hundreds, of either sign; in ``low`` each is below -390."""
    key = torch.tensor([400.0, 401.0, 1.0, 402.0])[:, None]
    query, value = torch.ones(1, 1), 2 + normal(g, 4, 2).float()
    matrices = {"query": query, "key": key, "value": value}
    alone = {**matrices, "height": 1, "width": 2, "causal": False}
    falling = {**alone, "key": key.flip(0), "width": 1}
    apart = {**alone, "query": torch.tensor([[1.0], [-1.0]]), "height": 2}
    heads = {name: each.expand(2, *each.shape).clone() for name, each in matrices.items()}
    heads["query"][1] = -1
    low = {**alone, "key": key - 800}
    return [alone, falling, low, apart, {**alone, **heads}]


def leading(g: Generator) -> list[Inputs]:
    b, h = some(g, 2, 3), some(g, 2, 4)
    return [
        tiles(g, 2, 4, 2, 2, 2, 2, batch=(2,)),
        tiles(g, 4, 6, 3, 2, 2, 3, batch=(b, h), causal=True),
    ]


def before_all(g: Generator) -> list[Inputs]:
    a = 4 + 2 * some(g, 0, 2)
    return [
        tiles(g, 2, 1, 1, 1, 1, 1, causal=True),
        tiles(g, a, 2, 2, 3, 2, 2, causal=True),
        tiles(g, 5, 3, 2, 2, 3, 2, causal=True),  # a block of such queries and another one
    ]


def run(answer: Any, inputs: Inputs) -> Any:
    """Call an answer; if it is measured, return also its memory, in tiles."""
    given = without_mark(inputs)
    if WATCHED not in inputs:
        return answer(**given)
    result, shape, at_once, size = footprint(answer, **given)
    (q, d), (k, e) = given["query"].shape, given["value"].shape
    tile, most = given["height"] * given["width"], max(q, k) * (max(d, e) + 2)
    largest = math.prod(shape)
    return {
        "result": result,
        "tiles in one tensor": largest // tile if largest > max(tile, most) else 1,
        "all tiles at once": at_once > q * k // 2,
        "all scores in lists": size > FLOAT * q * k,
    }


def without_mark(inputs: Inputs) -> Inputs:
    return {name: each for name, each in inputs.items() if name != WATCHED}


def flash_forward(
    query: Tensor, key: Tensor, value: Tensor, height: int, width: int, causal: bool
) -> Both:
    """Return the output (..., q, e) and the log-sum-exp (..., q)."""
    q, k = query.shape[-2], key.shape[-2]
    output = query.new_zeros(*query.shape[:-1], value.shape[-1])
    lse = query.new_full(query.shape[:-1], -torch.inf)
    for i in range(0, q, height):
        rows = query[..., i : i + height, :] / query.shape[-1] ** 0.5
        places = torch.arange(i, min(i + height, q)) + k - q
        top = rows.new_full((*rows.shape[:-1], 1), -torch.inf)
        total, weighted = torch.zeros_like(top), torch.zeros_like(output[..., i : i + height, :])
        for j in range(0, k, width):
            if causal and j > places[-1]:
                break
            scores = rows @ key[..., j : j + width, :].mT
            if causal:
                future = torch.arange(j, j + scores.shape[-1]) > places[:, None]
                scores = scores.masked_fill(future, -torch.inf)
            new = torch.maximum(top, scores.amax(dim=-1, keepdim=True))
            anchor = new.masked_fill(new == -torch.inf, 0.0)
            fade, weights = torch.exp(top - anchor), torch.exp(scores - anchor)
            total = fade * total + weights.sum(dim=-1, keepdim=True)
            weighted = fade * weighted + weights @ value[..., j : j + width, :]
            top = new
        output[..., i : i + height, :] = weighted / total.masked_fill(total == 0, 1.0)
        lse[..., i : i + height] = (top + total.log())[..., 0]
    return output, lse


def by_finished_tiles(
    query: Tensor, key: Tensor, value: Tensor, height: int, width: int, causal: bool
) -> Both:
    (q, d), k = query.shape[-2:], key.shape[-2]
    outputs, lses = [], []
    for rows, own in zip(query.split(height, -2), torch.arange(q).split(height), strict=True):
        output = rows.new_zeros(*rows.shape[:-1], value.shape[-1])
        lse = rows.new_full(rows.shape[:-1], -torch.inf)
        for keys, values, at in zip(
            key.split(width, -2), value.split(width, -2), torch.arange(k).split(width), strict=True
        ):
            mask = at <= own[:, None] + (k - q) if causal else torch.ones(1, 1, dtype=torch.bool)
            if not mask.any():
                continue
            scores = torch.einsum("...id,...jd->...ij", rows, keys) / math.sqrt(d)
            scores = torch.where(mask, scores, torch.full_like(scores, -torch.inf))
            both = torch.logaddexp(lse, torch.logsumexp(scores, -1))
            safe = torch.nan_to_num(both, neginf=0.0)
            output = output * (lse - safe).exp()[..., None]
            output = output + torch.softmax(scores, -1).nan_to_num(0.0) @ values * (
                torch.logsumexp(scores, -1) - safe
            ).exp().unsqueeze(-1)
            lse = both
        outputs.append(output)
        lses.append(lse)
    return torch.cat(outputs, -2), torch.cat(lses, -1)


def keys_outside(
    query: Tensor, key: Tensor, value: Tensor, height: int, width: int, causal: bool
) -> Both:
    q, k = query.size(-2), key.size(-2)
    out = torch.zeros(*query.shape[:-1], value.size(-1), dtype=query.dtype)
    most = torch.full(query.shape[:-1], -torch.inf, dtype=query.dtype)
    sums = torch.zeros(query.shape[:-1], dtype=query.dtype)
    for start in range(0, k, width):
        stop = min(start + width, k)
        for first in range(0, q, height):
            after = min(first + height, q)
            if causal and after - 1 + k - q < start:
                continue
            s = torch.matmul(query[..., first:after, :], key[..., start:stop, :].transpose(-1, -2))
            s = s * query.size(-1) ** -0.5
            if causal:
                s = s + torch.full(s.shape[-2:], -torch.inf).triu(first + k - q - start + 1)
            larger = torch.maximum(most[..., first:after], s.max(-1).values)
            seen = larger > -torch.inf
            base = torch.where(seen, larger, torch.zeros_like(larger))
            alpha = (most[..., first:after] - base).exp()
            p = (s - base[..., None]).exp()
            sums[..., first:after] = sums[..., first:after] * alpha + p.sum(-1)
            out[..., first:after, :] *= alpha[..., None]
            out[..., first:after, :] += p @ value[..., start:stop, :]
            most[..., first:after] = larger
    return out / sums.clamp(min=torch.finfo(sums.dtype).tiny)[..., None], most + sums.log()


def head_by_head(
    query: Tensor, key: Tensor, value: Tensor, height: int, width: int, causal: bool
) -> Both:
    if query.ndim > 2:
        heads = zip(query, key, value, strict=True)
        found = [head_by_head(*each, height, width, causal) for each in heads]
        return torch.stack([o for o, _ in found]), torch.stack([m for _, m in found])
    q, k = len(query), len(key)
    output, lse = [], []
    for i in range(q):
        m, total, o = -math.inf, 0.0, torch.zeros(value.shape[1], dtype=value.dtype)
        stop = i + k - q + 1 if causal else k
        for j in range(0, max(stop, 0), width):
            s = key[j : min(j + width, stop)] @ query[i] / query.shape[1] ** 0.5
            new = max(m, s.max().item())
            w = torch.exp(s - new)
            total = total * math.exp(m - new) + w.sum().item()
            o = o * math.exp(m - new) + w @ value[j : j + len(w)]
            m = new
        output.append(o / (total or 1.0))
        lse.append(m + math.log(total) if total else -math.inf)
    return torch.stack(output), torch.tensor(lse, dtype=query.dtype)


def right(inputs: Inputs) -> Both:
    return flash_forward(**without_mark(inputs))


OUTPUT, LSE, RESULT = parts(right, NAMES, 0), parts(right, NAMES, 1), parts(right, NAMES)


def roughly(inputs: Inputs, answer: Any) -> str | None:
    """Return why an output is wrong, beyond the rounding of large scores in float32."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        return "return a tuple of 2: output, log-sum-exp"
    return difference(right(inputs)[0], answer[0], SUMMED, dtype="kind")


def only_tiles(inputs: Inputs, answer: Any) -> str | None:
    """Return why an answer holds more than tiles, or is wrong."""
    if not isinstance(answer, dict):
        return "return a tuple of 2: output, log-sum-exp"
    if found := OUTPUT(inputs, answer["result"]):
        return found
    q, k, height, width = (
        len(inputs["query"]),
        len(inputs["key"]),
        inputs["height"],
        inputs["width"],
    )
    mask = "a causal mask, " if inputs["causal"] else ""
    sizes = (
        f"{mask}{q} queries and {k} keys in tiles of {height} x {width}, {height * width} numbers"
    )
    if answer["tiles in one tensor"] > 1:
        return f"{sizes}: your largest tensor is as large as {answer['tiles in one tensor']} tiles"
    if answer["all tiles at once"]:
        return f"{sizes}: your tensors hold more than {q * k // 2} numbers at once, half the matrix"
    if answer["all scores in lists"]:
        return f"{sizes}: your lists take more memory at once than a list of all {q * k} scores"
    return None


def skipped(inputs: Inputs, answer: Any) -> str | None:
    """Report a row that includes a tile which is hidden from its whole block."""
    q, k, height = len(inputs["query"]), len(inputs["key"]), inputs["height"]
    start = k - inputs["width"]  # start of the tile that holds NaN
    rows = max(i for i in range(0, q, height) if min(i + height, q) - 1 + k - q < start) + height
    few = {**inputs, "query": inputs["query"][:rows]}
    few |= {name: inputs[name][: rows + k - q] for name in ("key", "value")}
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        return "return a tuple of 2: output, log-sum-exp"
    found = OUTPUT(few, tuple(x[:rows] if isinstance(x, Tensor) else x for x in answer))
    return found and (
        f"keys and values from {start} on are nan, in tiles that are hidden from rows 0 to "
        f"{rows - 1}: {found}"
    )


SUMS, CAUSAL, MEMORY = "sums that pass from tile to tile", "a causal mask in tiles", "only tiles"

TASK = Exercise(
    id="12.flash_forward",
    title="The forward pass in tiles",
    level="medium",
    minutes=16,
    concepts=("flash-forward", "tiling", "never-writing-scores"),
    reference=flash_forward,
    call=run,
    shown=without_mark,
    rungs=(
        rung("one tile holds all scores", 0.25, in_single(one_tile), OUTPUT),
        rung("several blocks of keys", 0.5, in_single(blocks_of_keys), OUTPUT, SUMS),
        rung("blocks at the end that are short", 0.25, in_single(rests), OUTPUT),
        rung("the log-sum-exp", 0.5, in_single(logarithms), LSE),
        rung("causal, as many queries as keys", 0.25, in_single(square), OUTPUT, CAUSAL),
        rung("causal, the queries are the last", 0.75, in_single(last_of_many), OUTPUT, CAUSAL),
        rung("no tensor is larger than a tile", 2.0, in_single(many_tiles), only_tiles, MEMORY),
        rung("hidden tiles are not read", 0.75, garbage, skipped, MEMORY),
        rung("large scores in float32", 0.25, large, roughly),
        rung("axes before the last two", 0.25, in_single(leading), OUTPUT),
        rung("queries that attend to no key", 0.25, in_single(before_all), RESULT),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="finished tiles, merged by their log-sum-exps", answer=by_finished_tiles),
        Alternative(name="the loop over keys outside", answer=keys_outside),
        Alternative(name="head by head, query by query", answer=head_by_head),
    ),
    hints=(
        "Two loops: the outer over blocks of queries, the inner over blocks of keys. Which three "
        "quantities does the inner loop update, and what are they before the first block?",
        "The query of row i is at position i + k - q. Compare the last position of a block of "
        "queries with the first key of a tile: when can the inner loop end?",
        "If the new maximum of a row is -inf, subtract 0 in its place. At the end divide by 1 if "
        "the sum is 0. The log-sum-exp is the maximum plus the logarithm of the sum.",
    ),
    forbid=("plainformer", "scaled_dot_product_attention", "numpy"),
)
