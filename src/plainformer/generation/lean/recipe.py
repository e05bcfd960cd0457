"""Prepare a model for decode steps, with all operations merged that can be merged in advance.

A model is split into its parts first; one with a part that the step does not support is refused.

- Queries, keys and values come from one product instead of three, and so do a gate and the gated
  values: fewer, longer products.
- The weights of a norm are a factor of each row of the matrix that follows it, and its shift adds
  to that matrix's bias. The remaining norm has no weights.
- The scale of the scores multiplies the columns that compute queries.
- Rotary positions rotate pairs of components. Which ones make a pair does not matter to a dot
  product if queries and keys agree, so they are put next to each other: a pair is one complex
  number.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from inspect import isfunction
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from plainformer.blocks import Block, PostNorm, PreNorm, SandwichNorm
from plainformer.feedforward import FeedForward, GatedFeedForward, gelu_tanh
from plainformer.models import Decoder
from plainformer.models.layers import ATTENTION
from plainformer.multihead import MultiHeadAttention
from plainformer.norms import LayerNorm, RMSNorm
from plainformer.observing import places_of_observers
from plainformer.positions import Alibi, Learned, RelativeBias, Rotary, Sinusoidal
from plainformer.sdpa import scale_of

Norm = LayerNorm | RMSNorm
# Modules whose computation is copied, or not used. Any other module (an adapter in place of a
# linear layer, a subclass) would be ignored silently.
KNOWN = {
    *(Decoder, Block, PreNorm, PostNorm, SandwichNorm, LayerNorm, RMSNorm, MultiHeadAttention),
    *(FeedForward, GatedFeedForward, Rotary, Learned, Sinusoidal, Alibi, RelativeBias),
    *(nn.Embedding, nn.Linear, nn.Dropout, nn.ModuleList, nn.Identity),
}
Map = Callable[[Tensor], Tensor]
# In place, if PyTorch can: the tensor is in the cache already.
IN_PLACE: dict[Map, Map] = {
    torch.relu: torch.relu_,
    F.silu: lambda x: F.silu(x, inplace=True),
    F.gelu: torch.ops.aten.gelu_,
    gelu_tanh: lambda x: torch.ops.aten.gelu_(x, approximate="tanh"),
}


class NotLean(ValueError):  # noqa: N818  (it says what the model is)
    """The model has a part that the lean decoder does not support; use the decoder itself."""


@dataclass(frozen=True)
class Parts:
    """The parts of one layer, all of supported types.

    Args:
        attention: self-attention.
        feedforward: the feed-forward.
        attention_norm: the norm before attention.
        feedforward_norm: the norm before the feed-forward.
    """

    attention: MultiHeadAttention
    feedforward: FeedForward | GatedFeedForward
    attention_norm: Norm
    feedforward_norm: Norm


def parts_of(model: Decoder) -> list[Parts]:
    """Split a model into its parts, and refuse one with a part that the step does not support.

    Args:
        model: the model.

    Raises:
        NotLean: names the part.
    """
    refuse("a hook of all modules", bool(everywhere()))
    check_unobserved(places_of_observers(model))
    for module in model.modules():
        name = type(module).__name__
        refuse(f"a {name}", type(module) not in KNOWN)
        methods = methods_of(type(module))  # type: ignore[arg-type]  # a class can be hashed
        changed = sorted(methods & vars(module).keys())
        refuse(f"a {name} whose {changed} was replaced", bool(changed))
    refuse("positions that bias the scores", model.position_bias is not None)
    refuse("kinds of tokens", model.type_embedding is not None)
    refuse("a norm of the embeddings", model.embedding_norm is not None)
    refuse(f"the mask {model.rule}", not model.rule.only_causal)
    blocks: list[Any] = list(model.blocks)
    for block in blocks:
        wrappers = (block.attention_residual, block.feedforward_residual)
        refuse("a memory", block.cross_attention is not None)
        refuse("norms elsewhere than before", any(type(w) is not PreNorm for w in wrappers))
        kinds = type(block.attention), type(block.feedforward)
        refuse(f"a {kinds[0].__name__}", kinds[0] is not MultiHeadAttention)
        backend = block.attention.backend
        refuse(f"the back end {backend!r}", backend not in ATTENTION.values())
        refuse(f"a {kinds[1].__name__}", kinds[1] not in (FeedForward, GatedFeedForward))
        for wrapper in wrappers:
            known(wrapper.norm)
    known(model.norm)
    return [
        Parts(b.attention, b.feedforward, b.attention_residual.norm, b.feedforward_residual.norm)
        for b in blocks
    ]


def check_unobserved(places: Sequence[Iterable[object]]) -> None:
    """Refuse a model that is observed.

    Args:
        places: the containers of its hooks and observers.

    Raises:
        NotLean: one of them is not empty.
    """
    refuse("a hook, or a head that is recorded or ablated", any(places))


@cache
def methods_of(kind: type) -> frozenset[str]:
    """Return the names of the methods that a class defines or inherits."""
    return frozenset(name for name in dir(kind) if isfunction(getattr(kind, name, None)))


def everywhere() -> list[object]:
    """Return the hooks that PyTorch calls at each module of the process."""
    calls = nn.modules.module
    return [*calls._global_forward_hooks.values(), *calls._global_forward_pre_hooks.values()]


def refuse(what: str, there: bool) -> None:
    """Refuse a model that has an unsupported part.

    Args:
        what: the part.
        there: whether the model has it.

    Raises:
        NotLean: the model has it.
    """
    if there:
        raise NotLean(
            f"the model has {what}, which a lean decoder leaves out: use the model itself"
        )


def known(norm: nn.Module) -> Norm:
    """Return a norm if it is of a supported type.

    Args:
        norm: the norm.

    Raises:
        NotLean: it has another type.
    """
    if isinstance(norm, LayerNorm | RMSNorm):
        return norm
    raise NotLean(
        f"{type(norm).__name__} is no norm that a lean decoder knows: use the model itself"
    )


@dataclass(frozen=True)
class Affine:
    """A matrix and a bias, in float64.

    Args:
        weight: (n, o).
        bias: (o,), or None.
    """

    weight: Tensor
    bias: Tensor | None


def affine(*layers: nn.Linear, norm: Norm | None = None, scale: float = 1.0) -> Affine:
    """Merge linear layers that read the same vectors, and the norm's weights before them.

    Args:
        *layers: from width n; their outputs are concatenated.
        norm: the norm before them.
        scale: factor of the result.
    """
    weight = torch.cat([layer.weight.detach().double() for layer in layers]).t() * scale
    biases = [
        torch.zeros(layer.out_features, dtype=torch.float64, device=weight.device)
        if layer.bias is None
        else layer.bias.detach().double() * scale
        for layer in layers
    ]
    bias = None if all(layer.bias is None for layer in layers) else torch.cat(biases)
    if norm is None:
        return Affine(weight, bias)
    shift = norm.bias if isinstance(norm, LayerNorm) else None
    if shift is not None:
        moved = shift.detach().double() @ weight
        bias = moved if bias is None else bias + moved
    return Affine(norm.weight.detach().double()[:, None] * weight, bias)


def bare(norm: Norm) -> Map:
    """Return a norm without its weights.

    Args:
        norm: the norm.
    """
    eps = norm.eps
    if isinstance(norm, LayerNorm):
        shape = norm.weight.shape
        return lambda x: torch.layer_norm(x, shape, None, None, eps)
    return lambda x: x * x.square().mean(-1, keepdim=True).add_(eps).rsqrt_()


def side_by_side(rotary: Rotary) -> Tensor:
    """Return an order of a head's components in which those that rotate together are adjacent.

    Args:
        rotary: of either layout; components that it does not rotate stay at the end.

    Raises:
        NotLean: a component has no partner, or angles change with the length.
    """
    if rotary.width % 2 or (rotary.scaling is not None and rotary.scaling.follows_length):
        raise NotLean(
            f"rotary positions of width {rotary.width}, scaling {rotary.scaling!r}: expected an "
            "even width, and angles that do not change with the sequence's length"
        )
    order = torch.arange(rotary.width, device="cpu")
    if rotary.layout == "halves":
        order[: rotary.rotated] = order[: rotary.rotated].view(2, -1).t().flatten()
    return order


def turns(rotary: Rotary, capacity: int, dtype: torch.dtype) -> Tensor:
    """Return the complex number that multiplies each pair at each position.

    Args:
        rotary: the rotary positions.
        capacity: number of positions k.
        dtype: complex type.

    Returns:
        (k, d/2); 1 for pairs that do not rotate.
    """
    cos, sin = rotary.turns(torch.arange(capacity, device="cpu"))
    still = torch.ones_like(cos[:, :1]).expand(-1, (rotary.width - rotary.rotated) // 2)
    return torch.cat([torch.complex(cos, sin), still], dim=1).to(dtype)


def qkv(attention: MultiHeadAttention, norm: Norm) -> Affine:
    """Merge the projections to queries, keys and values.

    Args:
        attention: the attention of a layer.
        norm: the norm before it.

    Returns:
        To h heads of queries, then g of keys, then g of values.
    """
    order = None if attention.rotary is None else side_by_side(attention.rotary)
    width = attention.query.out_features // attention.n_heads
    scale = scale_of(attention.score, width)
    parts = [
        affine(attention.query, norm=norm, scale=scale),
        affine(attention.key, norm=norm),
        affine(attention.value, norm=norm),
    ]
    if order is not None:
        parts[:2] = [_reordered(part, order) for part in parts[:2]]
    weight = torch.cat([part.weight for part in parts], dim=1)
    if all(part.bias is None for part in parts):
        return Affine(weight, None)
    filled = [p.weight.new_zeros(p.weight.shape[1]) if p.bias is None else p.bias for p in parts]
    return Affine(weight, torch.cat(filled))


def _reordered(part: Affine, order: Tensor) -> Affine:
    def move(x: Tensor) -> Tensor:
        heads = x.view(*x.shape[:-1], -1, len(order))
        return heads[..., order.to(x.device)].flatten(-2)

    return Affine(move(part.weight), None if part.bias is None else move(part.bias))
