"""The GPU kernel against each of SDPA's back ends by name: `python -m benchmarks.gpu_flash`.

SDPA chooses among kernels that differ by a factor of two, so every peer is named. Without a GPU
this stops and says so.
"""

import argparse
import dataclasses
import datetime
import json
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from benchmarks.harness import Row, compare
from plainformer.flash.gpu import attend, supports
from plainformer.mask_rules import Rule

RESULT = Path(__file__).parent / "results" / "gpu.json"
PEERS = {
    "SDPA FLASH_ATTENTION": SDPBackend.FLASH_ATTENTION,
    "SDPA CUDNN_ATTENTION": SDPBackend.CUDNN_ATTENTION,
    "SDPA EFFICIENT_ATTENTION": SDPBackend.EFFICIENT_ATTENTION,
}
TOKENS = 16384  # in all sequences together, so that every length has the same number of rows
REPEAT = 10  # calls for each wait: a launch is asynchronous, and one wait costs as much as a launch


def ours(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return attend(query, key, value, rule=Rule(), scale=query.shape[-1] ** -0.5)[0]


def peer(backend: SDPBackend) -> Callable[[Tensor, Tensor, Tensor], Tensor]:
    def call(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(query, key, value, is_causal=True)

    return call


def waited(call: Callable[..., Tensor], inputs: list[Tensor], grad: Tensor | None) -> Callable:
    """Return a contestant: REPEAT calls, with gradients where one is given, then one wait."""

    def run() -> None:
        for _ in range(REPEAT):
            output = call(*inputs)
            if grad is not None:
                torch.autograd.grad(output, inputs, grad)
        torch.cuda.synchronize()

    return run


def runs(call: Callable[[], None]) -> bool:
    """Return whether a back end takes these inputs on this GPU."""
    try:
        call()
    except RuntimeError as error:
        if "out of memory" in str(error):
            raise
        return False
    return True


def rows(n: int, d: int, dtype: torch.dtype, backward: bool, rounds: int) -> list[Row]:
    """Time one size: a row for each peer (ours ÷ its time), and one for our operations a second."""
    b, h = TOKENS // n, 2048 // d
    inputs = [
        torch.randn(b, h, n, d, device="cuda", dtype=dtype, requires_grad=backward)
        for _ in range(3)
    ]
    if not supports(*inputs, Rule(), None):
        return []
    grad = torch.randn_like(inputs[0]) if backward else None
    contestants = {"ours": waited(ours, inputs, grad)}
    for name, backend in PEERS.items():
        contestant = waited(peer(backend), inputs, grad)
        if runs(contestant):
            contestants[name] = contestant
    times = compare(contestants, rounds=rounds)
    passes = "forward + backward" if backward else "forward"
    work = f"causal {passes}, B{b} H{h} N{n} D{d} {str(dtype).removeprefix('torch.')}"
    same = {"id": "GPU", "work": work, "goal": None}
    found = [
        Row(**same, peer=name, unit="× its time", better="lower",
            value=times.ratio("ours", name) if name in contestants else None)
        for name in PEERS
    ]  # fmt: skip
    # Two products of 2·n·n·d forward and five backward; causality leaves half of them.
    operations = (3.5 if backward else 1) * 2 * b * h * n * n * d * REPEAT
    for name in contestants:
        speed = operations / times.median(name) / 1e12
        found.append(Row(**same, peer=name, value=speed, unit="TFLOP/s", better="higher"))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gpu_flash", description=__doc__)
    parser.add_argument("--rounds", type=int, default=15, help="rounds that are counted (15)")
    arguments = parser.parse_args()
    if not torch.cuda.is_available():
        print("no CUDA GPU here: this benchmark needs one; nothing was written", file=sys.stderr)
        return 1
    torch.manual_seed(0)
    half = torch.bfloat16 if torch.cuda.get_device_capability() >= (8, 0) else torch.float16
    found = []
    for n in (512, 1024, 2048, 4096, 8192, 16384):
        for d in (64, 128):
            for backward in (False, True):
                for row in rows(n, d, half, backward, arguments.rounds):
                    value = "not here" if row.value is None else f"{row.value:.3g} {row.unit}"
                    print(f"{row.work:55} {row.peer:25} {value}", flush=True)
                    found.append(row)
    data = {
        "command": f"python -m benchmarks.gpu_flash --rounds {arguments.rounds}",
        "date": datetime.date.today().isoformat(),
        "gpu": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "rows": [dataclasses.asdict(row) for row in found],
    }
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
