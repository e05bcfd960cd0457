"""C3: queries × 20: does attention in tiles keep its speed and its precision?"""

import torch
from torch import Tensor

from benchmarks.c01_tiled_forward import fused, inputs, turns
from benchmarks.c02_forward_backward import step, tiled
from benchmarks.harness import Row, compare
from plainformer.attention import attend_heads
from plainformer.mask_rules import Rule

SHARP = 20.0


def measure(rounds: int) -> list[Row]:
    rows = []
    for n in (1024, 4096):
        normal, sharp = inputs(n, grad=True), inputs(n, size=SHARP, grad=True)
        sharp = tuple(x.detach().requires_grad_() for x in sharp)
        upstream = torch.randn(1, 8, n, 64)
        with torch.no_grad():
            forward = compare(
                {"sharp": lambda x=sharp: tiled(*x), "normal": lambda x=normal: tiled(*x)},
                **turns(n, rounds),
            )
        both = compare(
            {
                "sharp": lambda x=sharp, u=upstream: step(tiled, x, u),
                "normal": lambda x=normal, u=upstream: step(tiled, x, u),
                "kernel sharp": lambda x=sharp, u=upstream: step(fused, x, u),
                "kernel normal": lambda x=normal, u=upstream: step(fused, x, u),
            },
            **turns(n, rounds),
        )
        kernel = both.ratio("kernel sharp", "kernel normal")
        for what, times, note in [
            ("forward", forward, ""),
            ("forward + backward", both, f"SDPA's own: {kernel:.2f} ×"),
        ]:
            rows.append(
                Row(
                    id="C3",
                    work=f"queries × 20, {what}, N={n}",
                    peer="its own time on normal inputs",
                    value=times.ratio("sharp", "normal"),
                    unit="× its time",
                    goal=1.15,
                    better="lower",
                    note=note,
                )
            )
    return rows + errors(1024)


def errors(n: int) -> list[Row]:
    """Compare errors against float64, of the output and of each gradient."""
    sharp = [x.detach().requires_grad_() for x in inputs(n, size=SHARP)]
    upstream = torch.randn(1, 8, n, 64)
    ours, theirs = (values(f, sharp, upstream) for f in (tiled, fused))
    wide = [x.detach().double().requires_grad_() for x in sharp]
    exact = values(lambda *x: attend_heads(*x, Rule()), wide, upstream.double())
    rows = []
    for name, mine, other, true in zip(
        ("output", "queries' gradient", "keys' gradient", "values' gradient"),
        ours,
        theirs,
        exact,
        strict=True,
    ):
        error, peer = ((x.double() - true).norm() for x in (mine, other))
        rows.append(
            Row(
                id="C3",
                work=f"queries × 20, error of the {name}, N={n}",
                peer="SDPA's C++ kernel",
                value=float(error / peer),
                unit="× its error",
                goal=1.5,
                better="lower",
                note=f"root of summed squares, {float(error / true.norm()):.1e} of the value",
            )
        )
    return rows


def values(f: object, tensors: list[Tensor], upstream: Tensor) -> list[Tensor]:
    """Return the output and the gradients."""
    out = f(*tensors)  # type: ignore[operator]
    return [out.detach(), *torch.autograd.grad(out, tensors, upstream)]
