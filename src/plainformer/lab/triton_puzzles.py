"""Puzzles for kernels in Triton, checked in Triton's interpreter on any processor.

A kernel is written as a plain function, without ``@triton.jit``. :func:`check` runs it in a second
process, because Triton must be imported with ``TRITON_INTERPRET=1``. In that process each address
that the kernel reads or writes is compared with the tensors that it was given.
"""

import inspect
import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from textwrap import dedent
from types import SimpleNamespace
from typing import Any

try:
    import triton.language as tl  # type: ignore[import-untyped]  # Triton has no types
except ImportError:  # enough to define a kernel with annotated parameters
    tl = SimpleNamespace(constexpr="constexpr")

WITHOUT_TRITON = (
    "Triton is missing here, so no kernel was run. It exists for Linux: on a Mac or on Windows "
    "open this notebook in Colab, where it is installed, in WSL, or in the course's container. On "
    "Linux, run `pip install triton`."
)
SECONDS = 60


def check(*kernels: Callable[..., Any]) -> list[str]:
    """Run kernels in the interpreter, print the verdict on each, and return these lines.

    The name of a kernel is that of its puzzle: ``add_vectors``, ``copy_vector``, ``softmax_rows``,
    ``attend_tile`` or ``attend_block``.

    Args:
        kernels: plain functions with the parameters of their puzzles.

    Returns:
        For each kernel a line: "solved", or the first thing that is wrong. One line for all if
        Triton is missing.
    """
    lines = [WITHOUT_TRITON] if find_spec("triton") is None else _checked(kernels)
    print("\n".join(lines))
    return lines


def source_of(kernel: Callable[..., Any]) -> str:
    """Return the source of a kernel, starting at ``def``, without decorators.

    Raises:
        OSError: The source cannot be found; in a notebook it can be found for functions of its
            cells.
    """
    function = getattr(kernel, "fn", kernel)
    lines = dedent(inspect.getsource(function)).splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("def "))
    return "\n".join(lines[first:]) + "\n"


def _checked(kernels: tuple[Callable[..., Any], ...]) -> list[str]:
    sources = {getattr(kernel, "__name__", "?"): source_of(kernel) for kernel in kernels}
    command = [sys.executable, "-m", "plainformer.lab.triton_interpreted"]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(sources),
            env={**os.environ, "TRITON_INTERPRET": "1"},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return [f"No kernel came to an end within {SECONDS} seconds."]
    if done.returncode:
        return [f"The interpreter stopped: {(done.stderr.strip().splitlines() or ['?'])[-1]}"]
    found: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return [f"{name}: {said}" for name, said in found.items()]
