"""Score functions: how well a query matches a key.

A score is a function of queries (..., q, d) and keys (..., k, d) that returns one number for each
pair, (..., q, k). :func:`~plainformer.attention.attend` takes it as an argument.
"""

import math
from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from plainformer.exact import exact

Score = Callable[[Tensor, Tensor], Tensor]


def dot(
    query: Float[Tensor, "*batch q d"], key: Float[Tensor, "*batch k d"]
) -> Float[Tensor, "*batch q k"]:
    """Score each pair by its dot product, in float32 for half precision.

    The product of two float16 vectors easily exceeds 65504, the largest number of that type.

    Cost: q·k·d multiplications.

    Ref: Luong et al. 2015, section 3.1 ("dot").

    >>> dot(torch.tensor([[1.0, 0.0]]), torch.tensor([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])).tolist()
    [[1.0, 0.0, 1.0]]
    """
    wide = torch.promote_types(query.dtype, torch.float32)
    with exact(query.device):
        return query.to(wide) @ key.to(wide).transpose(-2, -1)


def scaled_dot(
    query: Float[Tensor, "*batch q d"], key: Float[Tensor, "*batch k d"]
) -> Float[Tensor, "*batch q k"]:
    """Score each pair by its dot product, divided by the root of the width.

    With independent components of mean 0 and variance 1 a dot product has variance d; after the
    division it has variance 1, whatever the width.

    Cost: q·k·d multiplications.

    Ref: Vaswani et al. 2017, equation 1 and footnote 4.

    >>> scaled_dot(torch.ones(1, 4), torch.ones(1, 4)).tolist()
    [[2.0]]
    """
    d = query.shape[-1]
    return dot(query, key) / math.sqrt(d)


def cosine(
    query: Float[Tensor, "*batch q d"], key: Float[Tensor, "*batch k d"], *, eps: float = 1e-12
) -> Float[Tensor, "*batch q k"]:
    """Score each pair by the cosine of its angle, between -1 and 1; lengths do not matter.

    Args:
        query: the queries.
        key: the keys.
        eps: lengths below it are replaced by it, so that a zero vector scores 0.

    Cost: q·k·d multiplications, and the lengths of all vectors.

    Ref: Graves et al. 2014 (Neural Turing Machines), equation 6.

    >>> cosine(torch.tensor([[3.0, 0.0]]), torch.tensor([[1.0, 0.0], [0.0, 9.0]])).tolist()
    [[1.0, 0.0]]
    """
    return dot(_unit(query, eps), _unit(key, eps))


class Additive(nn.Module):
    r"""Score each pair by a small network: :math:`w^\top \tanh(U_q\,q + U_k\,k)`.

    Queries and keys may differ in width.

    Args:
        query_width: width of the queries.
        key_width: width of the keys.
        hidden_width: width of the hidden layer.

    Raises:
        ValueError: a width is below 1.

    Cost: q·k·hidden_width evaluations of tanh, which a matrix product cannot compute; the same
    number of floats in memory.

    Ref: Bahdanau et al. 2015, appendix A.1.2.
    """

    def __init__(self, *, query_width: int, key_width: int, hidden_width: int) -> None:
        super().__init__()
        widths = {"query_width": query_width, "key_width": key_width, "hidden_width": hidden_width}
        for name, width in widths.items():
            if width < 1:
                raise ValueError(f"{name}={width}: a width is at least 1")
        self.query = nn.Linear(query_width, hidden_width, bias=False)
        self.key = nn.Linear(key_width, hidden_width, bias=False)
        self.weight = nn.Linear(hidden_width, 1, bias=False)

    def forward(
        self, query: Float[Tensor, "*batch q dq"], key: Float[Tensor, "*batch k dk"]
    ) -> Float[Tensor, "*batch q k"]:
        """Score queries (..., q, query_width) against keys (..., k, key_width)."""
        pairs = self.query(query).unsqueeze(-2) + self.key(key).unsqueeze(-3)
        scores: Tensor = self.weight(torch.tanh(pairs)).squeeze(-1)
        return scores


def _unit(x: Tensor, eps: float) -> Tensor:
    lengths: Tensor = x.norm(dim=-1, keepdim=True)
    return x / lengths.clamp_min(eps)
