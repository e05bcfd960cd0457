"""Keys and values in memory that is reserved once, and written in place."""

import torch
from jaxtyping import Float
from torch import Tensor

from plainformer.cache.base import LayerCache, check_fit, check_length, check_room, check_sizes


class StaticCache(LayerCache):
    """Store keys and values in memory that is reserved at the start, and never move them.

    Args:
        batch: sequences b.
        capacity: the largest number of positions.
        n_kv_heads: key/value heads g.
        width: width d of keys.
        value_width: width e of values; d when left out.
        value_in_key: the values are the first e numbers of the keys, and are not stored again
            (see :class:`plainformer.latent_attention.LatentAttention`).
        dtype: dtype of keys and values.
        device: device of keys and values.

    Raises:
        ValueError: a size is below 1, or the values do not fit in the keys.

    Cost: b·g·capacity·(d + e) numbers; an append writes only the new ones.

    Ref: Pope et al. 2023, section 3.3 (the memory of keys and values).
    """

    def __init__(
        self,
        *,
        batch: int,
        capacity: int,
        n_kv_heads: int,
        width: int,
        value_width: int | None = None,
        value_in_key: bool = False,
        dtype: torch.dtype = torch.float32,
        device: torch.device | None = None,
    ) -> None:
        self.sizes = batch, n_kv_heads, width, width if value_width is None else value_width
        self.capacity, self.length = capacity, 0
        self.key, self.value = reserve(
            (batch, n_kv_heads, capacity), *self.sizes[2:], value_in_key, dtype, device
        )
        self.value_in_key = value_in_key

    def append(self, key: Float[Tensor, "b g n d"], value: Float[Tensor, "b g n e"]) -> None:
        """Write the keys and values of the next n positions into their places.

        Raises:
            CacheFull: there is no room; nothing was written.
            ValueError: batch, heads or widths differ from the cache's.
        """
        check_fit(key, value, *self.sizes)
        n = key.shape[-2]
        check_room(self.length, n, self.capacity)
        self.key.narrow(2, self.length, n).copy_(key.detach())
        if not self.value_in_key:
            self.value.narrow(2, self.length, n).copy_(value.detach())
        self.length += n

    def read(self) -> tuple[Tensor, Tensor]:
        """Return views of the stored keys and values."""
        return self.key.narrow(2, 0, self.length), self.value.narrow(2, 0, self.length)

    def truncate(self, length: int) -> None:
        """Drop the positions from ``length`` on.

        Raises:
            ValueError: ``length`` is negative or above the cache's.
        """
        check_length(length, self.length)
        self.length = length

    @property
    def nbytes(self) -> int:
        """Reserved bytes: b·g·capacity·(d + e) times the size of a number."""
        return bytes_of(self.key, self.value, self.value_in_key)


def reserve(
    places: tuple[int, ...],
    width: int,
    value_width: int,
    value_in_key: bool,
    dtype: torch.dtype,
    device: torch.device | None,
) -> tuple[Tensor, Tensor]:
    """Reserve memory for keys and values.

    Args:
        places: the axes before the width, such as (b, g, capacity).
        width: width d of keys.
        value_width: width e of values.
        value_in_key: the values are a view of the keys.
        dtype: dtype of both.
        device: device of both.

    Raises:
        ValueError: a size is below 1 (a batch may be empty), or e above d for a view.
    """
    check_sizes(width=width, value_width=value_width)
    for size in places[1:]:
        check_sizes(size=size)
    if value_in_key and value_width > width:
        raise ValueError(f"value_width={value_width} does not fit in keys of width={width}")
    key = torch.zeros(*places, width, dtype=dtype, device=device)
    if value_in_key:
        return key, key[..., :value_width]
    return key, torch.zeros(*places, value_width, dtype=dtype, device=device)


def bytes_of(key: Tensor, value: Tensor, value_in_key: bool) -> int:
    """Return the bytes of keys and values; values that are a view of keys are not counted.

    Args:
        key: the keys.
        value: the values.
        value_in_key: whether they are a view of the keys.
    """
    return key.nbytes if value_in_key else key.nbytes + value.nbytes
