from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer.cache import PagePool
from plainformer.serving.prefix import PrefixCache


def tree(total=10, page_size=2):
    pages = PagePool(n_layers=1, n_pages=total, page_size=page_size, n_kv_heads=1, width=1)
    return PrefixCache(pages), pages


def keep(cache, pages, tokens):
    """Compute a prompt, insert its full pages into the cache, and release them."""
    taken = pages.allocate(len(tokens) // pages.page_size)
    cache.insert(tokens, taken)
    pages.free(taken)
    return taken


def test_the_longest_known_beginning_is_found_and_no_more():
    cache, pages = tree()
    taken = keep(cache, pages, [1, 2, 3, 4, 5, 6])
    assert cache.match([1, 2, 3, 4, 9, 9]) == taken[:2]
    assert cache.match([1, 2, 3]) == taken[:1], "a page that is not full is not found"
    assert cache.match([3, 4]) == [], "a page counts only behind the pages before it"
    assert cache.match([]) == []


def test_pages_in_use_stay():
    cache, pages = tree()
    keep(cache, pages, [1, 2, 3, 4])
    found = cache.match([1, 2, 3, 4])
    pages.share(found)
    assert cache.evict(9) == 0
    pages.free(found)
    assert cache.evict(9) == 2
    assert pages.free_pages == pages.n_pages


def test_the_longest_unused_goes_first_and_never_before_those_behind_it():
    cache, pages = tree()
    old = keep(cache, pages, [1, 1, 2, 2])
    new = keep(cache, pages, [1, 1, 3, 3])
    cache.match([1, 1, 2, 2])  # the old one is used again
    assert cache.evict(1) == 1
    assert cache.match([1, 1, 3, 3]) == [old[0]]
    assert cache.match([1, 1, 2, 2]) == old
    assert new[0] not in old, "the first page of the second prompt was not needed twice"
    assert len(cache) == 2
    assert cache.evict(1) == 1  # both were used at once: the leaf is evicted, not its parent
    assert cache.match([1, 1, 2, 2]) == [old[0]]


def test_all_that_is_wanted_is_freed_or_nothing():
    cache, pages = tree()
    keep(cache, pages, [1, 1, 2, 2])
    keep(cache, pages, [3, 3])
    assert cache.evict(4, partly=False) == 0
    assert len(cache) == 3
    assert cache.evict(3, partly=False) == 3


def test_a_second_copy_of_a_known_page_is_not_kept():
    cache, pages = tree()
    first = keep(cache, pages, [1, 2])
    keep(cache, pages, [1, 2])
    assert len(cache) == 1
    assert cache.match([1, 2]) == first


def test_pages_are_found_with_their_own_salt_only():
    cache, pages = tree()
    without = keep(cache, pages, [1, 2, 3, 4])
    ours = pages.allocate(2)
    cache.insert([1, 2, 3, 4], ours, "a firm")
    pages.free(ours)
    assert cache.match([1, 2, 3, 4]) == without
    assert cache.match([1, 2, 3, 4], "a firm") == ours
    assert cache.match([1, 2, 3, 4], "another") == []
    assert sorted(cache) == sorted(without + ours)
    assert cache.evict(9) == 4, "pages of every tenant make room"
    assert pages.free_pages == pages.n_pages


def test_a_path_as_long_as_a_book_is_no_trouble():
    cache, pages = tree(total=5000, page_size=1)
    taken = keep(cache, pages, list(range(5000)))
    assert cache.match(list(range(5000))) == taken
    assert cache.evict(5000) == 5000


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.lists(st.integers(0, 1), max_size=9), st.integers(0, 3)), max_size=12))
def test_what_is_found_always_begins_like_what_was_kept(history):
    cache, pages = tree(total=60)
    held: dict[int, tuple[int, ...]] = {}
    for tokens, evicted in history:
        found = cache.match(tokens)
        for depth, page in enumerate(found):
            assert held[page] == tuple(tokens[: 2 * depth + 2])
        fresh = pages.allocate(len(tokens) // 2)
        for depth, page in enumerate(fresh):
            held[page] = tuple(tokens[: 2 * depth + 2])
        cache.insert(tokens, fresh)
        pages.free(fresh)
        cache.evict(evicted)
    cache.evict(60)
    assert pages.free_pages == 60
