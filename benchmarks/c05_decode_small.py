"""C5: decode with 6 layers of width 384, 42.6 MB of weights: more than the cache holds."""

from benchmarks import decoding
from benchmarks.harness import Row, compare
from benchmarks.peer_gpt_fast import gpt_fast
from benchmarks.peers import llama_style, prompts

WORK = "decode, 6 × 384, prompt 16 + 128, float32"
SHAPE = {"layers": 6, "width": 384, "heads": 6, "vocabulary": 65}


def measure(rounds: int) -> list[Row]:
    """Compare ``generate`` with transformers, with gpt-fast, and with the products alone."""
    rows = decoding.against_transformers(
        id="C5", work=WORK, shape=SHAPE, goals=(2.0, 0.8), rounds=rounds, warmup=2
    )
    return [*rows, *against_gpt_fast(rounds)]


def against_gpt_fast(rounds: int) -> list[Row]:
    """Compare all paths with gpt-fast, its step compiled, on a model of Llama's kind."""
    model = llama_style(**SHAPE)
    prompt = prompts(model)
    peer = gpt_fast(model, prompt, decoding.NEW)
    times = None
    if peer is not None:
        contestants = decoding.all_paths(model, prompt) | {"gpt-fast": peer}
        decoding.check_same(contestants, "ours")
        times = compare(contestants, rounds=rounds)
    rows = []
    ways = ("ours", "", 1.1), ("first", decoding.FIRST, None), ("itself", decoding.ITSELF, None)
    for name, words, goal in ways:
        value, note = None, "PLAINFORMER_PEERS names no folder with gpt-fast"
        if times is not None:
            value = 1 / times.ratio(name, "gpt-fast")
            low, high = times.spread("gpt-fast", name)
            note = f"its step compiled; quartiles {low:.2f} to {high:.2f}"
        rows.append(
            Row(
                id="C5",
                work=", ".join(filter(None, ["the same with a model of Llama's kind", words])),
                peer="gpt-fast",
                value=value,
                unit="× its speed",
                goal=goal,
                better="higher",
                note=note,
            )
        )
    return rows
