"""A prefix cache: requests with the same beginning share the pages of that beginning."""

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from plainformer.cache import PagePool


@dataclass(eq=False)
class _Node:
    """One full page, reached from the page before it by the tokens on it."""

    page: int
    parent: "_Node | None"
    tokens: tuple[int, ...]
    used: int = 0
    children: dict[tuple[int, ...], "_Node"] = field(default_factory=dict)


class PrefixCache:
    """Keep full pages in a tree whose edges are the tokens on a page.

    The content of a page depends on all tokens before it, so a page is found only along its whole
    path. Tokens are compared themselves, and not their hashes, so two texts never collide. Requests
    with different salts have separate trees and find nothing in each other's. Pages that no request
    uses stay until their memory is needed; then the least recently used one is freed first, and
    never before its descendants.

    Args:
        pages: the pool; the tree counts as one holder of each of its pages.

    Ref: Zheng et al. 2024 (SGLang), section 3 (RadixAttention).
    """

    def __init__(self, pages: PagePool) -> None:
        self.pages = pages
        self._roots: dict[str | None, _Node] = {}
        self._clock = 0

    def match(self, tokens: Sequence[int], salt: str | None = None) -> list[int]:
        """Return the pages of the longest known beginning; only the tree holds them.

        Args:
            tokens: the tokens of a request.
            salt: the request's salt; only pages inserted with the same salt are found.

        Cost: one look-up for each page.
        """
        found, node = [], self._roots.get(salt)
        self._clock += 1
        for page in self._cut(tokens):
            if node is None or (child := node.children.get(page)) is None:
                break
            child.used = self._clock
            found.append(child.page)
            node = child
        return found

    def insert(self, tokens: Sequence[int], pages: Sequence[int], salt: str | None = None) -> None:
        """Keep full pages for later requests; a page that the tree already has is not replaced.

        Args:
            tokens: the tokens on the pages, from the request's first position on.
            pages: the pages, in order.
            salt: the request's salt; see :meth:`match`.

        Cost: one look-up for each page.
        """
        node = self._roots.setdefault(salt, _Node(-1, None, ()))
        self._clock += 1
        for tokens_of_page, page in zip(self._cut(tokens), pages, strict=True):
            child = node.children.get(tokens_of_page)
            if child is None:
                self.pages.share([page])
                child = _Node(page, node, tokens_of_page)
                node.children[tokens_of_page] = child
            child.used = self._clock
            node = child

    def clear(self) -> None:
        """Drop all pages, after the pool itself has been emptied."""
        self._roots = {}

    def evict(self, count: int, *, partly: bool = True) -> int:
        """Free pages that no request uses, the least recently used first.

        Args:
            count: number of pages to free.
            partly: whether fewer pages are also freed, if the others are in use.

        Returns:
            The number of pages freed.

        Cost: one walk through the tree, and a heap of its leaves.
        """
        leaves = [(node.used, node.page, node) for node in self._nodes() if self._is_spare(node, 0)]
        heapq.heapify(leaves)
        chosen: list[_Node] = []
        behind = Counter[_Node]()  # number of chosen children of each node
        while leaves and len(chosen) < count:
            *_, node = heapq.heappop(leaves)
            chosen.append(node)
            parent = node.parent
            assert parent is not None
            behind[parent] += 1
            if parent.parent is not None and self._is_spare(parent, behind[parent]):
                heapq.heappush(leaves, (parent.used, parent.page, parent))
        if len(chosen) < count and not partly:
            return 0
        for node in chosen:
            assert node.parent is not None
            del node.parent.children[node.tokens]
        self._roots = {salt: root for salt, root in self._roots.items() if root.children}
        self.pages.free(node.page for node in chosen)
        return len(chosen)

    def __iter__(self) -> Iterator[int]:
        return (node.page for node in self._nodes())

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _is_spare(self, node: _Node, chosen: int) -> bool:
        """Whether no request uses a page, and all of its children are chosen."""
        return len(node.children) == chosen and self.pages.holders[node.page] == 1

    def _cut(self, tokens: Sequence[int]) -> list[tuple[int, ...]]:
        size = self.pages.page_size
        return [tuple(tokens[i : i + size]) for i in range(0, len(tokens) - size + 1, size)]

    def _nodes(self) -> Iterator[_Node]:
        todo = [node for root in self._roots.values() for node in root.children.values()]
        while todo:
            node = todo.pop()
            yield node
            todo.extend(node.children.values())
