"""Ballads: their probabilities match the drawn texts, and a refrain has the expected loss."""

import math

import numpy as np
import pytest

from plainformer.lab.ballads import STAR, Ballads
from plainformer.lab.grammar import Grammar

SMALL = Ballads(
    Grammar({"S": [(1, "a b ."), (3, "c .")]}), chance=0.5, shortest=1, longest=2
)  # three words for a refrain


def test_the_chances_are_those_of_a_refrain_by_hand():
    p = SMALL.probabilities(SMALL.encode("* a b . c . * b . a"))
    a, b, stop, c, star = (SMALL.words.index(word) for word in ("a", "b", ".", "c", STAR))
    assert p[0, [a, c, star]] == pytest.approx([1 / 8, 3 / 8, 1 / 2])
    assert p[1, [a, b, c]] == pytest.approx([1 / 3] * 3)  # a first refrain begins with any word
    assert p[2, [a, b, c, stop]] == pytest.approx([0, 1 / 4, 1 / 4, 1 / 2])
    assert p[3, stop] == 1  # no refrain is longer
    assert p[7, [a, b, c]] == pytest.approx([1 / 2, 1 / 2, 0])  # repeated, from any of its words
    assert p[8, stop] == 1
    np.testing.assert_allclose(p.sum(1), 1)
    surprisal = math.log(2) + math.log(3) + math.log(4)
    assert SMALL.surprisals(SMALL.encode("* a b .")).sum() == pytest.approx(surprisal)


def test_what_is_drawn_is_as_surprising_as_the_entropies_say():
    ballads = Ballads(chance=0.5)
    rows = ballads.sample(400, 48, seed=2)
    each = np.array([ballads.surprisals(row).sum() - ballads.entropies(row).sum() for row in rows])
    assert abs(each.mean()) < 4 * each.std() / math.sqrt(len(each))
    assert np.isfinite(each).all()


def test_starts_of_documents_are_drawn_as_often_as_the_chances_say():
    rows = SMALL.sample(6_000, 3, seed=0)
    for text in ("c . *", "* a b", "* c .", "a b ."):
        ids = SMALL.encode(text)
        p = math.exp(-SMALL.surprisals(ids).sum())
        share = (rows == ids).all(1).mean()
        assert abs(share - p) < 5 * math.sqrt(p / len(rows)), text


def test_copied_words_are_certain_and_stand_in_refrains_told_again():
    document = SMALL.encode("* a b . c . * b . * a b . a b .")
    told = SMALL.copied(document)
    assert np.flatnonzero(told).tolist() == [8, 11, 12]
    ballads = Ballads()
    for row in ballads.sample(50, 64, seed=5):
        assert np.abs(ballads.entropies(row)[ballads.copied(row)]).max(initial=0) < 1e-12


def test_the_seed_decides_and_words_go_there_and_back():
    ballads = Ballads()
    one, two = ballads.sample(3, 40, seed=1), ballads.sample(3, 40, seed=2)
    assert (one == ballads.sample(3, 40, seed=1)).all()
    assert (one != two).any()
    assert one.dtype == np.int64
    assert (ballads.encode(ballads.decode(one[0])) == one[0]).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"chance": 0.0}, "chance=0.0"),
        ({"shortest": 5, "longest": 4}, "shortest <= longest"),
        ({"shortest": 0}, "shortest=0"),
        ({"longest": 46}, "only 45 words"),
        ({"grammar": Grammar({"S": [(1, "a")]})}, "expected a '.'"),
    ],
)
def test_ballads_that_cannot_be_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Ballads(**arguments)


def test_a_document_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match="'a' cannot stand at place 7"):
        SMALL.surprisals(SMALL.encode("* b c . c . * a"))
    with pytest.raises(ValueError, match="dragon"):
        SMALL.encode("dragon")
