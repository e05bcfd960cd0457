"""The invented language: a word's ending determines its fact, at any place."""

import pytest
import torch

from plainformer.lab.endings import ENGLISH, STEMS, five_facts, sentences, spell, two_nouns

TELLS = {0: {0, 1}, 1: {3, 4}, 2: {2}}  # ending: the facts that it may express


def test_each_place_holds_the_stem_and_the_ending_of_its_fact():
    stem, ending, order, facts = sentences(200)
    assert torch.equal(stem, facts.gather(1, order))
    for told, end in zip(order.flatten().tolist(), ending.flatten().tolist(), strict=True):
        assert told in TELLS[end]


def test_every_sentence_has_its_own_order_and_tells_each_fact_once():
    _, _, order, facts = sentences(200)
    assert torch.equal(order.sort(dim=1).values, torch.arange(5).expand(200, 5))
    assert len({tuple(row) for row in order.tolist()}) > 60
    kinds = [range(6, 10), range(6), range(10, 13), range(6, 10), range(6)]
    for fact, kind in enumerate(kinds):
        assert set(facts[:, fact].tolist()) == set(kind)


def test_a_sentence_of_two_nouns_asks_for_who_and_whom():
    (stem, ending), asked = two_nouns(100)
    assert stem.shape == ending.shape == (100, 3)
    for noun, end in ((0, 0), (1, 1)):
        place = (ending == end).int().argmax(dim=1, keepdim=True)
        assert torch.equal(stem.gather(1, place)[:, 0], asked[:, noun])


def test_five_facts_are_those_of_the_sentence():
    (stem, _), facts = five_facts(50)
    assert torch.equal(stem.sort(dim=1).values, facts.sort(dim=1).values)


@pytest.mark.parametrize(("stem", "ending", "word"), [(0, 0, "bela"), (10, 2, "vidi")])
def test_a_word_is_its_stem_and_its_ending(stem, ending, word):
    assert spell(torch.tensor([stem]), torch.tensor([ending])) == word
    assert len(STEMS) == len(ENGLISH) == 13
