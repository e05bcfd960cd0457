"""Store keys and values, so that a decoder computes each of them only once.

Read :mod:`~plainformer.cache.base` first, which has the simplest cache, then ``static``. Three
ideas build on them: ``sliding``, ``pages`` with ``paged``, and ``quantised``. ``packed`` is for
serving: one step of many sequences.
"""

from plainformer.cache.base import CacheFull, ContiguousCache, LayerCache
from plainformer.cache.packed import PackedPagedCache
from plainformer.cache.paged import PagedCache
from plainformer.cache.pages import OutOfPages, PagePool, PageTable
from plainformer.cache.quantised import Fp8Cache, Int8Cache
from plainformer.cache.sliding import Forgotten, SlidingCache
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
