"""Four finished designs, the plain one and three with different aims, with a record of each.

``python -m plainformer.lab.capstone NAME`` trains one and prints its points. ``--record`` trains it
in the languages of five seeds and stores the measurements in the package, where the book reads
them.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from plainformer.lab.capstone.language import text
from plainformer.lab.capstone.measuring import PLAIN
from plainformer.lab.capstone.training import train

HOME = Path(__file__).parents[1] / "data" / "capstones"
SEEDS = range(5)


@dataclass(frozen=True, kw_only=True)
class Worked:
    """Design of a capstone, with its aim and the price of it.

    Args:
        wants: the main aim of its author.
        gave_up: the price of that.
        model: fields of its configuration.
        training: fields of its recipe.
        stretch: fields that change after the training.
        cache: its kind and sizes.
        serving: settings of the engine.
        steps: number of training steps that fit in the plain recipe's time for 1,500 steps.
        tried: changes that did not help, each with the parts of the design that it replaced.
        again: excess at SHORT and beyond it for seed 0, trained on a processor that rounds
            differently (``ATEN_CPU_CAPABILITY=avx2`` instead of AVX-512), if this was done.
    """

    wants: str
    gave_up: str
    model: Mapping[str, Any] = field(default_factory=lambda: PLAIN)
    training: Mapping[str, Any] = field(default_factory=dict)
    stretch: Mapping[str, Any] = field(default_factory=dict)
    cache: Mapping[str, Any] = field(default_factory=dict)
    serving: Mapping[str, Any] = field(default_factory=dict)
    steps: int = 1_500
    tried: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    again: tuple[float, float] | None = None

    def entry(self, seed: int) -> dict[str, Any]:
        """Train it on the language of a seed, and return an entry that can be measured.

        Args:
            seed: seed of the language.

        Cost: a minute on one core.
        """
        weights = train(self.model, text(seed), steps=self.steps, **self.training)
        return {**self.parts(), "weights": weights}

    def parts(self) -> dict[str, Any]:
        """Return the entry without its weights."""
        names = ("model", "stretch", "cache", "serving")
        return {name: dict(getattr(self, name)) for name in names}

    def design(self) -> dict[str, Any]:
        """Return the data for a grader, whose budget is a time and not a number of steps."""
        return {**self.parts(), "training": dict(self.training)}


SERVED = {"token_budget": 256, "max_running": 24, "prefix_cache": True}
DESIGNS = {
    "plain": Worked(
        wants="a baseline",
        gave_up="nothing that was measured before it",
    ),
    "floor": Worked(
        wants="the lowest loss",
        gave_up="memory: every head keeps keys and values of its own, in 32 bits",
        training={"rate": 7e-3},
        stretch={"window": 64},
        again=(0.064, 0.382),
    ),
    "fast": Worked(
        wants="the most tokens per second for many requests at once",
        gave_up="texts beyond the trained length, where two of five fail; some loss, for its width",
        model={**PLAIN, "d_model": 48, "n_kv_heads": 2},
        training={"rate": 7e-3},
        stretch={"window": 64},
        cache={"kind": "int8"},
        serving=SERVED,
        steps=2_400,
        tried={
            "the same after 1,500 steps": {"steps": 1_500},
            "YaRN by 4 in place of the window": {
                "stretch": {"rotary_scaling": "yarn", "rotary_factor": 4.0}
            },
        },
        again=(0.300, 1.028),
    ),
    "balanced": Worked(
        wants="a good result in every part",
        gave_up="speed: a learned bias for each request, and keys and values in INT8",
        model={
            "d_model": 64, "n_layers": 2, "n_heads": 4, "n_kv_heads": 1,
            "positions": "relative", "relative_reach": 32,
        },
        training={"rate": 7e-3},
        cache={"kind": "int8"},
        serving=SERVED,
        steps=1_300,
        tried={
            "32 bits in place of INT8": {"cache": {"kind": "static"}},
            "a window of 64 after training": {"stretch": {"window": 64}},
        },
    ),
}  # fmt: skip
WORKED = {name: worked for name, worked in DESIGNS.items() if name != "plain"}


def record(name: str) -> dict[str, Any]:
    """Return the record of a design: its trainings, and the measurements of each change ``tried``.

    Args:
        name: a key of DESIGNS.
    """
    return cast(dict[str, Any], json.loads((HOME / f"{name}.json").read_text("utf-8")))


def facts(name: str) -> list[dict[str, float]]:
    """Return the measurements of each recorded training of a design.

    Args:
        name: a key of DESIGNS.
    """
    return [row["facts"] for row in record(name)["trainings"]]
