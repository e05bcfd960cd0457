"""Run the kernels of :mod:`plainformer.lab.triton_puzzles`; start with ``TRITON_INTERPRET=1``.

The program reads a JSON object of sources by kernel name, and prints a JSON object of verdicts as
its last line.
"""

import importlib.util
import json
import math
import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor

#: Distance between the starts of two tensors, so that an address near one belongs to it.
GAP = 1 << 14
HEADER = "import triton\nimport triton.language as tl\n\n\n@triton.jit\n"


class Puzzle(NamedTuple):
    """Inputs of a kernel, in the order of its parameters, and its expected output.

    Attributes:
        programs: the number of programs that run.
        inputs: tensors by name, which the kernel reads.
        numbers: whole and floating numbers by name.
        output: the tensor that the kernel is to write.
    """

    programs: int
    inputs: dict[str, Tensor]
    numbers: dict[str, float]
    output: Tensor


class OutsideError(IndexError):
    """A kernel reads or writes outside of every tensor."""


def puzzles() -> dict[str, Puzzle]:
    """Return the puzzles by the name of their kernel."""
    torch.manual_seed(0)
    x, y, odd = torch.randn(12), torch.randn(12), torch.randn(10)
    rows = 200 * torch.randn(5, 6)
    return {
        "add_vectors": Puzzle(3, {"x": x, "y": y}, {"BLOCK": 4}, x + y),
        "copy_vector": Puzzle(3, {"x": odd}, {"n": 10, "BLOCK": 4}, odd),
        "softmax_rows": Puzzle(5, {"x": rows}, {"n": 6, "BLOCK": 8}, rows.softmax(-1)),
        "attend_tile": _attention(q=24, k=10),
        "attend_block": _attention(q=24, k=40),
    }


def _attention(*, q: int, k: int, d: int = 16) -> Puzzle:
    inputs = {"query": torch.randn(q, d), "key": torch.randn(k, d), "value": torch.randn(k, d)}
    scores = inputs["query"] @ inputs["key"].T / d**0.5
    sizes = {"q": q, "k": k, "scale": d**-0.5, "D": d, "BLOCK": 16}
    return Puzzle(2, inputs, sizes, torch.softmax(scores, dim=-1) @ inputs["value"])


class Arena:
    """A block of memory with tensors far apart, so that each address belongs to one of them.

    Args:
        tensors: tensors by name; their numbers are copied.
    """

    def __init__(self, tensors: dict[str, Tensor]) -> None:
        self.memory = torch.full((GAP * len(tensors),), torch.nan)
        self.sizes = {name: x.numel() for name, x in tensors.items()}
        self.tensors: dict[str, Tensor] = {}
        for i, (name, x) in enumerate(tensors.items()):
            start = i * GAP + GAP // 2
            self.tensors[name] = self.memory[start : start + x.numel()].view(x.shape)
            self.tensors[name].copy_(x)

    def outside(self, address: int) -> str:
        """Return the tensor and number that an address outside refers to; empty if it is inside.

        Args:
            address: the address in bytes.
        """
        index, rest = divmod(address - self.memory.data_ptr(), 4)
        place = index // GAP
        if rest or not 0 <= place < len(self.sizes):
            return "an address that is far from every tensor"
        name = list(self.sizes)[place]
        offset, size = index - place * GAP - GAP // 2, self.sizes[name]
        if 0 <= offset < size:
            return ""
        return f"number {offset} of {name}, which has the numbers 0 to {size - 1}"


def guarded(builder: Any, arena: Arena) -> Callable[[], None]:
    """Make Triton's interpreter refuse addresses outside of the tensors; return the undo function.

    Args:
        builder: the interpreter's object that loads and stores.
        arena: the tensors of the kernel.

    Raises:
        OutsideError: a running kernel reads or writes outside of its tensors.
    """
    load, store = builder.create_masked_load, builder.create_masked_store

    def refuse(addresses: Any, mask: Any, verb: str) -> None:
        for address in addresses.data[mask.data.astype(bool)].ravel().tolist():
            if found := arena.outside(address):
                raise OutsideError(f"program {builder.grid_idx[0]} {verb} {found}")

    def guarded_load(ptrs: Any, mask: Any, *rest: Any) -> Any:
        refuse(ptrs, mask, "reads")
        return load(ptrs, mask, *rest)

    def guarded_store(ptrs: Any, value: Any, mask: Any, *rest: Any) -> Any:
        refuse(ptrs, mask, "writes")
        return store(ptrs, value, mask, *rest)

    def undo() -> None:
        del builder.create_masked_load, builder.create_masked_store

    builder.create_masked_load, builder.create_masked_store = guarded_load, guarded_store
    return undo


def verdict(name: str, source: str) -> str:
    """Run a kernel on its puzzle, and return "solved" or the first thing that is wrong.

    Args:
        name: name of the kernel, and of its puzzle.
        source: its source, starting at ``def``.
    """
    from triton.runtime.interpreter import (  # type: ignore[import-untyped]
        interpreter_builder,
    )

    known = puzzles()
    if name not in known:
        return f"there is no puzzle of this name; the names are {', '.join(known)}"
    puzzle = known[name]
    arena = Arena({**puzzle.inputs, "out": torch.full_like(puzzle.output, torch.nan)})
    undo = guarded(interpreter_builder, arena)
    try:
        kernel = _compiled(name, source)
        kernel[(puzzle.programs,)](*arena.tensors.values(), **puzzle.numbers)
    except Exception as error:
        return _reason(error)
    finally:
        undo()
    return _difference(arena.tensors["out"], puzzle.output)


def _compiled(name: str, source: str) -> Any:
    """Return a kernel; Triton reads its source from a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "kernel_of_a_reader.py")
        path.write_text(HEADER + source, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        kernel = getattr(module, name)
        kernel.rewrite()  # while the file is there
    return kernel


def _reason(error: BaseException) -> str:
    """Return the first cause of an error, in one line."""
    while error.__cause__ is not None:
        error = error.__cause__
    if isinstance(error, OutsideError):
        return str(error)
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


def _difference(got: Tensor, wanted: Tensor) -> str:
    """Return "solved", or the first number of the output that is wrong."""
    for i, (mine, right) in enumerate(
        zip(got.flatten().tolist(), wanted.flatten().tolist(), strict=True)
    ):
        if math.isnan(mine):
            return f"number {i} of out is nan, or no program has written it; expected {right:.4f}"
        if not math.isclose(mine, right, rel_tol=1e-4, abs_tol=1e-5):
            return f"number {i} of out is {mine:.4f}; expected {right:.4f}"
    return "solved"


def main() -> None:
    """Check the kernels of the standard input."""
    sources: dict[str, str] = json.load(sys.stdin)
    with redirect_stdout(sys.stderr):  # a kernel may print
        found = {name: verdict(name, source) for name, source in sources.items()}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
