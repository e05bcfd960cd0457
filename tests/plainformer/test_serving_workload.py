import itertools
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainformer.serving.workload import Served, Workload, percentile


def workload(**changes):
    usual = {"requests": 50, "rate": 4.0, "prompt_tokens": (8, 20), "answer_tokens": (1, 5)}
    return Workload(**{**usual, **changes})


def test_requests_have_the_asked_lengths_and_tokens_and_come_in_order():
    asked = workload(vocabulary=7).draw()
    times = [at for at, _ in asked]
    assert times == sorted(times)
    assert min(times) > 0
    assert {len(r.prompt) for _, r in asked} <= set(range(8, 21))
    assert {r.max_new_tokens for _, r in asked} == {1, 2, 3, 4, 5}
    assert {t for _, r in asked for t in r.prompt} == set(range(7))


def test_gaps_are_exponential_with_the_asked_mean():
    asked = workload(requests=4000, rate=4.0).draw()
    gaps = [b[0] - a[0] for a, b in itertools.pairwise(asked)]
    assert statistics.mean(gaps) == pytest.approx(0.25, rel=0.05)
    assert statistics.stdev(gaps) == pytest.approx(0.25, rel=0.1)


def test_prompts_begin_alike_for_as_long_as_was_asked_and_not_longer():
    prompts = [r.prompt for _, r in workload(shared_tokens=6).draw()]
    assert len({tuple(p[:6]) for p in prompts}) == 1
    assert len({p[6] for p in prompts}) > 10


def test_the_same_seed_gives_the_same_requests():
    assert workload(seed=1).draw() == workload(seed=1).draw() != workload(seed=2).draw()


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"requests": 0}, "requests=0"),
        ({"rate": 0.0}, "rate=0.0"),
        ({"prompt_tokens": (0, 3)}, r"prompt_tokens=\(0, 3\)"),
        ({"answer_tokens": (3, 2)}, r"answer_tokens=\(3, 2\)"),
        ({"shared_tokens": 8}, "shared_tokens=8: expected fewer than the shortest prompt, 8"),
    ],
)
def test_impossible_workloads_are_named(changes, named):
    with pytest.raises(ValueError, match=named):
        workload(**changes)


@given(st.lists(st.floats(0, 10), min_size=1, max_size=30), st.floats(0, 1))
def test_a_percentile_is_the_smallest_value_that_the_share_does_not_exceed(values, share):
    found = percentile(values, share)
    within = sum(v <= found for v in values) / len(values)
    assert found in values
    assert within >= share - 1e-9
    assert not any(sum(w <= v for w in values) / len(values) >= share for v in values if v < found)


def test_times_of_a_request_count_from_its_arrival():
    one = Served(arrived=1.0, first=3.0, done=5.0, tokens=5)
    assert (one.to_first, one.each) == (2.0, 0.5)
    assert Served(arrived=1.0, first=3.0, done=3.0, tokens=1).each == 0.0
    with pytest.raises(ValueError, match="0 values"):
        percentile([], 0.5)
