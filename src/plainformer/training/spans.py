"""Span corruption: whole spans are cut out, and the decoder generates them in order."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from plainformer.mask_rules import Rule
from plainformer.training.data import Rows
from plainformer.training.objectives import Example, Key, check_share


@dataclass(frozen=True, kw_only=True)
class SpanCorruption:
    """Cut spans out of the source; the target lists them, each after its sentinel.

    From ``a b c d e`` with the span ``b c`` cut: the source is ``a S0 d e END``, the target
    ``S0 b c S1 END``. The decoder reads the target after a start token, which is the padding token.

    Args:
        sentinels: the tokens S0, S1, … in order of use.
        end: the token that ends source and target.
        padding: the padding token, which is also the decoder's first input.
        share: fraction of a row's tokens that is cut out.
        span: mean length of a span, in tokens.

    Raises:
        ValueError: the share is outside 0 to 1, the span below 1, or a token has two roles.

    Ref: Raffel et al. 2020 (T5), section 3.1.4 and figure 2; its code draws spans as here.
    """

    sentinels: tuple[int, ...]
    end: int
    padding: int
    share: float = 0.15
    span: float = 3.0

    def __post_init__(self) -> None:
        check_share(self.share)
        if self.span < 1:
            raise ValueError(f"span={self.span}: a span has at least one token")
        special = [*self.sentinels, self.end, self.padding]
        if len(set(special)) < len(special) or len(self.sentinels) < 2:
            raise ValueError(f"{special}: expected two sentinels or more, all tokens different")

    def prepare(self, rows: Rows, keys: Sequence[Key]) -> Example:
        """Cut spans out of ``rows``, drawn for each row from its key in ``keys``.

        Raises:
            ValueError: the rows are packed.
        """
        if rows.segments is not None:
            raise ValueError("packed rows: spans are cut from one document a row; pad instead")
        pairs = []
        for row, length, key in zip(rows.tokens, rows.lengths.tolist(), keys, strict=True):
            cut = self.spans(length, np.random.default_rng(list(key)))
            pairs.append(self.apart(row[:length].tolist(), cut))
        source, lengths = padded([pair[0] for pair in pairs], self.padding)
        targets, ends = padded([pair[1] for pair in pairs], self.padding)
        start = torch.full((len(pairs), 1), self.padding, device="cpu")
        return Example(
            inputs=torch.cat([start, targets[:, :-1]], dim=1),
            targets=targets,
            weights=(torch.arange(targets.shape[1], device="cpu") < ends[:, None]).float(),
            source=source,
            source_mask=Rule(causal=False, lengths=lengths),
        )

    def logits(self, model: nn.Module, example: Example) -> Tensor:
        """Return the logits of ``model``, an encoder–decoder, for the spans of ``example``."""
        out: Tensor = model(example.source, example.inputs, source_mask=example.source_mask)
        return out

    def spans(self, length: int, draw: np.random.Generator) -> list[tuple[int, int]]:
        """Draw the beginnings and ends of the spans of a row of ``length`` tokens from ``draw``.

        The row begins with tokens that are kept; every span, and every kept part between two, has
        at least one token.
        """
        if length < 2:
            return []
        cut = min(max(round(length * self.share), 1), length - 1)
        count = min(max(round(cut / self.span), 1), cut, length - cut, len(self.sentinels) - 1)
        kept, gone = _parts(length - cut, count, draw), _parts(cut, count, draw)
        starts = np.cumsum(kept) + np.concatenate([[0], np.cumsum(gone)[:-1]])
        return [(int(s), int(s + g)) for s, g in zip(starts, gone, strict=True)]

    def apart(
        self, tokens: list[int], spans: Sequence[tuple[int, int]]
    ) -> tuple[list[int], list[int]]:
        """Split ``tokens`` at ``spans`` into source and target."""
        source: list[int] = []
        target: list[int] = []
        done = 0
        for sentinel, (start, stop) in zip(self.sentinels, spans, strict=False):
            source += [*tokens[done:start], sentinel]
            target += [sentinel, *tokens[start:stop]]
            done = stop
        last = self.sentinels[len(spans)]
        return [*source, *tokens[done:], self.end], [*target, last, self.end]


def padded(sequences: Sequence[Sequence[int]], padding: int) -> tuple[Tensor, Tensor]:
    """Stack sequences, padded on the right.

    Args:
        sequences: token numbers.
        padding: the padding token.

    Returns:
        Tokens (b, n), and the number of real tokens in each row (b,).
    """
    lengths = torch.tensor([len(s) for s in sequences], device="cpu")
    out = torch.full((len(sequences), int(lengths.max())), padding, device="cpu")
    for row, sequence in zip(out, sequences, strict=True):
        row[: len(sequence)] = torch.tensor(sequence, device="cpu")
    return out, lengths


def _parts(total: int, count: int, draw: np.random.Generator) -> np.ndarray:
    """Split a total into parts of at least 1, with all splits equally likely."""
    ends = np.sort(draw.permutation(total - 1)[: count - 1]) + 1
    return np.diff(np.concatenate([[0], ends, [total]]))
