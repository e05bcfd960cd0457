"""C9: decode several sequences at once; products of several vectors, and more keys and values."""

import torch

from benchmarks import c05_decode_small, decoding
from benchmarks.harness import Row, compare
from benchmarks.peers import gpt2_style, prompts
from plainformer.generation.lean import LeanDecoder

GOALS = {"float32": 1.6, "bfloat16": 2.8}


def measure(rounds: int) -> list[Row]:
    """Compare with transformers in float32, ours in float32 and with bfloat16 products."""
    rows = []
    model = gpt2_style(**c05_decode_small.SHAPE)
    capacity = decoding.PROMPT + decoding.NEW
    for b in (16, 64):
        prompt = prompts(model, b=b)
        leans = {w: LeanDecoder(model, batch=b, capacity=capacity, weights=w) for w in GOALS}
        loops = decoding.transformers_loops(model, prompt)
        own = {w: decoding.ours(lean, prompt) for w, lean in leans.items()}
        decoding.check_same({"ours": own["float32"], **loops}, "ours")
        same = float((own["bfloat16"]() == own["float32"]()).to(torch.float32).mean())
        few = max(3, rounds * 16 // (16 + b))  # a round of 64 sequences takes half a minute
        times = compare({**own, **loops}, rounds=few, warmup=1)
        for weights, goal in GOALS.items():
            value, note = decoding.times_faster(times, weights)
            if weights != "float32":
                note += f"; {same:.0%} of the tokens are those of float32"
            rows.append(
                Row(
                    id="C9",
                    work=f"decode, 6 × 384, batch {b}, {weights}",
                    peer="transformers, float32",
                    value=value,
                    unit="× its speed",
                    goal=goal,
                    better="higher",
                    note=note,
                )
            )
    return rows
