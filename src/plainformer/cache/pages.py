"""Memory in pages: how many sequences hold each, and which are free."""

import heapq
from collections import Counter
from collections.abc import Iterable

import torch
from torch import Tensor

from plainformer.cache.checks import check_sizes
from plainformer.cache.static import bytes_of, reserve


class OutOfPages(ValueError):  # noqa: N818
    """More pages are needed than are free; nothing was changed."""


class PagePool:
    """Hold the keys and values of all layers in pages of ``page_size`` positions.

    One page id stands for the same place in every layer. A page may belong to several sequences;
    it is free again when the last of them lets go.

    Args:
        n_layers: layers that share the pool.
        n_pages: pages in all.
        page_size: positions in a page.
        n_kv_heads: key/value heads g.
        width: width d of keys.
        value_width: width e of values; d when left out.
        value_in_key: the values are the first e numbers of the keys, and are not stored again.
        dtype: of keys and values.
        device: where they lie.

    Raises:
        ValueError: a size is below 1.

    Cost: n_layers·n_pages·page_size·g·(d + e) numbers.

    Ref: Kwon et al. 2023, section 4.
    """

    def __init__(
        self,
        *,
        n_layers: int,
        n_pages: int,
        page_size: int,
        n_kv_heads: int,
        width: int,
        value_width: int | None = None,
        value_in_key: bool = False,
        dtype: torch.dtype = torch.float32,
        device: torch.device | None = None,
    ) -> None:
        check_sizes(n_layers=n_layers, n_pages=n_pages, page_size=page_size)
        value_width = width if value_width is None else value_width
        self.sizes = n_kv_heads, width, value_width
        self.page_size, self.n_pages, self.value_in_key = page_size, n_pages, value_in_key
        # A layer is (g, places, width): pages in a row are one slice of each head.
        self.layers = [
            reserve((n_kv_heads, n_pages * page_size), width, value_width, value_in_key, dtype,
                    device)
            for _ in range(n_layers)
        ]  # fmt: skip
        # Views of single pages, (g, d, page_size) and (g, page_size, e), made when first visited.
        self._views: list[dict[int, tuple[Tensor, Tensor]]] = [{} for _ in range(n_layers)]
        self.holders = [0] * n_pages  # how many tables hold each page
        self._free = list(range(n_pages))  # a heap: low pages first, so that runs stay long

    @property
    def free_pages(self) -> int:
        """How many pages nobody holds."""
        return len(self._free)

    @property
    def nbytes(self) -> int:
        """Bytes of all pages: n_layers·n_pages·page_size·g·(d + e) times a number's size."""
        return sum(bytes_of(key, value, self.value_in_key) for key, value in self.layers)

    @property
    def page_bytes(self) -> int:
        """Bytes of one page in one layer: page_size·g·(d + e) times a number's size."""
        key, value = self.layers[0]
        return bytes_of(key, value, self.value_in_key) // self.n_pages

    def slices(self, layer: int, place: slice) -> tuple[Tensor, Tensor]:
        """Return keys turned (g, d, n) and values (g, n, e) of ``layer`` at ``place``."""
        size, n = self.page_size, place.stop - place.start
        page = place.start // size if n == size else -1
        if page in self._views[layer]:
            return self._views[layer][page]
        key, value = (stored.narrow(1, place.start, n) for stored in self.layers[layer])
        if page >= 0:
            self._views[layer][page] = key.transpose(1, 2), value
        return key.transpose(1, 2), value

    def allocate(self, n: int) -> list[int]:
        """Hand out ``n`` free pages, held once each.

        Raises:
            OutOfPages: fewer are free; nothing was changed.
            ValueError: ``n`` is negative.
        """
        if n < 0:
            raise ValueError(f"n={n}: expected 0 pages or more")
        if n > len(self._free):
            raise OutOfPages(
                f"{n} pages are needed and {len(self._free)} of {self.n_pages} are free: free a "
                "sequence, or make the pool larger. Nothing was changed."
            )
        pages = [heapq.heappop(self._free) for _ in range(n)]
        for page in pages:
            self.holders[page] = 1
        return pages

    def share(self, pages: Iterable[int]) -> None:
        """Count one more holder of each of ``pages``.

        Raises:
            ValueError: nobody holds one of them.
        """
        pages = list(pages)
        self._check_held(pages)
        for page in pages:
            self.holders[page] += 1

    def free(self, pages: Iterable[int]) -> None:
        """Count one holder less of each of ``pages``; those without any are free again.

        Raises:
            ValueError: nobody holds one of them; nothing was changed.
        """
        pages = list(pages)
        self._check_held(pages)
        for page in pages:
            self.holders[page] -= 1
            if self.holders[page] == 0:
                heapq.heappush(self._free, page)
                for views in self._views:
                    views.pop(page, None)

    def copy(self, page: int) -> int:
        """Return a page of one's own in place of ``page``, with what it holds in every layer.

        Raises:
            OutOfPages: none is free.
        """
        (own,) = self.allocate(1)
        size = self.page_size
        for layer in self.layers:
            for stored in layer:
                source = stored.narrow(1, page * size, size)
                stored.narrow(1, own * size, size).copy_(source)
        self.free([page])
        return own

    def _check_held(self, pages: list[int]) -> None:
        for page, times in Counter(pages).items():
            if not 0 <= page < self.n_pages or self.holders[page] < times:
                raise ValueError(f"page {page} is not held {times} times: it cannot be let go")
