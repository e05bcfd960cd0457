"""C5: decode with 6 layers of width 384, 42.6 MB of weights: more than the cache holds."""

from benchmarks import decoding
from benchmarks.harness import Row, compare
from benchmarks.peer_gpt_fast import gpt_fast
from benchmarks.peers import llama_style, prompts
from plainformer.generation.lean import LeanDecoder

WORK = "decode, 6 × 384, prompt 16 + 128, float32"
SHAPE = {"layers": 6, "width": 384, "heads": 6, "vocabulary": 65}


def measure(rounds: int) -> list[Row]:
    """Compare with transformers, with gpt-fast, and with the products alone."""
    rows = decoding.against_transformers(
        id="C5", work=WORK, shape=SHAPE, goals=(2.0, 0.8), rounds=rounds, warmup=2
    )
    return [*rows, against_gpt_fast(rounds)]


def against_gpt_fast(rounds: int) -> Row:
    """Compare with gpt-fast, its step compiled, on a model of Llama's kind."""
    model = llama_style(**SHAPE)
    prompt = prompts(model)
    peer = gpt_fast(model, prompt, decoding.NEW)
    value, note = None, "PLAINFORMER_PEERS names no folder with gpt-fast"
    if peer is not None:
        lean = LeanDecoder(model, capacity=decoding.PROMPT + decoding.NEW)
        contestants = {"ours": decoding.ours(lean, prompt), "gpt-fast": peer}
        decoding.check_same(contestants, "ours")
        times = compare(contestants, rounds=rounds)
        value = 1 / times.ratio("ours", "gpt-fast")
        low, high = times.spread("gpt-fast", "ours")
        note = f"its step compiled; quartiles {low:.2f} to {high:.2f}"
    return Row(
        id="C5",
        work="the same with a model of Llama's kind",
        peer="gpt-fast",
        value=value,
        unit="× its speed",
        goal=1.1,
        better="higher",
        note=note,
    )
