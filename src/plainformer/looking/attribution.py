"""Split a logit into the contributions of a model's parts, whose sum is the residual stream."""

from typing import Any, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from plainformer.blocks import PreNorm
from plainformer.looking.recording import attentions, recorded
from plainformer.models import Decoder
from plainformer.norms import RMSNorm


def logit_attribution(
    model: Decoder, tokens: Int[Tensor, "b q"], targets: Int[Tensor, "b q"]
) -> dict[str, Float[Tensor, "b q"]]:
    r"""Split the logit of a target into the contribution of each part of the model.

    .. math:: s_w - \bar s
        = \sum_p \frac{\mathbf x_p \odot \mathbf g}{\operatorname{rms}(\mathbf x)}
        \cdot (\mathbf u_w - \bar{\mathbf u})

    The residual stream x is the sum of the outputs of its parts p. The final norm has gains g and
    divides by the length of the whole stream, which is held constant at its value in this run; u
    are the rows of the output matrix. An effect of a part through later parts is counted for those,
    not for it.

    Args:
        model: a pre-norm decoder with RMSNorm, whose attention adds no bias.
        tokens: token numbers.
        targets: the token whose logit is split, at each position, such as the next token.

    Returns:
        For ``"embedding"``, each head such as ``"1.0"``, and each ``"feed-forward 1"``, its
        contribution. The contributions sum to the target's logit minus the mean logit of the
        vocabulary.

    Raises:
        ValueError: the model's stream is not such a sum.

    Cost: one forward pass, and h·m numbers for each layer and position.

    Ref: Elhage et al. 2021 (the stream is a sum, and logits are linear in it).
    """
    layers = [layer for _, layer in attentions(model)]
    sublayers = [r for b in model.blocks for r in (b.attention_residual, b.feedforward_residual)]
    if not (
        isinstance(model.norm, RMSNorm)
        and all(isinstance(residual, PreNorm) for residual in sublayers)
        and all(layer.output.bias is None for layer in layers)
        and len(layers) == len(model.blocks)
    ):
        raise ValueError(
            f"norm={model.config.norm!r}, placement={model.config.placement!r}: expected a "
            "pre-norm decoder with RMSNorm, no bias after attention and no memory"
        )
    passed: list[Tensor] = []

    def keep_input(module: nn.Module, given: tuple[Any, ...]) -> None:
        passed.append(given[0].detach())

    def keep_output(module: nn.Module, given: tuple[Any, ...], out: Tensor) -> None:
        passed.append(out.detach())

    feedforwards = [cast(nn.Module, block.feedforward) for block in model.blocks]
    hooks = [part.register_forward_hook(keep_output) for part in feedforwards]
    hooks += [part.register_forward_pre_hook(keep_input) for part in (model.blocks[0], model.norm)]
    try:
        with torch.no_grad(), recorded(model) as seen:
            model(tokens)
    finally:
        for hook in hooks:
            hook.remove()
    first, *written, stream = passed
    scale = torch.rsqrt(stream.square().mean(dim=-1, keepdim=True) + model.norm.eps)
    rows = model.output.weight.detach() * model.norm.weight.detach() * model.config.output_scale
    way = (rows[targets] - rows.mean(dim=0)) * scale
    shares = {"embedding": (first * way).sum(dim=-1)}
    for place, (layer, heads) in enumerate(zip(layers, seen.outputs, strict=True)):
        matrix = layer.output.weight.detach()
        parts = matrix.view(len(matrix), heads.shape[1], heads.shape[3])  # (m, h, e)
        added = torch.einsum("bhqe,mhe,bqm->hbq", heads, parts, way)
        shares |= {f"{place}.{head}": share for head, share in enumerate(added)}
        shares[f"feed-forward {place}"] = (written[place] * way).sum(dim=-1)
    return shares
