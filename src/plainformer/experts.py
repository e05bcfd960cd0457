"""Mixtures of experts: a router sends each token to a few of many feed-forwards."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from plainformer.feedforward import GatedFeedForward
from plainformer.whole_numbers import Whole, whole

GATES = ("softmax", "sigmoid")


def route(
    logits: Float[Tensor, "n experts"],
    chosen: Whole,
    *,
    gate: str = "softmax",
    bias: Float[Tensor, " experts"] | None = None,
) -> tuple[Float[Tensor, "n chosen"], Int[Tensor, "n chosen"]]:
    r"""Choose experts for each token, and weight them.

    Each expert has a score :math:`s_i`, a softmax or a sigmoid of its logit. A token goes to the r
    experts with the largest :math:`s_i + b_i`. The weight of each is its score divided by the sum
    of the r scores. The bias b affects the choice, and not the weights.

    Args:
        logits: one number for each token and expert.
        chosen: r, experts per token.
        gate: "softmax" over the experts, or "sigmoid" of each.
        bias: b, one number for each expert; zeros when left out.

    Returns:
        The weights, which sum to 1, and the experts, the one with the largest sum first.

    Raises:
        ValueError: ``chosen`` is below 1 or above the number of experts; ``gate`` is unknown;
            ``bias`` does not have one number for each expert.

    Cost: n·E scores, and a selection of the r largest for each token.

    Ref: Shazeer et al. 2017, equations 3 and 5; DeepSeek-AI 2024 (DeepSeek-V3), equations 13 to 16.

    >>> weights, experts = route(torch.tensor([[0.0, 1.0, 1.0]]), 2)
    >>> weights.tolist(), sorted(experts[0].tolist())
    ([[0.5, 0.5]], [1, 2])
    """
    total = logits.shape[-1]
    chosen = _choice(chosen, total)
    _known(gate)
    if bias is not None and bias.shape != (total,):
        raise ValueError(f"bias of shape {tuple(bias.shape)}: expected ({total},), one per expert")
    scores = logits.softmax(dim=-1) if gate == "softmax" else logits.sigmoid()
    ranks = scores if bias is None else scores + bias
    experts = ranks.detach().topk(chosen, dim=-1).indices
    weights = scores.gather(-1, experts)
    return weights / weights.sum(dim=-1, keepdim=True), experts


def balance_loss(
    scores: Float[Tensor, "n experts"], experts: Int[Tensor, "n chosen"]
) -> Float[Tensor, ""]:
    r"""Return how unevenly experts are used: 1 if evenly, E/r if always the same r with certainty.

    It is :math:`E \sum_i f_i\, p_i`, where :math:`f_i` is the fraction of all choices that selected
    expert i, and :math:`p_i` its mean share of a token's scores. The gradient flows through
    :math:`p_i` alone.

    Args:
        scores: score of each token for each expert, not negative, such as a softmax of the logits.
        experts: the experts that each token was sent to.

    Raises:
        ValueError: a number in ``experts`` is not the index of an expert.

    Cost: n·E additions.

    Ref: Fedus et al. 2022, equations 4 to 6; for several experts, DeepSeek-AI 2024 (DeepSeek-V3),
    equations 17 to 20, there within each sequence.
    """
    load = loads(experts, scores.shape[-1])
    used = (load / load.sum()).to(scores.dtype)
    return scores.shape[-1] * (used @ (scores / scores.sum(dim=-1, keepdim=True)).mean(dim=0))


def shifted_bias(
    bias: Float[Tensor, " experts"], experts: Int[Tensor, "n chosen"], rate: float
) -> Float[Tensor, " experts"]:
    r"""Return the biases of the next step: higher for little used experts, lower for busy ones.

    Each bias rises by ``rate`` if its expert had fewer tokens than the mean, and falls if it had
    more.

    Args:
        bias: one number for each expert.
        experts: the experts that each token of the step was sent to.
        rate: size of the change, such as 0.001.

    Raises:
        ValueError: ``rate`` is negative; a number in ``experts`` is not the index of an expert.

    Cost: n·r additions.

    Ref: Wang et al. 2024, algorithm 1.
    """
    if rate < 0:
        raise ValueError(f"rate={rate}: a step cannot be negative")
    load = loads(experts, len(bias)).to(bias.dtype)
    return bias + rate * (load.mean() - load).sign()


def loads(experts: Int[Tensor, "n chosen"], total: int) -> Int[Tensor, " total"]:
    """Count the tokens that were sent to each expert.

    Args:
        experts: the experts that each token was sent to.
        total: number of experts.

    Raises:
        ValueError: a number in ``experts`` is not the index of an expert.
    """
    if experts.numel() and not 0 <= int(experts.min()) <= int(experts.max()) < total:
        raise ValueError(
            f"experts from {int(experts.min())} to {int(experts.max())}: "
            f"expected numbers from 0 to {total - 1}"
        )
    return experts.flatten().bincount(minlength=total)


class MixtureOfExperts(nn.Module):
    r"""Send each token to a few feed-forwards: :math:`y = \sum_{i} w_i\, \text{FFN}_i(x)`.

    Args:
        d_model: model width m.
        d_ff: width f of one expert.
        experts: E, experts to choose from.
        chosen: r, how many of them process each token.
        shared: experts that process every token, as one feed-forward of width ``shared`` · f.
        gate: "softmax" or "sigmoid", as in :func:`route`.

    Attributes:
        bias: One number for each expert, added to the scores for the choice; not learned by
            gradients, but moved by :func:`shifted_bias`.

    Raises:
        ValueError: a size is below 1, or ``shared`` below 0; ``chosen`` is above ``experts``;
            ``gate`` is unknown.

    Cost: 3·m·f·(r + shared) + m·E multiplications for each token, with 3·m·f·(E + shared) + m·E
    parameters. An expert without a token is not computed, and gets no gradient.

    Ref: Shazeer et al. 2017, equation 1; DeepSeek-AI 2024 (DeepSeek-V3), equation 12, without
    their residual connection.
    """

    def __init__(
        self,
        *,
        d_model: int,
        d_ff: int,
        experts: Whole,
        chosen: Whole,
        shared: Whole = 0,
        gate: str = "softmax",
    ) -> None:
        super().__init__()
        experts = whole(experts, "experts", least=1)
        self.chosen = _choice(chosen, experts)
        self.gate = _known(gate)
        shared = whole(shared, "shared", least=0)
        self.experts = nn.ModuleList(
            GatedFeedForward(d_model=d_model, d_ff=d_ff) for _ in range(experts)
        )
        self.router = nn.Linear(d_model, experts, bias=False)
        self.shared = GatedFeedForward(d_model=d_model, d_ff=shared * d_ff) if shared else None
        self.bias: Tensor
        self.register_buffer("bias", torch.zeros(experts))

    def forward(self, x: Float[Tensor, "*batch m"]) -> Float[Tensor, "*batch m"]:
        """Transform each position with the experts that it is sent to."""
        flat = x.reshape(-1, x.shape[-1])
        weights, experts = route(self.router(flat), self.chosen, gate=self.gate, bias=self.bias)
        y = torch.zeros_like(flat) if self.shared is None else self.shared(flat)
        for i, expert in enumerate(self.experts):
            token, place = torch.where(experts == i)
            if len(token):
                y = y.index_add(0, token, weights[token, place, None] * expert(flat[token]))
        return y.reshape(x.shape)


def _known(gate: str) -> str:
    if gate not in GATES:
        raise ValueError(f"gate={gate!r}: expected one of {', '.join(map(repr, GATES))}")
    return gate


def _choice(chosen: Whole, total: int) -> int:
    chosen = whole(chosen, "chosen", least=1)
    if chosen > total:
        raise ValueError(f"chosen={chosen} of {total} experts: expected at most all of them")
    return chosen
