"""Find the setting that is the likely cause if a checkpoint's tensors do not fit.

The size of a tensor suggests the value of a setting. To test whether that is the cause, the model
is built without memory, with that setting, and matched with the tensors again.
"""

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import torch

from plainformer.models.checkpoints import CheckpointMismatch, Weights
from plainformer.models.config import Config
from plainformer.models.mapping import Family, Fit

# Fields of the configuration that determine sizes of our parameters, the longer name first.
SIZES = {
    "position_embedding.weight": ("context", "d_model"),
    "type_embedding.weight": ("token_types", "d_model"),
    "position_bias.weight": ("relative_buckets", "n_heads"),
    "embedding.weight": ("vocabulary", "d_model"),
    "attention.query.weight": ("n_heads", "d_model"),
    "attention.key.weight": ("n_kv_heads", "d_model"),
    "attention.value.weight": ("n_kv_heads", "d_model"),
    "attention.output.weight": ("d_model", "n_heads"),
    "feedforward.up.weight": ("d_ff", "d_model"),
    "feedforward.down.weight": ("d_model", "d_ff"),
    "norm.weight": ("d_model",),
    "output.weight": ("vocabulary", "d_model"),
    "output.bias": ("vocabulary",),
}
BIASES = ("bias", "qkv_bias", "output_bias", "feedforward_bias")
STACKS = {"n_layers": r"(?!encoder\.block\.)", "n_encoder_layers": r"(?=encoder\.block\.)"}


def causes_of(
    family: Family,
    config: Config,
    weights: Weights,
    *,
    given: Mapping[str, Any],
    changes: Mapping[str, Any],
) -> list[str]:
    """Name the settings that contradict the tensors, with the values that the tensors have.

    Args:
        family: layout of this kind of checkpoint.
        config: the configuration that does not fit.
        weights: the checkpoint's files.
        given: the settings in ``config.json``.
        changes: fields that the caller has set in place of the file's.

    Returns:
        One sentence per setting; none if no setting explains the difference.

    Cost: builds the model without memory, once for each guess.
    """
    found: dict[str, Any] = {}
    faults = _faults(family, config, weights)
    while faults:
        best: tuple[int, str, Any] = (faults, "", None)
        for field, value in dict.fromkeys(_guesses(family, config, weights)):
            if family.settings and field not in family.settings and field not in changes:
                continue  # not a setting of config.json
            left = _faults(family, _with(config, field, value), weights)
            best = min(best, (left, field, value), key=lambda each: each[0])
        faults, field, value = best
        if not field:
            break
        config, found[field] = replace(config, **{field: value}), value
    return list(dict.fromkeys(_said(family, *each, given, changes) for each in found.items()))


def causes_of_repeats(family: Family, config: Config, weights: Weights) -> list[str]:
    """Report that a file holds two tensors for a pair that ``config.json`` ties, if a model may.

    Args:
        family: layout of this kind of checkpoint.
        config: the configuration in which one tensor repeats another.
        weights: the checkpoint's files.

    Returns:
        One sentence with a remedy, or none.

    Cost: builds the model without memory.
    """
    if not config.tied or _faults(family, _with(config, "tied", False), weights):
        return []
    name = family.settings.get("tied", "tied")
    return [
        f"config.json ties what the file holds as two tensors: set {name} to false there, or read "
        "both with load(…, tied=False)"
    ]


def _said(
    family: Family, field: str, value: Any, given: Mapping[str, Any], changes: Mapping[str, Any]
) -> str:
    name = family.settings.get(field, field)
    if field in changes:
        return f"{field}={changes[field]!r} was asked for, and the tensors fit {field}={value}"
    if name in given:
        return f"config.json says {name}={given[name]!r}, and the tensors fit {name}={value}"
    return f"config.json does not give {name}, and the tensors fit {name}={value}"


def _with(config: Config, field: str, value: Any) -> Config | None:
    try:
        return replace(config, **{field: value})
    except ValueError:
        return None


def _faults(family: Family, config: Config | None, weights: Weights) -> int:
    """Count the tensors that do not fit a configuration."""
    if config is None:
        return sys.maxsize
    try:
        Fit(family, family.sources(config), _shapes(family, config), weights)
    except CheckpointMismatch as error:
        return sum(map(len, error.faults.values()))
    except (ValueError, RuntimeError, OverflowError):  # sizes from which no model can be built
        return sys.maxsize
    return 0


def _shapes(family: Family, config: Config) -> dict[str, tuple[int, ...]]:
    with torch.device("meta"):
        model = family.model(config)
    return {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}


def _guesses(family: Family, config: Config, weights: Weights) -> Iterator[tuple[str, Any]]:
    """Yield fields and the values that the tensors suggest."""
    files = {family.name(name): shape for name, shape in weights.shapes.items()}
    table = family.sources(config)
    for ours, expected in _shapes(family, config).items():
        source = table.get(ours)
        shape = None if source is None else files.get(source.name)
        if source is None or shape is None or len(shape) != len(expected):
            continue
        fields = next((f for n, f in SIZES.items() if f".{ours}".endswith(f".{n}")), ())
        for field, size, right in zip(fields, source.ours(shape), expected, strict=False):
            if size != right:
                yield from _from_size(config, field, size)
    for field, pattern in STACKS.items():
        layers = [re.match(pattern + r"\D*?\.?(\d+)\.", name) for name in files]
        if numbers := [int(found[1]) for found in layers if found]:
            yield field, max(numbers) + 1
    yield "tied", not config.tied
    yield from ((field, value) for field in BIASES for value in (True, False))


def _from_size(config: Config, field: str, size: int) -> Iterator[tuple[str, int]]:
    if field not in ("n_heads", "n_kv_heads"):
        yield field, size
        return
    heads = config.n_heads if field == "n_heads" else config.n_kv_heads or config.n_heads
    if size % config.width_of_heads == 0:
        yield field, size // config.width_of_heads
    if size % heads == 0:
        yield "head_width", size // heads
