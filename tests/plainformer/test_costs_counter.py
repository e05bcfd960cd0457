"""Executed operations are counted, and the formulas give exactly these counts."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.flop_counter import FlopCounterMode

from plainformer.attention import attend, attend_heads
from plainformer.costs import Count, OperationCounter, attention_steps, matmul, softmax
from plainformer.sdpa import sdpa

SIZE = st.integers(1, 9)


def in_four_kernels(query, key, value):
    """Attend in the steps that ``attention_steps`` counts, one kernel each."""
    scores = query @ key.mT
    scores = scores / math.sqrt(query.shape[-1])
    return torch.softmax(scores, dim=-1) @ value


@given(SIZE, SIZE, SIZE, SIZE, st.sampled_from([torch.float32, torch.float64]))
def test_a_product_runs_as_the_formula_says(batch, rows, inner, columns, dtype):
    left = torch.randn(batch, rows, inner, dtype=dtype)
    right = torch.randn(batch, inner, columns, dtype=dtype)
    with OperationCounter() as counter:
        torch.bmm(left, right)
    expected = matmul(rows, inner, columns, batch=batch, itemsize=dtype.itemsize)
    assert counter.total == expected
    assert counter.products == expected.flops


@given(SIZE, SIZE)
def test_softmax_runs_as_the_formula_says(rows, k):
    scores = torch.randn(rows, k)
    with OperationCounter() as counter:
        torch.softmax(scores, dim=-1)
    assert counter.total == softmax(rows, k)


@given(SIZE, SIZE, SIZE, SIZE, SIZE, SIZE)
def test_attention_runs_step_by_step_as_the_formula_says(b, h, q, k, d, e):
    query, key, value = (torch.randn(b, h, *sizes) for sizes in ((q, d), (k, d), (k, e)))
    with OperationCounter() as counter:
        in_four_kernels(query, key, value)
    steps = attention_steps(q, k, d, e, heads=h, batch=b)
    found = counter.by_operation
    assert found["bmm"] == steps["scores"] + steps["average"]
    assert (found["div"], found["_softmax"]) == (steps["scale"], steps["softmax"])
    assert counter.total == sum(steps.values(), Count())


@given(SIZE, SIZE, SIZE, st.integers(1, 3), st.integers(1, 3))
def test_grouped_attention_reads_each_key_once(b, q, k, g, group):
    d = 4
    query = torch.randn(b, g, group * q, d)  # a group's queries as rows
    key = torch.randn(b, g, k, d)
    with OperationCounter() as counter:
        in_four_kernels(query, key, key)
    steps = attention_steps(q, k, d, heads=g * group, kv_heads=g, batch=b)
    assert counter.total == sum(steps.values(), Count())


@given(SIZE, SIZE, SIZE, SIZE)
def test_attend_computes_what_the_formula_says_and_moves_more(q, k, d, e):
    query, key, value = torch.randn(1, q, d), torch.randn(1, k, d), torch.randn(1, k, e)
    with OperationCounter() as counter:
        attend(query, key, value)
    steps = sum(attention_steps(q, k, d, e).values(), Count())
    assert counter.total.flops - q * k == steps.flops - q * k
    assert counter.total.nbytes > steps.nbytes  # its softmax is seven kernels, not one
    assert counter.uncounted == set()


def test_products_are_those_of_the_counter_of_pytorch():
    query, key = torch.randn(2, 4, 5, 8), torch.randn(2, 2, 7, 8)
    layer = torch.nn.Linear(8, 3)
    with FlopCounterMode(display=False) as theirs, OperationCounter() as ours:
        layer(attend_heads(query, key, key)).sum().backward()
    assert ours.products == theirs.get_total_flops() > 0


def test_fused_attention_counts_where_the_counter_of_pytorch_may_see_nothing():
    query, key = torch.randn(2, 4, 5, 8), torch.randn(2, 2, 7, 8)
    with OperationCounter() as plain:
        attend_heads(query, key, key)
    with OperationCounter() as fused, torch.no_grad():
        sdpa(query, key, key)
    assert fused.products == plain.products == 2 * 2 * 4 * 5 * 7 * 16


@pytest.mark.parametrize("mode", [torch.inference_mode, torch.no_grad, torch.enable_grad])
def test_the_count_is_the_same_with_and_without_gradients(mode):
    query, key, layer = torch.randn(2, 5, 8), torch.randn(2, 7, 8), torch.nn.Linear(8, 3)
    with mode(), OperationCounter() as counter:
        layer(attend(query, key, key))
    assert counter.products == 2 * 2 * 5 * (7 * 16 + 8 * 3)


def test_views_are_free_and_what_is_expanded_is_read_once():
    x = torch.randn(6, 4)
    with OperationCounter() as counter:
        x.view(4, 6).t()[1:].expand(2, 5, 4).detach()
        torch.empty(1000)
    assert counter.total == Count()
    with OperationCounter() as counter:
        x[:1].expand(6, 4).clone()
    assert counter.total == Count(0, 4 * (4 + 24))


def test_what_is_overwritten_is_not_read_and_of_a_table_only_the_rows_that_are_picked():
    x, table, tokens = torch.randn(10), torch.randn(100, 8), torch.tensor([3, 4])
    with OperationCounter() as counter:
        torch.zeros(10).copy_(x)
    assert counter.by_operation["copy_"] == Count(0, 80)
    with OperationCounter() as counter:
        x.add_(1)
    assert counter.total == Count(10, 80)
    with OperationCounter() as counter:
        torch.nn.functional.embedding(tokens, table)
    assert counter.total == Count(0, 2 * 8 + 2 * (2 * 8 * 4))


def test_reductions_take_one_step_less_than_there_are_numbers():
    x = torch.randn(3, 5)
    with OperationCounter() as counter:
        x.amax(dim=-1), x.sum(dim=-1), x.mean(dim=-1)
    flops = [count.flops for count in counter.by_operation.values()]
    assert flops == [12, 12, 15]


def test_arithmetic_that_is_not_known_is_named():
    with OperationCounter() as counter:
        torch.linalg.inv(torch.eye(3))
        torch.arange(3) + 1
    assert counter.uncounted == {"linalg_inv_ex"}
    assert counter.total.nbytes > 0
