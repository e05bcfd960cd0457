"""Every product is x·W + b for any storage of its weights; memory keeps its content."""

import time

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st

from plainformer.generation.lean import layers, products
from plainformer.generation.lean.layers import product_of
from plainformer.generation.lean.products import (
    Bags,
    ByteBags,
    Packed,
    Plain,
    blocked,
    multiplied_in,
)
from plainformer.generation.lean.recipe import Affine, NotLean
from plainformer.generation.lean.store import HUGE, LINE, stretch, together, zeros
from tests.plainformer.tensors import SEEDS, normal

SIZES = st.sampled_from([1, 3, 16, 31, 32, 65, 400])
FEW = settings(max_examples=12)
MAKE = {
    "plain": lambda w, b: Plain(w, b, torch.float32),
    "packed": lambda w, b: Packed(w, b, torch.float32, rows=2),
    "bags": lambda w, b: Bags(w, b, torch.float32),
    "packed bf16": lambda w, b: Packed(w, b, torch.bfloat16, rows=2),
    "plain bf16": lambda w, b: Plain(w, b, torch.bfloat16),
    "bags bf16": lambda w, b: Bags(w, b, torch.bfloat16),
}


@pytest.fixture
def without_bfloat16(monkeypatch):
    """Imitate a processor without AVX-512, on which oneDNN refuses bfloat16 with its message."""
    real = torch.ops.mkldnn._reorder_linear_weight

    def refuses(weight, rows):
        if weight.dtype == torch.bfloat16:
            raise RuntimeError(
                "mkldnn_reorder_linear_weight: bf16 path needs the cpu support "
                "avx_ne_convert or avx512bw, avx512vl and avx512dq"
            )
        return real(weight, rows)

    monkeypatch.setattr(torch.ops.mkldnn, "_reorder_linear_weight", refuses)
    multiplied_in.cache_clear()
    yield
    multiplied_in.cache_clear()


def rounded(x):
    return x.bfloat16().double()


@pytest.mark.parametrize("rows", [1, 5])
@pytest.mark.parametrize("kind", ["packed bf16", "bags bf16"])
def test_where_no_product_takes_bfloat16_its_numbers_are_multiplied_in_float32(
    kind, rows, without_bfloat16
):
    weight, bias, x = normal(65, 31, seed=0), normal(31, seed=1), normal(rows, 65, seed=2)
    found = MAKE[kind](weight, bias).many(x.float())
    exact = x.float().double() @ rounded(weight) + rounded(bias)
    torch.testing.assert_close(found.double(), exact, rtol=1e-5, atol=1e-5)


def test_the_type_of_products_is_asked_for_once(without_bfloat16, monkeypatch):
    assert multiplied_in(torch.bfloat16) == torch.float32
    assert multiplied_in(torch.float32) == torch.float32
    monkeypatch.delattr(torch.ops.mkldnn, "_reorder_linear_weight")
    assert multiplied_in(torch.bfloat16) == torch.float32


@pytest.mark.parametrize("kind", MAKE)
@FEW
@given(n=SIZES, o=SIZES, bias=st.booleans(), rows=st.sampled_from([1, 2, 5]), seed=SEEDS)
@example(n=3, o=400, bias=True, rows=5, seed=0)
@example(n=3, o=400, bias=False, rows=1, seed=0)
def test_every_product_is_the_matrix_times_the_vector_plus_the_bias(kind, n, o, bias, rows, seed):
    weight, b = normal(n, o, seed=seed), normal(o, seed=seed + 1) if bias else None
    x = normal(rows, n, seed=seed + 2)
    product = MAKE[kind](weight, b)
    size = x.abs() @ weight.abs() + (0 if b is None else b.abs())
    exact = x @ weight + (0 if b is None else b)
    for call in (product, product.many) if rows == 1 or "bags" not in kind else (product.many,):
        found = call(x.float())
        assert found.dtype == torch.float32
        eps = torch.finfo(torch.bfloat16 if "bf16" in kind else torch.float32).eps
        # Each factor and the result are rounded once; sums add a little for each term.
        bound = (2 if "bf16" in kind else 0.1 * n + 2) * eps * size
        assert ((found - exact).abs() <= bound).all()


@FEW
@given(n=SIZES, o=SIZES, bias=st.booleans(), rows=st.sampled_from([1, 2, 5]), seed=SEEDS)
@example(n=3, o=400, bias=True, rows=5, seed=0)
@example(n=3, o=400, bias=False, rows=1, seed=0)
def test_bytes_err_by_half_a_step_of_their_row_at_most(n, o, bias, rows, seed):
    weight, b = normal(n, o, seed=seed), normal(o, seed=seed + 1) if bias else None
    x = normal(rows, n, seed=seed + 2)
    product = ByteBags(weight, b)
    exact = x @ weight + (0 if b is None else b)
    whole = blocked(weight, product.width)
    steps = (whole.amax(1) - whole.amin(1)).view(-1, n) / 255
    bound = (x.abs() @ steps.t() * 0.501).repeat_interleave(product.width, dim=1)[:, :o] + 1e-4
    for call in (product, product.many):
        assert ((call(x.float()) - exact).abs() <= bound).all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_results_stay_when_a_product_of_the_same_shape_follows(dtype):
    first, second = (Bags(normal(7, 40, seed=i), normal(40, seed=9), dtype) for i in (0, 1))
    x = normal(1, 7, seed=2, dtype=torch.float32)
    before = first(x)
    kept = before.clone()
    second(-x)
    assert torch.equal(before, kept)
    assert torch.equal(first(x), kept)


@FEW
@given(n=SIZES, o=SIZES, width=SIZES, seed=SEEDS)
def test_blocks_side_by_side_are_the_matrix_and_then_zeros(n, o, width, seed):
    weight = normal(n, o, seed=seed)
    side_by_side = torch.cat(blocked(weight, width).split(n), dim=1)
    assert torch.equal(side_by_side[:, :o], weight)
    assert side_by_side.shape[1] == -(-o // width) * width
    assert not side_by_side[:, o:].any()


@pytest.mark.parametrize("faster", [Bags, Plain])
def test_the_kernel_that_suits_is_chosen(faster, monkeypatch):
    monkeypatch.setattr(layers, "fastest", lambda dtype: faster)
    matrix = Affine(normal(8, 8, seed=0), None)
    kinds = {
        ("float64", 1): Plain,
        ("float32", 1): faster,
        ("float32", 2): Packed,
        ("bfloat16", 1): faster,
        ("bfloat16", 64): Packed,
        ("int8", 1): ByteBags,
        ("int8", 2): ByteBags,
    }
    if "fbgemm" not in torch.backends.quantized.supported_engines:
        pytest.skip("this PyTorch was built without FBGEMM")
    found = {key: type(product_of(matrix, *key)) for key in kinds}
    assert found == kinds


@pytest.mark.parametrize("slow", [Bags, Plain])
def test_of_two_kernels_the_faster_one_is_taken(slow, monkeypatch):
    quick = slow.__call__

    def lag(product, x):
        time.sleep(0.002)
        return quick(product, x)

    monkeypatch.setattr(slow, "__call__", lag)
    products.fastest.cache_clear()
    try:
        assert products.fastest(torch.float32) is not slow
    finally:
        products.fastest.cache_clear()


def test_bytes_are_refused_where_no_kernel_reads_them():
    matrix = Affine(torch.empty(8, 8, device="meta"), None)
    with pytest.raises(NotLean, match="need the CPU"):
        product_of(matrix, "int8", 1)


def test_tensors_together_are_equal_and_lie_in_order():
    tensors = [
        normal(5, 3, seed=0),
        torch.arange(7, dtype=torch.uint8),
        normal(2, seed=1).bfloat16(),
    ]
    moved = together(tensors)
    assert all(
        torch.equal(a, b) and a.dtype == b.dtype for a, b in zip(moved, tensors, strict=True)
    )
    starts = [t.data_ptr() for t in moved]
    assert starts == sorted(starts)
    assert all(start % LINE == 0 for start in starts)
    assert starts[0] % HUGE == 0
    assert starts[-1] - starts[0] == 2 * LINE + LINE  # 120 bytes, then 7, each to the next line


def test_a_stretch_starts_at_a_huge_page_and_outlives_its_maker():
    tensor = stretch(1000)
    assert tensor.data_ptr() % HUGE == 0
    assert tensor.shape == (1000,)
    assert not tensor.any()
    tensor.fill_(7)
    assert tensor.sum() == 7000


def test_zeros_are_zeros_of_that_shape_and_type():
    for shape in ((2, 3), (0, 4), (1,)):
        made = zeros(shape, dtype=torch.float64, device=torch.device("cpu"))
        assert made.shape == shape
        assert made.dtype == torch.float64
        assert not made.any()
    assert together([torch.empty(0)])[0].shape == (0,)
    assert zeros((2,), dtype=torch.float32, device=torch.device("meta")).device.type == "meta"
