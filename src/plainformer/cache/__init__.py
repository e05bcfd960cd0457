"""Keep keys and values, so that a decoder computes each of them once."""

from plainformer.cache.base import LayerCache
from plainformer.cache.checks import CacheFull, Forgotten
from plainformer.cache.contiguous import ContiguousCache
from plainformer.cache.packed import PackedPagedCache
from plainformer.cache.page_tables import PageTable
from plainformer.cache.paged import PagedCache
from plainformer.cache.pages import OutOfPages, PagePool
from plainformer.cache.quantised import Fp8Cache, Int8Cache
from plainformer.cache.sliding import SlidingCache
from plainformer.cache.static import StaticCache

__all__ = [
    "CacheFull",
    "ContiguousCache",
    "Forgotten",
    "Fp8Cache",
    "Int8Cache",
    "LayerCache",
    "OutOfPages",
    "PackedPagedCache",
    "PagePool",
    "PageTable",
    "PagedCache",
    "SlidingCache",
    "StaticCache",
]
