"""The drawings of chapter 08 show the grammar's losses, and rows and objectives of the package."""

import math

import numpy as np
import pytest
import torch
from experiments.recipe_parts import TALK, floor, windows
from tools.drawings import loss_ladder, packing, three_objectives

from plainformer.training import NextToken, Packed, SpanCorruption


def test_the_drawn_baselines_are_those_of_the_held_out_words():
    held = windows(200, 2)
    text = TALK.sample(50_000, seed=3)
    unigram = torch.from_numpy(np.log(np.bincount(text) / len(text)))
    pairs = np.full((27, 27), 0.1)
    np.add.at(pairs, (text[:-1], text[1:]), 1)
    bigram = torch.from_numpy(np.log(pairs / pairs.sum(axis=1, keepdims=True)))
    losses = (
        math.log(27),
        -unigram[held[:, 1:]].mean().item(),
        -bigram[held[:, :-1], held[:, 1:]].mean().item(),
        floor(),
    )
    drawn = [loss for loss, _ in loss_ladder.RUNGS.values()]
    assert drawn == pytest.approx(losses, abs=0.005)


def test_the_drawn_rows_are_packed_as_the_package_does():
    lengths = packing.DOCUMENTS
    packed = Packed([np.arange(n) for n in lengths], packing.WIDTH)
    assert len(packed) == len(packing.PACKED)
    for number, row in enumerate(packing.PACKED):
        cells = packing.tokens(row)
        rows = packed.rows([number])
        example = NextToken().prepare(rows)
        assert example.weights[0].tolist() == [packing.weight(cell) for cell in cells[1:]]
        positions = [cell[1] for cell in cells if cell]
        assert rows.tokens[0, : len(positions)].tolist() == positions


def test_the_drawn_objectives_are_those_of_the_package():
    words = three_objectives.SENTENCE
    spans = SpanCorruption(sentinels=(100, 101, 102), end=103, padding=104)
    names = {100: "S0", 101: "S1", 102: "S2", 103: "END"} | dict(enumerate(words))
    source, target = spans.apart(list(range(len(words))), [(1, 3), (5, 6)])
    assert [names[i] for i in source] == three_objectives.SOURCE
    assert [names[i] for i in target] == three_objectives.TARGET
    assert three_objectives.NEXT[1:] == words[:-1]
