"""Run the GPU kernel on a GPU if available, and otherwise in Triton's interpreter.

Triton decides at import whether to interpret, for the whole process. The interpreter therefore has
a separate process, which lives as long as a file of tests, and does not affect other tests.
"""

import io
import os
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any, BinaryIO

import torch
from torch import Tensor

from plainformer.flash.gpu import attend
from plainformer.mask_rules import Rule

ROOT = Path(__file__).parents[2]
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


class Interpreter:
    """A process in which :func:`run` is interpreted."""

    def __enter__(self) -> "Interpreter":
        paths = os.pathsep.join([*(str(Path(p).resolve()) for p in sys.path), str(ROOT)])
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.plainformer.triton_interpreter"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env={**os.environ, "TRITON_INTERPRET": "1", "PYTHONPATH": paths},
        )
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()

    def run(self, **call: Any) -> dict[str, Tensor]:
        """Call :func:`run` in the process."""
        assert self.process.stdin
        assert self.process.stdout
        write(self.process.stdin, call)
        answer = read(self.process.stdout)
        assert answer is not None, "the interpreter's process ended; see what it wrote"
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer


def run(
    *,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    grad: Tensor,
    rule: dict[str, Any] | None,
    scale: float,
    slopes: Tensor | None = None,
    d_lse: Tensor | None = None,
) -> dict[str, Tensor]:
    """Attend, run the backward pass, and return output, log-sum-exp and the three gradients."""
    inputs = [x.detach().to(DEVICE).requires_grad_() for x in (query, key, value)]
    slopes = None if slopes is None else slopes.to(DEVICE)
    ours = None if rule is None else Rule(**rule)
    output, lse = attend(*inputs, rule=ours, scale=scale, slopes=slopes)
    both = [(output, grad)] if d_lse is None else [(output, grad), (lse, d_lse)]
    gradients = torch.autograd.grad(
        [x for x, _ in both], inputs, [upstream.to(DEVICE) for _, upstream in both]
    )
    names = "output", "lse", "query", "key", "value"
    named = zip(names, (output.detach(), lse.detach(), *gradients), strict=True)
    return {name: x.cpu() for name, x in named}


def write(stream: BinaryIO, message: dict[str, Any]) -> None:
    """Write a message, its length first."""
    buffer = io.BytesIO()
    torch.save(message, buffer)
    stream.write(struct.pack("<q", buffer.tell()) + buffer.getvalue())
    stream.flush()


def read(stream: BinaryIO) -> dict[str, Any] | None:
    """Read a message, or None at the end."""
    length = stream.read(8)
    if len(length) < 8:
        return None
    message = torch.load(io.BytesIO(stream.read(struct.unpack("<q", length)[0])))
    assert isinstance(message, dict)
    return message


if __name__ == "__main__":
    torch.set_num_threads(1)
    while (call := read(sys.stdin.buffer)) is not None:
        try:
            reply: dict[str, Any] = run(**call)
        except Exception as error:
            reply = {"error": repr(error)}
        write(sys.stdout.buffer, reply)
