import pytest

from plainformer.cache import PagePool, PageTable
from plainformer.serving.request import Request, Running


def test_the_last_token_is_never_read_and_needs_no_place():
    assert Request(prompt=[1, 2, 3], max_new_tokens=1).longest == 3
    assert Request(prompt=[1], max_new_tokens=5).longest == 5


def test_without_a_sampler_the_likeliest_token_is_taken():
    assert Request(prompt=[1], max_new_tokens=1).sampler.greedy


@pytest.mark.parametrize(("prompt", "new"), [([], 1), ([1], 0)])
def test_an_empty_prompt_and_no_new_tokens_are_refused(prompt, new):
    with pytest.raises(ValueError, match=f"{len(prompt)} tokens, max_new_tokens={new}"):
        Request(prompt=prompt, max_new_tokens=new)


def test_what_is_new_and_what_is_missing_follow_from_tokens_and_table():
    pool = PagePool(n_layers=1, n_pages=2, page_size=4, n_kv_heads=1, width=1)
    request = Request(prompt=[1, 2], max_new_tokens=3)
    running = Running(0, request, [1, 2, 9], PageTable(pool, pages=pool.allocate(1), length=2))
    assert (running.new, running.missing) == ([9], 1)
