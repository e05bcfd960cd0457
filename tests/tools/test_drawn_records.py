"""Drawings of training results have the numbers of the records."""

import numpy as np
import pytest
from tools.drawings import block_and_norms, made, three_stacks, two_readers

from plainformer.lab.experiments import read


def test_the_drawn_shares_of_recall_are_medians_of_the_record():
    runs = read("one_summary").values("recalled")

    def percent(name, check):
        return round(100 * float(np.median([run[check][3] for run in runs[name]])))

    svg = made("two_readers")
    last = [percent("last state, 32", check) for check in (0, 4)]
    assert f"{last[0]}% right after 500 steps, {last[1]}% after 8,000" in svg
    assert f"{percent('looks back, 32', 0)}% right after 500 steps" in svg
    assert sum(two_readers.WEIGHTS) == pytest.approx(1, abs=0.02)


def test_the_drawn_losses_at_a_blank_are_medians_of_the_record():
    position = three_stacks.WORD.index("_")
    for name, runs in read("three_architectures").values("one blank").items():
        if name in three_stacks.LOSS:
            median = float(np.median([run[position] for run in runs]))
            assert round(median, 1) == three_stacks.LOSS[name]
            assert f"loss at the blank {three_stacks.LOSS[name]}" in made("three_stacks")


def test_the_drawn_squares_are_those_of_the_record():
    curves = read("norm_places").values("loss")
    assert {len(runs) for runs in curves.values()} == {block_and_norms.SEEDS}
    for place, counts in block_and_norms.LEARNED.items():
        for rate, count in zip(block_and_norms.RATES, counts, strict=True):
            assert sum(curve[-1] < 0.01 for curve in curves[f"{place} {rate}"]) == count
