"""A small GPT-2 checkpoint, made from its own table of tensors."""

import json
from collections.abc import Callable
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from plainformer.models import Decoder, gpt2
from plainformer.models.settings import Settings

GPT2 = {
    "model_type": "gpt2",
    "vocab_size": 11,
    "n_embd": 8,
    "n_layer": 1,
    "n_head": 2,
    "n_positions": 16,
}


def write_gpt2(folder: Path) -> Path:
    """Write the checkpoint, and return its folder."""
    config = gpt2.config_from(Settings(GPT2))
    shapes = {name: tuple(p.shape) for name, p in Decoder(config).named_parameters()}
    draw = torch.Generator().manual_seed(0)
    tensors = {
        source.name: 0.1 * torch.randn(source.shape(shapes[ours]), generator=draw)
        for ours, source in gpt2.sources(config).items()
        if ours in shapes
    }
    save_file(tensors, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps(GPT2))
    return folder


def change(folder: Path, edit: Callable[[dict[str, Tensor]], object]) -> None:
    """Edit the tensors of a checkpoint."""
    tensors = load_file(folder / "model.safetensors")
    edit(tensors)
    save_file({n: t.contiguous() for n, t in tensors.items()}, folder / "model.safetensors")


def change_settings(folder: Path, **settings: object) -> None:
    """Add settings to a checkpoint's configuration, or change them."""
    path = folder / "config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **settings}))
