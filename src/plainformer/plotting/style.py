"""The look of every figure: one theme, one palette, one map for weights.

The colours differ in lightness as well as in hue, and each line has its own dash, so that no
picture depends on colour alone. The background is an opaque light card, so that the same image
suits a light page and a dark one.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

CARD = "#fbfaf6"
INK = "#22262b"
FAINT = "#6b7178"
GRID = "#dcdad2"
BLUE, RUST, GREEN, PLUM = "#0b63a5", "#b5470b", "#0a7a5c", "#7d3f86"

#: Colours of the first, second, third, fourth element of a picture.
COLOURS = (BLUE, RUST, GREEN, PLUM)
#: Dashes in the same order.
DASHES = ("-", "--", "-.", ":")
#: Markers in the same order.
MARKERS = ("o", "s", "^", "D")
#: Weights from 0 (the card) to 1 (dark blue); lightness decreases throughout.
WEIGHTS = LinearSegmentedColormap.from_list("weights", [CARD, "#bcd6ea", "#4d8fc4", "#0b3f73"])

THEME: dict[Any, Any] = {
    "figure.facecolor": CARD,
    "savefig.facecolor": CARD,
    "axes.facecolor": CARD,
    "figure.dpi": 100,
    "font.family": "DejaVu Sans",
    "font.size": 10,
    "mathtext.fontset": "dejavusans",
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": FAINT,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": False,
    "grid.color": GRID,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.minor.visible": False,
    "ytick.minor.visible": False,
    "legend.frameon": False,
    "lines.linewidth": 2.0,
    "lines.markersize": 5.5,
}


def use() -> None:
    """Set the theme for all following figures, and make notebooks show them in high resolution.

    The figure functions of this package call it themselves; call it for your own figures.
    """
    mpl.rcParams.update(THEME)
    _sharp_in_notebooks()


@contextmanager
def figure(
    rows: int = 1, cols: int = 1, *, size: tuple[float, float], **options: Any
) -> Iterator[tuple[Figure, list[Axes]]]:
    """Open a figure in the theme, yield its axes row by row, and show it at the end.

    Args:
        rows: rows of axes.
        cols: columns of axes.
        size: width and height in inches.
        options: passed to :func:`matplotlib.pyplot.subplots`.
    """
    _sharp_in_notebooks()
    with mpl.rc_context(THEME):
        made, axes = plt.subplots(
            rows, cols, figsize=size, squeeze=False, layout="constrained", **options
        )
        yield made, list(axes.flat)
        plt.show()


def array(x: Any) -> np.ndarray:
    """Convert a tensor, on any device and in any float dtype, or a list, to a float64 array."""
    if hasattr(x, "detach"):
        x = x.detach().cpu().double().numpy()
    return np.asarray(x, dtype=np.float64)


def ink_on(weight: float) -> str:
    """Return whether black or white has more contrast on a weight's cell (WCAG 2, luminance)."""
    channels = np.array(WEIGHTS(float(weight))[:3])
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return "black" if linear @ (0.2126, 0.7152, 0.0722) > 0.179 else "white"


def _sharp_in_notebooks() -> None:
    """Make notebooks use PNGs of twice the size, without the version of the software."""
    try:
        from IPython.core.getipython import get_ipython
        from matplotlib_inline.config import InlineBackend
    except ImportError:
        return
    shell = get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return
    backend = InlineBackend.instance(parent=shell)
    options: dict[str, Any] = {"bbox_inches": "tight", "metadata": {"Software": None}}
    backend.figure_formats = {"retina"}
    backend.print_figure_kwargs = options
