"""C10: one training step, 6 layers × 384, 12 rows of 256 tokens, beside nanoGPT's.

The peer is read from the folder that PLAINFORMER_PEERS names. Both models have the same shape
(learned positions, layer norm, GELU, no bias, tied) and do the same: forward, loss, backward, clip,
AdamW.
"""

import contextlib
import importlib.util
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import torch
from torch import nn

from benchmarks.harness import Row, compare
from plainformer.models import Config, Decoder
from plainformer.training.losses import summed_cross_entropy
from plainformer.training.optimiser import adamw, clip
from plainformer.training.products import use_in

ROWS, CONTEXT, VOCABULARY, WIDTH, LAYERS, HEADS = 12, 256, 65, 384, 6, 6
WORK = "training step, 6 × 384, B12 T256"


def measure(rounds: int, suffix: str = "") -> list[Row]:
    torch.manual_seed(0)
    tokens = torch.randint(VOCABULARY, (ROWS, CONTEXT))
    targets = torch.randint(VOCABULARY, (ROWS, CONTEXT))
    contestants = {
        "ours": ours(tokens, targets, torch.float32),
        "bfloat16": ours(tokens, targets, torch.bfloat16),
        "products": products(torch.float32),
        "bfloat16 products": products(torch.bfloat16),
    }
    if peer := nano():
        contestants["nanoGPT"] = theirs(peer, tokens, targets)
    times = compare(contestants, rounds=rounds, warmup=1)

    def row(name: str, rival: str, goal: float | None, work: str) -> Row:
        value = times.ratio(rival, name) if {name, rival} <= set(contestants) else None
        spread = "" if value is None else "quartiles {:.2f} to {:.2f}"
        note = spread.format(*times.spread(rival, name)) if spread else ""
        return Row(
            id="C10",
            work=work + suffix,
            peer=rival,
            value=value,
            unit="× its speed",
            goal=goal,
            better="higher",
            note=note,
        )

    return [
        row("ours", "nanoGPT", 1.1, f"{WORK}, float32"),
        row("bfloat16", "nanoGPT", 2.6, f"{WORK}, bfloat16 against its float32"),
        row("products", "nanoGPT", None, "its matrix products alone, float32"),
        row("bfloat16 products", "nanoGPT", None, "its matrix products alone, bfloat16"),
    ]


def ours(tokens: torch.Tensor, targets: torch.Tensor, dtype: torch.dtype) -> Callable[[], object]:
    config = Config(
        vocabulary=VOCABULARY,
        d_model=WIDTH,
        n_layers=LAYERS,
        n_heads=HEADS,
        context=CONTEXT,
        positions="learned",
        norm="layer",
        feedforward="gelu",
    )
    model = use_in(Decoder(config))
    optimiser = adamw(model, rate=1e-3)
    weights = torch.ones(tokens.shape)
    narrow = dtype is not torch.float32

    def step() -> float:
        with torch.autocast("cpu", dtype, enabled=narrow):
            logits = model(tokens)
        loss = summed_cross_entropy(logits, targets, weights) / weights.sum()
        loss.backward()
        clip(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad()
        return loss.item()

    return step


def theirs(peer: ModuleType, tokens: torch.Tensor, targets: torch.Tensor) -> Callable[[], object]:
    shape = {"n_layer": LAYERS, "n_head": HEADS, "n_embd": WIDTH}
    config = peer.GPTConfig(block_size=CONTEXT, vocab_size=VOCABULARY, bias=False, **shape)
    with contextlib.redirect_stdout(io.StringIO()):
        model = peer.GPT(config)
        optimiser = model.configure_optimizers(0.1, 1e-3, (0.9, 0.95), "cpu")

    def step() -> float:
        _, loss = model(tokens, targets)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        optimiser.zero_grad(set_to_none=True)
        return loss.item()

    return step


def products(dtype: torch.dtype) -> Callable[[], object]:
    """Multiply what the linear layers of a step must: once forward, twice backward."""
    n, m = ROWS * CONTEXT, WIDTH
    shapes = [(m, 3 * m), (m, m), (m, 4 * m), (4 * m, m)]
    made = [(torch.randn(n, a, dtype=dtype), torch.randn(b, a, dtype=dtype)) for a, b in shapes]
    outputs = [torch.randn(n, b, dtype=dtype) for _, b in shapes]

    def step() -> None:
        for _ in range(LAYERS):
            for (x, weight), gradient in zip(made, outputs, strict=True):
                x @ weight.t()
                gradient @ weight
                gradient.t() @ x

    return step


def nano() -> ModuleType | None:
    """Load the peer's model, or return None where it is not here."""
    path = Path(os.environ.get("PLAINFORMER_PEERS", "")) / "nanoGPT" / "model.py"
    if not path.is_file():
        return None
    spec = importlib.util.spec_from_file_location("nanogpt_model", path)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclass looks itself up there
    spec.loader.exec_module(module)
    return module
