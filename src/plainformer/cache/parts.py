"""Parts of masks and biases that are tensors, one part for each sequence of a batch."""

from typing import TypeVar

from torch import Tensor

Kind = TypeVar("Kind")


def check_whole(name: str, whole: object, b: int, length: int) -> None:
    """Refuse a mask or a bias for another number of sequences or positions.

    A part of it could have a matching shape, so that the error would not be noticed.

    Args:
        name: name of the argument.
        whole: a mask or a bias; other objects than tensors are not checked.
        b: number of sequences.
        length: positions of the longest one.

    Raises:
        ValueError: names its shape and the expected one.
    """
    if isinstance(whole, Tensor):
        rows = whole.shape[0] if whole.ndim == 4 else 1
        if rows not in (1, b) or whole.shape[-1] not in (1, length):
            raise ValueError(
                f"{name} of shape {tuple(whole.shape)} does not broadcast to (b={b}, h, n, "
                f"length={length}): the cache holds {b} sequences, at most {length} positions long"
            )


def part_of(whole: Kind, i: int, length: int) -> Kind | Tensor:
    """Return one sequence's part of a mask or a bias that is a tensor.

    Args:
        whole: a mask or a bias; other objects than tensors are returned unchanged.
        i: index of the sequence.
        length: its positions.
    """
    if not isinstance(whole, Tensor):
        return whole
    part = whole[i : i + 1] if whole.ndim == 4 and whole.shape[0] > 1 else whole
    return part if part.shape[-1] == 1 else part[..., :length]
