"""Matrices as pictures: weights as annotated grids, shapes as blocks.

In every grid a row is a query and a column is a key.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from plainformer.plotting import style


def weights(
    weights: Any,
    *,
    queries: Sequence[str] | None = None,
    keys: Sequence[str] | None = None,
    title: str = "",
    sums: bool = False,
) -> None:
    """Show one matrix of weights (q, k), with its numbers in its cells.

    Args:
        weights: attention weights, between 0 and 1.
        queries: names of the rows; positions, counted from 0, when left out.
        keys: names of the columns; positions when left out.
        title: title of the picture.
        sums: whether the sum of each row and of each column is shown in the margin.

    Raises:
        ValueError: the weights are not a matrix, or a list of names has the wrong length.
    """
    several({title: weights}, queries=queries, keys=keys, sums=sums)


def several(
    matrices: Mapping[str, Any],
    *,
    queries: Sequence[str] | None = None,
    keys: Sequence[str] | None = None,
    sums: bool = False,
    numbers: bool = True,
    xlabel: str = "key position",
    ylabel: str = "query position",
) -> None:
    """Show matrices of weights, or of other fractions, side by side, on one scale from 0 to 1.

    Args:
        matrices: title of each matrix, and its weights (q, k).
        queries: names of the rows, the same for all.
        keys: names of the columns, the same for all.
        sums: whether the sum of each row and of each column is shown in the margin.
        numbers: whether each cell shows its number.
        xlabel: label of the columns.
        ylabel: label of the rows.

    Raises:
        ValueError: as in :func:`weights`.
    """
    arrays = {title: _matrix(m, queries, keys) for title, m in matrices.items()}
    first = next(iter(arrays.values()))
    cell = 0.58 if numbers else 0.3
    margin = 1.15 if queries is None else 1.5
    width = len(arrays) * (first.shape[1] * cell + margin + (0.5 if sums else 0))
    height = first.shape[0] * cell + 1.15 + (0.4 if sums else 0)
    with style.figure(1, len(arrays), size=(max(width, 3.4), height)) as (_, axes):
        for ax, (title, array) in zip(axes, arrays.items(), strict=True):
            _grid(ax, array, numbers=numbers)
            _name(ax, array, queries, keys)
            ax.set(title=title, xlabel=xlabel, ylabel=ylabel)
            if sums:
                _sums(ax, array)


def shapes(*, q: int, k: int, d: int, e: int) -> None:
    """Show the two products of attention as blocks whose sides are ``q``, ``k``, ``d`` and ``e``.

    Equal sides have equal lengths, and the side that a product sums over is drawn in one colour.
    """
    tallest = max(q, d, k)
    first = [("$Q$", q, d, "q", "d"), (r"$K^\top$", d, k, "d", "k"), ("$S$", q, k, "q", "k")]
    second = [("$A$", q, k, "q", "k"), ("$V$", k, e, "k", "e"), ("$O$", q, e, "q", "e")]
    with style.figure(size=(8.6, 2.9)) as (_, (ax,)):
        middle = _product(ax, 0.0, first, tallest) + 2.0
        right = _product(ax, middle, second, tallest)
        for left, title in ((0.0, "Scores: sum over d"), (middle, "Output: sum over k")):
            ax.text(left - 0.8, 1.5, title, size=10.5, weight="bold")
        ax.set_xlim(-1.2, right)
        ax.set_ylim(-tallest - 0.4, 2.2)
        ax.set_aspect("equal")
        ax.set_axis_off()


def _matrix(x: Any, queries: Sequence[str] | None, keys: Sequence[str] | None) -> np.ndarray:
    array = style.array(x)
    if array.ndim != 2:
        raise ValueError(
            f"weights of shape {array.shape}: expected one matrix (q, k). "
            "Pick one of a batch and one head first: weights[0, 0]."
        )
    for axis, names in ((0, queries), (1, keys)):
        if names is not None and len(names) != array.shape[axis]:
            raise ValueError(
                f"{len(names)} names for the {array.shape[axis]} {('queries', 'keys')[axis]} of "
                f"weights of shape {array.shape}: give one name each"
            )
    return array


def _grid(ax: Axes, array: np.ndarray, *, numbers: bool) -> None:
    ax.imshow(array, cmap=style.WEIGHTS, vmin=0, vmax=1, aspect="equal")
    q, k = array.shape
    ax.hlines(np.arange(q + 1) - 0.5, -0.5, k - 0.5, color=style.GRID, linewidth=0.8)
    ax.vlines(np.arange(k + 1) - 0.5, -0.5, q - 0.5, color=style.GRID, linewidth=0.8)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    if numbers:
        for (i, j), weight in np.ndenumerate(array):
            ax.text(
                j, i, f"{weight:.2f}", ha="center", va="center", size=9, color=style.ink_on(weight)
            )


def _name(
    ax: Axes, array: np.ndarray, queries: Sequence[str] | None, keys: Sequence[str] | None
) -> None:
    q, k = array.shape
    ax.set_xticks(range(k), keys or [str(j) for j in range(k)], rotation=30 if keys else 0)
    ax.set_yticks(range(q), queries or [str(i) for i in range(q)])
    ax.set_xlabel("key position")
    ax.set_ylabel("query position")


def _sums(ax: Axes, array: np.ndarray) -> None:
    q, k = array.shape
    for i, total in enumerate(array.sum(axis=1)):
        ax.text(k - 0.35, i, f"= {total:.2f}", va="center", size=9, color=style.RUST, clip_on=False)
    for j, total in enumerate(array.sum(axis=0)):
        ax.text(j, q - 0.2, f"{total:.2f}", ha="center", va="center", size=9, color=style.GREEN)
    ax.set_ylim(q + 0.1, -0.5)
    ax.set_xlim(-0.5, k + 0.35)


def _product(
    ax: Axes, left: float, blocks: Sequence[tuple[str, int, int, str, str]], tallest: int
) -> float:
    """Draw left · right = result, with sides of each block in proportion to its rows and columns.

    Returns:
        The right end of the drawing.
    """
    summed = blocks[0][4]
    for sign, (name, rows, cols, row, col) in zip(("·", "=", ""), blocks, strict=True):
        top = -(tallest - rows) / 2
        block = Rectangle((left, top - rows), cols, rows, facecolor="#d5e4ef", linewidth=1.5)
        block.set_edgecolor(style.BLUE)
        ax.add_patch(block)
        ax.text(left + cols / 2, top - rows / 2, name, ha="center", va="center", size=13)
        for letter, x, y in ((row, left - 0.4, top - rows / 2), (col, left + cols / 2, top + 0.5)):
            hue = style.RUST if letter == summed else style.INK
            ax.text(x, y, letter, ha="center", va="center", size=11, weight="bold", color=hue)
        ax.text(left + cols + 0.6, -tallest / 2, sign, ha="center", va="center", size=15)
        left += cols + 1.9
    return left - 1.5
