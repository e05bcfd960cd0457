"""The GPU programs are compiled for three generations of GPU, without needing a GPU.

Triton includes NVIDIA's assembler, so the result is the code that a GPU would run. The test reads
the instructions that multiply, the shared memory of a run, and the register spills from it.
"""

import re
import subprocess
from pathlib import Path

import pytest
import torch

from plainformer.flash.gpu import TABLE, Tiles, tiles_for

triton = pytest.importorskip("triton", reason="Triton is made for Linux only")

TYPES = {torch.float16: "*fp16", torch.bfloat16: "*bf16", torch.float32: "*fp32"}
TENSORS = {  # the tensors whose strides a program receives
    "forward_queries": 4,
    "output_times_grad": 2,
    "backward_queries": 5,
    "backward_keys": 6,
}
KILOBYTE = 1024
SHARED = {(7, 5): 64 * KILOBYTE, (8, 0): 99 * KILOBYTE, (9, 0): 227 * KILOBYTE}
SPILLED = 64  # bytes per thread, at most


def programs():
    """List the four programs, imported here so that only these tests import Triton."""
    from plainformer.flash import kernel

    backward = kernel.output_times_grad, kernel.backward_queries, kernel.backward_keys
    return kernel.forward_queries, *backward


def compiled(program, dtype, capability, d, tiles, *, sloped=False):
    """Compile a program as for a call with such tensors."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    width = max(16, 1 << (d - 1).bit_length())
    constants = {"d": d, "width": width, "q_tile": tiles.q_tile, "k_tile": tiles.k_tile,
                 "sloped": sloped, "upcast": False}  # fmt: skip
    kinds = dict.fromkeys(("back", "ahead"), "i32") | {"scale": "fp32", "sizes": ("i32",) * 4}
    kinds["strides"] = (("i32",) * 3,) * TENSORS[program.__name__]
    kinds |= dict.fromkeys(("lse", "log_sums", "deltas"), "*fp32")
    kinds |= {"slopes": "*fp32"} if sloped else {}
    constants |= {} if sloped else {"slopes": None}
    signature, values, even = {}, {}, {}
    for place, name in enumerate(program.arg_names):
        constant = name in constants
        signature[name] = "constexpr" if constant else kinds.get(name, TYPES[dtype])
        if constant:
            values[place,] = constants[name]
        if signature[name] in {"*fp32", TYPES[dtype]}:  # addresses are multiples of 16,
            even[place,] = [["tt.divisibility", 16]]
        if name == "strides" and d % 16 == 0:  # and so are the strides of such widths
            even |= {
                (place, tensor, axis): [["tt.divisibility", 16]]
                for tensor in range(len(signature[name]))
                for axis in range(3)
            }
    return triton.compile(
        ASTSource(program, signature, values, even),
        target=GPUTarget("cuda", 10 * capability[0] + capability[1], 32),
        options={"num_warps": tiles.warps, "num_stages": tiles.stages},
    )


def stack(kernel, folder):
    """Return the bytes per thread that are spilled from registers."""
    tools = Path(triton.__file__).parent / "backends/nvidia/bin"
    (folder / "cubin").write_bytes(kernel.asm["cubin"])
    command = [tools / "cuobjdump", "-res-usage", folder / "cubin"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return int(re.search(r"STACK:(\d+)", said)[1])


def held(capability, dtype, d, folder, *, sloped=False):
    """Compile all programs for a GPU, and check its limits."""
    width = max(16, 1 << (d - 1).bit_length())
    forward, queries, keys = tiles_for(width, dtype, capability)
    tiles = forward, Tiles(64, 16, 4, 1), queries, keys
    for program, sides in zip(programs(), tiles, strict=True):
        kernel = compiled(program, dtype, capability, d, sides, sloped=sloped)
        told = f"{program.__name__} for {capability}, {dtype}, d={d}"
        assert kernel.asm["cubin"], told
        assert kernel.metadata.shared <= SHARED[capability], told
        if d == width and not sloped:
            assert stack(kernel, folder) <= SPILLED, told
        ptx = kernel.asm["ptx"]
        assert ".tf32" not in ptx, told
        multiplies = program.__name__ != "output_times_grad" and dtype != torch.float32
        # Triton emits no tensor-core instructions for 7.5.
        assert ("mma" in ptx) == (multiplies and capability >= (8, 0)), told


@pytest.mark.parametrize(
    ("capability", "instruction"), [((7, 5), "fma"), ((8, 0), "mma.sync"), ((9, 0), "wgmma.mma")]
)
def test_the_forward_pass_multiplies_with_the_best_instruction(capability, instruction):
    forward, *_ = programs()
    tiles, *_ = tiles_for(64, torch.float16, capability)
    assert instruction in compiled(forward, torch.float16, capability, 64, tiles).asm["ptx"]


@pytest.mark.slow
@pytest.mark.parametrize("row", TABLE, ids=str)
def test_every_row_of_the_table_fits_its_gpu(row, tmp_path):
    capability, itemsize, width = row
    for dtype in (torch.float16, torch.bfloat16) if itemsize == 2 else (torch.float32,):
        if dtype != torch.bfloat16 or capability >= (8, 0):
            held(capability, dtype, width, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("d", [1, 40])
@pytest.mark.parametrize("capability", [(7, 5), (8, 0), (9, 0)])
def test_odd_widths_and_slopes_compile(capability, d, tmp_path):
    held(capability, torch.float16, d, tmp_path, sloped=True)


@pytest.mark.parametrize("capability", [(7, 5), (8, 0), (8, 9), (9, 0), (12, 0)])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
@pytest.mark.parametrize("width", [16, 64, 128, 256])
def test_every_gpu_dtype_and_width_has_tiles(capability, dtype, width):
    if width == 256 and capability < (8, 0):  # supports denies it
        return
    for tiles in tiles_for(width, dtype, capability):
        assert min(tiles.q_tile, tiles.k_tile) >= 16


@pytest.mark.parametrize(
    ("width", "dtype", "capability"),
    [(512, torch.float16, (9, 0)), (64, torch.float64, (9, 0)), (64, torch.float16, (7, 0))],
)
def test_what_has_no_tiles_is_refused(width, dtype, capability):
    with pytest.raises(ValueError, match="has tiles up to width 256"):
        tiles_for(width, dtype, capability)
