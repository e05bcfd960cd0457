"""The figures draw the given data, in distinguishable colours."""

import io
import itertools
from collections.abc import Iterator

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from plainformer import attention_weights, plotting
from plainformer.plotting import style


@pytest.fixture(autouse=True)
def headless(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Draw without a window, and disable showing, so that the figure can be inspected."""
    plt.switch_backend("agg")
    monkeypatch.setattr(plt, "show", lambda: None)
    yield
    plt.close("all")


def drawn() -> Figure:
    """Return the drawn figure, and assert that it is the only one."""
    assert len(plt.get_fignums()) == 1
    return plt.gcf()


def texts(ax: plt.Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def png() -> bytes:
    file = io.BytesIO()
    drawn().savefig(file, format="png", metadata={"Software": None})
    return file.getvalue()


def some_weights(q: int = 3, k: int = 5) -> torch.Tensor:
    torch.manual_seed(0)
    return attention_weights(torch.randn(q, 4), torch.randn(k, 4))


def luminance(colour: tuple[float, ...]) -> float:
    channels = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]


def contrast(one: float, two: float) -> float:
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)


def test_each_cell_of_a_grid_holds_its_own_weight() -> None:
    w = some_weights()
    plotting.weights(w, title="A")
    (ax,) = drawn().axes
    for text in ax.texts:
        j, i = (round(x) for x in text.get_position())
        assert text.get_text() == f"{w[i, j]:.2f}"
    assert len(ax.texts) == w.numel()


def test_rows_are_queries_and_columns_are_keys() -> None:
    plotting.weights(some_weights(2, 3), queries=["a", "b"], keys=["x", "y", "z"])
    (ax,) = drawn().axes
    assert ax.get_xlabel() == "key position"
    assert ax.get_ylabel() == "query position"
    assert [t.get_text() for t in ax.get_xticklabels()] == ["x", "y", "z"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a", "b"]
    assert ax.get_ylim()[0] > ax.get_ylim()[1], "the first query stands on top"


def test_margins_hold_the_sums_of_rows_and_columns() -> None:
    w = some_weights(2, 4)
    plotting.weights(w, sums=True)
    seen = texts(drawn().axes[0])[w.numel() :]
    rows, columns = w.sum(dim=1), w.sum(dim=0)
    assert seen == [f"= {n:.2f}" for n in rows] + [f"{n:.2f}" for n in columns]


def test_grids_side_by_side_share_one_scale_from_0_to_1() -> None:
    plotting.several({"small": some_weights() / 10, "large": some_weights()}, numbers=False)
    assert [ax.images[0].get_clim() for ax in drawn().axes] == [(0, 1), (0, 1)]
    assert [ax.get_title(loc="left") for ax in drawn().axes] == ["small", "large"]
    assert texts(drawn().axes[0]) == []


def test_a_grid_of_other_shares_says_what_its_rows_and_columns_are() -> None:
    plotting.several({"found": some_weights(2, 3)}, xlabel="words", ylabel="depth")
    (ax,) = drawn().axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("words", "depth")


def test_text_can_be_read_on_every_weight() -> None:
    for weight in np.linspace(0, 1, 101):
        text = 0.0 if style.ink_on(weight) == "black" else 1.0
        assert contrast(text, luminance(style.WEIGHTS(weight))) >= 4.5


def test_a_heavier_weight_is_darker() -> None:
    lightness = [luminance(style.WEIGHTS(weight)) for weight in np.linspace(0, 1, 101)]
    assert all(a > b for a, b in itertools.pairwise(lightness))


def test_colours_stand_out_from_the_card_and_lines_differ_in_more_than_colour() -> None:
    for colour in (*style.COLOURS, style.INK, style.FAINT):
        assert contrast(luminance(to_rgb(colour)), luminance(to_rgb(style.CARD))) >= 4.5
    assert len(set(style.COLOURS)) == len(set(style.DASHES)) == len(set(style.MARKERS)) == 4


def test_lines_draw_what_they_were_given() -> None:
    plotting.lines([1, 4], {"a": [1.0, 2.0], "b": torch.tensor([3.0, 4.0])}, xlabel="x", ylabel="y")
    (ax,) = drawn().axes
    assert [line.get_ydata().tolist() for line in ax.lines] == [[1, 2], [3, 4]]
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["a", "b"]


def test_a_logarithmic_axis_has_a_tick_at_each_measurement() -> None:
    plotting.lines([4, 64, 1024], {"a": [1, 2, 3]}, xlabel="x", ylabel="y", xscale="log")
    labels = [t.get_text() for t in drawn().axes[0].get_xticklabels()]
    assert labels == ["4", "64", "1024"]


def test_a_histogram_shows_shares_of_all_samples() -> None:
    sample = torch.tensor([-3.0, 0.5, 0.5, 99.0])
    plotting.histograms({"panel": {"a": sample}}, xlabel="score", limit=4, bins=9)
    heights = drawn().axes[0].patches[0].get_data().values
    assert heights.tolist() == [0, 0.25, 0, 0, 0.5, 0, 0, 0], "99 counts, outside the picture"


def test_the_hull_has_the_outermost_values_as_corners() -> None:
    values = [[0, 0], [2, 0], [4, 0], [4, 4], [0, 4], [1, 3], [0, 0]]
    plotting.hull(values, {"o": [1, 1]}, names=list("abcdefg"), xlabel="x", ylabel="y")
    (ax,) = drawn().axes
    corners = {tuple(point) for point in ax.patches[0].get_xy().tolist()}
    assert corners == {(0, 0), (4, 0), (4, 4), (0, 4)}
    assert "a, g" in texts(ax), "values in one place share a label"


@pytest.mark.parametrize("values", [[[1, 1], [1, 1]], [[0, 0], [2, 2], [1, 1]]])
def test_a_hull_without_area_is_drawn(values: list[list[int]]) -> None:
    names = [str(i) for i in range(len(values))]
    plotting.hull(values, {"o": [1, 1]}, names=names, xlabel="x", ylabel="y")
    assert len(drawn().axes[0].lines) == 3, "values, a path, its end"


def test_blocks_are_as_high_and_wide_as_their_shapes() -> None:
    plotting.shapes(q=3, k=5, d=4, e=2)
    sides = [(p.get_height(), p.get_width()) for p in drawn().axes[0].patches]
    assert sides == [(3, 4), (4, 5), (3, 5), (3, 5), (5, 2), (3, 2)]


def test_a_figure_is_the_same_bytes_each_time() -> None:
    images = []
    for _ in range(2):
        plotting.weights(some_weights(), title="A", sums=True)
        images.append(png())
        plt.close("all")
    assert images[0] == images[1]
    assert b"Matplotlib" not in images[0]


def test_a_figure_leaves_the_settings_of_other_figures_alone() -> None:
    plt.rcdefaults()
    before = dict(plt.rcParams)
    plotting.shapes(q=1, k=1, d=1, e=1)
    assert dict(plt.rcParams) == before


def test_use_sets_the_theme_for_figures_of_ones_own() -> None:
    with plt.rc_context():
        plotting.use()
        assert plt.subplots()[0].get_facecolor()[:3] == pytest.approx(
            (0.984, 0.980, 0.965), abs=2e-3
        )


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: plotting.weights(torch.ones(1, 2, 3)), r"shape \(1, 2, 3\).*weights\[0, 0\]"),
        (lambda: plotting.weights(torch.ones(2, 2), keys=["a"]), "1 names for the 2 keys"),
        (lambda: plotting.weights(torch.ones(2, 2), queries=["a"]), "1 names for the 2 queries"),
        (
            lambda: plotting.lines([1, 2], {"a": [1]}, xlabel="", ylabel=""),
            "'a' has 1 points, x has 2",
        ),
        (
            lambda: plotting.lines([1], {str(i): [1] for i in range(5)}, xlabel="", ylabel=""),
            "5 series.*two pictures",
        ),
        (
            lambda: plotting.hull([[1, 2, 3]], {}, names=["a"], xlabel="", ylabel=""),
            r"shape \(1, 3\).*points of the plane",
        ),
        (lambda: plotting.hull([[1, 2]], {}, names=[], xlabel="", ylabel=""), "with 0 names"),
    ],
)
def test_what_cannot_be_drawn_is_refused_in_words(call, says: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=says):
        call()
    assert plt.get_fignums() == [], "nothing was opened"
