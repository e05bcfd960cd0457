"""The figures of masks show the given data, and refuse ambiguous input."""

from collections.abc import Iterator

import matplotlib as mpl
import pytest
import torch

from plainformer import masks, plotting
from plainformer.plotting import style

mpl.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep each figure open after it is shown, for the test to inspect; close it at the end."""
    monkeypatch.setattr(plt, "show", lambda: None)
    yield
    plt.close("all")


def frames() -> list[tuple[int, int]]:
    """Return the framed cells (row, column) of the only panel."""
    (ax,) = plt.gcf().axes
    boxes = [p for p in ax.patches if p.get_edgecolor() == mpl.colors.to_rgba(style.RUST)]
    return [(round(b.get_y() + 0.44), round(b.get_x() + 0.44)) for b in boxes]


def test_a_cross_stands_in_each_forbidden_cell_and_in_no_other() -> None:
    plotting.mask_grids({"causal": masks.causal(3)})
    (ax,) = plt.gcf().axes
    (crosses,) = [line for line in ax.lines if line.get_marker() == "x"]
    cells = {(int(y), int(x)) for x, y in crosses.get_xydata()}
    assert cells == {(0, 1), (0, 2), (1, 2)}


def test_filled_cells_are_darker_than_forbidden_ones() -> None:
    plotting.mask_grids({"causal": masks.causal(2)})
    (image,) = plt.gcf().axes[0].images
    values = image.get_array()
    assert values is not None
    assert values[0, 0] > values[0, 1]


def test_masks_of_different_sizes_stand_side_by_side() -> None:
    plotting.mask_grids({"a": masks.causal(2, 5), "b": masks.causal(4)})
    assert [ax.get_title(loc="left") for ax in plt.gcf().axes] == ["a", "b"]


def test_only_weights_that_the_mask_forbids_are_framed() -> None:
    weights = torch.tensor([[0.7, 0.3, 0.0], [0.5, 0.5, 1e-4], [0.2, 0.3, 0.5]])
    plotting.leaks({"w": weights}, masks.causal(3))
    assert sorted(frames()) == [(0, 1), (1, 2)]


def test_rounding_dust_is_no_leak_but_nan_and_negative_numbers_are() -> None:
    weights = torch.tensor([[1.0, 1e-12, torch.nan], [1.0, 0.0, -0.5], [1.0, 0.0, 0.0]])
    plotting.leaks({"w": weights}, masks.causal(3))
    assert sorted(frames()) == [(0, 2), (1, 2)]


def test_the_sum_of_each_row_stands_at_its_end() -> None:
    plotting.leaks({"w": torch.tensor([[0.25, 0.0], [0.5, 0.5]])}, masks.causal(2))
    texts = [t.get_text() for t in plt.gcf().axes[0].texts]
    assert [t for t in texts if t.startswith("=")] == ["= 0.25", "= 1.00"]


def test_names_of_queries_and_keys_stand_at_the_axes() -> None:
    plotting.mask_grids({"m": masks.causal(2)}, queries=["it", "sat"], keys=["it", "sat"])
    ax = plt.gcf().axes[0]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["it", "sat"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["it", "sat"]


def test_a_mask_that_is_no_boolean_matrix_is_refused() -> None:
    with pytest.raises(ValueError, match=r"dtype float32.*mask\[0, 0\]"):
        plotting.mask_grids({"additive": masks.additive(masks.causal(2))})
    with pytest.raises(ValueError, match=r"shape \(1, 1, 1, 3\)"):
        plotting.mask_grids({"padding": masks.padding(torch.tensor([2]), k=3)})


def test_weights_of_another_shape_than_the_mask_are_refused() -> None:
    with pytest.raises(ValueError, match=r"'w' has shape \(2, 3\), the mask \(3, 3\)"):
        plotting.leaks({"w": torch.ones(2, 3)}, masks.causal(3))


def test_rows_and_columns_that_are_no_queries_and_keys_are_called_what_they_are():
    plotting.mask_grids({"a": masks.causal(4)}, labels=("output", "changed input"))
    (ax,) = plt.gcf().axes
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("output", "changed input")
