"""Curves, histograms and points in the plane."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from plainformer.plotting import style

Scale = Literal["linear", "log"]


def lines(
    x: Any,
    series: Mapping[str, Any],
    *,
    xlabel: str,
    ylabel: str,
    title: str = "",
    xscale: Scale = "linear",
    yscale: Scale = "linear",
    markers: bool = False,
) -> None:
    """Show several curves over one axis, each with its own colour, dash and marker.

    Args:
        x: the points at which the curves were measured.
        series: name of each curve, at most four, and its values, one for each of ``x``.
        xlabel: name of x, with its unit.
        ylabel: name of the values, with their unit.
        title: title of the picture.
        xscale: "linear" or "log"; a log axis has a tick at each x.
        yscale: "linear" or "log".
        markers: whether each measured point is marked.

    Raises:
        ValueError: more curves than colours, or a curve of another length than ``x``.
    """
    at = style.array(x)
    ys = _checked(series, len(at))
    with style.figure(size=(6.4, 3.5)) as (_, (ax,)):
        for i, (name, y) in enumerate(ys.items()):
            marker = style.MARKERS[i] if markers else ""
            ax.plot(
                at, y, color=style.COLOURS[i], linestyle=style.DASHES[i], marker=marker, label=name
            )
        ax.set(xlabel=xlabel, ylabel=ylabel, title=title, xscale=xscale, yscale=yscale)
        if xscale == "log":
            ax.set_xticks(at, [f"{n:g}" for n in at])
            ax.set_xticks([], minor=True)
        ax.grid(axis="y")
        if len(ys) > 1:
            ax.legend()


def histograms(
    groups: Mapping[str, Mapping[str, Any]],
    *,
    xlabel: str,
    limit: float | int | Mapping[str, float | int],
    bins: int = 97,
) -> None:
    """Show histograms of samples: one panel per group, one outline per sample.

    Args:
        groups: title of each panel, and its samples by name, at most four.
        xlabel: name of the sampled quantity.
        limit: the range of the panels is -limit to limit; one number for all, or one per title.
        bins: number of bins.

    Raises:
        ValueError: more samples in a panel than colours.
    """
    for samples in groups.values():
        _checked(samples, None)
    with style.figure(1, len(groups), size=(4.2 * len(groups), 3.0), sharey=True) as (_, axes):
        for ax, (title, samples) in zip(axes, groups.items(), strict=True):
            end = limit[title] if isinstance(limit, Mapping) else limit
            edges = np.linspace(-end, end, bins)
            for i, (name, sample) in enumerate(samples.items()):
                colour, dash = style.COLOURS[i], style.DASHES[i]
                values = style.array(sample).ravel()
                height, _ = np.histogram(
                    values, edges, weights=np.full(values.size, 1 / values.size)
                )
                ax.stairs(height, edges, color=colour, linestyle=dash, linewidth=2, label=name)
            ax.set(xlabel=xlabel, title=title)
            ax.legend()
        axes[0].set_ylabel("share of the pairs")


def hull(
    values: Any,
    outputs: Mapping[str, Any],
    *,
    names: Sequence[str],
    xlabel: str,
    ylabel: str,
    title: str = "",
) -> None:
    """Show value vectors in the plane, their convex hull, and outputs or paths of outputs in it.

    Args:
        values: the value vectors (k, 2).
        outputs: name of each output or path, and its points (n, 2) or its point (2,).
        names: one name for each value.
        xlabel: name of the first component.
        ylabel: name of the second component.
        title: title of the picture.

    Raises:
        ValueError: the values are not points in the plane, or there are too many outputs.
    """
    points = style.array(values)
    if points.ndim != 2 or points.shape[1] != 2 or len(names) != len(points):
        raise ValueError(
            f"values of shape {points.shape} with {len(names)} names: expected (k, 2), points of "
            "the plane, and one name for each of the k"
        )
    paths = {
        name: np.atleast_2d(style.array(path)) for name, path in _checked(outputs, None).items()
    }
    with style.figure(size=(5.6, 4.3)) as (_, (ax,)):
        corners = points[_corners(points)]
        ax.fill(*corners.T, facecolor="#e4ecf1", edgecolor=style.FAINT, linewidth=1)
        ax.plot(*points.T, "o", color=style.INK, markersize=8)
        middle = points.mean(axis=0)
        for place, name in _together(points, names).items():
            right, up = place[0] >= middle[0], place[1] >= middle[1]
            at = (8 if right else -8, 6 if up else -15)
            side = "left" if right else "right"
            ax.annotate(name, place, xytext=at, textcoords="offset points", ha=side)
        for i, (name, path) in enumerate(paths.items()):
            colour = style.COLOURS[i]
            ax.plot(*path.T, color=colour, linestyle=style.DASHES[i])
            ax.plot(*path[-1], style.MARKERS[i], color=colour, markersize=10, label=name)
        ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
        ax.margins(x=0.3, y=0.2)
        ax.set_aspect("equal")
        ax.legend()


def _checked(series: Mapping[str, Any], length: int | None) -> dict[str, np.ndarray]:
    arrays = {name: style.array(y) for name, y in series.items()}
    if len(arrays) > len(style.COLOURS):
        raise ValueError(
            f"{len(arrays)} series, and {len(style.COLOURS)} colours that can be told apart: "
            "use two pictures"
        )
    for name, y in arrays.items():
        if length is not None and len(y) != length:
            raise ValueError(
                f"series {name!r} has {len(y)} points, x has {length}: give one value for each x"
            )
    return arrays


def _together(points: np.ndarray, names: Sequence[str]) -> dict[tuple[float, float], str]:
    """Join the names of points at the same place."""
    joined: dict[tuple[float, float], str] = {}
    for point, name in zip(points, names, strict=True):
        place = (float(point[0]), float(point[1]))
        joined[place] = f"{joined[place]}, {name}" if place in joined else name
    return joined


def _corners(points: np.ndarray) -> list[int]:
    """Return the indices of the corners of the convex hull, in order (gift wrapping)."""
    start = int(np.lexsort((points[:, 1], points[:, 0]))[0])
    corners = [start]
    while True:
        here = points[corners[-1]]
        best = -1
        for i, there in enumerate(points):
            if np.array_equal(there, here):
                continue
            if best < 0:
                best = i
                continue
            a, b = points[best] - here, there - here
            turn = a[0] * b[1] - a[1] * b[0]
            if turn < 0 or (turn == 0 and b @ b > a @ a):
                best = i
        if best < 0 or np.array_equal(points[best], points[start]) or len(corners) > len(points):
            return corners
        corners.append(best)
