"""Observers of attention: callbacks that read, and may change, the output of each head of a layer.

A layer calls its observers after its back end or its cache has attended, with the outputs of all
heads together. So an observer does not depend on how the heads were computed: in groups, in pages,
or from one byte per number. Fast paths that bypass the layers refuse a model with observers.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from plainformer.attention import Bias, attention_weights
from plainformer.cache.base import LayerCache
from plainformer.heads import repeat_heads
from plainformer.mask_rules import Rule
from plainformer.mask_tensors import written_out
from plainformer.scores import Score


@dataclass(frozen=True, kw_only=True)
class Call:
    """One call of attention, as made by the layer.

    Args:
        query: (b, h, q, d).
        mask: the mask, or a rule.
        score: how a query and a key are compared.
        bias: added to the scores, or a function of positions that makes it.
        key: (b, g, k, d); None if a cache holds the keys.
        value: (b, g, k, e); None if a cache holds the values.
        cache: holds the keys and values of all positions so far; None without a cache.
        lift: (h, e, r), a map from the values in the cache to those of each head (latent
            attention).
    """

    query: Tensor
    mask: Tensor | Rule | None
    score: Score
    bias: Tensor | Bias | None
    key: Tensor | None = None
    value: Tensor | None = None
    cache: LayerCache | None = None
    lift: Tensor | None = None

    @torch.no_grad()
    def weights_and_values(self) -> tuple[Tensor, Tensor]:
        """Compute the attention weights (b, h, q, k) and the values (b, h, k, e) they average.

        Key i is at position i, even if the cache stores its keys out of order; positions that it
        has dropped have weight 0. A packed row has the keys of its sequences side by side.

        Cost: h·q·k·d multiplications and h·q·k numbers of memory, whatever the back end.
        """
        query, key, value = self.query, self.key, self.value
        mask, bias = self.mask, self.bias
        if self.cache is not None:
            key, value, mask, bias = self.cache.laid_out(query, mask, bias)
        assert key is not None
        assert value is not None
        h, q, k = query.shape[-3], query.shape[-2], key.shape[-2]
        mask, bias = written_out(mask, bias, q, k, query.device)
        keys = repeat_heads(key, h)
        weights = attention_weights(query, keys, mask, score=self.score, bias=bias)
        if self.lift is None:
            return weights, repeat_heads(value, h)
        return weights, value.to(self.lift.dtype) @ self.lift.transpose(-2, -1)


# From the output (b, h, q, e) of all heads, and the call that made it, to its replacement.
Observer = Callable[[Tensor, Call], Tensor]


def observe(observers: list[Observer], heads: Tensor, call: Call) -> Tensor:
    """Return the output of the heads after each observer, in order, has read or changed it.

    Args:
        observers: the observers of the layer.
        heads: the output (b, h, q, e).
        call: the call that made it.
    """
    for observer in observers:
        heads = observer(heads, call)
    return heads


def places_of_observers(model: nn.Module) -> list[dict[int, object] | list[Observer]]:
    """Return every container in a model that can hold a hook or an observer, empty or not.

    Args:
        model: any model.

    Returns:
        The dictionaries and lists themselves, so that ``any`` of them is true exactly if the model
        is observed at that moment.
    """
    found: list[dict[int, object] | list[Observer]] = []
    for module in model.modules():
        found += [module._forward_hooks, module._forward_pre_hooks]  # type: ignore[list-item]
        if isinstance(observers := vars(module).get("observers"), list):
            found.append(observers)
    return found
