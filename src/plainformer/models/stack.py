"""A stack of layers, from token numbers to normalised vectors: the common part of all models.

Inputs are checked first: tokens, their types, the length of the sequence.
"""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Integer
from torch import Tensor, nn

from plainformer.cache.base import LayerCache
from plainformer.mask_checks import check
from plainformer.mask_rules import Rule
from plainformer.models.config import Config
from plainformer.models.layers import (
    block_of,
    check_names,
    embedded_of,
    final_norm_of,
    norm_of,
    rotary_of,
    scored_of,
)
from plainformer.models.lengths import check_caches, check_length, taken_back
from plainformer.models.mixed import one_dtype


class Stack(nn.Module):
    """Embed tokens and pass them through the layers.

    Args:
        config: configuration of the stack.
        n_layers: number of layers.
        causal: whether positions attend only to themselves and to earlier ones.
        cross: whether the layers also attend to a memory.
        alpha: weight of the residual, for placements that use one.

    Raises:
        ValueError: a name in the configuration is unknown, or the sizes do not fit.

    Cost: for each position about one multiplication for each parameter of the layers, and
    attention's 2·k·m in each layer.

    Ref: Vaswani et al. 2017, figure 1.
    """

    def __init__(
        self,
        config: Config,
        *,
        n_layers: int,
        causal: bool = True,
        cross: bool = False,
        alpha: float = 1.0,
    ) -> None:
        super().__init__()
        check_names(config)
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.d_model)
        self.position_embedding = embedded_of(config)
        types = config.token_types
        self.type_embedding = nn.Embedding(types, config.d_model) if types else None
        self.embedding_norm = norm_of(config)(config.d_model) if config.embedding_norm else None
        self.position_bias = scored_of(config, causal=causal)
        self.dropout = nn.Dropout(config.dropout)
        rotary = rotary_of(config)
        self.blocks = nn.ModuleList(
            block_of(config, rotary, cross=cross, alpha=alpha) for _ in range(n_layers)
        )
        self.norm = final_norm_of(config)
        self.rule = Rule(causal=causal, window=config.window)

    def hidden(
        self,
        tokens: Integer[Tensor, "b q"],
        *,
        mask: Tensor | Rule | None = None,
        causal: bool | None = None,
        positions: Tensor | None = None,
        types: Integer[Tensor, "b q"] | None = None,
        caches: Sequence[LayerCache] | None = None,
        memory: Float[Tensor, "b k m"] | None = None,
        memory_mask: Tensor | Rule | None = None,
        memory_caches: Sequence[LayerCache] | None = None,
        trusted: bool = False,
    ) -> Float[Tensor, "b q m"]:
        """Return the last layer's normalised output.

        Args:
            tokens: token numbers; with caches, those after the earlier ones.
            mask: hides further positions, such as padding; see :meth:`visible`.
            causal: False lets positions attend to later ones, True forbids it; the stack's default
                when left out.
            positions: (q,) or (b, q), positions of the tokens; by default they follow the caches.
                Sequences padded on the left count from their first real token if the mask is a
                ``Rule(starts=…)``; with a mask that is a tensor, give the positions, too.
            types: the type of each token; 0 when left out.
            caches: one for each layer; the tokens' keys and values are appended.
            memory: the encoder's output, if the layers attend to a memory.
            memory_mask: which positions of the memory a query may attend to.
            memory_caches: one for each layer; the memory's keys and values are computed in the
                first call and kept.
            trusted: whether the tokens are known to be in the vocabulary, because the model itself
                chose them. Checking them would wait for a GPU.

        Raises:
            ValueError: a token or a type is unknown, the mask is invalid, a mask or caches are
                given for a missing memory, the sequence is longer than the context, or the number
                of caches is not the number of layers, or their lengths differ.
        """
        check_kind(tokens)
        if memory is None and (memory_mask is not None or memory_caches is not None):
            name = "memory_caches" if memory_mask is None else "memory_mask"
            raise ValueError(f"{name} without memory: give memory, too, or leave {name} out")
        tokens = tokens.long()  # an embedding does not accept bytes
        earlier = caches[0].length if caches else 0
        check_length(earlier + tokens.shape[1], self.config)
        check_caches(caches, len(self.blocks))
        check_caches(memory_caches, len(self.blocks))
        mask = self.visible(mask, *tokens.shape, earlier=earlier, causal=causal)
        if not trusted:
            check_tokens(tokens, self.config)
        given = positions
        if positions is None:
            positions = torch.arange(earlier, earlier + tokens.shape[1], device=tokens.device)
            if isinstance(mask, Rule) and mask.starts is not None:
                starts = mask.starts.to(tokens.device)
                positions = (positions - starts[:, None]).clamp_min(0)
        with taken_back(caches, memory_caches), one_dtype(self):
            x = self.embed(tokens, positions, types)
            for layer, block in enumerate(self.blocks):
                x = block(
                    x,
                    memory,
                    mask,
                    memory_mask=memory_mask,
                    positions=positions if self.position_bias is None else given,
                    bias=self.position_bias,
                    cache=caches[layer] if caches else None,
                    memory_cache=memory_caches[layer] if memory_caches else None,
                )
            normalised: Tensor = self.norm(x)
        return normalised

    def visible(
        self,
        mask: Tensor | Rule | None,
        b: int,
        q: int,
        *,
        earlier: int = 0,
        causal: bool | None = None,
    ) -> Tensor | Rule:
        """Return the mask of the stack, combined with a given one.

        A mask that hides padding does not let a decoder attend to later positions. That takes
        ``causal=False``, or ``Rule(causal=False)``.

        Args:
            mask: a tensor, True where a query may attend to a key, broadcasting to (b, h, q,
                earlier + q), which is combined with the stack's own rule; or a rule that replaces
                it, but keeps the stack's window unless it has its own; or None.
            b: number of sequences.
            q: number of new positions.
            earlier: number of positions in the caches.
            causal: whether later positions are hidden; determined by the stack or the rule when
                left out.

        Raises:
            ValueError: the mask is invalid (see :mod:`plainformer.mask_checks`), ``causal``
                contradicts a rule, or a causal rule is given to a bidirectional stack without
                ``causal=True``.
        """
        if isinstance(mask, Rule):
            if causal not in (None, mask.causal):
                raise ValueError(f"causal={causal}, but mask={mask}: say one or the other")
            if mask.causal and causal is None and not self.rule.causal:
                raise ValueError(
                    f"mask is a {type(mask).__name__} with causal=True, and {type(self).__name__} "
                    "looks both ways: give it causal=False, such as Rule(causal=False, lengths=…), "
                    "or call hidden(…, causal=True) if later tokens shall be hidden"
                )
            bounded = mask.window is not None or self.rule.window is None
            return mask if bounded else mask.changed(window=self.rule.window)
        rule = self.rule if causal is None else self.rule.changed(causal=causal)
        if mask is None:
            return rule
        k, h, device = earlier + q, self.config.n_heads, self.embedding.weight.device
        check(mask, torch.zeros((), device=device).expand(b, h, q, k))
        return mask & rule.dense(q, k, device=mask.device)

    def embed(
        self,
        tokens: Integer[Tensor, "b q"],
        positions: Tensor,
        types: Integer[Tensor, "b q"] | None = None,
    ) -> Float[Tensor, "b q m"]:
        """Return the input of the first layer.

        Args:
            tokens: token numbers.
            positions: (q,) or (b, q), positions of the tokens.
            types: the type of each token; 0 when left out.

        Raises:
            ValueError: a type is unknown, or a position has no vector.
        """
        x: Tensor = self.embedding(tokens.long())
        if self.config.embedding_scale != 1:
            x = x * self.config.embedding_scale
        check_types(types, self.config)
        if self.type_embedding is not None:
            kinds = torch.zeros_like(tokens) if types is None else types
            x = x + self.type_embedding(kinds.long())
        if self.position_embedding is not None:
            x = x + self.position_embedding(positions)
        if self.embedding_norm is not None:
            x = self.embedding_norm(x)
        dropped: Tensor = self.dropout(x)
        return dropped


def check_kind(tokens: object) -> None:
    """Refuse an argument that is not a batch of token numbers.

    Args:
        tokens: the argument given as token numbers (b, q).

    Raises:
        ValueError: describes the argument.
    """
    if not isinstance(tokens, Tensor):
        what = f"a {type(tokens).__name__}"
    elif tokens.ndim != 2 or tokens.is_floating_point() or tokens.dtype == torch.bool:
        what = f"a tensor of shape {tuple(tokens.shape)} and {tokens.dtype}"
    else:
        return
    raise ValueError(
        f"tokens is {what}; expected a tensor (b, q) of whole numbers, such as "
        "torch.tensor([[5, 3, 8]]) for one sequence of three"
    )


def check_tokens(tokens: Tensor, config: Config) -> None:
    """Refuse tokens outside the vocabulary.

    This waits for the GPU if the tokens are on one.

    Args:
        tokens: token numbers (b, q).
        config: the model's configuration.

    Raises:
        ValueError: names the token.
    """
    bad = _outside(tokens, config.vocabulary)
    if bad is not None:
        raise ValueError(
            f"token {bad} is outside the vocabulary of {config.vocabulary}: is this the "
            "tokenizer that the model was trained with?"
        )


def check_types(types: Tensor | None, config: Config) -> None:
    """Refuse token types that the model does not have.

    Args:
        types: the type of each token (b, q), or None.
        config: the model's configuration.

    Raises:
        ValueError: names the type, and the number of types.
    """
    if types is None:
        return
    if not config.token_types:
        raise ValueError("types are given, but token_types=0: this model knows no kinds of tokens")
    bad = _outside(types, config.token_types)
    if bad is not None:
        raise ValueError(f"type {bad} is outside the {config.token_types} kinds of tokens")


def _outside(numbers: Tensor, count: int) -> int | None:
    if not numbers.numel():
        return None
    low, high = torch.stack(torch.aminmax(numbers)).tolist()  # one wait for the device, not two
    if low < 0:
        return int(low)
    return int(high) if high >= count else None
