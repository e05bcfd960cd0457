"""Time as a picture: when a server worked on each request, and in which state it was."""

from collections.abc import Mapping, Sequence

from matplotlib.patches import Patch

from plainformer.plotting import style

Span = tuple[float | int, float | int]


def timeline(
    requests: Mapping[str, Mapping[str, Sequence[Span]]],
    *,
    xlabel: str = "seconds",
    title: str = "",
) -> None:
    """Show when each request waited, was read and was answered.

    Args:
        requests: name of each request, top first, and for each state, at most four in all, its
            spans (from, to).
        xlabel: the unit of time.
        title: title of the picture.

    Raises:
        ValueError: a span ends before it begins, or there are more states than colours.
    """
    states = list(dict.fromkeys(state for spans in requests.values() for state in spans))
    if len(states) > len(style.COLOURS):
        raise ValueError(f"{len(states)} states, and {len(style.COLOURS)} colours: use fewer")
    for name, spans in requests.items():
        wrong = [span for of_state in spans.values() for span in of_state if span[1] < span[0]]
        if wrong:
            raise ValueError(f"{name}: the span {wrong[0]} ends before it begins")
    hatches = dict(zip(states, ("", "///", "...", "xxx"), strict=False))
    with style.figure(size=(6.4, 0.34 * len(requests) + 1.2)) as (_, (ax,)):
        for row, spans in enumerate(requests.values()):
            for i, state in enumerate(states):
                bars = [(start, end - start) for start, end in spans.get(state, ())]
                ax.broken_barh(
                    bars, (row - 0.36, 0.72), facecolor=style.COLOURS[i], hatch=hatches[state],
                    edgecolor=style.CARD,
                )  # fmt: skip
        marks = [
            Patch(facecolor=colour, hatch=hatches[state], edgecolor=style.CARD, label=state)
            for state, colour in zip(states, style.COLOURS, strict=False)
        ]
        ax.set_yticks(range(len(requests)), list(requests))
        ax.set(xlabel=xlabel, title=title, ylim=(len(requests) - 0.5, -0.5))
        ax.legend(handles=marks, loc="upper left", bbox_to_anchor=(1.0, 1.0))
