"""Other right ways through 05.name_the_bug."""

from collections.abc import Callable

import torch
from torch import Tensor

Attention = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]


def turned(x: Tensor, positions: Tensor, halves: bool = False) -> Tensor:
    d = x.shape[-1]
    angles = positions[:, None] * 10_000.0 ** (-torch.arange(0, d, 2).double() / d)
    a, b = (x[..., : d // 2], x[..., d // 2 :]) if halves else (x[..., 0::2], x[..., 1::2])
    both = [a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()]
    return torch.cat(both, dim=-1) if halves else torch.stack(both, dim=-1).flatten(-2)


def averaged(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return torch.nn.functional.scaled_dot_product_attention(query, key, value)


def by_imitation(attention: Attention) -> str:
    generator = torch.Generator().manual_seed(1)
    q, k, v = torch.randn(3, 4, 8, generator=generator, dtype=torch.float64)
    i, j = torch.tensor([5, 2, 9, 4]), torch.tensor([3, 1, 8, 0])
    expected = {
        "right": averaged(turned(q, i), turned(k, j), v),
        "no order": averaged(q, k, v),
        "values": averaged(turned(q, i), turned(k, j), turned(v, j)),
        "queries only": averaged(turned(q, i), k, v),
        "backwards": averaged(turned(q, i), turned(k, -j), v),
        "halves": averaged(turned(q, i, halves=True), turned(k, j, halves=True), v),
    }
    out = attention(q, k, v, i, j)
    return next((name for name, each in expected.items() if torch.allclose(each, out)), "none")


def from_scores(attention: Attention) -> str:
    generator = torch.Generator().manual_seed(2)
    q, k = torch.randn(2, 6, 4, generator=generator, dtype=torch.float64)
    eye, i, j = torch.eye(6, dtype=torch.float64), torch.arange(2, 8), torch.arange(6)

    def logits(i: Tensor, j: Tensor) -> Tensor:
        weights = attention(q, k, eye, i, j)
        return weights.log() - weights.log().mean(dim=-1, keepdim=True)

    if not torch.allclose(attention(q, k, eye, i, j).sum(dim=-1), torch.ones(6).double()):
        return "values"
    base = logits(i, j)
    by_query = not torch.allclose(base, logits(i + 1, j))
    by_key = not torch.allclose(base, logits(i, j + 1))
    if not by_key:
        return "queries only" if by_query else "no order"
    if not torch.allclose(base, logits(i + 1, j + 1)):
        return "backwards"
    scores = turned(q, i) @ turned(k, j).mT / 2
    own = scores - scores.mean(dim=-1, keepdim=True)
    return "right" if torch.allclose(base, own) else "halves"
