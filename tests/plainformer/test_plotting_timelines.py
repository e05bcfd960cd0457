"""The picture of a server's time shows each span once."""

from collections.abc import Iterator

import matplotlib as mpl
import pytest

from plainformer import plotting

mpl.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(plt, "show", lambda: None)
    yield
    plt.close("all")


def test_each_span_is_a_bar_in_the_row_of_its_request():
    plotting.timeline(
        {"first": {"waits": [(0, 1)], "reads": [(1, 3)]}, "second": {"waits": [(0.5, 2), (3, 4)]}}
    )
    (ax,) = plt.gcf().axes
    bars = [
        (round(path.vertices[:, 0].min(), 6), round(path.vertices[:, 0].max(), 6),
         round(path.vertices[:, 1].mean()))
        for collection in ax.collections
        for path in collection.get_paths()
    ]  # fmt: skip
    assert sorted(bars) == [(0, 1, 0), (0.5, 2, 1), (1, 3, 0), (3, 4, 1)]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["first", "second"]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["waits", "reads"]


def test_a_span_that_ends_before_it_begins_is_named():
    with pytest.raises(ValueError, match=r"second: the span \(3, 2\) ends before it begins"):
        plotting.timeline({"first": {}, "second": {"reads": [(3, 2)]}})


def test_more_states_than_colours_are_refused():
    with pytest.raises(ValueError, match="5 states, and 4 colours"):
        plotting.timeline({"a": {str(i): [(0.0, 1.0)] for i in range(5)}})
