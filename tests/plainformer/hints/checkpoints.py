"""Advice in errors on a checkpoint's files, with calls that follow each part."""

import dataclasses

import torch
from safetensors.torch import load_file, save_file

from plainformer.models.pretrained import load, save
from tests.plainformer.hints.parts import model, place
from tests.plainformer.hints.rows import Hint
from tests.plainformer.small_checkpoints import change, change_settings, write_gpt2
from tests.plainformer.tensors import normal


def with_output():
    """Write a checkpoint with a tensor for the output, which its configuration ties."""
    folder = write_gpt2(place())
    change(folder, lambda tensors: tensors.update({"lm_head.weight": normal(11, 8, seed=5)}))
    return folder


def told_apart():
    folder = with_output()
    change_settings(folder, tie_word_embeddings=False)
    return folder


def as_pickle(convert):
    """Store a checkpoint's tensors as a pickle, and write the file of its library next to it."""
    folder = write_gpt2(place())
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(tensors, folder / "pytorch_model.bin")
    if convert:
        save_file(tensors, folder / "model.safetensors")
    return folder


def cut_off(again):
    folder = write_gpt2(place())
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole if again else whole[:-40])
    return folder


def widened(configured):
    """Save a model whose tables have new tokens, with its old or its current configuration."""
    ours = model(tied=True)
    ours.embedding = torch.nn.Embedding(13, 8)
    ours.output.weight = ours.embedding.weight
    if configured:
        ours.config = dataclasses.replace(ours.config, vocabulary=13)
    save(ours, place() / "saved")


HINTS = [
    Hint(
        "set … to false there, or read both with load(…, tied=False)",
        lambda: load(with_output()),
        [lambda: load(told_apart()), lambda: load(with_output(), tied=False)],
    ),
    Hint(
        "Convert it with its own library",
        lambda: load(as_pickle(convert=False)),
        [lambda: load(as_pickle(convert=True))],
    ),
    Hint(
        "is cut off or corrupt (…): fetch it again",
        lambda: load(cut_off(again=False)),
        [lambda: load(cut_off(again=True))],
    ),
    Hint(
        "set model.config = dataclasses.replace(model.config, …)",
        lambda: widened(configured=False),
        [lambda: widened(configured=True)],
    ),
]
