"""Models from checkpoints, and checkpoints from models: one call each.

Supported are GPT-2, Llama, Mistral, Qwen2, BERT and T5 in the layout of Hugging Face, and the files
that :func:`save` wrote. A setting is read, or known to have no effect, or refused by name.
"""

import contextlib
import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

import torch
from safetensors.torch import save_file
from torch import nn

from plainformer.devices import named
from plainformer.models import bert, gpt2, llama, t5
from plainformer.models.causes import causes_of, causes_of_repeats
from plainformer.models.checkpoints import (
    CONFIG,
    WEIGHTS,
    CheckpointError,
    CheckpointMismatch,
    UnsupportedCheckpoint,
    Weights,
    parse_json,
    read_json,
)
from plainformer.models.config import Config
from plainformer.models.encoder_decoder import EncoderDecoder
from plainformer.models.mapping import Family, Fit, Source, Sources, empty
from plainformer.models.one_stack import Decoder, Encoder, MaskedLanguageModel
from plainformer.models.saved import check_saved
from plainformer.models.settings import HARMLESS, Settings
from plainformer.models.storage import write_atomically
from plainformer.whole_numbers import wholes

GENERATION = "generation_config.json"
# Features of other architectures; false has no effect.
ELSEWHERE = dict.fromkeys(["is_decoder", "add_cross_attention", "tie_encoder_decoder"], False)
OUR_FIELDS: Mapping[str, str] = {}  # they keep their names
OURS: Mapping[str, type[nn.Module]] = {
    "Decoder": Decoder,
    "Encoder": Encoder,
    "EncoderDecoder": EncoderDecoder,
    "MaskedLanguageModel": MaskedLanguageModel,
}


def load(
    folder: Path | str,
    *,
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
    finite: bool = False,
    **changes: Any,
) -> nn.Module:
    """Read a model from a folder with ``config.json`` and safetensors, in one file or in shards.

    The model is in evaluation mode. Dropout probabilities of other libraries are not read, because
    they apply at other places. The end tokens are those of ``generation_config.json``, or else of
    ``config.json``; they become the configuration's ``end_tokens``.

    Args:
        folder: the folder of the files.
        dtype: dtype of the parameters; the widest in the files when left out.
        device: device of the parameters; the CPU when left out.
        finite: whether NaN and infinite weights are refused.
        changes: fields of :class:`~plainformer.models.config.Config` that replace the checkpoint's,
            such as ``context=4096`` or ``attention="flash"``.

    Returns:
        A :class:`~plainformer.models.one_stack.Decoder` (GPT-2, Llama, Mistral, Qwen2),
        :class:`~plainformer.models.one_stack.MaskedLanguageModel` or, if the file has no head,
        :class:`~plainformer.models.one_stack.Encoder` (BERT), or
        :class:`~plainformer.models.encoder_decoder.EncoderDecoder` (T5).

    Raises:
        CheckpointError: a file is missing, truncated or corrupt.
        UnsupportedCheckpoint: the configuration asks for something that is not supported.
        CheckpointMismatch: tensors are missing, extra or misshapen; all are listed.
        ValueError: ``changes`` has an unknown field or a value of the wrong type, or the changed
            model cannot be built; or this machine lacks the device.

    Cost: the memory of the parameters and of the largest tensor.
    """
    if dtype is not None and not (isinstance(dtype, torch.dtype) and dtype.is_floating_point):
        raise ValueError(f"dtype={dtype!r}: expected a floating-point dtype, such as torch.float32")
    folder, device = Path(folder), named("cpu" if device is None else device)
    if folder.is_file():
        raise CheckpointError(f"{folder} is a file: give the folder that holds it and {CONFIG}")
    values = read_json(folder / CONFIG)
    weights = Weights(folder)
    if CONFIG in weights.metadata:  # ours: it was written in one step with the weights
        values = parse_json(weights.metadata[CONFIG], folder / WEIGHTS)
    settings = Settings(values)
    settings.only(quantization_config=None, pruned_heads={}, **ELSEWHERE)
    family = settings.choice("model_type", "", FAMILIES)(settings, weights.shapes)
    with _blaming(folder / CONFIG):
        config = family.config(settings, {family.name(name) for name in weights.shapes})
    settings.raw("eos_token_id")
    if "end_tokens" not in changes:
        config = replace(config, end_tokens=config.end_tokens or _end_tokens(folder, settings))
    settings.refuse_unread(HARMLESS)
    changed = Config.from_dict({**config.to_dict(), **changes})
    _check_layers(changed, weights)
    try:
        model = _bodiless(family, changed)
    except (ValueError, RuntimeError, OverflowError) as error:
        with _blaming(folder / CONFIG):
            _bodiless(family, config)
        raise ValueError(f"load(…, {_spelt(changes)}): {error}") from error
    config = changed
    shapes = {name: tuple(parameter.shape) for name, parameter in model.named_parameters()}
    try:
        fit = Fit(family, family.sources(config), shapes, weights)
    except CheckpointMismatch as error:
        given = values.get("config", values) if family.settings is OUR_FIELDS else values
        causes = causes_of(family, config, weights, given=given, changes=changes)
        raise CheckpointMismatch(error.faults, causes=causes) from None
    empty(model, dtype=dtype or fit.dtype, device=device)
    try:
        fit.copy_into(model, finite=finite)
    except CheckpointMismatch as error:
        causes = causes_of_repeats(family, config, weights)
        raise CheckpointMismatch(error.faults, causes=causes) from None
    return model.eval()


def save(model: nn.Module, folder: Path | str) -> None:
    """Write a model of this package as ``config.json`` and ``model.safetensors``.

    The file of the weights also contains the configuration, and replaces the old file in one step,
    so that an interrupted call leaves the old model intact.

    Args:
        model: a Decoder, Encoder, EncoderDecoder or MaskedLanguageModel.
        folder: the folder of the files; it is created if it is missing.

    Raises:
        ValueError: the model is of another kind, or differs from the one that its configuration
            makes, so that :func:`load` could not read it; then nothing is written.
    """
    kind = type(model).__name__
    if OURS.get(kind) is not type(model):
        raise ValueError(f"model is a {kind}; expected one of {sorted(OURS)}")
    config: Config = cast(Any, model).config
    check_saved(model, config)
    text = json.dumps({"model_type": "plainformer", "model": kind, "config": config.to_dict()})
    tensors = {name: p.detach().contiguous() for name, p in model.named_parameters()}
    folder = Path(folder)
    write_atomically(folder / CONFIG, lambda part: part.write_text(text + "\n", "utf-8"))
    metadata = {CONFIG: text, "format": "pt"}
    write_atomically(folder / WEIGHTS, partial(save_file, tensors, metadata=metadata))


@contextlib.contextmanager
def _blaming(path: Path) -> Iterator[None]:
    """Name the file in errors about sizes and names from which no model can be built."""
    try:
        yield
    except CheckpointError:
        raise
    except (ValueError, RuntimeError, OverflowError) as error:
        raise UnsupportedCheckpoint(f"{path}: {error}") from error


def _bodiless(family: Family, config: Config) -> nn.Module:
    """Build a model whose parameters have shapes but no memory."""
    with torch.device("meta"):
        return family.model(config)


def _spelt(changes: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in changes.items())


def _end_tokens(folder: Path, settings: Settings) -> list[int]:
    """Return the tokens that end a text, from the first file that lists them."""
    given, path = settings.raw("eos_token_id"), folder / CONFIG
    if (folder / GENERATION).exists():
        path = folder / GENERATION
        given = read_json(path).get("eos_token_id", given)
    if given is None:
        return []
    try:
        return wholes(given if isinstance(given, list) else [given], "eos_token_id")
    except ValueError as error:
        raise UnsupportedCheckpoint(
            f"{path}: eos_token_id={given!r:.80}: expected the numbers of the tokens that end a "
            "text; correct it there, or give them: load(…, end_tokens=[2])"
        ) from error


def _check_layers(config: Config, weights: Weights) -> None:
    """Refuse more layers than there are tensors, before they are built."""
    layers, tensors = max(config.n_layers, config.n_encoder_layers or 0), len(weights.shapes)
    if layers > tensors:
        raise CheckpointMismatch({"missing": [f"most of {layers} layers, of {tensors} tensors"]})


def _ours(settings: Settings, names: Collection[str]) -> Family:
    build = settings.choice("model", "", OURS)

    def sources(config: Config) -> Sources:
        with torch.device("meta"):
            return {name: Source(name) for name, _ in build(config).named_parameters()}

    def config_from(settings: Settings, names: Collection[str]) -> Config:
        return Config.from_dict(settings.inner("config").all())

    return Family(model=build, config=config_from, sources=sources, settings=OUR_FIELDS)


FAMILIES: Mapping[str, Callable[[Settings, Collection[str]], Family]] = {
    "bert": lambda settings, names: bert.family_of(names),
    "gpt2": lambda settings, names: gpt2.FAMILY,
    "llama": lambda settings, names: llama.FAMILY,
    "mistral": lambda settings, names: llama.MISTRAL,
    "plainformer": _ours,
    "qwen2": lambda settings, names: llama.QWEN2,
    "t5": lambda settings, names: t5.FAMILY,
}
