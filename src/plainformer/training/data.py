"""Rows of tokens: windows of one long text, or documents, padded or packed."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
import torch
from jaxtyping import Bool, Int
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Rows:
    """Some rows of tokens, all of one width.

    Args:
        tokens: token numbers.
        lengths: number of real tokens in each row; padding follows them.
        segments: the number of the document at each position, if several share a row.
    """

    tokens: Int[Tensor, "b n"]
    lengths: Int[Tensor, " b"]
    segments: Int[Tensor, "b n"] | None = None

    @property
    def real(self) -> Bool[Tensor, "b n"]:
        """True for real tokens, False for padding."""
        return torch.arange(self.tokens.shape[1], device="cpu") < self.lengths[:, None]


@runtime_checkable
class Source(Protocol):
    """A source of rows by number: :class:`Windows`, :class:`Padded`, :class:`Packed`."""

    def __len__(self) -> int:
        """Return the number of rows."""
        ...

    def rows(self, numbers: Sequence[int]) -> Rows:
        """Return the rows with these ``numbers``."""
        ...


class Windows:
    """Cut one long text into windows that overlap by one token.

    The last token of a window is the first of the next, where it is an input and no longer a
    target. So each token but the first is a target once.

    Args:
        tokens: one-dimensional, of any integer type; can be a memory-mapped file.
        width: tokens in a window, the context plus 1 for predicting the next token.

    Raises:
        ValueError: the text is shorter than one window, or the width below 2.
    """

    def __init__(self, tokens: np.ndarray, width: int) -> None:
        if width < 2 or len(tokens) < width:
            raise ValueError(
                f"{len(tokens)} tokens, windows of {width}: expected at least one window, of 2 "
                "tokens or more; give more data or a shorter context"
            )
        self.tokens, self.width = tokens, width

    def __len__(self) -> int:
        return (len(self.tokens) - 1) // (self.width - 1)

    def rows(self, numbers: Sequence[int]) -> Rows:
        """Return the windows with these ``numbers``."""
        step = self.width - 1
        cut = np.stack([self.tokens[i * step : i * step + self.width] for i in numbers])
        return Rows(
            torch.from_numpy(cut.astype(np.int64)),
            torch.full((len(cut),), self.width, device="cpu"),
        )


class Padded:
    """Put each document in its own row, padded on the right.

    Args:
        documents: token numbers, one sequence each.
        width: tokens in a row.
        padding: the padding token.

    Raises:
        ValueError: there is no document, one is empty, or one is longer than a row.
    """

    def __init__(self, documents: Sequence[np.ndarray], width: int, *, padding: int = 0) -> None:
        _check_documents(documents)
        longest = max(len(d) for d in documents)
        if longest > width:
            raise ValueError(
                f"a document has {longest} tokens and a row {width}: widen the rows, or pack"
            )
        self.documents, self.width, self.padding = documents, width, padding

    def __len__(self) -> int:
        return len(self.documents)

    def rows(self, numbers: Sequence[int]) -> Rows:
        """Return the documents with these ``numbers``."""
        out = np.full((len(numbers), self.width), self.padding, dtype=np.int64)
        for row, i in zip(out, numbers, strict=True):
            row[: len(self.documents[i])] = self.documents[i]
        lengths = torch.tensor([len(self.documents[i]) for i in numbers], device="cpu")
        return Rows(torch.from_numpy(out), lengths)


class Packed:
    """Put several documents into one row, until the next does not fit.

    A document that is longer than a row is split first.

    Args:
        documents: token numbers, one sequence each.
        width: tokens in a row.
        padding: the padding token at the end of a row.

    Raises:
        ValueError: there is no document, or one is empty.
    """

    def __init__(self, documents: Sequence[np.ndarray], width: int, *, padding: int = 0) -> None:
        _check_documents(documents)
        self.width, self.padding = width, padding
        self.packs: list[list[np.ndarray]] = []
        room = 0
        for document in documents:
            for start in range(0, len(document), width):
                piece = document[start : start + width]
                if len(piece) > room:
                    self.packs.append([])
                    room = width
                self.packs[-1].append(piece)
                room -= len(piece)

    def __len__(self) -> int:
        return len(self.packs)

    def rows(self, numbers: Sequence[int]) -> Rows:
        """Return the rows with these ``numbers``; padding has a document number of its own."""
        tokens = np.full((len(numbers), self.width), self.padding, dtype=np.int64)
        segments = np.zeros_like(tokens)
        lengths = []
        for row, segment, i in zip(tokens, segments, numbers, strict=True):
            pack = self.packs[i]
            lengths.append(sum(map(len, pack)))
            row[: lengths[-1]] = np.concatenate(pack)
            marks = np.repeat(np.arange(len(pack)), [len(piece) for piece in pack])
            segment[:] = len(pack)
            segment[: lengths[-1]] = marks
        return Rows(
            torch.from_numpy(tokens),
            torch.tensor(lengths, device="cpu"),
            torch.from_numpy(segments),
        )


def read_bytes(path: Path | str) -> np.ndarray:
    """Read a file as tokens, one byte each, without loading it into memory.

    Args:
        path: the file.

    Raises:
        ValueError: it is empty, a folder, or cannot be read.
    """
    path = Path(path)
    try:
        if not path.stat().st_size:
            raise ValueError(f"{path} is empty: expected some text to learn from")
        return np.memmap(path, dtype=np.uint8, mode="r")
    except OSError as error:
        raise ValueError(f"{path}: {error.strerror or error}") from error


def _check_documents(documents: Sequence[np.ndarray]) -> None:
    if not documents or not min(len(d) for d in documents):
        raise ValueError("expected at least one document, and none of them empty")
