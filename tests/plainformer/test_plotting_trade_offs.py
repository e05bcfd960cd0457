"""A point for each run of each design, and the front of the medians."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

from plainformer.plotting import trade_off
from plainformer.plotting.trade_offs import front_of


@pytest.fixture
def drawn(monkeypatch):
    """Return the axes of the figure that was drawn last."""
    seen = []
    monkeypatch.setattr(plt, "show", lambda: seen.append(plt.gcf()))
    yield lambda: seen[-1].axes[0]
    plt.close("all")


def test_every_run_is_a_point_and_the_front_joins_the_best_medians(drawn):
    trade_off(
        {
            "a": ([1.0, 1.2, 1.1], [0.1, 0.3, 0.2]),
            "b": ([2.0, 2.0, 2.0], [0.5, 0.4, 0.6]),
            "beaten": ([1.5], [0.7]),
        },
        xlabel="speed",
        ylabel="loss",
    )
    front, *points = drawn().lines
    assert [list(line.get_xdata()) for line in points] == [[1.0, 1.2, 1.1], [2.0] * 3, [1.5]]
    assert [list(line.get_ydata()) for line in points] == [[0.1, 0.3, 0.2], [0.5, 0.4, 0.6], [0.7]]
    assert np.allclose(front.get_xydata(), [[1.1, 0.2], [2.0, 0.5]])
    names = [text.get_text() for text in drawn().get_legend().get_texts()]
    assert names == ["front of the medians", "a", "b", "beaten"]


def test_the_front_keeps_what_no_other_point_beats():
    points = np.array([[1.0, 3.0], [2.0, 1.0], [3.0, 2.0], [3.0, 4.0], [0.5, 1.0]])
    assert front_of(points).tolist() == [[2.0, 1.0], [3.0, 2.0]]


def test_no_design_too_many_and_unequal_numbers_are_refused():
    for groups in ({}, {str(i): ([1.0], [1.0]) for i in range(5)}):
        with pytest.raises(ValueError, match="expected 1 to 4"):
            trade_off(groups, xlabel="x", ylabel="y")
    for x, y in (([1.0], [1.0, 2.0]), ([], [])):
        with pytest.raises(ValueError, match="'a' has other numbers of x than of y"):
            trade_off({"a": (x, y)}, xlabel="x", ylabel="y")
