"""Text of known entropy, checked by enumeration, by hand, and with a long sample."""

import itertools
import math

import numpy as np
import pytest

from plainformer.lab.corpus import Chain, Copies, entropy


def joint(chain: Chain, length: int) -> dict[tuple[int, ...], float]:
    """Enumerate all texts of a length with their probabilities, only from the definition."""
    v, n = len(chain.alphabet), chain.order
    found = {}
    for text in itertools.product(range(v), repeat=length):
        state = int(np.ravel_multi_index(text[:n], (v,) * n))
        p = chain.stationary[state]
        for i in range(n, length):
            state = int(np.ravel_multi_index(text[i - n : i], (v,) * n))
            p *= chain.transitions[state, text[i]]
        found[text] = p
    return found


def of(probabilities) -> float:
    return -sum(p * math.log(p) for p in probabilities if p > 0)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_entropies_equal_those_of_all_texts_enumerated(order):
    chain = Chain(alphabet=b"abc", order=order, branch=2, noise=0.1, seed=3)
    block = [of(joint(chain, n).values()) for n in range(order, order + 3)]
    assert chain.entropy_rate == pytest.approx(block[1] - block[0], abs=1e-12)
    assert chain.entropy_rate == pytest.approx(block[2] - block[1], abs=1e-12)
    whole = joint(chain, order + 2)
    total = 0.0
    for position in range(order + 2):
        shorter: dict[tuple[int, ...], float] = {}
        longer: dict[tuple[int, ...], float] = {}
        for text, p in whole.items():
            shorter[text[:position]] = shorter.get(text[:position], 0) + p
            longer[text[: position + 1]] = longer.get(text[: position + 1], 0) + p
        here = of(longer.values()) - of(shorter.values())
        assert chain.entropy_at(position) == pytest.approx(here, abs=1e-12)
        total += here if position else 0
    assert chain.floor(order + 1) == pytest.approx(total / (order + 1), abs=1e-12)
    assert chain.unigram_entropy == pytest.approx(chain.entropy_at(0), abs=1e-12)


def test_the_stationary_distribution_is_left_as_it_is():
    chain = Chain(order=2)
    v = len(chain.alphabet)
    after = np.zeros(v**2)
    for state, p in enumerate(chain.stationary):
        for symbol in range(v):
            after[(state * v + symbol) % v**2] += p * chain.transitions[state, symbol]
    np.testing.assert_allclose(after, chain.stationary, atol=1e-15)
    assert chain.stationary.sum() == pytest.approx(1, abs=1e-12)


def test_a_coin_by_hand():
    chain = Chain(alphabet=b"ab", order=1, branch=1, noise=1.0)
    assert chain.entropy_rate == pytest.approx(math.log(2), abs=1e-12)
    assert entropy(np.array([0.25, 0.25, 0.5])) == pytest.approx(1.5 * math.log(2), abs=1e-12)


def test_a_long_sample_is_as_surprising_as_computed_and_visits_as_often():
    chain = Chain(alphabet=b"abcde", order=2, branch=2, noise=0.05, seed=1)
    text = np.searchsorted(np.frombuffer(chain.alphabet, np.uint8), chain.sample(60_000))
    state = text[:-2] * 5 + text[1:-1]
    surprise = -np.log(chain.transitions[state, text[2:]])
    error = surprise.std() / math.sqrt(len(surprise))
    assert abs(surprise.mean() - chain.entropy_rate) < 6 * error
    visits = np.bincount(state, minlength=25) / len(state)
    assert np.abs(visits - chain.stationary).max() < 0.02


def test_order_and_branches_are_as_asked():
    chain = Chain(alphabet=b"abcd", order=1, branch=2, noise=0.01)
    assert ((chain.transitions > 0.01).sum(1) <= 2).all()
    np.testing.assert_allclose(chain.transitions.sum(1), 1)
    assert chain.entropy_rate < chain.unigram_entropy < math.log(4) + 1e-12


def test_the_same_seed_gives_the_same_text():
    one, two = Chain(seed=5), Chain(seed=5)
    assert one.sample(50).tobytes() == two.sample(50).tobytes()
    assert one.sample(50).tobytes() != one.sample(50, seed=1).tobytes()
    assert one.sample(50).tobytes() != Chain(seed=6).sample(50).tobytes()
    assert set(one.sample(50)) <= set(one.alphabet)
    assert one.sample(0).tolist() == []
    assert len(one.sample(1)) == 1


def test_copies_repeat_their_first_half_and_it_costs_nothing():
    copies = Copies(Chain(order=1), 4)
    for document in copies.sample(3):
        assert document[:4].tolist() == document[4:].tolist()
    assert [copies.entropy_at(i) for i in (4, 5, 7)] == [0, 0, 0]
    first = sum(copies.chain.entropy_at(i) for i in (1, 2, 3))
    assert copies.floor(7) == pytest.approx(first / 7)
    assert len({d.tobytes() for d in copies.sample(3)}) == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"alphabet": b"a"}, "two different bytes"),
        ({"alphabet": b"aba"}, "two different bytes"),
        ({"branch": 99}, "branches"),
        ({"noise": 0.0}, "noise above 0"),
        ({"order": 0}, "order of at least 1"),
        ({"order": 9}, "lower the order"),
    ],
)
def test_a_chain_that_cannot_be_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Chain(**arguments)
    with pytest.raises(ValueError, match="half=0"):
        Copies(Chain(), 0)
