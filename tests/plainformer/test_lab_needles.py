"""Needles: the key occurs once, the answer is drawn, and it is at the requested place."""

import pytest
import torch

from plainformer.lab.needles import WORDS_IN_NEEDLE, hide
from plainformer.lab.storyteller import BALLADS

STAR, STOP = BALLADS.star, BALLADS.stop


@pytest.mark.parametrize("depth", [0.0, 0.3, 1.0])
def test_the_key_stands_once_before_the_question(depth):
    texts, _, _ = hide(BALLADS, 90, depth, count=30)
    assert texts.shape == (30, 90)
    assert ((texts == texts[:, -1:]).sum(dim=1) == 2).all()
    assert (texts[:, -2] == STAR).all()
    assert ((texts == STAR).sum(dim=1) == 2).all()


def test_the_answer_follows_the_key_and_is_marked():
    texts, places, answers = hide(BALLADS, 90, 0.5, count=30)
    assert (places.sum(dim=1) == 1).all()
    assert torch.equal(texts[places], answers)
    before = places.roll(-1, dims=1)
    assert torch.equal(texts[before], texts[:, -1])
    assert not (answers == STOP).any()


def test_the_needle_stands_at_its_depth():
    for depth, first in ((0.0, 0), (0.5, 40), (1.0, 80)):
        texts, _, _ = hide(BALLADS, 90, depth, count=5)
        assert (texts[:, first] == STAR).all()
        assert (texts[:, first + WORDS_IN_NEEDLE + 1] == STOP).all()


def test_the_answer_cannot_be_guessed():
    _, _, answers = hide(BALLADS, 40, 0.5, count=2_000, seed=1)
    counts = torch.bincount(answers, minlength=STAR)
    assert (counts > 0).sum() == STAR - 1  # every word but the full stop
    assert counts.max() < 2 * 2_000 / (STAR - 1)


def test_the_same_seed_gives_the_same_texts_and_another_gives_others():
    one, again, other = (hide(BALLADS, 64, 0.5, count=3, seed=s)[0] for s in (0, 0, 1))
    assert torch.equal(one, again)
    assert not torch.equal(one, other)


@pytest.mark.parametrize(("length", "depth"), [(31, 0.5), (64, -0.1), (64, 1.1)])
def test_what_does_not_fit_is_refused(length, depth):
    with pytest.raises(ValueError, match="expected at least 32 words"):
        hide(BALLADS, length, depth, count=1)
