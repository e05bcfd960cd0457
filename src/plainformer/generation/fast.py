"""The fast path of generation: when it is used, its packed weights, and its reader."""

from collections.abc import Sequence
from weakref import WeakKeyDictionary

import torch
from jaxtyping import Float
from torch import Tensor, nn

from plainformer.generation.drafting import Drafter
from plainformer.generation.fingerprint import Glance, Seen, look_at
from plainformer.generation.lean.decoder import LeanDecoder
from plainformer.generation.lean.layers import PackedWeights, check_weights, pack
from plainformer.generation.lean.recipe import NotLean, parts_of, side_by_side
from plainformer.generation.reading import LanguageModel, MakeCaches, growing
from plainformer.models import Decoder
from plainformer.sdpa import scale_of

# Packing the weights, in the first call, takes as long as it saves in 2 tokens of a small model, in
# 30 to 45 with 6 layers of width 384 (43 MB), and in 70 to 250 with 12 of width 768 (495 MB), where
# most of the time is spent by the system on finding memory, which may also be too small. So large
# models are packed only on request.
ENOUGH_TOKENS, MOST_BYTES = 64, 128 << 20
TYPES = {torch.float32: "float32", torch.float64: "float64"}


def takes_fast_path(
    model: LanguageModel,
    prompts: Sequence[Sequence[int]],
    *,
    max_new_tokens: int,
    fast: bool | None,
    weights: str | None,
    caches: MakeCaches | None,
    drafter: Drafter | None,
) -> bool:
    """Return whether a lean decoder handles a call, and not the model itself.

    Args:
        model: predicts the next token.
        prompts: their tokens.
        max_new_tokens: the largest number of tokens to add to each.
        fast: True forces it; None uses it if it is possible and pays off: on the CPU, if the
            weights are packed already, or for 64 tokens or more with weights of up to 128 MiB.
        weights: the dtype in which the matrices are stored, which also forces it; None for the
            model's own.
        caches: the function that makes the model's caches.
        drafter: guesses the next tokens, or None.

    Raises:
        NotLean: it is forced, and cannot be used; the message names the reason.
        ValueError: ``fast`` is neither true, false nor None, or ``weights`` is unknown.
    """
    if fast is not None and not isinstance(fast, bool):
        raise ValueError(f"fast={fast!r}: expected True, False or None")
    forced = fast or weights is not None
    packed = not forced and is_packed(model, batch=len(prompts))
    if not (forced or packed or max_new_tokens >= ENOUGH_TOKENS):
        return False
    why, parameters = _obstacle(model, prompts, weights, caches, drafter), list(model.parameters())
    if forced and why is not None:
        raise NotLean(f"{'fast=True' if weights is None else f'weights={weights!r}'}: {why}")
    if weights is not None:
        check_weights(weights, parameters[0].device)
    if forced or packed or why is not None:
        return why is None
    small = sum(p.nbytes for p in parameters) <= MOST_BYTES
    return small and parameters[0].device.type == "cpu"


def _obstacle(
    model: LanguageModel,
    prompts: Sequence[Sequence[int]],
    weights: str | None,
    caches: MakeCaches | None,
    drafter: Drafter | None,
) -> str | None:
    if not isinstance(model, Decoder):
        return f"the model is a {type(model).__name__}, no Decoder"
    if drafter is not None:
        return "a drafter guesses ahead, and a lean decoder reads one token after another"
    if caches is not growing:
        return "caches are given, and a lean decoder has its own"
    lengths = {len(prompt) for prompt in prompts}
    if len(lengths) != 1:
        return f"prompts of lengths {sorted(lengths)} need padding; expected one length"
    types = {weight.dtype for weight in model.parameters()}
    if weights is None and (len(types) != 1 or not types <= set(TYPES)):
        return f"weights of {types} would be computed with in float32, and round differently"
    try:
        for parts in parts_of(model):
            scale_of(parts.attention.score, 1)
            if parts.attention.rotary is not None:
                side_by_side(parts.attention.rotary)
    except ValueError as error:
        return str(error)
    return None


# The latest packed weights of each model, with dtype and batch size; removed with the model.
KEPT: WeakKeyDictionary[LanguageModel, tuple[str, int, Seen, PackedWeights, Glance]] = (
    WeakKeyDictionary()
)


def is_packed(model: LanguageModel, *, batch: int) -> bool:
    """Return whether a model's weights, in their own dtype, are packed already, by a quick check.

    Args:
        model: the model.
        batch: number of sequences.
    """
    kept = KEPT.get(model) if isinstance(model, nn.Module) else None
    if kept is None or kept[4].differs():
        return False
    return kept[:2] == (TYPES.get(next(model.parameters()).dtype), batch)


def packed_of(model: Decoder, *, weights: str, batch: int) -> PackedWeights:
    """Return a model's packed weights: those of the last call, if the model has not changed.

    They are kept on the CPU, one set for each model.

    Args:
        model: the model.
        weights: the dtype in which matrices are stored.
        batch: number of sequences.

    Raises:
        NotLean: see :func:`~plainformer.generation.lean.layers.pack`.

    Cost: reads all weights once, about as long as one step takes; memory for the packed weights
    as long as the model lives.
    """
    if next(model.parameters()).device.type != "cpu":
        return pack(model, weights=weights, batch=batch)
    now, kept = look_at(model), KEPT.get(model)
    if kept is not None and kept[:2] == (weights, batch) and kept[2].still(now):
        return kept[3]
    packed = pack(model, weights=weights, batch=batch)
    KEPT[model] = weights, batch, now, packed, Glance(model)
    return packed


class FastReader:
    """Compute a model's logits for growing sequences, like a ``Reader``, with a lean decoder.

    Args:
        model: the model; its weights are copied, unless an earlier call has done so.
        b: number of sequences.
        capacity: their largest length, in positions.
        chunk: the largest number of tokens read at once.
        weights: the dtype in which the matrices are stored; None for the model's own.

    Raises:
        NotLean: the model has a part that a lean decoder does not support.

    Cost: see :class:`~plainformer.generation.lean.decoder.LeanDecoder`.
    """

    def __init__(
        self, model: Decoder, *, b: int, capacity: int, chunk: int, weights: str | None
    ) -> None:
        one = next(model.parameters())
        self.device, self.chunk = one.device, chunk
        weights = TYPES[one.dtype] if weights is None else weights
        packed = packed_of(model, weights=weights, batch=b)
        self.lean = LeanDecoder(model, batch=b, capacity=capacity, weights=weights, packed=packed)

    def ask(self, rows: Sequence[Sequence[int]]) -> Float[Tensor, "b 1 v"]:
        """Return the logits after the last tokens of the ``rows``, which extend earlier ones."""
        read = self.lean.length
        if len(rows[0]) == read + 1:
            latest = torch.tensor([row[-1] for row in rows], device=self.device)
            return self.lean.step(latest)[:, None]
        new = torch.tensor([row[read:] for row in rows], device=self.device)
        for part in torch.split(new, self.chunk, dim=1):
            logits = self.lean.prefill(part)
        return logits[:, None]
