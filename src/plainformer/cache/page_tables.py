"""In which pages a sequence lies, and how several sequences share one."""

from collections.abc import Sequence

from plainformer.cache.checks import check_length
from plainformer.cache.pages import PagePool


class PageTable:
    """Say in which pages the positions of one sequence lie.

    Args:
        pool: where the pages come from.
        pages: pages that hold its first positions already, such as a prefix that was kept; the
            table becomes one more holder of them.
        length: how many positions they hold.

    Raises:
        ValueError: the length does not need that many pages, or nobody holds one of them.

    Ref: Kwon et al. 2023, sections 4.2 and 4.3 (block tables), 4.4 (copy-on-write).
    """

    def __init__(self, pool: PagePool, *, pages: Sequence[int] = (), length: int = 0) -> None:
        if length < 0 or len(pages) != -(-length // pool.page_size):
            raise ValueError(
                f"{len(pages)} pages for length={length}: expected "
                f"{-(-max(length, 0) // pool.page_size)} pages of {pool.page_size} positions"
            )
        pool.share(pages)
        self.pool, self.pages, self.length = pool, list(pages), length

    def fork(self, length: int | None = None) -> "PageTable":
        """Return a table that shares the pages of the first ``length`` positions; all, if None.

        Raises:
            ValueError: the table is not that long.
        """
        length = self.length if length is None else length
        check_length(length, self.length)
        kept = -(-length // self.pool.page_size)
        return PageTable(self.pool, pages=self.pages[:kept], length=length)

    def truncate(self, length: int) -> None:
        """Forget the positions from ``length`` on, and let go of pages that are not needed.

        Raises:
            ValueError: the table is not that long.
        """
        check_length(length, self.length)
        kept = -(-length // self.pool.page_size)
        self.pool.free(self.pages[kept:])
        self.pages, self.length = self.pages[:kept], length

    def free(self) -> None:
        """Let go of every page."""
        self.truncate(0)
