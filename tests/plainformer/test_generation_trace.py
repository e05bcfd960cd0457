"""The files through which a call runs, which a reader who follows it has to open."""

import sys
from pathlib import Path

import pytest
import torch

import plainformer
from plainformer.generation import PromptLookup, Sampler, generate
from plainformer.models import Config, Decoder

ROOT = Path(plainformer.__file__).parent
# Grouped queries, rotary positions, RMSNorm before each sublayer, SwiGLU: the form of Llama.
CONFIG = Config(vocabulary=13, d_model=16, n_layers=2, n_heads=4, n_kv_heads=2, context=24)

FORWARD = {
    "models/one_stack.py",
    "models/stack.py",
    "blocks.py",
    "norms.py",
    "feedforward.py",
    "multihead.py",
    "positions/rotary.py",
    "mask_rules.py",
    "mask_tensors.py",
    "sdpa.py",
    "models/lengths.py",  # a context that is too long is refused
    "models/mixed.py",  # weights of several dtypes are refused, too
}
AROUND = {
    "generation/generate.py",
    "generation/reading.py",
    "generation/sampling.py",
    "generation/drawing.py",
    "generation/stopping.py",
    "whole_numbers.py",
    "unknown_fields.py",  # when a sampler is made
}
# A cache reports its heads, and checks whether the back end supports them.
CACHED = {*FORWARD, *AROUND, "cache/base.py", "cache/grouped.py", "attention.py", "modes.py"}
LEAN = {
    *AROUND,
    "generation/fast.py",
    "generation/fingerprint.py",
    "generation/lean/decoder.py",
    "generation/lean/layers.py",
    "generation/lean/products.py",
    "generation/lean/recipe.py",
    "generation/lean/store.py",
    # Its sizes are checked, its positions rotated and a prompt read like the model's.
    "cache/base.py",
    "models/lengths.py",
    "observing.py",
    "exact.py",
    "positions/rotary.py",
    "mask_rules.py",
    "mask_checks.py",
    "mask_tensors.py",
    "sdpa.py",
}


def passed(call) -> set[str]:
    """List the files of the package in which a function runs during a call."""
    files = set()

    def note(frame, event, argument):
        if event == "call":
            files.add(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return {str(p.relative_to(ROOT)) for p in map(Path, files) if ROOT in p.parents}


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    return Decoder(CONFIG).eval()


def test_the_model_alone_passes_twelve_files(model):
    assert passed(lambda: model(torch.tensor([[1, 2, 3]]))) == FORWARD
    assert len(FORWARD) == 12


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_cached_generation_passes_twenty_three_files(model, temperature):
    def run():
        sampler = Sampler(temperature=temperature, top_p=0.9, seed=0)
        generate(model, [[1, 2]], max_new_tokens=4, sampler=sampler)

    assert passed(run) == CACHED
    assert len(CACHED) == 23


@pytest.mark.parametrize(
    ("asked", "more"),
    [
        ({"prompts": [[1, 2], [3]]}, {"mask_checks.py"}),
        ({"drafter": PromptLookup(2)}, {"generation/drafting.py", "generation/speculative.py"}),
        ({"caches": "static"}, {"cache/static.py", "models/caches.py", "models/config.py"}),
    ],
)
def test_what_is_asked_for_besides_adds_its_own_files(model, asked, more):
    call = {"prompts": [[1, 2]], "max_new_tokens": 4, **asked}
    assert passed(lambda: generate(model, **call)) == CACHED | more


def test_the_fast_path_passes_twenty_three_files_and_not_the_models(model):
    assert passed(lambda: generate(model, [[1, 2]], max_new_tokens=4, fast=True)) == LEAN
    assert len(LEAN) == 23
