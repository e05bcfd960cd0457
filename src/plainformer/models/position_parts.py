"""From the positions that a configuration names to the objects they stand for."""

import inspect
from collections.abc import Callable, Mapping

from torch import nn

from plainformer.models.config import Config
from plainformer.models.parts import choose
from plainformer.positions import (
    Alibi,
    DynamicNTK,
    Interpolation,
    Learned,
    Llama3,
    NTKAware,
    RelativeBias,
    Rotary,
    Sinusoidal,
    YaRN,
)
from plainformer.positions.rotary import Layout
from plainformer.positions.rotary_scaling import Scaling

EMBEDDED: Mapping[str, Callable[[Config], nn.Module]] = {
    "learned": lambda c: Learned(c.context, c.d_model),
    "sinusoidal": lambda c: Sinusoidal(c.d_model),
}
LAYOUTS: Mapping[str, Layout] = {"halves": "halves", "pairs": "pairs"}
TURNED: Mapping[str, Callable[[Config], Rotary]] = {
    "rotary": lambda c: Rotary(
        c.width_of_heads,
        base=c.rotary_base,
        layout=choose(LAYOUTS, c.rotary_layout, "rotary_layout"),
        scaling=scaling_of(c),
    ),
}
SCALED: Mapping[str, Callable[..., Scaling] | None] = {
    "none": None,
    "linear": Interpolation,
    "ntk": NTKAware,
    "dynamic": DynamicNTK,
    "yarn": YaRN,
    "llama3": Llama3,
}
# The second argument: whether queries look back only.
SCORED: Mapping[str, Callable[[Config, bool], nn.Module]] = {
    "alibi": lambda c, causal: Alibi(c.n_heads),
    "relative": lambda c, causal: RelativeBias(
        c.n_heads,
        buckets=c.relative_buckets,
        max_distance=c.relative_reach,
        bidirectional=not causal,
    ),
}
POSITIONS = dict.fromkeys(["none", *EMBEDDED, *TURNED, *SCORED])


def scaling_of(config: Config) -> Scaling | None:
    """Make what slows rotary positions down for longer contexts, or None.

    Args:
        config: the configuration.

    Raises:
        ValueError: the scaling or one of its options is unknown.
    """
    make = choose(SCALED, config.rotary_scaling, "rotary_scaling")
    if make is None:
        return None
    known = set(inspect.signature(make).parameters)
    given = {"context": config.rotary_context or config.context, **config.rotary_options}
    if wrong := sorted(set(config.rotary_options) - known):
        raise ValueError(
            f"rotary_options={wrong}: {config.rotary_scaling!r} knows {sorted(known - {'factor'})}"
        )
    wanted = {name: value for name, value in given.items() if name in known}
    return make(factor=config.rotary_factor, **wanted)


def rotary_of(config: Config) -> Rotary | None:
    """Make what turns queries and keys, or None where positions enter elsewhere.

    Args:
        config: the configuration.
    """
    make = TURNED.get(config.positions)
    return None if make is None else make(config)


def embedded_of(config: Config) -> nn.Module | None:
    """Make what is added to the embeddings, or None where positions enter elsewhere.

    Args:
        config: the configuration.
    """
    make = EMBEDDED.get(config.positions)
    return None if make is None else make(config)


def scored_of(config: Config, *, causal: bool = True) -> nn.Module | None:
    """Make what is added to the scores, or None where positions enter elsewhere.

    Args:
        config: the configuration.
        causal: whether queries look back only.
    """
    make = SCORED.get(config.positions)
    return None if make is None else make(config, causal)
