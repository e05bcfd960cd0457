"""Masks as pictures, and weights that a mask should have hidden."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from plainformer.plotting import matrices, style


def mask_grids(
    masks: Mapping[str, Any],
    *,
    queries: Sequence[str] | None = None,
    keys: Sequence[str] | None = None,
    labels: tuple[str, str] = ("query position", "key position"),
) -> None:
    """Show masks side by side: a filled cell for a visible key, a cross for a masked one.

    Args:
        masks: title of each mask, and the mask (q, k), True for visible keys. Sizes may differ.
        queries: names of the rows; positions, counted from 0, when left out.
        keys: names of the columns; positions when left out.
        labels: labels of rows and columns, if they are not query and key.

    Raises:
        ValueError: a mask is not a boolean matrix, or a list of names has the wrong length.
    """
    arrays = {title: _boolean(title, mask) for title, mask in masks.items()}
    for array in arrays.values():
        matrices._matrix(array, queries, keys)
    tallest = max(a.shape[0] for a in arrays.values())
    widths = [a.shape[1] for a in arrays.values()]
    margin = 1.5 if queries else 0.9
    size = (max(3.4, sum(widths) * 0.34 + margin * len(widths)), tallest * 0.34 + 1.2)
    with style.figure(1, len(arrays), size=size, width_ratios=widths) as (_, axes):
        for ax, (title, array) in zip(axes, arrays.items(), strict=True):
            _cells(ax, array)
            matrices._name(ax, array, queries, keys)
            ax.set(ylabel=labels[0], xlabel=labels[1])
            if array.shape[0] < 4:
                ax.set_ylabel(labels[0].split()[0])
            ax.set_title(title)


def leaks(
    weights: Mapping[str, Any],
    mask: Any,
    *,
    numbers: bool = True,
    sums: bool = True,
    least: float = 1e-9,
) -> None:
    """Show matrices of weights, and frame each weight that the mask forbids.

    Args:
        weights: title of each matrix, and its numbers (q, k), between 0 and 1.
        mask: the mask (q, k) that applies to all of them, True for visible keys.
        numbers: whether each cell shows its number.
        sums: whether the sum of each row is shown at its end.
        least: masked weights up to this size are not framed, because they are rounding errors or
            negligible in this picture.

    Raises:
        ValueError: the mask is not a boolean matrix, or a matrix has a different shape.
    """
    allowed = _boolean("mask", mask)
    arrays = {title: style.array(w) for title, w in weights.items()}
    for title, array in arrays.items():
        if array.shape != allowed.shape:
            raise ValueError(
                f"{title!r} has shape {array.shape}, the mask {allowed.shape}: give one weight for "
                "each cell of the mask, of one batch and one head"
            )
    q, k = allowed.shape
    cell = 0.58 if numbers else 0.3
    size = (len(arrays) * (k * cell + 1.1 + 0.6 * sums), q * cell + 1.2)
    with style.figure(1, len(arrays), size=(max(size[0], 3.4), size[1])) as (_, axes):
        for ax, (title, array) in zip(axes, arrays.items(), strict=True):
            matrices._grid(ax, array, numbers=numbers)
            matrices._name(ax, array, None, None)
            ax.set_title(title)
            _frame(ax, ~allowed & ~(np.abs(array) <= least))
            if sums:
                _row_sums(ax, array)


def _boolean(title: str, mask: Any) -> np.ndarray:
    array = np.asarray(mask.detach().cpu() if hasattr(mask, "detach") else mask)
    if array.ndim != 2 or array.dtype != np.bool_:
        raise ValueError(
            f"{title!r} has shape {array.shape} and dtype {array.dtype}: expected one boolean "
            "matrix (q, k), True = may look. Pick one of a batch and one head first: mask[0, 0]."
        )
    return array


def _cells(ax: Axes, allowed: np.ndarray) -> None:
    q, k = allowed.shape
    ax.imshow(allowed * 0.62, cmap=style.WEIGHTS, vmin=0, vmax=1, aspect="equal")
    ax.hlines(np.arange(q + 1) - 0.5, -0.5, k - 0.5, color=style.GRID, linewidth=0.8)
    ax.vlines(np.arange(k + 1) - 0.5, -0.5, q - 0.5, color=style.GRID, linewidth=0.8)
    rows, columns = np.nonzero(~allowed)
    ax.plot(columns, rows, "x", color=style.FAINT, markersize=4, markeredgewidth=1)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)


def _frame(ax: Axes, cells: np.ndarray) -> None:
    for i, j in np.argwhere(cells):
        box = Rectangle((j - 0.44, i - 0.44), 0.88, 0.88, fill=False, linewidth=1.8)
        box.set_edgecolor(style.RUST)
        ax.add_patch(box)


def _row_sums(ax: Axes, array: np.ndarray) -> None:
    k = array.shape[1]
    for i, total in enumerate(array.sum(axis=1)):
        ax.text(k - 0.35, i, f"= {total:.2f}", va="center", size=9, color=style.RUST)
    ax.set_xlim(-0.5, k + 0.45)
