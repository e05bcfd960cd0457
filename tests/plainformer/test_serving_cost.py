import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer.cache import PagePool, PageTable
from plainformer.serving.cost import Cost, Load, fit, load_of
from plainformer.serving.request import Request, Running
from plainformer.serving.scheduler import Work

PARTS = st.floats(0, 1e-2)


def loads(seed, count=12):
    import random

    chance = random.Random(seed)
    return [
        Load(chance.randint(1, 300), chance.randint(1, 90_000), chance.randint(1, 20))
        for _ in range(count)
    ]


@settings(max_examples=30, deadline=None)
@given(st.floats(1e-4, 1e-2), PARTS, st.floats(0, 1e-6), PARTS, st.integers(0, 999))
def test_a_cost_is_found_again_from_the_times_of_its_own_steps(step, token, look, request, seed):
    cost = Cost(step=step, token=token, look=look, request=request)
    measured = [cost.seconds(load) for load in loads(seed)]
    again = fit(loads(seed), measured)
    for load in loads(seed + 1):
        assert again.seconds(load) == pytest.approx(cost.seconds(load), rel=1e-5)


def test_no_part_becomes_negative_where_noise_would_have_it_so():
    times = [0.010, 0.009, 0.011, 0.008, 0.012, 0.007]
    found = fit([Load(n, n * n, 1) for n in (1, 20, 3, 40, 5, 60)], times)
    assert min(found.step, found.token, found.look, found.request) >= 0
    assert found.seconds(Load(10, 100, 1)) == pytest.approx(0.01, rel=0.3)


def test_a_short_step_weighs_as_much_as_a_long_one():
    some = [Load(1, 1, 1), Load(1000, 1, 1)] * 4
    found = fit(some, [0.001, 1.0] * 4)
    assert found.seconds(some[0]) == pytest.approx(0.001, rel=0.01)


def test_the_load_of_a_step_counts_each_query_with_the_keys_it_may_see():
    pool = PagePool(n_layers=1, n_pages=1, page_size=1, n_kv_heads=1, width=1)
    request = Request(prompt=[1] * 9, max_new_tokens=1)
    running = Running(0, request, [1] * 9, PageTable(pool))
    load = load_of([Work(running, 2, 3), Work(running, 5, 1)])
    assert load == Load(tokens=4, looks=3 + 4 + 5 + 6, requests=2)


@pytest.mark.parametrize(
    ("given_loads", "seconds"),
    [
        ([], []),
        (loads(0, 3), [1.0] * 3),
        (loads(0, 5), [1.0] * 4),
        (loads(0, 4), [1.0] * 3 + [0.0]),
    ],
)
def test_too_few_or_impossible_times_are_refused(given_loads, seconds):
    with pytest.raises(ValueError, match="expected as many of each, at least four"):
        fit(given_loads, seconds)


def test_a_negative_part_is_named():
    with pytest.raises(ValueError, match="look=-1"):
        Cost(step=0.0, token=0.0, look=-1.0, request=0.0)
