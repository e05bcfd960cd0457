"""C7: decode with weights of one byte, against the transformers library in float32."""

import math

from benchmarks import c05_decode_small, c06_decode_medium, decoding
from benchmarks.harness import Row, compare
from benchmarks.peers import gpt2_style, prompts
from plainformer.generation import LeanDecoder

GOALS = ((c05_decode_small, 3.2), (c06_decode_medium, 3.7))


def measure(rounds: int) -> list[Row]:
    """Compare both shapes with transformers, and report what the rounding does to the loss."""
    rows = []
    for other, goal in GOALS:
        model = gpt2_style(**other.SHAPE)
        prompt = prompts(model)
        contestants = {"ours": decoding.ours(model, prompt, weights="int8")}
        contestants |= decoding.transformers_loops(model, prompt)
        times = compare(contestants, rounds=rounds, warmup=1)
        value, note = decoding.times_faster(times, "ours")
        lean = LeanDecoder(model, capacity=decoding.PROMPT + decoding.NEW, weights="int8")
        loss, change = decoding.loss_change(model, lean, decoding.ours(model, prompt)())
        work = other.WORK.replace("float32", "int8 weights")
        rows += [
            Row(
                id="C7",
                work=work,
                peer="transformers, float32",
                value=value,
                unit="× its speed",
                goal=goal,
                better="higher",
                note=note,
            ),
            Row(
                id="C7",
                work=work,
                peer="our loss in float32",
                value=change,
                unit=f"nats above {loss:.3f}",
                goal=None,
                better="lower",
                note="random weights, a text that the float32 model wrote itself; "
                f"drawing at random would cost {math.log(model.config.vocabulary):.2f}",
            ),
        ]
    return rows
