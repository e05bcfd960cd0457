"""The puzzles in Triton are solved only by right kernels, and wrong addresses are named."""

from collections.abc import Callable
from typing import Any

import pytest

from plainformer.lab import triton_puzzles
from plainformer.lab.triton_puzzles import check, tl

# A kernel is source for Triton: its parameters have no types, and are not checked here.


def add_vectors(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):  # type: ignore
    here = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + here, tl.load(x_ptr + here) + tl.load(y_ptr + here))


def copy_vector(x_ptr, out_ptr, n, BLOCK: tl.constexpr):  # type: ignore
    here = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + here, tl.load(x_ptr + here, mask=here < n))


def softmax_rows(x_ptr, out_ptr, n, BLOCK: tl.constexpr):  # type: ignore
    columns = tl.arange(0, BLOCK)
    here, inside = tl.program_id(0) * n + columns, columns < n
    weights = tl.exp(tl.load(x_ptr + here, mask=inside, other=-float("inf")))
    tl.store(out_ptr + here, weights / tl.sum(weights, axis=0), mask=inside)


def attend_tile(query_ptr, out_ptr):  # type: ignore
    tl.store(out_ptr, tl.load(query_ptr))


def attend_block(  # type: ignore
    query_ptr, key_ptr, value_ptr, out_ptr, q, k, scale, D: tl.constexpr, BLOCK: tl.constexpr
):
    step, features = tl.arange(0, BLOCK), tl.arange(0, D)
    rows = tl.program_id(0) * BLOCK + step[:, None]
    query = tl.load(query_ptr + rows * D + features, rows < q, 0.0)
    m = tl.full([BLOCK, 1], -float("inf"), tl.float32)
    total, out = tl.zeros([BLOCK, 1], tl.float32), tl.zeros([BLOCK, D], tl.float32)
    for start in range(0, k, BLOCK):
        keys = start + step[:, None]
        key = tl.load(key_ptr + keys * D + features, keys < k, 0.0)
        value = tl.load(value_ptr + keys * D + features, keys < k, 0.0)
        scores = tl.dot(query, tl.trans(key)) * scale
        scores = tl.where(start + step < k, scores, -float("inf"))
        larger = tl.maximum(m, tl.max(scores, axis=1, keep_dims=True))
        fade, weights = tl.exp(m - larger), tl.exp(scores - larger)
        total = fade * total + tl.sum(weights, axis=1, keep_dims=True)
        out, m = fade * out + tl.dot(weights, value), larger
    tl.store(out_ptr + rows * D + features, out / total, rows < q)


def nobody_asked(out_ptr):  # type: ignore
    tl.store(out_ptr, 1.0)


def test_right_kernels_are_solutions_and_wrong_ones_are_told_what_is_wrong() -> None:
    pytest.importorskip("triton")
    kernels: list[Callable[..., Any]] = [
        add_vectors,
        copy_vector,
        softmax_rows,
        attend_tile,
        attend_block,
        nobody_asked,
    ]
    said = dict(line.split(": ", 1) for line in check(*kernels))
    assert said["add_vectors"] == said["attend_block"] == "solved"
    assert said["copy_vector"] == (
        "program 2 writes number 10 of out, which has the numbers 0 to 9"
    )
    assert said["softmax_rows"].startswith("number ")
    assert said["attend_tile"].startswith("TypeError")
    assert "there is no puzzle of this name" in said["nobody_asked"]


def test_without_triton_a_reader_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(triton_puzzles, "find_spec", lambda name: None)
    assert check(add_vectors) == [triton_puzzles.WITHOUT_TRITON]
