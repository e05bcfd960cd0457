"""Pictures of large matrices show the given data."""

from collections.abc import Iterator

import matplotlib as mpl
import numpy as np
import pytest
import torch

from plainformer import plotting, softmax
from plainformer.mask_rules import Rule
from tests.plainformer.tensors import normal

mpl.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(plt, "show", lambda: None)
    yield
    plt.close("all")


def test_each_head_of_each_layer_has_its_map_on_one_scale():
    layers = [softmax(normal(3, 4, 5, seed=i)) for i in range(2)]
    plotting.heads(layers, first=4)
    axes = plt.gcf().axes
    assert [ax.get_title(loc="left") for ax in axes][:4] == [
        "head 4.0", "head 4.1", "head 4.2", "head 5.0",
    ]  # fmt: skip
    for place, ax in enumerate(axes):
        (image,) = ax.images
        assert np.allclose(image.get_array(), layers[place // 3][place % 3])
        assert image.get_clim() == (0, 1)


@pytest.mark.parametrize(
    "layers", [[], [torch.ones(2, 2)], [torch.ones(1, 2, 2), torch.ones(2, 2, 2)]]
)
def test_layers_that_are_no_heads_are_named(layers):
    with pytest.raises(ValueError, match=r"expected \(h, q, k\) each"):
        plotting.heads(layers)


def test_zero_has_the_colour_of_the_page_whatever_the_range():
    plotting.field(torch.tensor([[-1.0, 0.0], [4.0, 2.0]]), xlabel="x", ylabel="y")
    (image,) = plt.gcf().axes[0].images
    assert image.get_clim() == (-4, 4)
    assert np.allclose(image.to_rgba(0.0), mpl.colors.to_rgba(plotting.style.CARD), atol=0.02)


@pytest.mark.parametrize("values", [torch.ones(3), torch.tensor([[0.0, -torch.inf]])])
def test_a_field_is_a_matrix_of_finite_numbers(values):
    with pytest.raises(ValueError, match="expected a matrix of finite numbers"):
        plotting.field(values, xlabel="x", ylabel="y")


def test_tiles_are_skipped_masked_or_whole_as_the_rule_says():
    plotting.tiles(Rule(), q=6, k=6, tile=(2, 2))
    (image,) = plt.gcf().axes[0].images
    assert image.get_array().tolist() == [[1, 0, 0], [2, 1, 0], [2, 2, 1]]


def test_tiles_of_fewer_queries_are_the_last_rows():
    plotting.tiles(Rule(window=2), q=2, k=6, tile=(2, 2))
    (image,) = plt.gcf().axes[0].images
    assert image.get_array().tolist() == [[0, 1, 1]]


def test_a_tile_without_a_side_is_named():
    with pytest.raises(ValueError, match=r"tile=\(0, 2\)"):
        plotting.tiles(Rule(), q=2, k=2, tile=(0, 2))


def test_each_panel_of_histograms_may_have_its_own_limit():
    groups = {"wide": {"a": torch.zeros(3)}, "narrow": {"a": torch.zeros(3)}}
    plotting.histograms(groups, xlabel="score", limit={"wide": 24, "narrow": 4}, bins=9)
    edges = [ax.patches[0].get_data().edges for ax in plt.gcf().axes]
    assert [each[-1] for each in edges] == [24, 4]
