"""Every seed of an experiment as a dot."""

from collections.abc import Mapping
from textwrap import fill
from typing import Any

from plainformer.plotting import style
from plainformer.plotting.curves import Scale


def dots(
    groups: Mapping[str, Mapping[str, Any] | Any],
    *,
    ylabel: str,
    xlabel: str = "",
    title: str = "",
    yscale: Scale = "linear",
    levels: Mapping[str, float] | None = None,
) -> None:
    """Show one dot for each seed: groups along x, and a colour for each kind in a group.

    Args:
        groups: name of each group, and its values, one for each seed; or, for groups with several
            kinds, name of each kind, at most four, and its values.
        ylabel: name of the measure, with its unit.
        xlabel: name of the variable that distinguishes the groups.
        title: title of the picture.
        yscale: "linear" or "log".
        levels: reference values, such as chance or a floor: one line each, with its name to the
            right, beyond the dots.

    Raises:
        ValueError: there is no group, or there are more kinds than colours.
    """
    if not groups:
        raise ValueError("groups is empty: expected the name of each group and its values")
    table = {
        name: value if isinstance(value, Mapping) else {"": value} for name, value in groups.items()
    }
    kinds = list(dict.fromkeys(kind for group in table.values() for kind in group))
    if len(kinds) > len(style.COLOURS):
        raise ValueError(f"{len(kinds)} kinds: at most {len(style.COLOURS)}, the colours there are")
    beside = 2.6 if levels else 1.6
    width = max(4.2, min(7.2, 1.1 * len(table) * max(1, 0.6 * len(kinds)) + beside))
    with style.figure(size=(width, 3.4)) as (_, (ax,)):
        for place, group in enumerate(table.values()):
            for kind, values in group.items():
                i = kinds.index(kind)
                heights = style.array(values).ravel()
                middle = place + (i - (len(kinds) - 1) / 2) * 0.8 / len(kinds)
                spread = 0.32 / len(kinds)
                step = 2 * spread / max(1, len(heights) - 1)
                ax.plot(
                    [middle - spread + step * n for n in range(len(heights))],
                    heights,
                    linestyle="none",
                    marker=style.MARKERS[i],
                    color=style.COLOURS[i],
                    alpha=0.85,
                    label=kind if kind and place == _first(table, kind) else None,
                )
        for i, (name, height) in enumerate((levels or {}).items()):
            ax.axhline(
                height, color=style.FAINT, linestyle=style.DASHES[(i + 1) % 4], linewidth=1.4
            )
            ax.annotate(fill(name, 14), (1.0, height), (4, 0), ("axes fraction", "data"),
                        textcoords="offset points", va="center", fontsize=9,
                        color=style.FAINT)  # fmt: skip
        ax.set_xticks(range(len(table)), list(table))
        ax.set(ylabel=ylabel, xlabel=xlabel, title=title, yscale=yscale)
        ax.set_xlim(-0.6, len(table) - 0.4)
        ax.grid(axis="y")
        if any(kinds):
            ax.legend()


def _first(table: Mapping[str, Mapping[str, Any]], kind: str) -> int:
    return next(place for place, group in enumerate(table.values()) if kind in group)
