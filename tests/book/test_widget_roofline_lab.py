"""The numbers of the roofline lab are those of plainformer."""

import itertools

import pytest

from plainformer.costs import (
    MACHINES,
    Count,
    Machine,
    attention_steps,
    fused_attention,
    matmul,
    softmax,
)
from tests.book.test_widget_parity import NODE, in_node

pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed; the widgets are JS")
CORE = "roofline-lab.core.js"
SIZES = [
    {"q": q, "k": k, "d": d, "r": r, "itemsize": itemsize}
    for q, k, d, r, itemsize in [(1, 8192, 128, 1, 2), (3, 4, 2, 1, 4), (64, 7, 16, 8, 1)]
]
CASES = [
    {**sizes, "kernel": kernel, "machine": machine}
    for sizes, kernel, machine in itertools.product(
        SIZES, ("steps", "fused", "softmax", "weights"), ("h100", "a100", "core")
    )
]


def counted(case: dict) -> Count:
    q, k, d, r, size = (case[name] for name in ("q", "k", "d", "r", "itemsize"))
    heads = {"heads": r, "kv_heads": 1, "itemsize": size}
    match case["kernel"]:
        case "steps":
            return sum(attention_steps(q, k, d, **heads).values(), Count())
        case "fused":
            return fused_attention(q, k, d, **heads)
        case "softmax":
            return softmax(r * q, k, itemsize=size)
    return matmul(q, 4096, 4096, itemsize=size)


def machine_of(case: dict) -> Machine:
    if case["machine"] == "core":
        return Machine(1e11, 2e10)
    return MACHINES[case["machine"].upper()][case["itemsize"]]


def test_counts_roofs_and_times_are_those_of_plainformer():
    for case, found in zip(CASES, in_node(CORE, "core.place(x)", CASES), strict=True):
        count, machine = counted(case), machine_of(case)
        assert (found["flops"], found["nbytes"]) == (count.flops, count.nbytes)
        assert found["ridge"] == pytest.approx(machine.ridge)
        assert found["attainable"] == pytest.approx(machine.attainable(count.intensity))
        assert found["seconds"] == pytest.approx(machine.floor_seconds(count))


def bounds(**changes: object) -> list[str]:
    base = {"kernel": "fused", "q": 1, "k": 8192, "d": 128, "r": 1, "itemsize": 2}
    values = next(value for value in changes.values() if isinstance(value, list))
    inputs = [
        {**base, "machine": "h100"}
        | {name: v if value is values else value for name, value in changes.items()}
        for v in values
    ]
    return in_node(CORE, "core.place(x).bound", inputs)


def test_the_answer_under_the_picture_holds():
    assert bounds(q=[1, 256, 303, 512]) == ["memory", "memory", "compute", "compute"]
    assert bounds(q=[32, 64], r=8) == ["memory", "compute"]
    long = {"kernel": "steps", "q": 2**17, "k": 2**17}
    assert bounds(d=[256, 512, 850, 950], **long) == ["memory", "memory", "memory", "compute"]
    one, half = in_node(
        CORE,
        "core.place(x)",
        [{"kernel": "weights", "q": 1, "itemsize": size, "machine": "h100"} for size in (2, 1)],
    )
    assert one["seconds"] == pytest.approx(2 * half["seconds"])
    assert one["bound"] == half["bound"] == "memory"
