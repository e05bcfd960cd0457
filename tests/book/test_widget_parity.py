"""The numbers of the widgets are those of plainformer."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

import plainformer
from plainformer import masks

ROOT = Path(__file__).parents[2]
WIDGETS = ROOT / "book" / "_static" / "widgets"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed; the widgets are JS")

RUN = """
const call = JSON.parse(await new Response(process.stdin).text());
const core = await import(call.module);
const run = new Function("core", "x", `return ${call.expression}`);
const whole = (key, value) => (Number.isNaN(value) ? "NaN" : value);
console.log(JSON.stringify(call.inputs.map((x) => run(core, x)), whole));
"""


def in_node(module: str, expression: str, inputs: list[dict]) -> list:
    """Evaluate an expression in ``core`` and ``x`` for each input in one node process."""
    call = {"module": (WIDGETS / module).as_uri(), "expression": expression, "inputs": inputs}
    command = [str(NODE), "--input-type=module", "--eval", RUN]
    done = subprocess.run(command, input=json.dumps(call), text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def same(got, expected) -> None:
    expected = torch.as_tensor(expected).double()
    assert_allclose(np.array(got, dtype=float), expected, rtol=0, atol=1e-9)


def points(generator: torch.Generator, *shape: int) -> torch.Tensor:
    return torch.randn(*shape, generator=generator, dtype=torch.float64) * 1.5


@pytest.fixture(scope="module")
def pictures() -> list[dict]:
    generator = torch.Generator().manual_seed(2)
    return [
        {
            "queries": points(generator, q, 2),
            "keys": points(generator, k, 2),
            "values": points(generator, k, 2),
        }
        for q, k in [(1, 5), (3, 5), (2, 1)]
        for _ in range(4)
    ]


def as_data(picture: dict) -> dict:
    return {name: x.tolist() if torch.is_tensor(x) else x for name, x in picture.items()}


def test_explorer_weights_and_output_are_those_of_plainformer(pictures):
    answers = in_node("attention-explorer.core.js", "core.explore(x)", [*map(as_data, pictures)])
    for picture, answer in zip(pictures, answers, strict=True):
        query, key = picture["queries"], picture["keys"]
        same(answer["scores"], plainformer.scaled_dot(query, key))
        same(answer["weights"], plainformer.attention_weights(query, key))
        same(answer["outputs"], plainformer.attend(query, key, picture["values"]))


def test_fresh_vectors_have_the_scores_and_weights_of_plainformer():
    inputs = [{"d": d, "scaled": scaled} for d in (4, 64, 1024) for scaled in (True, False)]
    drawn = """(() => {
        const dots = core.products(x.d, core.normals(5));
        const normal = core.normals(5);
        const vectors = Array.from({ length: 6 }, () => Array.from({ length: x.d }, normal));
        return [vectors, core.scored(dots, x.d, x.scaled)];
    })()"""
    for x, (vectors, got) in zip(
        inputs, in_node("fresh-vectors.core.js", drawn, inputs), strict=True
    ):
        query, *key = torch.tensor(vectors, dtype=torch.float64)
        pair = query[None], torch.stack(key)
        score = plainformer.scaled_dot if x["scaled"] else plainformer.dot
        same(got["scores"], score(*pair)[0])
        same(got["weights"], plainformer.attention_weights(*pair, score=score)[0])


def test_explorer_wrong_axis_is_softmax_over_the_queries(pictures):
    inputs = [as_data(picture) | {"axis": "queries"} for picture in pictures]
    answers = in_node("attention-explorer.core.js", "core.explore(x)", inputs)
    for answer in answers:
        scores = torch.tensor(answer["scores"], dtype=torch.float64)
        same(answer["weights"], plainformer.softmax(scores.T).T)


SIZES = [(1, 1), (3, 3), (5, 5), (2, 5), (1, 8), (8, 8)]
MASKS = {
    "none": lambda q, k, n: torch.ones(q, k, dtype=torch.bool),
    "causal": lambda q, k, n: masks.causal(q, k),
    "window": lambda q, k, n: masks.sliding_window(q, k, window=n),
    "prefix": lambda q, k, n: masks.prefix(q, k, prefix=n),
    "padding": lambda q, k, n: masks.padding(torch.tensor([n]), k)[0, 0].expand(q, k),
    "both": lambda q, k, n: masks.combine(
        masks.causal(q, k), masks.padding(torch.tensor([n]), k)[0, 0].flip(-1)
    ),
}


@pytest.fixture(scope="module")
def settings() -> list[dict]:
    sides = {"both": "left"}
    return [
        {"kind": kind, "q": q, "k": k, "length": n, "window": n, "open": n}
        | {"side": sides.get(kind, "right")}
        for kind in MASKS
        for q, k in SIZES
        for n in range(1, k + 1)
    ]


def expected_mask(x: dict) -> torch.Tensor:
    return MASKS[x["kind"]](x["q"], x["k"], x["length"])


def test_lab_masks_are_those_of_plainformer(settings):
    for x, mask in zip(
        settings, in_node("mask-lab.core.js", "core.maskOf(x)", settings), strict=True
    ):
        assert mask == expected_mask(x).tolist(), x


def test_lab_weights_are_those_of_plainformer(settings):
    expression = """(() => {
        const [mask, scores] = [core.maskOf(x), core.scoresOf(x.q, x.k)];
        return [scores, core.maskedBefore(scores, mask), core.maskedAfter(scores, mask)];
    })()"""
    for x, answer in zip(settings, in_node("mask-lab.core.js", expression, settings), strict=True):
        scores = torch.tensor(answer[0], dtype=torch.float64)
        mask = expected_mask(x)
        same(answer[1], plainformer.softmax(scores, mask))
        same(answer[2], plainformer.softmax(scores) * mask)


def test_lab_bare_softmax_gives_nan_where_torch_does():
    x = {"scores": [[1.0, 2.0], [3.0, 4.0]], "mask": [[False, False], [True, False]]}
    expression = "core.maskedBefore(x.scores, x.mask, false)"
    (got,) = in_node("mask-lab.core.js", expression, [x])
    hidden = torch.tensor(x["scores"]).masked_fill(~torch.tensor(x["mask"]), -torch.inf)
    same(got, torch.softmax(hidden, -1))


def test_lab_row_one_is_the_worked_example():
    setting = {"kind": "causal", "q": 3, "k": 3}
    expression = "core.maskedBefore(core.scoresOf(3, 3), core.maskOf(x))[1]"
    (row,) = in_node("mask-lab.core.js", expression, [setting])
    (scores,) = in_node("mask-lab.core.js", "core.scoresOf(3, 3)[1]", [setting])
    assert scores == [0, 3, 4]
    same(row, [1 / (1 + np.exp(3)), 1 / (1 + np.exp(-3)), 0])


def test_the_tests_of_the_scripts_pass():
    files = sorted((ROOT / "tests" / "widgets").glob("*.test.mjs"))
    command = [str(NODE), "--test", *map(str, files)]
    done = subprocess.run(command, text=True, capture_output=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout
    assert len(files) >= 4
