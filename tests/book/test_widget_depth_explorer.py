"""The numbers of the depth explorer are those of plainformer's wrappers."""

from functools import partial

import pytest
import torch

from plainformer.blocks import PostNorm, PreNorm, SandwichNorm, deepnorm
from plainformer.norms import LayerNorm
from tests.book.test_widget_parity import NODE, in_node, same

pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed; the widgets are JS")
CORE = "depth-explorer.core.js"
DRAWN = """(() => {
    const draw = core.uniform(x.seed + 500);
    const layers = core.sublayers(x.seed, x.count, x.m);
    const [start, top] = [core.normals(draw, x.m), core.normals(draw, x.m)];
    return { layers, start, top, ...core.pass(x.place, layers, start, top, x) };
})()"""
CASES = [
    {"place": place, "count": count, "m": 7, "size": size, "share": share, "seed": 3}
    for place in ("post", "pre", "sandwich", "deep")
    for count, size, share in ((2, 1.0, 0.0), (8, 0.4, 0.25), (12, 2.0, 1.0))
]


def ours(case: dict, drawn: dict) -> tuple[list[float], list[float]]:
    """Return sizes and norms of gradients from plainformer's wrappers and autograd."""
    m, count, deep = case["m"], case["count"], case["place"] == "deep"
    alpha, beta = deepnorm(encoder_layers=0, decoder_layers=count // 2)["decoder"]
    wrapper = {
        "post": PostNorm,
        "pre": PreNorm,
        "sandwich": SandwichNorm,
        "deep": partial(PostNorm, alpha=alpha),
    }[case["place"]](LayerNorm, m)
    wrapper.double()
    size = case["size"] * (beta**2 if deep else 1.0)
    streams = [torch.tensor(drawn["start"], dtype=torch.float64).requires_grad_()]
    for layer in drawn["layers"]:
        matrix = (
            size * (1 - case["share"]) ** 0.5 * torch.tensor(layer["matrix"], dtype=torch.float64)
        )
        constant = (
            size * case["share"] ** 0.5 * torch.tensor(layer["constant"], dtype=torch.float64)
        )
        branch = partial(torch.nn.functional.linear, weight=matrix, bias=constant)
        streams.append(wrapper(streams[-1][None, None], branch)[0, 0])
    end = streams[-1] if deep or case["place"] == "post" else LayerNorm(m).double()(streams[-1])
    grads = torch.autograd.grad(end @ torch.tensor(drawn["top"], dtype=torch.float64), streams)
    sizes = [x.square().mean().sqrt().item() for x in streams]
    return sizes, [g.norm().item() for g in grads]


def exactly(got: list[float], expected: list[float]) -> None:
    same(got, torch.tensor(expected, dtype=torch.float64))


def test_sizes_and_gradients_are_those_of_plainformer():
    for case, drawn in zip(CASES, in_node(CORE, DRAWN, CASES), strict=True):
        sizes, lengths = ours(case, drawn)
        exactly(drawn["sizes"], sizes)
        exactly(drawn["lengths"], lengths)


def test_alpha_and_beta_are_those_of_plainformer():
    inputs = [{"count": 2 * n} for n in (1, 6, 48)]
    for x, found in zip(inputs, in_node(CORE, "core.deepnorm(x.count)", inputs), strict=True):
        alpha, beta = deepnorm(encoder_layers=0, decoder_layers=x["count"] // 2)["decoder"]
        exactly([found["alpha"], found["shrink"]], [alpha, beta**2])


def test_the_answer_under_the_picture_holds():
    inputs = [{"count": 2 * n, "share": 0.5, "seed": s} for n in (8, 24) for s in (1, 2, 3)]
    first = in_node(CORE, "core.curves('post', x).lengths[0]", inputs)
    assert all(share > 0.01 for share in first[:3])
    assert all(share < 0.01 for share in first[3:])
    deep = in_node(CORE, "core.curves('deep', x).lengths[0]", [{"count": 96, "share": 0.5}])
    assert deep[0] > 0.5
