"""The numbers of the YaRN ramp are those of plainformer."""

import shutil

import pytest
import torch

from plainformer.positions import Interpolation, Llama3, NTKAware, Rotary, YaRN
from tests.book.test_widget_parity import in_node, same

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
CORE = "yarn-ramp.core.js"
MODELS = [(16, 100, 64, 8), (128, 500_000, 8_192, 8), (64, 10_000, 4_096, 40), (8, 10_000, 512, 3)]


@pytest.mark.parametrize(("width", "base", "context", "factor"), MODELS)
@pytest.mark.parametrize("method", ["linear", "ntk", "yarn", "turns"])
def test_planes_are_slowed_as_the_package_does(method, width, base, context, factor):
    fast, slow = (32, 1) if method == "yarn" else (4, 1)
    state = {"width": width, "base": base, "context": context, "factor": factor}
    state |= {"method": method, "fast": fast, "slow": slow}
    (got,) = in_node(CORE, "core.planes(x).map((p) => p.frequency / p.divisor)", [state])
    scaling = {
        "linear": Interpolation(factor=factor),
        "ntk": NTKAware(factor=factor),
        "yarn": YaRN(factor=factor, context=context),
        "turns": Llama3(factor=factor, context=context),
    }[method]
    same(got, scaling.scale(Rotary(width, base=float(base)).frequencies, 1))


def test_the_temperature_is_that_of_the_package():
    states = [{"method": "yarn", "factor": factor} for factor in (1, 4, 8, 32)]
    got = in_node(CORE, "core.attentionFactor(x)", states)
    same(got, torch.tensor([YaRN(factor=s["factor"], context=64).magnitude for s in states]))
