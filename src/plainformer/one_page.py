"""The whole model on one page: a decoder, its cache, and greedy generation.

A layer is a function called with its weights: ``F.linear(x, **w["query"])`` multiplies by
``w["query"]["weight"]`` and adds ``w["query"]["bias"]`` if there is one. Functions that the book
derives are imported: softmax, the causal mask, norms, rotary positions, shared heads.
:class:`~plainformer.models.one_stack.Decoder` is the same model, including the parts omitted here
(training, padding, other caches, faster attention). A test compares logits and tokens of both.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from einops import rearrange
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from plainformer.feedforward import gelu_tanh
from plainformer.heads import repeat_heads
from plainformer.masks import causal
from plainformer.norms import layer_norm, rms_norm
from plainformer.positions import Rotary
from plainformer.scores import scaled_dot
from plainformer.softmax import softmax

Weights = dict[str, Any]  # by name: tensors, or dictionaries of them
Cache = list[tuple[Tensor, Tensor]]  # of one layer: keys and values (b, g, n, d), one pair per call


@dataclass(frozen=True)
class Model:
    """Predict, at each position, the token that follows.

    Args:
        weights: weights of the embedding, the blocks, the last norm and the head.
        heads: query heads h; the number of key/value heads follows from the weights.
        context: the longest sequence, in tokens.
        norm: called with vectors and its weights.
        feed_forward: called in the same way.
        head: the weights that turn vectors into logits: "output", or "embedding" if they are tied.
        rotary: rotates queries and keys by their positions; None for learned positions.

    Ref: Radford et al. 2019 (GPT-2), section 2.3; Touvron et al. 2023 (Llama), section 2.2.
    """

    weights: Weights
    heads: int
    context: int
    norm: Callable[..., Tensor]
    feed_forward: Callable[..., Tensor]
    head: str
    rotary: Rotary | None = None

    def logits(self, tokens: Int[Tensor, "b q"], caches: list[Cache]) -> Float[Tensor, "b q v"]:
        """Return the logits of the token after each of ``tokens``, which follow the ``caches``."""
        earlier = sum(keys.shape[-2] for keys, _ in caches[0])
        positions = torch.arange(earlier, earlier + tokens.shape[1], device=tokens.device)
        norm = self.norm
        x = F.embedding(tokens, **self.weights["embedding"])
        if self.rotary is None:
            x = x + F.embedding(positions, **self.weights["position_embedding"])
        for layer, cache in enumerate(caches):
            w = self.weights["blocks"][str(layer)]
            x = x + self.attention(norm(x, **w["attention_norm"]), w["attention"], positions, cache)
            x = x + self.feed_forward(norm(x, **w["feedforward_norm"]), **w["feedforward"])
        return F.linear(norm(x, **self.weights["norm"]), **self.weights[self.head])

    def attention(self, x: Tensor, w: Weights, positions: Tensor, cache: Cache) -> Tensor:
        """Attend from ``x`` (b, q, m), at its ``positions`` (q,), to itself and earlier positions.

        The projections are in ``w``. The ``cache`` holds the keys and values of earlier positions;
        those of ``x`` are appended.
        """
        d = w["query"]["weight"].shape[0] // self.heads
        query, key, value = (
            rearrange(F.linear(x, **w[name]), "b q (h d) -> b h q d", d=d)
            for name in ("query", "key", "value")
        )
        if self.rotary is not None:
            query, key = self.rotary(query, positions), self.rotary(key, positions)
        cache.append((key, value))
        keys, values = (torch.cat(held, dim=-2) for held in zip(*cache, strict=True))
        scores = scaled_dot(query, repeat_heads(keys, self.heads))
        weights = softmax(scores, causal(*scores.shape[-2:], device=x.device)).to(x.dtype)
        found = weights @ repeat_heads(values, self.heads)
        return F.linear(rearrange(found, "b h q d -> b q (h d)"), **w["output"])

    def empty_caches(self) -> list[Cache]:
        """Return an empty cache for each layer."""
        return [[] for _ in self.weights["blocks"]]

    def greedy(self, prompts: Int[Tensor, "b q"], new: int) -> Int[Tensor, "b n"]:
        """Return the ``prompts`` followed by ``new`` tokens, each the most likely at its place.

        Raises:
            ValueError: the prompts are empty, or with the new tokens exceed the context.
        """
        length = prompts.shape[1]
        if length == 0:
            raise ValueError("the prompts are empty: give each at least one token")
        if length + new > self.context + 1:  # the model does not read the last token
            raise ValueError(
                f"prompts of {length} tokens and {new} new ones do not fit a context of "
                f"{self.context}: shorten the prompts, or ask for fewer"
            )
        caches, unread, tokens = self.empty_caches(), prompts, [prompts]
        for _ in range(new):
            unread = self.logits(unread, caches)[:, -1:].argmax(dim=-1)
            tokens.append(unread)
        return torch.cat(tokens, dim=1)


def gpt2(state: Mapping[str, Tensor], *, heads: int, context: int) -> Model:
    """Build a GPT-2 from a Decoder's ``state``, which holds neither ``heads`` nor ``context``."""
    return Model(
        by_name(state), heads, context, norm=layer_norm, feed_forward=gelu, head="embedding"
    )


def llama(state: Mapping[str, Tensor], *, heads: int, context: int, rotary: Rotary) -> Model:
    """Build a Llama; ``state``, ``heads`` and ``context`` as above, ``rotary`` rotates heads."""
    norm = partial(rms_norm, eps=1e-5)
    return Model(
        by_name(state), heads, context, norm, feed_forward=swiglu, head="output", rotary=rotary
    )


def gelu(x: Tensor, up: Weights, down: Weights) -> Tensor:
    """Widen ``x`` (b, q, m) with ``up``, apply GELU, narrow it with ``down``."""
    return F.linear(gelu_tanh(F.linear(x, **up)), **down)


def swiglu(x: Tensor, gate: Weights, up: Weights, down: Weights) -> Tensor:
    """Widen ``x`` (b, q, m) with ``up``, scale it by the ``gate``, narrow it with ``down``."""
    return F.linear(F.silu(F.linear(x, **gate)) * F.linear(x, **up), **down)


def by_name(state: Mapping[str, Tensor]) -> Weights:
    """Nest a Decoder's ``state`` in dictionaries: "norm.weight" becomes ["norm"]["weight"]."""
    weights: Weights = {}
    for name, tensor in state.items():
        *path, last = name.replace("_residual.norm", "_norm").split(".")
        place = weights
        for part in path:
            place = place.setdefault(part, {})
        place[last] = tensor
    return weights
