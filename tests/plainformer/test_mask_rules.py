"""Rule: its visible pairs, its classification of tiles, and the equal mask tensors."""

import itertools
import random
from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils._python_dispatch import TorchDispatchMode

from plainformer import masks
from plainformer.mask_rules import Rule
from tests.plainformer.tensors import AWKWARD_SIZES

COUNTS = st.integers(0, 4)
ENDS = st.none() | st.lists(st.integers(0, 9), min_size=0, max_size=3).map(torch.tensor)
RULES = st.builds(
    Rule,
    causal=st.booleans(),
    window=st.none() | st.integers(1, 4),
    sinks=COUNTS,
    prefix=COUNTS,
    starts=ENDS,
    lengths=ENDS,
).filter(lambda rule: rule.starts is None or rule.lengths is None or same_batch(rule))
TILES = st.tuples(st.integers(-3, 9), st.integers(0, 5)).map(lambda t: range(t[0], t[0] + t[1]))


def same_batch(rule):
    return len(rule.starts) == len(rule.lengths)


def may_look(rule, sequence, i, j):
    """Return whether query i may attend to key j, from the rule's definition."""
    start = 0 if rule.starts is None else int(rule.starts[sequence])
    end = 10**9 if rule.lengths is None else int(rule.lengths[sequence])
    if j < 0 or j < start or j >= end:
        return False
    if j - start < rule.prefix:
        return True
    if rule.causal and j > i:
        return False
    return rule.window is None or abs(i - j) < rule.window or j - start < rule.sinks


@given(rule=RULES, queries=TILES, keys=TILES)
def test_allows_is_what_its_words_say_of_each_pair(rule, queries, keys):
    batch = [len(ends) for ends in (rule.starts, rule.lengths) if ends is not None]
    mask = rule.allows(torch.tensor(queries).long(), torch.tensor(keys).long())
    assert mask.shape == (batch[0] if batch else 1, 1, len(queries), len(keys))
    for s, (m, i), (n, j) in itertools.product(
        range(mask.shape[0]), enumerate(queries), enumerate(keys)
    ):
        assert mask[s, 0, m, n] == may_look(rule, s, i, j), (s, i, j)


def any_rule(draw):
    """Draw a rule for two sequences; half of its conditions are absent."""

    def maybe(low, high):
        return draw.randint(low, high) if draw.random() < 0.5 else 0

    def ends():
        return torch.tensor([draw.randint(0, 6) for _ in "ab"]) if draw.random() < 0.5 else None

    return Rule(
        causal=draw.random() < 0.6,
        window=maybe(1, 4) or None,
        sinks=maybe(1, 3),
        prefix=maybe(1, 4),
        starts=ends(),
        lengths=ends(),
    )


def test_what_is_said_of_a_tile_is_true_of_all_its_pairs():
    draw, said = random.Random(0), Counter()
    for _ in range(3000):
        rule, first, start = any_rule(draw), draw.randint(0, 7), draw.randint(-1, 7)
        queries = range(first, first + draw.randint(1, 3))
        keys = range(start, start + draw.randint(1, 3))
        answer = rule.sees(queries, keys)
        said[answer] += 1
        if answer is not None:
            assert (rule.allows(torch.tensor(queries), torch.tensor(keys)) == answer).all(), rule
    assert min(said.values()) > 100


@pytest.mark.parametrize("rule", [Rule(), Rule(window=3), Rule(causal=False), Rule(prefix=4)])
def test_of_plain_rules_a_tile_is_undecided_only_where_it_is_mixed(rule):
    for first, q, start, k in itertools.product(range(6), (1, 3), range(6), (1, 2)):
        queries, keys = range(first, first + q), range(start, start + k)
        mask = rule.allows(torch.tensor(queries), torch.tensor(keys))
        mixed = bool(mask.any()) and not bool(mask.all())
        assert (rule.sees(queries, keys) is None) == mixed, (queries, keys)


def test_starts_and_lengths_are_read_once_for_all_tiles_and_layers():
    class Counted(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            done.append(function)
            return function(*args, **(kwargs or {}))

    rule = Rule(starts=torch.tensor([0, 2]), lengths=torch.tensor([4, 9]))
    done = []
    with Counted():
        assert rule.sees(range(3, 4), range(4)) is None
        first = len(done)
        assert rule.sees(range(3, 4), range(2, 4)) is True
        assert rule.sees(range(9, 10), range(9, 10)) is False
        assert rule.padded_left
        assert 0 < first == len(done)
        alone = rule.each(2)
        assert [one.sees(range(3, 4), range(4)) for one in alone] == [True, None]
        first = len(done)
        assert [one.sees(range(3, 4), range(2, 4)) for one in rule.each(2)] == [True, True]
    assert first == len(done)


def test_each_sequence_alone_sees_what_it_sees_in_the_batch():
    starts, lengths = torch.tensor([0, 2, 5]), torch.tensor([4, 9, 6])
    for rule in (Rule(window=3, starts=starts, lengths=lengths), Rule(sinks=1, window=2), Rule()):
        batch = rule.dense(9, 9).expand(3, 1, 9, 9)
        assert torch.equal(torch.cat([one.dense(9, 9) for one in rule.each(3)]), batch)
    wide = Rule(starts=torch.tensor([2]), lengths=lengths)
    assert torch.equal(torch.cat([one.dense(9, 9) for one in wide.each(3)]), wide.dense(9, 9))


def test_a_tile_without_queries_or_keys_sees_nothing():
    assert Rule().sees(range(0), range(3)) is False
    assert Rule().sees(range(3), range(0)) is False


@given(q=AWKWARD_SIZES, k=AWKWARD_SIZES)
def test_written_out_it_equals_the_masks_of_those_names(q, k):
    everything = torch.ones(q, k, dtype=torch.bool)
    assert Rule().dense(q, k)[0, 0].equal(masks.causal(q, k))
    assert Rule(causal=False).dense(q, k)[0, 0].equal(everything)
    for n in range(1, k + 1):
        window = masks.sliding_window(q, k, window=n)
        assert Rule(window=n).dense(q, k)[0, 0].equal(window)
        assert Rule(prefix=n).dense(q, k)[0, 0].equal(masks.prefix(q, k, prefix=n))
        sinks = window | (masks.causal(q, k) & (torch.arange(k) < n))
        assert Rule(window=n, sinks=n).dense(q, k)[0, 0].equal(sinks)


@given(q=AWKWARD_SIZES, k=AWKWARD_SIZES, data=st.data())
def test_padding_on_either_side_equals_the_padding_mask(q, k, data):
    lengths = torch.tensor(data.draw(st.lists(st.integers(0, k), max_size=3)), dtype=torch.long)
    right = masks.padding(lengths, k).expand(-1, -1, q, -1)
    assert Rule(causal=False, lengths=lengths).dense(q, k).equal(right)
    assert Rule(causal=False, starts=k - lengths).dense(q, k).equal(right.flip(-1))
    assert Rule(lengths=lengths).dense(q, k).equal(right & masks.causal(q, k))


def test_sinks_and_prefix_count_from_the_first_real_token():
    rule = Rule(window=1, sinks=1, starts=torch.tensor([2]))
    assert rule.dense(1, 6)[0, 0, 0].int().tolist() == [0, 0, 1, 0, 0, 1]
    rule = Rule(prefix=2, starts=torch.tensor([2]))
    assert rule.dense(6, 6)[0, 0, 0].int().tolist() == [0, 0, 1, 1, 0, 0]


def test_each_sequence_may_have_positions_of_its_own():
    q, k = torch.tensor([[3], [5]]), torch.tensor([[0, 3, -1, 7], [6, 5, 4, -1]])
    allowed = Rule(window=3).allows(q, k)[:, 0, 0].int().tolist()
    assert allowed == [[0, 1, 0, 0], [0, 1, 1, 0]]


def test_only_causal_is_the_causal_mask_and_nothing_else():
    assert Rule().only_causal
    assert Rule(sinks=2).only_causal  # without a window, sinks have no effect
    length = torch.tensor([2])
    others = [{"causal": False}, {"window": 2}, {"prefix": 1}, {"starts": length}]
    for other in [*others, {"lengths": length}]:
        assert not Rule(**other).only_causal, other


def test_with_starts_changes_the_starts_alone():
    rule = Rule(window=3, sinks=1).with_starts(torch.tensor([1]))
    assert (rule.window, rule.sinks, rule.starts.tolist()) == (3, 1, [1])
    assert rule.with_starts(None).starts is None


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"window": 0}, "window=0: a query sees itself, so at least 1"),
        ({"sinks": -1}, "sinks=-1"),
        ({"prefix": -2}, "prefix=-2"),
    ],
)
def test_impossible_numbers_are_named(numbers, words):
    with pytest.raises(ValueError, match=words):
        Rule(**numbers)
