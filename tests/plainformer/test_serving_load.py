from plainformer.cache import PagePool, PageTable
from plainformer.serving.load import Load, load_of
from plainformer.serving.scheduler import Request, Running, Work


def test_the_load_of_a_step_counts_each_query_with_the_keys_it_may_see():
    pool = PagePool(n_layers=1, n_pages=1, page_size=1, n_kv_heads=1, width=1)
    request = Request(prompt=[1] * 9, max_new_tokens=1)
    running = Running(0, request, [1] * 9, PageTable(pool))
    load = load_of([Work(running, 2, 3), Work(running, 5, 1)])
    assert load == Load(tokens=4, looks=3 + 4 + 5 + 6, requests=2)
