"""Rooflines: the peaks of machines, and the kernels below them."""

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from plainformer.plotting import style

Number = float | int


@runtime_checkable
class Roof(Protocol):
    """A machine, such as :class:`plainformer.costs.roofline.Machine`."""

    @property
    def ridge(self) -> float:
        """The intensity, in FLOPs per byte, at which both roofs meet."""

    def attainable(self, intensity: float | int) -> float:
        """Return the highest FLOPs per second that an operation of an intensity can reach.

        Args:
            intensity: FLOPs per byte.
        """


def roofline(
    machines: Mapping[str, Roof],
    points: Mapping[str, tuple[Number, Number]] | None = None,
    *,
    marks: Mapping[str, Number] | None = None,
    intensities: Sequence[Number] = (0.1, 10_000),
    title: str = "",
) -> None:
    """Show the highest FLOPs per second against FLOPs per byte, both axes logarithmic.

    Args:
        machines: name of each machine, at most four, and the machine.
        points: name of each kernel, and its intensity and the FLOPs per second that it reached.
        marks: name of each kernel that is only counted, and its intensity: a vertical line.
        intensities: range of the picture, in FLOPs per byte.
        title: title of the picture.

    Raises:
        ValueError: more machines than colours.
    """
    if len(machines) > len(style.COLOURS):
        raise ValueError(
            f"{len(machines)} machines, and {len(style.COLOURS)} colours that can be told apart: "
            "use two pictures"
        )
    first, last = intensities[0], intensities[-1]
    highest = max(machine.attainable(float(last)) for machine in machines.values())
    with style.figure(size=(6.4, 3.8)) as (_, (ax,)):
        for i, (name, machine) in enumerate(machines.items()):
            at = np.array(sorted({first, last, min(max(machine.ridge, first), last)}))
            rates = [machine.attainable(float(x)) for x in at]
            label = f"{name}, ridge {machine.ridge:.3g}"
            ax.plot(at, rates, color=style.COLOURS[i], linestyle=style.DASHES[i], label=label)
        for i, (name, (intensity, rate)) in enumerate((points or {}).items()):
            marker = style.MARKERS[i % len(style.MARKERS)]
            ax.plot(intensity, rate, marker, color=style.INK, markersize=7)
            ax.annotate(name, (intensity, rate), xytext=(7, -11), textcoords="offset points")
        ax.set(xscale="log", yscale="log", title=title)
        ax.set(xlabel="arithmetic intensity in FLOPs per byte", ylabel="FLOPs per second, at most")
        for name, intensity in (marks or {}).items():
            ax.axvline(intensity, color=style.FAINT, linestyle=":", linewidth=1.2)
            ax.annotate(
                name, (intensity, 0.02), xycoords=("data", "axes fraction"), rotation=90,
                xytext=(-4, 0), textcoords="offset points", ha="right", va="bottom",
            )  # fmt: skip
        ax.set_ylim(top=10 * highest)  # room for the legend above the roofs
        ax.grid(axis="y")
        ax.legend(loc="upper left")
