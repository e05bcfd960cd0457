"""Check that a model can be saved: that its configuration makes it again when it is loaded."""

from typing import Any

import torch
from torch import nn

from plainformer.models.checkpoints import DTYPES
from plainformer.models.config import Config

Tensors = dict[str, tuple[int, ...]]


def check_saved(model: nn.Module, config: Config) -> None:
    """Refuse to save a model that its configuration would not reproduce.

    Args:
        model: the model.
        config: its configuration.

    Raises:
        ValueError: names each part, tensor or shape that differs, with both sizes.

    Cost: builds the model once more, without memory for its weights.
    """
    kind: Any = type(model)
    with torch.device("meta"):
        expected = kind(config)
    mine, theirs = _tensors(model), _tensors(expected)
    faults = [
        f"{name} is {mine[name]}, and config.json would make it {shape}"
        for name, shape in theirs.items()
        if name in mine and mine[name] != shape
    ]
    faults += [f"{name} is not a tensor of such a model" for name in mine if name not in theirs]
    faults += [f"{name} is missing" for name in theirs if name not in mine]
    if faults:
        raise ValueError(_message(faults, mine, theirs))
    parts = {name: type(part) for name, part in expected.named_modules()}
    for name, part in model.named_modules():
        if type(part) is not parts.get(name):
            made = f"a {parts[name].__name__}" if name in parts else "nothing"
            faults.append(f"{name} is a {type(part).__name__}, and config.json would make {made}")
    for name, tensor in model.named_parameters():
        if tensor.dtype not in DTYPES.values() or tensor.is_meta:
            held = "holds no numbers" if tensor.is_meta else f"is of {tensor.dtype}"
            faults.append(f"{name} {held}, and load reads {sorted(map(str, DTYPES.values()))}")
    if faults:
        raise ValueError(_message(faults, mine, theirs))


def _tensors(model: nn.Module) -> Tensors:
    """Return the shapes of parameters, a shared one once, and of saved buffers."""
    saved = model.state_dict(keep_vars=True)
    held = [*model.named_parameters(), *((n, b) for n, b in model.named_buffers() if n in saved)]
    return {name: tuple(tensor.shape) for name, tensor in held}


def _message(faults: list[str], mine: Tensors, theirs: Tensors) -> str:
    change = _change(mine, theirs)
    advice = f"set model.config = dataclasses.replace(model.config, {change})" if change else ""
    otherwise = "torch.save(model.state_dict(), …) keeps the weights of any model"
    return (
        "the model is not the one that its configuration makes, so that load could not bring it "
        f"back: {'; '.join(faults[:8])}{' and more' if len(faults) > 8 else ''}. "
        + (f"First {advice}" if advice else f"{otherwise[0].upper()}{otherwise[1:]}")
    )


def _change(mine: Tensors, theirs: Tensors) -> str:
    """Return the field of the configuration that would make the model, if there is one."""
    output = {name for name in mine.keys() ^ theirs.keys() if name.endswith("output.weight")}
    tied = "" if not output else f"tied={not output <= mine.keys()}"
    if len(mine.keys() ^ theirs.keys()) > len(output):
        return ""
    wrong = {name for name in mine.keys() & theirs.keys() if mine[name] != theirs[name]}
    tables = {name for name in wrong if name.endswith(("embedding.weight", "output.weight"))}
    sizes = {mine[name][0] for name in tables}
    if wrong != tables or len(sizes) > 1:
        return ""
    return ", ".join(filter(None, [f"vocabulary={min(sizes)}" if sizes else "", tied]))
