"""Three finished capstones of different taste, and what was measured of each.

``python -m plainformer.lab.capstone NAME`` trains one in a minute, measures it, and says what it is
worth. ``--record`` keeps that in the package, where the book reads it.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from plainformer.lab.capstone.language import text
from plainformer.lab.capstone.measuring import PLAIN
from plainformer.lab.capstone.training import train

HOME = Path(__file__).parents[1] / "data" / "capstones"


@dataclass(frozen=True, kw_only=True)
class Worked:
    """Say how a capstone is made.

    Args:
        wants: what its author wanted most.
        gave_up: what that cost.
        model: fields of its configuration.
        stretch: those that are another when it is measured.
        cache: of the entry.
        serving: of the entry.
        steps: of the training.
        rate: highest learning rate.
        tried: what did not help, and the excess that it had, with the language of seed 0.
        again: excess at SHORT and beyond it of the same training where the processor rounds
            otherwise (``ATEN_CPU_CAPABILITY=avx2`` in place of AVX-512).
    """

    wants: str
    gave_up: str
    model: Mapping[str, Any]
    stretch: Mapping[str, Any] = field(default_factory=dict)
    cache: Mapping[str, Any] = field(default_factory=dict)
    serving: Mapping[str, Any] = field(default_factory=dict)
    steps: int = 1_500
    rate: float = 7e-3
    tried: Mapping[str, float] = field(default_factory=dict)
    again: tuple[float, float] = (math.nan, math.nan)

    def entry(self, seed: int) -> dict[str, Any]:
        """Train it on the language of a seed, and return what is measured.

        Args:
            seed: of the language.

        Cost: a minute on one core.
        """
        weights = train(self.model, text(seed), steps=self.steps, **self.design()["training"])
        return {**self.parts(), "weights": weights}

    def parts(self) -> dict[str, Any]:
        """Return the entry without its weights."""
        names = ("model", "stretch", "cache", "serving")
        return {name: dict(getattr(self, name)) for name in names}

    def design(self) -> dict[str, Any]:
        """Return what would be handed in, for a grader that trains it by seconds."""
        return {**self.parts(), "training": {"rate": self.rate}}


WORKED = {
    "floor": Worked(
        wants="the lowest loss, at the trained length and beyond it",
        gave_up="memory: every head keeps keys and values of its own, in 32 bits",
        model=PLAIN,
        stretch={"window": 64},
        tried={"YaRN by 4 in place of the window": 0.217},
        again=(0.064, 0.382),
    ),
    "small": Worked(
        wants="the smallest cache",
        gave_up="memory of what is far: nothing before the last 40 words is kept",
        model={**PLAIN, "n_kv_heads": 2, "window": 40},
        cache={"kind": "sliding"},
        steps=2_200,
        tried={"the same after 1,500 steps": 0.428, "one key/value head": 0.588},
        again=(0.342, 0.454),
    ),
    "fast": Worked(
        wants="the most tokens a second for many at once",
        gave_up="all that lies beyond the trained length, where it is lost; some loss, for width",
        model={**PLAIN, "d_model": 48, "n_kv_heads": 2},
        stretch={"window": 64},
        cache={"kind": "int8"},
        serving={"token_budget": 256, "max_running": 24, "prefix_cache": True},
        steps=2_400,
        tried={"the same after 1,500 steps": 0.471, "YaRN by 4 in place of the window": 0.386},
        again=(0.300, 1.028),
    ),
}


def record(name: str) -> dict[str, Any]:
    """Return what was measured of a worked capstone: its facts and points.

    Args:
        name: of WORKED.
    """
    return cast(dict[str, Any], json.loads((HOME / f"{name}.json").read_text("utf-8")))
