"""A roofline is drawn through its ridge, and each kernel at its counted position."""

from collections.abc import Iterator

import matplotlib as mpl
import numpy as np
import pytest

from plainformer import plotting
from plainformer.costs import Machine

mpl.use("Agg")
import matplotlib.pyplot as plt

MACHINE = Machine(100.0, 10.0)


@pytest.fixture(autouse=True)
def closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(plt, "show", lambda: None)
    yield
    plt.close("all")


def test_the_roof_rises_to_its_ridge_and_is_flat_from_there():
    plotting.roofline({"mine": MACHINE}, intensities=(1, 1000))
    (ax,) = plt.gcf().axes
    (roof,) = ax.lines
    np.testing.assert_allclose(roof.get_xydata(), [(1, 10), (10, 100), (1000, 100)])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["mine, ridge 10"]
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


def test_a_ridge_outside_the_picture_leaves_a_straight_roof():
    plotting.roofline({"mine": MACHINE}, intensities=(20, 1000))
    np.testing.assert_allclose(plt.gcf().axes[0].lines[0].get_ydata(), [100, 100])


def test_kernels_stand_where_they_were_measured_or_counted():
    plotting.roofline({"mine": MACHINE}, {"softmax": (0.6, 5.0)}, marks={"product": 40.0})
    _, point, mark = plt.gcf().axes[0].lines
    assert point.get_xydata().tolist() == [[0.6, 5.0]]
    assert set(mark.get_xdata()) == {40.0}
    assert [text.get_text() for text in plt.gcf().axes[0].texts] == ["softmax", "product"]


def test_more_machines_than_colours_are_refused():
    with pytest.raises(ValueError, match="5 machines, and 4 colours"):
        plotting.roofline({str(i): MACHINE for i in range(5)})
