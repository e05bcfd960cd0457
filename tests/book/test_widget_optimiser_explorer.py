"""The numbers of the optimiser explorer are those of PyTorch and of plainformer's schedule."""

from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

from plainformer.training.optimiser import Schedule
from tests.book.test_widget_parity import NODE, in_node

pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed; the widgets are JS")
CORE = "optimiser-explorer.core.js"
STEPS = 60


def settings() -> list[dict[str, Any]]:
    return [
        {
            "start": start,
            "optimiser": kind,
            "rate": rate,
            "warmup": warmup,
            "clip": clip,
            "momentum": momentum,
        }
        for start in ([3.0, 2.5], [0.5, 0.5], [1.5, -1.0])
        for kind in ("sgd", "adamw")
        for rate in (0.01, 0.05)
        for warmup in (0, 10)
        for clip in (1.0, 0.1)
        for momentum in (0.0, 0.9)
    ]


def in_torch(setting: dict[str, Any]) -> np.ndarray:
    weights = torch.nn.Parameter(torch.tensor(setting["start"], dtype=torch.float64))
    if setting["optimiser"] == "sgd":
        optimiser: Any = torch.optim.SGD([weights], lr=1.0, momentum=setting["momentum"])
    else:
        betas = (setting["momentum"], 0.95)
        optimiser = torch.optim.AdamW([weights], lr=1.0, betas=betas, weight_decay=0.0)
    schedule = Schedule(peak=setting["rate"], warmup=setting["warmup"], steps=STEPS, final=0.1)
    path = [weights.detach().clone()]
    for step in range(STEPS):
        optimiser.zero_grad()
        loss = (weights[1] * torch.relu(weights[0]) - 1) ** 2
        loss.backward()
        torch.nn.utils.clip_grad_norm_([weights], setting["clip"])
        optimiser.param_groups[0]["lr"] = schedule(step)
        optimiser.step()
        path.append(weights.detach().clone())
    return torch.stack(path).numpy()


def test_paths_are_those_of_torch() -> None:
    given = settings()
    for setting, path in zip(given, in_node(CORE, "core.train(x).path", given), strict=True):
        assert_allclose(np.array(path), in_torch(setting), rtol=0, atol=1e-6, err_msg=str(setting))


def test_rates_are_those_of_the_schedule() -> None:
    given = [{"rate": 0.5, "warmup": w} for w in (0, 1, 10, 30)]
    expression = "Array.from({ length: core.STEPS }, (_, i) => core.rateAt(i, x))"
    for x, rates in zip(given, in_node(CORE, expression, given), strict=True):
        schedule = Schedule(peak=x["rate"], warmup=int(x["warmup"]), steps=STEPS, final=0.1)
        assert_allclose(rates, [schedule(i) for i in range(STEPS)], rtol=1e-12)
