"""Heads for 09.copying with chosen logits, and the heads of the storyteller."""

from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.draws import normal, some, spread
from plaincourse.exercise import Inputs
from plainformer.lab.storyteller import storyteller


def with_logits(g: Generator, logits: Tensor, m: int, e: int, *, bare: str = "") -> Inputs:
    """Return random matrices whose product, head by head, is (h, v, v) logits.

    Args:
        g: the generator.
        logits: of each token (row) through each head, for each token (column).
        m: the width of the model, v or more.
        e: the width of a head, v or more.
        bare: "output" if all W_O are the identity; "both" if also W_V is the identity and W_O twice
            the identity, which gives one head. Then e is m.
    """
    h, v, _ = logits.shape
    one = torch.eye(m, dtype=torch.float64).expand(h, m, m).clone()
    embedding, unembedding = 3 * even(g, v, m), 3 * even(g, m, v)
    if bare == "both":
        embedding = embedding + 2 * normal(g, m)
        unembedding = torch.linalg.pinv(embedding) @ logits[0] / 2
        to_value, to_output = one, 2 * one
    elif bare == "output":
        to_output = one
        to_value = torch.linalg.pinv(embedding) @ logits @ torch.linalg.pinv(unembedding)
    else:
        to_value = torch.stack([even(g, m, e) for _ in range(h)])
        read = torch.linalg.pinv(embedding @ to_value)
        to_output = read @ logits @ torch.linalg.pinv(unembedding)
    return {
        "embedding": embedding,
        "to_value": to_value,
        "to_output": to_output,
        "unembedding": unembedding,
    }


def even(g: Generator, rows: int, columns: int) -> Tensor:
    """Draw a matrix whose singular values lie between 0.6 and 1.4."""
    left, sizes, right = torch.linalg.svd(normal(g, rows, columns), full_matrices=False)
    return (left * (1 + 0.4 * torch.sin(7 * sizes))) @ right


def clear(g: Generator, h: int, v: int) -> Tensor:
    """Draw logits in which a token's own is far above all others, or far below.

    Each head copies more than half of the tokens, the first one most.
    """
    logits = 0.2 * spread(g, h, v, v) / v
    for head in range(h):
        count = max(v // 2 + 1, v - 2 - head)
        copied = torch.randperm(v, generator=g)[:count]
        own = torch.full((v,), -2.0, dtype=torch.float64)
        own[copied] = 2.0
        logits[head] += torch.diag(own)
    return logits


def tricky(g: Generator, h: int, v: int) -> Tensor:
    """Draw logits for which each way to compare them counts other tokens; v is 7 or more.

    A token's own logit can be the largest and negative, far ahead, positive and the largest of its
    column only, or negative and the largest in size.
    """
    logits = 0.5 * spread(g, h, v, v) / v
    for head in range(h):
        order = torch.randperm(v, generator=g).tolist()
        low, (high, least) = order[: v // 2], order[-4:-2]
        for i in order:
            row = logits[head, i]
            own = row[i].clone()
            if i in low:
                row -= 3
                row[i] = own - 1.5
            elif i == high:
                row[i] = own + 8
            elif i == least:
                row[i], row[high] = own - 10, own + 9
            else:
                row[i], row[high if i == order[-2] else low[0]] = own + 2, own + 2.9
    return logits


def of_the_storyteller(g: Generator) -> Inputs:
    """Return the heads of its second layer in some order, and all but a few of its words.

    The first matrix is the input of this layer for each word as a text of its own; the last matrix
    includes the gains of the norm before the logits.
    """
    model: Any = storyteller()
    words = torch.randperm(47, generator=g)[: 47 - some(g, 0, 6)]
    heads = torch.randperm(4, generator=g)
    block, tokens = model.blocks[1], torch.arange(47)[:, None]
    with torch.no_grad():
        after = model.blocks[0](
            model.embedding(tokens), None, model.rule, positions=torch.arange(1)
        )
        read = block.attention_residual.norm(after[:, 0])
        last = model.norm.weight[:, None] * model.output.weight.mT
        to_value = block.attention.value.weight.view(4, 16, 64).mT
        to_output = block.attention.output.weight.view(64, 4, 16).permute(1, 2, 0)
    return {
        "embedding": read.double()[words],
        "to_value": to_value.double().detach()[heads].contiguous(),
        "to_output": to_output.double().detach()[heads].contiguous(),
        "unembedding": last.double()[:, words].contiguous(),
    }
