"""The ambiguous words: every sentence has both, and the answer follows from its clues."""

import torch

from plainformer.lab.senses import SENSES, SKIPPED, WORDS, sentences


def test_the_sense_of_each_ambiguous_word_follows_from_its_own_clue() -> None:
    torch.manual_seed(0)
    word, sense = sentences(300)
    assert word.shape == sense.shape == (300, 6)
    clues = {"bank": {"river": "river bank", "loan": "money bank"}}
    clues["bat"] = {"cave": "animal bat", "ball": "sports bat"}
    for ids, labels in zip(word.tolist(), sense.tolist(), strict=True):
        words = [WORDS[i] for i in ids]
        told = dict(zip(words, labels, strict=True))
        for asked, senses in clues.items():
            found = [senses[clue] for clue in words if clue in senses]
            assert SENSES[told[asked]] == (found[0] if found else "unknown")
        assert sum(label != SKIPPED for label in labels) == 2


def test_answers_are_even_and_places_are_random() -> None:
    torch.manual_seed(0)
    word, sense = sentences(6000)
    counts = torch.bincount(sense[sense >= 0], minlength=5) / 12_000
    assert torch.allclose(counts, torch.tensor([1, 1, 1, 1, 2]) / 6, atol=0.02)
    places = (word == WORDS.index("bank")).double().mean(dim=0)
    assert torch.allclose(places, torch.full((6,), 1 / 6).double(), atol=0.02)
