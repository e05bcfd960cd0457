"""A grammar's entropies and next words, checked by enumeration, by hand, and with a long sample."""

import math

import numpy as np
import pytest

from plainformer.lab.grammar import TALES, Grammar

# Centre-embedded: a bounded context is not sufficient. Words occur in several places.
NESTED = {
    "S": [(1, "One ."), (1, "Many .")],
    "One": [(3, "cat sleeps"), (1, "cat Inner sleeps"), (1, ["cat", "sees", "One"])],
    "Many": [(2, "cats sleep"), (1, "cats Inner sleep")],
    "Inner": [(3, "that cat sees"), (1, "that cat Inner sees")],
}


def sentences(grammar: Grammar, least: float) -> dict[tuple[str, ...], float]:
    """Enumerate derivations down to a probability, from the given rules."""
    done: dict[tuple[str, ...], float] = {}
    open_ = [((grammar.start,), 1.0)]
    while open_:
        symbols, p = open_.pop()
        place = next((i for i, s in enumerate(symbols) if s in grammar.rules), None)
        if place is None:
            done[symbols] = done.get(symbols, 0.0) + p
            continue
        for q, side in grammar.rules[symbols[place]]:
            if p * q > least:
                open_.append((symbols[:place] + side + symbols[place + 1 :], p * q))
    return done


@pytest.fixture(scope="module")
def nested() -> Grammar:
    return Grammar(NESTED)


@pytest.fixture(scope="module")
def every(nested) -> dict[tuple[str, ...], float]:
    return sentences(nested, 1e-12)


def test_entropy_and_length_equal_those_of_all_sentences_enumerated(nested, every):
    assert 1 - sum(every.values()) < 1e-7
    entropy = -sum(p * math.log(p) for p in every.values())
    assert nested.sentence_entropy == pytest.approx(entropy, abs=1e-6)
    length = sum(p * len(s) for s, p in every.items())
    assert nested.mean_length == pytest.approx(length, abs=1e-6)
    assert nested.entropy_rate == pytest.approx(entropy / length, abs=1e-6)


def test_the_next_word_equals_that_of_all_sentences_enumerated(nested, every):
    prefixes = {s[:n] for s, p in every.items() if p > 1e-4 for n in range(len(s))}
    assert len(prefixes) > 20
    for prefix in prefixes:
        expected = np.zeros(len(nested.words))
        for sentence, p in every.items():
            if sentence[: len(prefix)] == prefix:
                expected[nested.words.index(sentence[len(prefix)])] += p
        ids = nested.encode(" ".join(prefix))
        np.testing.assert_allclose(nested.next_word(ids), expected / expected.sum(), atol=1e-4)
        after = nested.encode("cats sleep . " + " ".join(prefix))  # earlier sentences do not matter
        np.testing.assert_array_equal(nested.next_word(after), nested.next_word(ids))


def test_the_surprisals_of_a_sentence_add_up_to_that_of_its_probability(nested, every):
    for sentence, p in list(every.items())[:50]:
        total = nested.surprisals(nested.encode(" ".join(sentence))).sum()
        assert total == pytest.approx(-math.log(p), abs=1e-9)


@pytest.mark.parametrize("grammar", [Grammar(NESTED), TALES], ids=["nested", "tales"])
def test_a_long_sample_is_as_surprising_as_computed(grammar):
    text = grammar.sample(60_000, seed=1)
    stop = grammar.words.index(".")
    ends = np.flatnonzero(text == stop)
    each = [part.sum() for part in np.split(grammar.surprisals(text), ends + 1)[:-1]]
    error = np.std(each) / math.sqrt(len(each))
    assert abs(np.mean(each) - grammar.sentence_entropy) < 4 * error
    assert np.diff(ends).mean() == pytest.approx(grammar.mean_length, rel=0.02)
    assert grammar.floor(text) == pytest.approx(grammar.entropy_rate, rel=0.02)


def test_a_coin_and_a_run_by_hand():
    coin = Grammar({"S": [(1, "a"), (3, "b")]})
    assert coin.words == ("a", "b")
    assert coin.sentence_entropy == pytest.approx(math.log(4) - 0.75 * math.log(3))
    run = Grammar({"S": [(1, "a S"), (1, "b")]})  # S = 2 words and 2 coins on average
    assert (run.mean_length, run.sentence_entropy) == pytest.approx((2, 2 * math.log(2)))
    assert run.next_word(run.encode("a a")).tolist() == [0.5, 0.5]


def test_two_readings_of_a_prefix_are_weighed():
    grammar = Grammar({"S": [(1, "A x"), (3, "B y")], "A": [(1, "a")], "B": [(1, "a"), (1, "b")]})
    # P(a) = 1/4 + 3/4 · 1/2 = 5/8, of which 2/5 goes on with x.
    assert grammar.next_word(grammar.encode("a"))[grammar.encode("x y")] == pytest.approx(
        [0.4, 0.6]
    )


def test_ambiguity_is_found_and_an_incomplete_search_says_so(nested):
    two = Grammar(
        {"S": [(1, "A ."), (1, "B .")], "A": [(1, "a b")], "B": [(1, "a C")], "C": [(1, "b")]}
    )
    assert two.ambiguity() == ("a b", False)
    flat = Grammar({"S": [(1, "a"), (1, "a a")]})  # the ends of sentences cannot be seen
    assert flat.ambiguity() == ("a a", False)
    assert nested.ambiguity(limit=50) == (None, False)  # its nesting is unbounded


def test_words_go_there_and_back_and_the_seed_decides():
    text = "the old foxes wait ."
    assert TALES.decode(TALES.encode(text)) == text
    one, two = TALES.sample(30, seed=3), TALES.sample(50, seed=3)
    assert one.dtype == np.int64
    assert one.tolist() == two[:30].tolist()
    assert one.tolist() != TALES.sample(30, seed=4).tolist()
    assert TALES.sample(0, seed=0).tolist() == []
    with pytest.raises(ValueError, match="dragon"):
        TALES.encode("the dragon waits .")
    for call in (TALES.next_word, TALES.surprisals):
        with pytest.raises(ValueError, match="'foxes' cannot stand here: expected one of"):
            call(TALES.encode("the fox foxes"))
    with pytest.raises(ValueError, match="number 99"):
        TALES.next_word([99])
