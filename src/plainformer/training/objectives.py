"""What a model is trained to do: from rows of tokens to inputs, targets, and what counts.

An objective has two halves. ``prepare`` hides something of the rows; ``logits`` asks the model
for it. The noise of a row depends on the seed and on the row's number alone, so that it is the same
however the rows are spread over processes and micro-steps.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from plainformer.mask_rules import Rule
from plainformer.positions.rotary import fixed_length
from plainformer.training.data import Rows

Key = Sequence[int]  # what noise is drawn from: the seed, the epoch, the number of the row


@dataclass(frozen=True, kw_only=True, eq=False)
class Example:
    """Rows, made ready for a model.

    Args:
        inputs: what the model (or the decoder) reads.
        targets: what it should say at each position.
        weights: how much each position counts; 0 for padding.
        source: what the encoder reads, where there is one.
        mask: who may look at whom in ``inputs``; the model's own rule when None.
        source_mask: the same in ``source``.
        positions: where the inputs stand; 0, 1, … when None.
    """

    inputs: Int[Tensor, "b q"]
    targets: Int[Tensor, "b q"]
    weights: Float[Tensor, "b q"]
    source: Int[Tensor, "b k"] | None = None
    mask: Tensor | Rule | None = None
    source_mask: Tensor | Rule | None = None
    positions: Tensor | None = None

    def to(self, device: torch.device) -> "Example":
        """Return the same example on a ``device``."""
        tensors = {name: x for name, x in vars(self).items() if isinstance(x, Tensor)}
        return replace(self, **{name: x.to(device) for name, x in tensors.items()})


@runtime_checkable
class Objective(Protocol):
    """What :class:`NextToken`, :class:`MaskedTokens` and spans have in common."""

    def prepare(self, rows: Rows, keys: Sequence[Key]) -> Example:
        """Hide something of ``rows``; the noise of each from its one of ``keys``."""
        ...

    def logits(self, model: nn.Module, example: Example) -> Tensor:
        """Ask ``model`` for the targets of ``example``."""
        ...


@dataclass(frozen=True)
class NextToken:
    """Predict each token from those before it.

    Packed documents do not see each other, and none is asked for the first token of the next.

    Ref: Radford et al. 2018 (GPT), equation 1.
    """

    def prepare(self, rows: Rows, keys: Sequence[Key] = ()) -> Example:
        """Shift ``rows`` by one position; nothing is random, so ``keys`` are not needed."""
        tokens = rows.tokens
        inputs, targets = tokens[:, :-1], tokens[:, 1:]
        weights = rows.real[:, 1:].clone()
        mask: Tensor | None = None
        positions: Tensor | None = None
        if rows.segments is not None:
            segments = rows.segments
            weights &= segments[:, 1:] == segments[:, :-1]
            mask, positions = packed(segments[:, :-1])
        return Example(
            inputs=inputs, targets=targets, weights=weights.float(), mask=mask, positions=positions
        )

    def logits(self, model: nn.Module, example: Example) -> Tensor:
        """Ask ``model`` for the token after each position of ``example``.

        Raises:
            ValueError: its rotary angles follow the length of a packed row's longest document.
        """
        return _asked(model, example)


@dataclass(frozen=True, kw_only=True)
class MaskedTokens:
    """Guess hidden tokens from both sides.

    Of the tokens, a share is chosen. Of the chosen, 80 % become the mask, 10 % another token drawn
    from the vocabulary, 10 % stay; only the chosen count.

    Args:
        mask_token: what hides a token.
        vocabulary: random tokens are drawn from 0 to ``vocabulary`` − 1.
        share: of the real tokens of a row that are chosen, at least one of them.
        kept: tokens that are never chosen, such as separators.

    Raises:
        ValueError: the share is outside 0 to 1.

    Ref: Devlin et al. 2019 (BERT), section 3.1, task 1.
    """

    mask_token: int
    vocabulary: int
    share: float = 0.15
    kept: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        check_share(self.share)

    def prepare(self, rows: Rows, keys: Sequence[Key]) -> Example:
        """Hide some tokens of ``rows``, each row by noise from its one of ``keys``."""
        inputs = rows.tokens.clone()
        weights = torch.zeros(inputs.shape, dtype=torch.float32, device="cpu")
        for i, key in enumerate(keys):
            draw = np.random.default_rng(list(key))
            free = rows.real[i] & ~torch.isin(rows.tokens[i], torch.tensor(self.kept, device="cpu"))
            places = free.nonzero().flatten().numpy()
            if not len(places):
                continue
            count = max(1, round(self.share * len(places)))
            chosen = torch.from_numpy(draw.permutation(places)[:count])
            fate = torch.from_numpy(draw.random(count))
            other = torch.from_numpy(draw.integers(self.vocabulary, size=count))
            weights[i, chosen] = 1
            new = torch.where(fate < 0.8, self.mask_token, inputs[i, chosen])
            inputs[i, chosen] = torch.where(fate >= 0.9, other, new)
        mask: Tensor | Rule = Rule(causal=False, lengths=rows.lengths)
        positions: Tensor | None = None
        if rows.segments is not None:
            mask, positions = packed(rows.segments, causal=False)
        return Example(
            inputs=inputs, targets=rows.tokens, weights=weights, mask=mask, positions=positions
        )

    def logits(self, model: nn.Module, example: Example) -> Tensor:
        """Ask ``model`` for the token at each position of ``example``.

        Raises:
            ValueError: its rotary angles follow the length of a packed row's longest document.
        """
        return _asked(model, example)


def _asked(model: nn.Module, example: Example) -> Tensor:
    """Return a model's logits, if its angles do not depend on which documents share a row.

    Raises:
        ValueError: its rotary angles follow the length of a sequence, and a packed document may be
            longer than the context of training.
    """
    if example.positions is not None and (fixed := fixed_length(model)) is not None:
        longest = int(example.positions.max()) + 1
        if longest > fixed:
            raise ValueError(
                f"a packed row has up to {longest} positions in a document, and beyond {fixed} the "
                "model's rotary angles follow the length of the sequence, which would be that of "
                "the row's longest document: use Padded, or rotary_scaling='ntk' in the model's "
                "configuration"
            )
    out: Tensor = model(example.inputs, mask=example.mask, positions=example.positions)
    return out


def packed(segments: Tensor, *, causal: bool = True) -> tuple[Tensor, Tensor]:
    """Keep documents that share a row apart.

    Args:
        segments: (b, n), the number of the document at each position, in ascending order.
        causal: whether a position sees earlier ones only.

    Returns:
        The mask (b, 1, n, n), True = may look, and positions (b, n) that begin at 0 in each
        document.

    Cost: b·n² booleans.
    """
    same = segments[:, :, None] == segments[:, None, :]
    if causal:
        same = same.tril()
    first = (segments[:, :, None] == segments[:, None, :]).int().argmax(dim=-1)
    return same[:, None], torch.arange(segments.shape[1], device="cpu") - first


def check_share(share: float) -> None:
    """Refuse a share that hides nothing or everything.

    Args:
        share: of the tokens.

    Raises:
        ValueError: it is not between 0 and 1.
    """
    if not 0 < share < 1:
        raise ValueError(f"share={share}: expected a share above 0 and below 1")
