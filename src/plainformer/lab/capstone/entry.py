"""The format of a submission: a configuration, and how to train, stretch, cache and serve it.

It contains no code and no weights. The grader trains the model and measures it, so training
elsewhere does not count, and a submission cannot behave differently while it is measured.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor

from plainformer.cache import LayerCache
from plainformer.lab.capstone.language import LONG, SHORT, VOCABULARY
from plainformer.models import Config, Decoder
from plainformer.models.caches import KINDS, caches_for

DESIGN = ("model", "training", "stretch", "cache", "serving")
PARTS = ("model", "stretch", "cache", "serving", "weights")
MOST_LAYERS = 32
CACHE = {"kind", "window", "sinks", "page_size"}
SERVING = {"page_size", "token_budget", "max_running", "prefix_cache"}
MOST_NUMBERS = 2_000_000


class Refused(ValueError):  # noqa: N818  (named after what happens)
    """An entry cannot be measured; the message gives the reason."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """An entry that can be measured.

    Args:
        config: configuration of the model as served: stretched, for LONG positions.
        weights: weights by name, as in a decoder's ``state_dict``.
        cache: kind and sizes, as for :func:`~plainformer.models.caches.caches_for`.
        serving: settings of the engine.
    """

    config: Config
    weights: Mapping[str, Tensor] = field(repr=False)
    cache: Mapping[str, Any]
    serving: Mapping[str, Any]

    def build(self) -> Decoder:
        """Return the model, in evaluation mode.

        Raises:
            Refused: the weights do not match this configuration.
        """
        try:
            model = Decoder(self.config)
            model.load_state_dict(dict(self.weights), strict=True)
        except (ValueError, RuntimeError, KeyError) as error:
            raise Refused(f"the weights do not fit the model: {error}") from error
        return model.eval()

    def caches(self, batch: int, capacity: int = LONG) -> list[LayerCache]:
        """Return one cache per layer, of the entry's kind.

        Args:
            batch: sequences.
            capacity: the largest number of positions.
        """
        return caches_for(self.config, batch=batch, capacity=capacity, **cast(Any, self.cache))


def configuration(model: Mapping[str, Any], stretch: Mapping[str, Any] | None = None) -> Config:
    """Return the configuration with the fields of an entry.

    Vocabulary and context are the same for all entries. A rotary scaling starts from SHORT
    positions.

    Args:
        model: fields of :class:`~plainformer.models.config.Config`.
        stretch: fields that change after the training.

    Raises:
        Refused: a field is unknown or of the wrong type, or an entry cannot set it.
    """
    ours = {"vocabulary": VOCABULARY, "context": LONG}
    fields = {"rotary_context": SHORT, **model, **(stretch or {})}
    if taken := sorted(set(fields) & set(ours)):
        raise Refused(f"{', '.join(taken)}: everybody has the same; leave it out")
    layers = fields.get("n_layers")
    if type(layers) is int and layers > MOST_LAYERS:
        raise Refused(f"n_layers={layers}: at most {MOST_LAYERS}, or the grader waits too long")
    try:
        return dataclasses.replace(Config.from_dict({**fields, **ours}), dropout=0.0)
    except (ValueError, TypeError) as error:
        raise Refused(str(error)) from error


def read(data: object, *, weights: bool = True) -> Entry:
    """Read a trained entry, or a design.

    Args:
        data: a dictionary with the keys PARTS; "stretch", "cache" and "serving" may be left out.
        weights: whether it contains weights. If not, the data is a design: a dictionary with the
            keys DESIGN, of which all but "model" may be left out.

    Raises:
        Refused: the data has another form, or is too large; a weight is not a finite number.
    """
    known = PARTS if weights else DESIGN
    if type(data) is not dict:
        raise Refused(f"expected a dict of {', '.join(known)}; got a {type(data).__name__}")
    if not weights and "weights" in data:
        raise Refused(
            "weights: the grader trains the model itself, on a language that nobody has seen. "
            'Say how under "training", and leave "weights" out'
        )
    if unknown := sorted(str(name) for name in set(data) - set(known)):
        raise Refused(f"{', '.join(unknown)}: expected only {', '.join(known)}")
    if not weights and "model" not in data:
        raise Refused('"model" is missing: expected the fields of its configuration')
    parts = {name: data.get(name, {}) for name in known}
    for name, part in parts.items():
        if type(part) is not dict or any(type(key) is not str for key in part):
            raise Refused(f"{name!r} is a {type(part).__name__}; expected a dict of names")
    config = configuration(parts["model"], parts["stretch"])
    cache = {"kind": "contiguous", **parts["cache"]}
    for name, fields, given in (("cache", CACHE, cache), ("serving", SERVING, parts["serving"])):
        if unknown := sorted(set(given) - fields):
            some = f"expected some of {sorted(fields)}"
            raise Refused(f"{name}: {', '.join(unknown)} unknown; {some}")
        if wrong := [k for k, v in given.items() if k != "kind" and not _small(v)]:
            raise Refused(f"{name}: {', '.join(wrong)}: expected a whole number up to {4 * LONG}")
    if cache["kind"] not in KINDS:
        raise Refused(f"cache: kind={cache['kind']!r}; expected one of {sorted(KINDS)}")
    numbers = _weights(parts["weights"]) if weights else {}
    entry = Entry(config=config, weights=numbers, cache=cache, serving=parts["serving"])
    try:
        entry.caches(1)
    except (ValueError, TypeError) as error:
        raise Refused(f"cache: {error}") from error
    return entry


def without_training(design: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a design other than its training, which are also parts of its entry.

    Args:
        design: its data, as submitted to the grader.
    """
    return {name: part for name, part in design.items() if name != "training"}


def _small(value: object) -> bool:
    return isinstance(value, bool) or (type(value) is int and 0 <= value <= 4 * LONG)


def _weights(given: Mapping[str, object]) -> dict[str, Tensor]:
    """Return plain float32 copies, so that no object of another type remains among the weights."""
    weights: dict[str, Tensor] = {}
    for name, value in given.items():
        if not isinstance(value, (Tensor, np.ndarray)):
            raise Refused(f"weight {name!r} is a {type(value).__name__}; expected a tensor")
        if isinstance(value, Tensor):
            value = value.detach().cpu().float().numpy()
        if value.dtype.kind not in "fiu":
            raise Refused(f"weight {name!r} has numbers of type {value.dtype}; expected floats")
        weights[name] = torch.from_numpy(np.array(value, dtype=np.float32, copy=True))
    if sum(w.numel() for w in weights.values()) > MOST_NUMBERS:
        raise Refused(f"more than {MOST_NUMBERS:,} weights: the grader has two cores")
    if bad := [name for name, w in weights.items() if not torch.isfinite(w).all()]:
        raise Refused(f"{bad[0]!r} holds NaN or infinity: nothing that is compared with it counts")
    return weights
