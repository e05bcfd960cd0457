"""Two measures of several designs: a point for each run, and the Pareto front of the medians."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from plainformer.plotting import style
from plainformer.plotting.curves import Scale


def trade_off(
    groups: Mapping[str, tuple[Any, Any]],
    *,
    xlabel: str,
    ylabel: str,
    title: str = "",
    yscale: Scale = "linear",
) -> None:
    """Show a point for each run: higher is better along x, lower along y.

    A line joins the Pareto front of the designs' medians, those that no other median beats in both.

    Args:
        groups: name of each design, at most four, and the x and y of its runs.
        xlabel: the measure to increase, with its unit.
        ylabel: the measure to decrease, with its unit.
        title: title of the picture.
        yscale: "linear" or "log".

    Raises:
        ValueError: there is no design or more than colours, or the numbers of x and y of a design
            differ.
    """
    if not 0 < len(groups) <= len(style.COLOURS):
        raise ValueError(f"{len(groups)} designs: expected 1 to {len(style.COLOURS)}, the colours")
    points = {name: (style.array(x).ravel(), style.array(y).ravel()) for name, (x, y) in
              groups.items()}  # fmt: skip
    if wrong := [name for name, (x, y) in points.items() if len(x) != len(y) or not len(x)]:
        raise ValueError(f"{wrong[0]!r} has other numbers of x than of y, or none of both")
    with style.figure(size=(6.4, 3.8)) as (_, (ax,)):
        front = front_of(np.array([[np.median(x), np.median(y)] for x, y in points.values()]))
        ax.step(*front.T, where="pre", color=style.FAINT, linestyle="--", linewidth=1.2,
                label="front of the medians", zorder=1)  # fmt: skip
        for i, (name, (x, y)) in enumerate(points.items()):
            ax.plot(x, y, style.MARKERS[i], color=style.COLOURS[i], alpha=0.85, label=name)
        ax.set(xlabel=xlabel, ylabel=ylabel, title=title, yscale=yscale)
        ax.grid(axis="both")
        ax.legend()


def front_of(points: np.ndarray) -> np.ndarray:
    """Return the points that no other point beats in both measures, by increasing x.

    Args:
        points: (n, 2); higher is better in the first column, and lower in the second.
    """
    order = np.lexsort((points[:, 1], -points[:, 0]))
    kept: list[np.ndarray] = []
    for point in points[order]:
        if not kept or point[1] < kept[-1][1]:
            kept.append(point)
    return np.stack(kept[::-1])
