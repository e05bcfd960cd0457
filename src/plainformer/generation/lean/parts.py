"""A model taken apart: what a lean decoder knows, and the refusal of everything else."""

from dataclasses import dataclass
from inspect import isfunction
from typing import Any

from torch import nn

from plainformer.blocks import Block
from plainformer.feedforward import FeedForward, GatedFeedForward
from plainformer.models import Decoder
from plainformer.models.layers import ATTENTION
from plainformer.multihead import MultiHeadAttention
from plainformer.norms import LayerNorm, RMSNorm
from plainformer.positions import Alibi, Learned, RelativeBias, Rotary, Sinusoidal
from plainformer.residual import PostNorm, PreNorm, SandwichNorm

Norm = LayerNorm | RMSNorm
# Modules whose work is copied, or is not on the way. What hangs elsewhere (an adapter in place of
# a linear layer, a subclass) would be left out without a word.
KNOWN = {
    *(Decoder, Block, PreNorm, PostNorm, SandwichNorm, LayerNorm, RMSNorm, MultiHeadAttention),
    *(FeedForward, GatedFeedForward, Rotary, Learned, Sinusoidal, Alibi, RelativeBias),
    *(nn.Embedding, nn.Linear, nn.Dropout, nn.ModuleList, nn.Identity),
}


class NotLean(ValueError):  # noqa: N818  (it says what the model is)
    """The model has a part that the lean decoder does not know; use the decoder itself."""


@dataclass(frozen=True)
class Parts:
    """The parts of one layer, of kinds that are known.

    Args:
        attention: self-attention.
        feedforward: the feed-forward.
        attention_norm: what normalises before attention.
        feedforward_norm: what normalises before the feed-forward.
    """

    attention: MultiHeadAttention
    feedforward: FeedForward | GatedFeedForward
    attention_norm: Norm
    feedforward_norm: Norm


def parts_of(model: Decoder) -> list[Parts]:
    """Take a model apart, and refuse one that has a part which the step leaves out.

    Args:
        model: the model.

    Raises:
        NotLean: names the part.
    """
    refuse("a hook of all modules", bool(everywhere()))
    for module in model.modules():
        name = type(module).__name__
        refuse(f"a {name}", type(module) not in KNOWN)
        hooks = bool(module._forward_hooks or module._forward_pre_hooks)
        refuse(f"a hook at a {name}", hooks)
        changed = [it for it in vars(module) if isfunction(getattr(type(module), it, None))]
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


def everywhere() -> list[object]:
    """Return the hooks that PyTorch calls at each module of the process."""
    calls = nn.modules.module
    return [*calls._global_forward_hooks.values(), *calls._global_forward_pre_hooks.values()]


def refuse(what: str, there: bool) -> None:
    """Refuse a model where something is there.

    Args:
        what: the part.
        there: whether the model has it.

    Raises:
        NotLean: it is there.
    """
    if there:
        raise NotLean(
            f"the model has {what}, which a lean decoder leaves out: use the model itself"
        )


def known(norm: nn.Module) -> Norm:
    """Return a norm if it is of a known kind.

    Args:
        norm: the norm.

    Raises:
        NotLean: it is another one.
    """
    if isinstance(norm, LayerNorm | RMSNorm):
        return norm
    raise NotLean(
        f"{type(norm).__name__} is no norm that a lean decoder knows: use the model itself"
    )
