"""The sampler lab runs the package's storyteller, and truncates like its sampler."""

import json
import shutil
import subprocess
from itertools import product

import numpy as np
import pytest
import torch
from tools.sampler_lab import OUT, data

from plainformer.generation import Sampler
from plainformer.lab.storyteller import BALLADS, held_out, storyteller

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed; the widgets are JS")
BEGINNING = "* mice sing brave often . the foxes"


def in_node(code: str, given: object = None):
    folder = OUT.parent.as_uri()
    script = (
        f"const {{ logits }} = await import('{folder}/storyteller.core.js');"
        f"const lab = await import('{folder}/sampler-lab.core.js');"
        f"const given = {json.dumps(given)}; console.log(JSON.stringify({code}));"
    )
    command = [str(NODE), "--input-type=module", "--eval", script]
    done = subprocess.run(command, text=True, capture_output=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_file_holds_the_weights_of_the_package():
    text = OUT.read_text("utf-8")
    shown = json.loads(text[text.index("{") : text.rindex("}") + 1])
    assert shown == json.loads(json.dumps(data()))


def test_the_page_computes_the_logits_of_the_package():
    texts = [held_out(3)[i, :n].tolist() for i, n in enumerate((1, 17, 64))]
    shown = in_node("given.map((tokens) => logits(tokens))", texts)
    for tokens, row in zip(texts, shown, strict=True):
        with torch.no_grad():
            right = storyteller()(torch.tensor([tokens]))[0, -1]
        np.testing.assert_allclose(row, right, atol=0.02)


def test_with_the_weights_of_the_page_the_package_computes_the_same_logits():
    rounded = storyteller()
    rounded.load_state_dict({k: v.half().float() for k, v in rounded.state_dict().items()})
    texts = [held_out(3)[i, :n].tolist() for i, n in enumerate((1, 17, 64))]
    for tokens, row in zip(texts, in_node("given.map((t) => logits(t))", texts), strict=True):
        with torch.no_grad():
            right = rounded.double()(torch.tensor([tokens]))[0, -1]
        np.testing.assert_allclose(row, right, rtol=0, atol=1e-5)


@pytest.mark.parametrize("temperature", [0, 0.5, 1, 2])
def test_the_rules_are_those_of_the_sampler(temperature):
    row = (torch.arange(47) * 7 % 47).double() / 6
    cases = list(product((3, 47), (0.4, 0.9, 1), (0, 0.3)))
    shown = in_node(
        f"given[1].map(([k, p, min]) => lab.drawnFrom(given[0], "
        f"{{ temperature: {temperature}, k, p, min, last: false }}))",
        [row.tolist(), cases],
    )
    for (k, p, least), found in zip(cases, shown, strict=True):
        sampler = Sampler(temperature=temperature, top_k=k, top_p=p, min_p=least)
        np.testing.assert_allclose(found, sampler.probabilities(row[None])[0], atol=1e-9)


def kept(words: str, **rules: float) -> int:
    given = {"temperature": 2, "k": 47, "p": 1, "min": 0, "last": False} | rules
    tokens = BALLADS.encode(words).tolist()
    code = "lab.drawnFrom(logits(given[0]), given[1]).filter((share) => share > 0).length"
    return in_node(code, [tokens, given])


def test_the_answers_of_the_page_are_true():
    near, owl = f"{BEGINNING} near", f"{BEGINNING} near the owl"
    assert (kept(BEGINNING, p=0.9), kept(BEGINNING, min=0.1)) == (11, 11)
    assert (kept(near, p=0.9), kept(near, min=0.1)) == (2, 1)
    for p, right in ((0.87, False), (0.88, True), (0.89, True), (0.9, False)):
        assert ((kept(BEGINNING, p=p), kept(near, p=p)) == (11, 1)) is right
    assert kept(owl, min=0.1) == 9 < kept(owl, p=0.88)
