"""The training lab's ballads, gradients and steps are those of plainformer and PyTorch."""

import json
import subprocess
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from plainformer.lab.storyteller import BALLADS, Recipe, look
from plainformer.models import Decoder
from plainformer.models.initial import by_sublayers, initialise
from plainformer.training.optimiser import Schedule, adamw, clip
from tests.book.test_widget_parity import NODE, ROOT, WIDGETS, in_node

pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")
BATCH, RATE, STEPS = 4, 2e-3, 3
SCHEDULE = Schedule(peak=RATE, warmup=2, steps=STEPS)
ASSEMBLYSCRIPT = ROOT / "node_modules" / "assemblyscript"
PARTS = {
    "before": "attention_residual.norm",
    "query": "attention.query",
    "key": "attention.key",
    "value": "attention.value",
    "output": "attention.output",
    "between": "feedforward_residual.norm",
    "gate": "feedforward.gate",
    "up": "feedforward.up",
    "down": "feedforward.down",
}
PLACES = ["embedding", "last", *(f"{layer}.{part}" for layer in (0, 1) for part in PARTS)]
RUN = """(() => {
  const { Model, schedule, split } = core;
  const model = new Model({ words: x.words, width: x.width, batch: x.batch, simd: x.simd });
  const named = (all) => Object.fromEntries(Object.entries(all).map(([n, w]) => [n, [...w]]));
  for (const [name, weight] of Object.entries(x.weights)) model.w[name].set(weight);
  const { tokens, targets } = split(x.documents);
  model.forward(tokens);
  const loss = model.lossOf(targets);
  model.backward(tokens);
  const gradients = named(model.g);
  const rates = [0, 1, 2].map((step) => schedule(step, { rate: x.rate, warmup: 2, steps: 3 }));
  const losses = rates.map((rate) => model.train(x.documents, rate));
  return { loss, gradients, losses, rates, weights: named(model.w) };
})()"""


def name_of(place: str) -> str:
    """Return PyTorch's name of a weight, given the lab's."""
    if place in ("embedding", "last"):
        return {"embedding": "embedding.weight", "last": "norm.weight"}[place]
    block, part = place.split(".")
    return f"blocks.{block}.{PARTS[part]}.weight"


def weights_of(model: Decoder) -> dict[str, list[float]]:
    """Return a model's weights by the lab's names, flat."""
    names = dict(model.named_parameters())
    return {place: names[name_of(place)].detach().flatten().tolist() for place in PLACES}


@pytest.fixture(scope="module", params=[32, 64])
def both(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Take one step and three, in PyTorch and in the lab, from the same weights and documents."""
    torch.manual_seed(request.param)
    model = Decoder(replace(Recipe().config(), d_model=request.param))
    initialise(model, by_sublayers(4), spread=0.3)
    documents = torch.from_numpy(BALLADS.sample(BATCH, 65, seed=3))
    names = dict(model.named_parameters())
    assert {name_of(place) for place in PLACES} == set(names)
    given = weights_of(model)
    call = {"words": len(BALLADS.words), "width": request.param, "batch": BATCH, "rate": RATE}
    call |= {"weights": given, "documents": documents.tolist()}
    kinds = [{**call, "simd": simd} for simd in (True, *([False] if request.param == 32 else []))]
    found = in_node("training-lab.core.js", RUN, kinds)

    def loss() -> Tensor:
        return F.cross_entropy(model(documents[:, :-1]).flatten(0, 1), documents[:, 1:].flatten())

    first = loss()
    first.backward()
    gradients = {place: names[name_of(place)].grad.flatten().clone() for place in PLACES}
    optimiser, losses = adamw(model, rate=RATE), []
    for step in range(STEPS):
        for group in optimiser.param_groups:
            group["lr"] = SCHEDULE(step)
        optimiser.zero_grad()
        now = loss()
        now.backward()
        clip(model.parameters(), 1.0)
        optimiser.step()
        losses.append(now.item())
    weights = {place: names[name_of(place)].detach().flatten() for place in PLACES}
    right = {"gradients": gradients, "losses": losses, "weights": weights}
    return {"start": given, "lab": found[0], "plain": found[-1], "torch": right}


def test_every_gradient_of_a_step_is_pytorchs(both: dict[str, Any]) -> None:
    lab, right = both["lab"], both["torch"]
    assert lab["loss"] == pytest.approx(right["losses"][0], abs=1e-5)
    assert set(lab["gradients"]) == set(right["gradients"])
    for place, expected in right["gradients"].items():
        found = torch.tensor(lab["gradients"][place])
        assert not found[len(expected) :].any(), f"{place}: no word, but a gradient"
        off = (found[: len(expected)] - expected).norm() / expected.norm()
        assert off < 1e-4, f"{place}: {off:.1e} of its size"


def test_three_steps_of_adamw_lead_to_pytorchs_weights(both: dict[str, Any]) -> None:
    lab, right = both["lab"], both["torch"]
    assert lab["rates"] == pytest.approx([SCHEDULE(step) for step in range(STEPS)], abs=1e-12)
    assert lab["losses"] == pytest.approx(right["losses"], abs=1e-5)
    for place, expected in right["weights"].items():
        found = torch.tensor(lab["weights"][place])[: len(expected)]
        torch.testing.assert_close(found, expected, rtol=0, atol=1e-4)
        moved = expected - torch.tensor(both["start"][place])
        assert (found - expected).norm() < 2e-3 * moved.norm(), place


def test_without_webassembly_the_bits_are_the_same(both: dict[str, Any]) -> None:
    assert both["plain"] == both["lab"]


def test_the_ballads_are_drawn_from_the_same_distribution() -> None:
    drawn = """(() => {
      const draw = core.dice(x.seed);
      const documents = Array.from({ length: x.count }, () => core.ballad(65, draw));
      return { words: core.WORDS, documents, copied: documents.map(core.copied),
        surprisals: documents.map(core.surprisals) };
    })()"""
    count = 400
    (found,) = in_node("training-lab.ballads.js", drawn, [{"seed": 5, "count": count}])
    assert tuple(found["words"]) == BALLADS.words
    rows = np.array(found["documents"])
    for row, copied, surprisals in zip(
        rows[:40], found["copied"], found["surprisals"], strict=False
    ):
        np.testing.assert_allclose(surprisals, BALLADS.surprisals(row), rtol=0, atol=1e-9)
        assert copied == BALLADS.copied(row).tolist()
    ours = BALLADS.sample(count, 65, seed=6)

    def alike(one: np.ndarray, other: np.ndarray) -> None:
        """Means of documents differ by at most four standard errors."""
        error = np.sqrt((one.var(axis=0) + other.var(axis=0)) / count)
        off = np.abs(one.mean(axis=0) - other.mean(axis=0))
        assert (off <= 4 * error + 1e-12).all(), off / error

    def of(documents: np.ndarray) -> np.ndarray:
        words = (documents[:, :, None] == np.arange(len(BALLADS.words))).mean(axis=1)
        copied = np.stack([BALLADS.copied(row) for row in documents]).mean(axis=1)
        return np.column_stack([words, copied])

    alike(of(rows), of(ours))
    surprisals = np.array(found["surprisals"]).mean(axis=1)
    entropies = np.array([BALLADS.entropies(row).mean() for row in ours[:100]])
    error = np.sqrt(surprisals.var() / count + entropies.var() / 100)
    assert abs(surprisals.mean() - entropies.mean()) <= 4 * error


def test_the_scores_of_the_heads_are_those_of_chapter_nine() -> None:
    torch.manual_seed(0)
    model = Decoder(Recipe().config())
    initialise(model, by_sublayers(4), spread=0.3)
    documents = torch.from_numpy(BALLADS.sample(BATCH, 65, seed=4))
    run = """(() => {
      const model = new core.Lab({ seed: 1, width: 64, unseen: x.documents });
      for (const [name, weight] of Object.entries(x.weights)) model.model.w[name].set(weight);
      return model.look();
    })()"""
    call = {"weights": weights_of(model), "documents": documents.tolist()}
    (found,) = in_node("training-lab.run.js", run, [call])
    expected = look(model, documents)
    for name in ("loss", "floor", "copied"):
        assert found[name] == pytest.approx(expected[name], abs=1e-5)
    for name in ("previous", "induction"):
        torch.testing.assert_close(
            torch.tensor(found[name]), torch.tensor(expected[name]), rtol=0, atol=1e-5
        )


def test_the_answer_below_the_lab_is_the_record() -> None:
    record = json.loads((ROOT / "tools" / "training_lab" / "measured.json").read_text("utf-8"))
    (recipe,) = in_node("training-lab.run.js", "core.RECIPE", [{}])
    assert record["recipe"] == recipe, "node tools/training_lab/measure.mjs"
    runs = record["runs"]
    copies = [run for run in runs if run["copies"]]
    assert [run["seed"] for run in runs] == [1, 2, 3, 4, 5]
    text = (ROOT / "book" / "09-looking-inside.md").read_text("utf-8")
    text = " ".join(text[text.index("{interactive} training-lab") :].split("## Cards")[0].split())
    seconds = sorted(run["copies"]["seconds"] for run in copies)
    assert seconds[-1] <= record["goal"]["seconds"]
    assert "seeds {} and {} fall".format(*(run["seed"] for run in copies)) in text
    others = [run["looks"][-1] for run in runs if not run["copies"]]
    ends = sorted(look["copied"] for look in others)
    assert f"{ends[0]:.2f} to {ends[-1]:.2f} nats" in text
    assert f"above {max(look['previous'][1] for look in others):.2f}" in text
    assert f"after {seconds[0]:.0f} to {seconds[-1]:.0f} seconds" in text
    first = {look["step"]: look for look in runs[0]["looks"]}
    for step in (800, 1200):
        for name in ("previous", "induction"):
            assert f"{first[step][name][1]:.2f}" in text
    for run in copies:
        last = run["looks"][-1]
        assert f"{last['previous'][0]} and {last['induction'][0]}" in text, run["seed"]


@pytest.mark.skipif(not ASSEMBLYSCRIPT.exists(), reason="npm's assemblyscript is not installed")
def test_the_kernel_in_the_page_is_the_compiled_source() -> None:
    assert NODE is not None
    command = [NODE, str(ROOT / "tools" / "training_lab" / "build.mjs"), "--print"]
    done = subprocess.run(command, text=True, capture_output=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (WIDGETS / "training-lab.wasm.js").read_text("utf-8")
