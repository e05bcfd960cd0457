"""Training objectives: convert rows of tokens to inputs, targets, and their weights.

An objective has two halves. ``prepare`` hides a part of the rows; ``logits`` lets the model predict
it. The noise of a row depends only on the seed and on the row's number, so that it is the same
however the rows are distributed over processes and micro-steps.
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

Key = Sequence[int]  # determines the noise: the seed, the epoch, the number of the row


@dataclass(frozen=True, kw_only=True, eq=False)
class Example:
    """Rows, prepared for a model.

    Args:
        inputs: the input of the model (or the decoder).
        targets: the right token at each position.
        weights: weight of each position; 0 for padding.
        source: the input of the encoder, if there is one.
        mask: which positions of ``inputs`` a query may attend to; the model's own rule when None.
        source_mask: the same for ``source``.
        positions: positions of the inputs; 0, 1, … when None.
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
    """The methods of :class:`NextToken`, :class:`MaskedTokens` and span corruption."""

    def prepare(self, rows: Rows, keys: Sequence[Key]) -> Example:
        """Hide a part of ``rows``; the noise of each is drawn from its key in ``keys``."""
        ...

    def logits(self, model: nn.Module, example: Example) -> Tensor:
        """Return the logits of ``model`` for the targets of ``example``."""
        ...


@dataclass(frozen=True)
class NextToken:
    """Predict each token from those before it.

    Packed documents do not attend to each other, and do not predict the first token of the next.

    Ref: Radford et al. 2018 (GPT), equation 1.
    """

    def prepare(self, rows: Rows, keys: Sequence[Key] = ()) -> Example:
        """Shift ``rows`` by one position; nothing is random, so ``keys`` are not used."""
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
        """Return the logits of ``model`` for the token after each position of ``example``.

        Raises:
            ValueError: its rotary angles depend on the length of a packed row's longest document.
        """
        return _asked(model, example)


@dataclass(frozen=True, kw_only=True)
class MaskedTokens:
    """Predict masked tokens from both sides.

    A fraction of the tokens is chosen. 80 % of these are replaced by the mask token, 10 % by a
    random token of the vocabulary, and 10 % stay; only the chosen tokens are targets.

    Args:
        mask_token: the token that replaces masked ones.
        vocabulary: random tokens are drawn from 0 to ``vocabulary`` − 1.
        share: fraction of a row's real tokens that is chosen, at least one token.
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
        """Hide some tokens of ``rows``; the noise of each row is drawn from its key in ``keys``."""
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
        """Return the logits of ``model`` for the token at each position of ``example``.

        Raises:
            ValueError: its rotary angles depend on the length of a packed row's longest document.
        """
        return _asked(model, example)


def _asked(model: nn.Module, example: Example) -> Tensor:
    """Return a model's logits, if its angles do not depend on the documents in a row.

    Raises:
        ValueError: its rotary angles depend on the length of a sequence, and a packed document may
            be longer than the context of training.
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
    """Separate documents that share a row.

    Args:
        segments: (b, n), the number of the document at each position, in ascending order.
        causal: whether a position attends only to itself and to earlier ones.

    Returns:
        The mask (b, 1, n, n), True where a query may attend to a key, and positions (b, n) that
        begin at 0 in each document.

    Cost: b·n² booleans.
    """
    same = segments[:, :, None] == segments[:, None, :]
    if causal:
        same = same.tril()
    first = (segments[:, :, None] == segments[:, None, :]).int().argmax(dim=-1)
    return same[:, None], torch.arange(segments.shape[1], device="cpu") - first


def check_share(share: float) -> None:
    """Refuse a fraction that hides nothing or everything.

    Args:
        share: fraction of the tokens.

    Raises:
        ValueError: it is not between 0 and 1.
    """
    if not 0 < share < 1:
        raise ValueError(f"share={share}: expected a share above 0 and below 1")
