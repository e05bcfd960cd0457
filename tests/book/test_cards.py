"""The question cards: each concept has one, and their answers are true."""

import importlib
import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.nn.functional as F

import plainformer
from plaincourse.cards import cards, concepts

BOOK = Path(__file__).parents[2] / "book"
DECKS = cards.load_all(BOOK / "cards")
ALL = [card for deck in DECKS.values() for card in deck]
PROVEN = [card for card in ALL if card.proof]


@pytest.mark.parametrize("card", PROVEN, ids=lambda card: card.id)
def test_the_answer_is_true(card):
    for name in re.findall(r"\bplainformer\.(\w+)", card.proof):
        if not hasattr(plainformer, name):  # a module that is not imported yet
            importlib.import_module(f"plainformer.{name}")
    tools = {"np": np, "torch": torch, "F": F, "e": math.e, "plainformer": plainformer}
    assert eval(f"({card.proof})", tools) in (True, torch.tensor(True)), card.back


def test_most_answers_with_a_number_are_proven():
    numbers = [card for card in ALL if re.search(r"\d", card.back) and "`" not in card.back]
    proven = [card for card in numbers if card.proof]
    assert len(proven) > 0.6 * len(numbers)


@pytest.mark.parametrize("chapter", sorted(DECKS))
def test_every_concept_of_a_chapter_has_a_card(chapter):
    graph = concepts.load(BOOK / "concepts.yml")
    taught = [name for name, concept in graph.items() if concept.chapter == chapter]
    assert cards.uncovered(DECKS[chapter], taught) == []
    assert len(DECKS[chapter]) >= 16


def test_cards_practise_only_concepts_that_exist_and_came_before():
    graph = concepts.load(BOOK / "concepts.yml")
    wrong = [c.id for c in ALL for name in c.concepts if graph[name].chapter > c.chapter]
    assert wrong == []


@pytest.mark.parametrize(
    ("phrase", "chapter"),
    [
        ("as one formula", "02"),
        (r"standard\s+deviation of their dot product", "02"),
        (r"with no\s+softmax", "02"),
        ("In NumPy", "02"),
        ("In NumPy, which line hides", "03"),
        ("one masked pass", "03"),
    ],
)
def test_what_the_sources_ask_is_asked(phrase, chapter):
    assert any(re.search(phrase, card.front) for card in DECKS[chapter])


def test_no_two_cards_ask_the_same():
    fronts = [card.front for card in ALL]
    assert len(set(fronts)) == len(fronts)


def test_a_card_is_short():
    long = [c.id for c in ALL if len(c.front.split()) > 45 or len(c.back.split()) > 50]
    assert long == []
