"""The figures of the course, one function each; the only place that imports matplotlib."""

from plainformer.plotting.curves import histograms, hull, lines
from plainformer.plotting.dots import dots
from plainformer.plotting.maps import field, heads, tiles
from plainformer.plotting.masks import leaks, mask_grids
from plainformer.plotting.matrices import several, shapes, weights
from plainformer.plotting.rooflines import roofline
from plainformer.plotting.style import use
from plainformer.plotting.timelines import timeline
from plainformer.plotting.trade_offs import trade_off

__all__ = [
    "dots",
    "field",
    "heads",
    "histograms",
    "hull",
    "leaks",
    "lines",
    "mask_grids",
    "roofline",
    "several",
    "shapes",
    "tiles",
    "timeline",
    "trade_off",
    "use",
    "weights",
]
