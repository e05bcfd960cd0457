"""The plot has a dot for each seed, in its group and its kind."""

import matplotlib.pyplot as plt
import pytest

from plainformer.plotting import dots


@pytest.fixture
def drawn(monkeypatch):
    """Return the axes of the figure that was drawn last."""
    seen = []
    monkeypatch.setattr(plt, "show", lambda: seen.append(plt.gcf()))
    yield lambda: seen[-1].axes[0]
    plt.close("all")


def heights(axes):
    return [list(line.get_ydata()) for line in axes.lines if line.get_linestyle() == "None"]


def test_every_seed_is_a_dot_at_its_group(drawn):
    dots({"with": [1.0, 2.0, 3.0], "without": [4.0, 5.0]}, ylabel="loss", levels={"floor": 0.5})
    axes = drawn()
    assert heights(axes) == [[1.0, 2.0, 3.0], [4.0, 5.0]]
    for place, line in enumerate(axes.lines[:2]):
        assert all(abs(x - place) < 0.5 for x in line.get_xdata())
        assert len(set(line.get_xdata())) == len(line.get_xdata())
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["with", "without"]
    assert [note.get_text() for note in axes.texts] == ["floor"]
    assert axes.get_legend() is None


def test_kinds_of_a_group_stand_side_by_side_with_one_entry_each(drawn):
    dots({"a": {"x": [1.0], "y": [2.0]}, "b": {"y": [3.0], "x": [4.0]}}, ylabel="loss")
    axes = drawn()
    assert heights(axes) == [[1.0], [2.0], [3.0], [4.0]]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["x", "y"]
    by_kind = {line.get_color() for line in axes.lines[:2]}
    assert len(by_kind) == 2
    assert axes.lines[0].get_xdata()[0] < axes.lines[1].get_xdata()[0]
    assert axes.lines[3].get_xdata()[0] < axes.lines[2].get_xdata()[0]


def test_no_dot_can_lie_on_the_name_of_a_level(drawn):
    dots(
        {"a": [0.1, 0.5], "b": [0.5, 0.5, 0.9]},
        ylabel="loss",
        levels={"half of what there is": 0.5, "a tenth": 0.1},
    )
    axes, figure = drawn(), drawn().figure
    figure.canvas.draw()
    names = [note.get_window_extent() for note in axes.texts]
    assert [note.get_text() for note in axes.texts] == ["half of what\nthere is", "a tenth"]
    assert all(name.x0 > axes.bbox.x1 for name in names)
    assert all(name.x1 <= figure.bbox.x1 for name in names)
    at = [axes.transData.transform((0, height))[1] for height in (0.5, 0.1)]
    assert [(name.y0 + name.y1) / 2 for name in names] == pytest.approx(at, abs=2)


def test_nothing_and_too_many_kinds_are_refused():
    with pytest.raises(ValueError, match="groups is empty"):
        dots({}, ylabel="loss")
    with pytest.raises(ValueError, match="5 kinds: at most 4"):
        dots({"a": {str(i): [1.0] for i in range(5)}}, ylabel="loss")
