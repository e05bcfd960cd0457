"""C9: decode several sequences at once; products of several vectors, and more keys and values."""

import torch

from benchmarks import c05_decode_small, decoding
from benchmarks.harness import Row, compare
from benchmarks.peers import gpt2_style, prompts

# The last is the model itself: nothing is packed.
GOALS = {"float32": 1.6, "bfloat16": 2.8, f"float32, {decoding.ITSELF}": None}


def measure(rounds: int) -> list[Row]:
    """Compare ``generate``, in float32 and with bfloat16 products, with transformers in float32."""
    rows = []
    # Of one model only what was packed last is kept, and the contestants take turns.
    model, twin = (gpt2_style(**c05_decode_small.SHAPE) for _ in range(2))
    for b in (16, 64):
        prompt = prompts(model, b=b)
        loops = decoding.transformers_loops(model, prompt)
        packed, itself = (decoding.ours(model, prompt, path=path) for path in ("lean", "model"))
        decoding.check_same({"ours": packed, "itself": itself, **loops}, "ours")
        rounded = decoding.ours(twin, prompt, weights="bfloat16")
        own = dict(zip(GOALS, (packed, rounded, itself), strict=True))
        same = float((own["bfloat16"]() == own["float32"]()).to(torch.float32).mean())
        few = min(rounds, max(3, rounds * 16 // (16 + b)))  # 64 sequences take half a minute
        times = compare({**own, **loops}, rounds=few, warmup=1)
        for weights, goal in GOALS.items():
            value, note = decoding.times_faster(times, weights)
            if weights == "bfloat16":
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
