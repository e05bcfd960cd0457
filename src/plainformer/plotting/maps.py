"""Large matrices as pictures: every head of a model, signed numbers, tiles of a mask."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, ListedColormap

from plainformer.mask_rules import Rule
from plainformer.plotting import style

#: From negative (rust) over zero (the card) to positive (blue).
SIGNED = LinearSegmentedColormap.from_list("signed", [style.RUST, style.CARD, style.BLUE])


def heads(layers: Sequence[Any], *, first: int = 0, title: str = "head {layer}.{head}") -> None:
    """Show the weights of every head: a row of maps per layer, on one scale from 0 to 1.

    Args:
        layers: one sequence's weights (h, q, k) for each layer.
        first: the number of the first layer, for the titles.
        title: a title with ``{layer}`` and ``{head}``.

    Raises:
        ValueError: a layer is not (h, q, k), or layers have different numbers of heads.
    """
    arrays = [style.array(weights) for weights in layers]
    if not arrays or any(a.ndim != 3 for a in arrays) or len({len(a) for a in arrays}) != 1:
        raise ValueError(
            f"layers of shapes {[a.shape for a in arrays]}: expected (h, q, k) each, with the same "
            "number of heads h; of a batch take one sequence, weights[0]"
        )
    rows, cols = len(arrays), len(arrays[0])
    with style.figure(rows, cols, size=(1.6 * cols + 0.4, 1.75 * rows)) as (_, axes):
        for place, ax in enumerate(axes):
            layer, head = divmod(place, cols)
            ax.imshow(arrays[layer][head], cmap=style.WEIGHTS, vmin=0, vmax=1)
            ax.set_title(title.format(layer=first + layer, head=head), fontsize=8.5)
            ax.set_xticks([])
            ax.set_yticks([])
        axes[-cols].set(xlabel="keys", ylabel="queries")


def field(values: Any, *, xlabel: str, ylabel: str, title: str = "", height: float = 3.0) -> None:
    """Show a matrix of signed numbers; zero has the colour of the page.

    Args:
        values: the matrix, such as positions (q, m) or a bias (q, k).
        xlabel: label of the columns.
        ylabel: label of the rows.
        title: title of the picture.
        height: height of the picture, in inches.

    Raises:
        ValueError: the values are not a matrix, or not all are finite.
    """
    array = style.array(values)
    if array.ndim != 2 or not np.isfinite(array).all():
        raise ValueError(
            f"values of shape {array.shape}: expected a matrix of finite numbers; cut infinite "
            "ones out with a mask first"
        )
    with style.figure(size=(6.4, height)) as (made, (ax,)):
        limit = float(np.abs(array).max()) or 1.0
        shown = ax.imshow(array, cmap=SIGNED, vmin=-limit, vmax=limit, aspect="auto")
        made.colorbar(shown, ax=ax, shrink=0.9)
        ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
        ax.locator_params(integer=True)


def tiles(rule: Rule, *, q: int, k: int, tile: tuple[int, int], title: str = "") -> None:
    """Show which tiles fast attention computes, which it masks, and which it skips.

    Args:
        rule: which keys a query may attend to.
        q: number of queries, the last of the positions.
        k: number of keys.
        tile: queries and keys of one tile.
        title: title of the picture.

    Raises:
        ValueError: a side of the tile is below 1.
    """
    tall, wide = tile
    if tall < 1 or wide < 1:
        raise ValueError(f"tile={tile}: both sides must be at least 1")
    kinds = {False: 0, None: 1, True: 2}
    grid = [
        [
            kinds[rule.sees(range(k - q + i, min(k - q + i + tall, k)), range(j, min(j + wide, k)))]
            for j in range(0, k, wide)
        ]
        for i in range(0, q, tall)
    ]
    names = {"skipped": style.CARD, "masked": "#bcd6ea", "whole": "#0b3f73"}
    colours = ListedColormap(list(names.values()))
    with style.figure(size=(4.6, 3.6)) as (_, (ax,)):
        ax.imshow(grid, cmap=colours, vmin=0, vmax=2, aspect="auto", extent=(0, k, q, 0))
        _lines(ax, q, k, tile)
        for name, colour in names.items():
            ax.plot([], [], "s", color=colour, markeredgecolor=style.FAINT, label=name)
        ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        ax.set(xlabel="keys", ylabel="queries", title=title, xlim=(0, k), ylim=(q, 0))


def _lines(ax: Axes, q: int, k: int, tile: tuple[int, int]) -> None:
    for i in range(0, q + 1, tile[0]):
        ax.axhline(i, color=style.GRID, linewidth=0.7)
    for j in range(0, k + 1, tile[1]):
        ax.axvline(j, color=style.GRID, linewidth=0.7)
