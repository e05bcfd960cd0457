"""C6: decode with GPT-2 small's shape, 12 layers of width 768, 495 MB of weights."""

from benchmarks import decoding
from benchmarks.harness import Row

WORK = "decode, 12 × 768, prompt 16 + 128, float32"
SHAPE = {"layers": 12, "width": 768, "heads": 12, "vocabulary": 50257}


def measure(rounds: int) -> list[Row]:
    """Compare ``generate`` with transformers and with the products alone."""
    return decoding.against_transformers(
        id="C6", work=WORK, shape=SHAPE, goals=(1.25, 0.97), rounds=rounds, warmup=1
    )
