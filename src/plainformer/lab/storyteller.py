"""A small model that comes with the course: it generates ballads, and its heads can be examined.

``python -m plainformer.lab.storyteller`` trains it again, with measurements during training.
Another processor, or another version of PyTorch or of the package, rounds differently; then the
weights differ, and the losses agree.
"""

import argparse
import dataclasses
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from plainformer.lab.ballads import Ballads
from plainformer.looking import induction, marked, previous_token, recorded
from plainformer.models import Config, Decoder, pretrained
from plainformer.models.initial import by_sublayers, initialise
from plainformer.models.storage import write_atomically
from plainformer.training.optimiser import Schedule, adamw, clip

HOME = Path(__file__).parent / "data" / "storyteller"
RECORD, GROWTH = "record.json", "growth-{seed}.json"
SEEDS = tuple(range(1, 8))  # of further training runs, of which only the measurements are stored
BALLADS = Ballads(chance=0.6, shortest=4, longest=12)


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The settings with which the model is made.

    Args:
        steps: optimiser steps.
        batch: documents in a step.
        context: words of a document that are predicted.
        documents: number of training documents.
        rate: highest learning rate.
        spread: standard deviation of the initial weights.
        seed: seed of weights and documents.
        looks: steps at which it is measured; the measurements are stored.
    """

    steps: int = 1_800
    batch: int = 32
    context: int = 64
    documents: int = 16_384
    rate: float = 5e-3
    spread: float = 0.1
    seed: int = 0
    looks: tuple[int, ...] = (0, 100, 200, 300, 400, 500, 600, 800, 1_000, 1_200, 1_500, 1_800)

    def config(self) -> Config:
        """Return the configuration of the model."""
        return Config(
            vocabulary=len(BALLADS.words),
            d_model=64,
            n_layers=2,
            n_heads=4,
            context=self.context,
            rotary_base=100.0,
        )


def held_out(count: int = 64, *, length: int = 65, seed: int = 1_000) -> Tensor:
    """Return documents that the model was not trained on.

    Args:
        count: number of documents.
        length: words in each.
        seed: seed of the random draws.
    """
    return torch.from_numpy(BALLADS.sample(count, length, seed=seed))


def look(model: Decoder, documents: Tensor) -> dict[str, Any]:
    """Measure a model on documents: losses above the floor, and attention scores of its heads.

    Args:
        model: the model.
        documents: (b, n), word numbers.

    Returns:
        Mean losses in nats: ``loss`` of all words, ``floor`` of that, ``copied`` of words that
        follow by copying alone, ``other`` above the floor for the other words; and for each layer
        and head the scores ``previous``, ``induction`` and ``stop``.
    """
    inputs, targets = documents[:, :-1], documents[:, 1:]
    with torch.no_grad(), recorded(model) as seen:
        logits = model(inputs)
    losses = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="none")
    lost = losses.reshape(targets.shape).double().numpy()
    rows = documents.numpy()
    floor = np.stack([BALLADS.surprisals(row)[1:] for row in rows])
    copied = np.stack([BALLADS.copied(row)[1:] for row in rows])
    stops = inputs == BALLADS.stop
    return {
        "loss": float(lost.mean()),
        "floor": float(floor.mean()),
        "copied": float(lost[copied].mean()),
        "other": float((lost - floor)[~copied].mean()),
        "previous": [previous_token(w).tolist() for w in seen.weights],
        "induction": [induction(w, inputs).tolist() for w in seen.weights],
        "stop": [marked(w, stops).tolist() for w in seen.weights],
    }


def train(recipe: Recipe, *, say: bool = False) -> tuple[Decoder, list[dict[str, Any]]]:
    """Train a model.

    Args:
        recipe: the settings.
        say: whether each measurement is printed.

    Returns:
        The model, and all measurements.

    Cost: three passes for each step; a few minutes on one core.
    """
    text = torch.from_numpy(BALLADS.sample(recipe.documents, recipe.context + 1, seed=recipe.seed))
    torch.manual_seed(recipe.seed)
    model = Decoder(recipe.config())
    initialise(model, by_sublayers(2 * model.config.n_layers), spread=recipe.spread)
    optimiser = adamw(model, rate=recipe.rate)
    schedule = Schedule(peak=recipe.rate, warmup=recipe.steps // 10, steps=recipe.steps)
    unseen, rows = held_out(), []
    for step in range(recipe.steps + 1):
        if step in recipe.looks:
            rows.append({"step": step, **look(model, unseen)})
            if say:
                print(*(f"{k}={v:.4g}" for k, v in rows[-1].items() if not isinstance(v, list)))
        if step == recipe.steps:
            break
        at = step * recipe.batch % (recipe.documents - recipe.batch + 1)
        batch = text[at : at + recipe.batch]
        for group in optimiser.param_groups:
            group["lr"] = schedule(step)
        loss = F.cross_entropy(model(batch[:, :-1]).flatten(0, 1), batch[:, 1:].flatten())
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        clip(model.parameters(), 1.0)
        optimiser.step()
    return model.eval(), rows


def storyteller(**changes: Any) -> Decoder:
    """Load the model of the package, in evaluation mode.

    Args:
        changes: fields of its configuration to replace, such as ``context=128``.

    Raises:
        FileNotFoundError: the package was installed without its data.
    """
    if not (HOME / RECORD).exists():
        raise FileNotFoundError(
            f"{HOME} is missing: install the package with its data, or make the model with "
            "python -m plainformer.lab.storyteller"
        )
    return cast(Decoder, pretrained.load(HOME, **changes))


def record() -> dict[str, Any]:
    """Return how the package's model was made, and its quality."""
    return cast(dict[str, Any], json.loads((HOME / RECORD).read_text("utf-8")))


def growth(seed: int = 0) -> list[dict[str, Any]]:
    """Return the measurements of a model during training, one row for each.

    Args:
        seed: 0 for the package's model, 1 to 7 for others with the same settings.
    """
    text = (HOME / GROWTH.format(seed=seed)).read_text("utf-8")
    return cast(list[dict[str, Any]], json.loads(text))


def fingerprint(model: nn.Module) -> str:
    """Return the SHA-256 of a ``model``'s weights, by name, as hexadecimal digits."""
    digest = hashlib.sha256()
    for name, parameter in sorted(model.named_parameters()):
        digest.update(name.encode())
        digest.update(parameter.detach().cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


def make(
    folder: Path | str,
    recipe: Recipe | None = None,
    *,
    seeds: Sequence[int] = (),
    say: bool = False,
) -> None:
    """Train the model, and write it with its record and its measurements.

    Args:
        folder: the folder of the files.
        recipe: the settings; the package's when left out.
        seeds: seeds of further training runs, of which only the measurements are written.
        say: whether each measurement is printed.

    Cost: as :func:`train`, for each seed.
    """
    recipe, folder = Recipe() if recipe is None else recipe, Path(folder)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # several threads sum, and so round, in another order
    try:
        model, rows = train(recipe, say=say)
        grown = {recipe.seed: rows}
        for seed in seeds:
            _, grown[seed] = train(dataclasses.replace(recipe, seed=seed), say=say)
    finally:
        torch.set_num_threads(threads)
    pretrained.save(model, folder)
    last = rows[-1]
    about = {
        "command": "python -m plainformer.lab.storyteller",
        "torch": torch.__version__,
        "sha256": fingerprint(model),
        "parameters": sum(p.numel() for p in model.parameters()),
        "recipe": vars(recipe),
        **{name: round(last[name], 4) for name in ("loss", "floor", "copied", "other")},
    }
    files: dict[str, Any] = {RECORD: about}
    for seed, looks in grown.items():
        files[GROWTH.format(seed=seed)] = [_rounded(row) for row in looks]
    for name, content in files.items():
        text = json.dumps(content, indent=1) + "\n"
        write_atomically(folder / name, partial(_write, text))


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: its arguments; the command line of the process when left out.
    """
    parser = argparse.ArgumentParser(prog="python -m plainformer.lab.storyteller")
    parser.add_argument("--out", type=Path, default=HOME, help="folder; default the package's own")
    parser.add_argument(
        "--seeds", type=int, nargs="*", default=SEEDS, help="of further trainings; default 1 to 7"
    )
    args = parser.parse_args(argv)
    make(args.out, seeds=args.seeds, say=True)
    print(f"saved: {args.out}")
    return 0


def _write(text: str, part: Path) -> None:
    part.write_text(text, "utf-8")


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    def short(x: Any) -> Any:
        return [short(y) for y in x] if isinstance(x, list) else round(x, 4)

    return {name: short(value) for name, value in row.items()}


if __name__ == "__main__":
    sys.exit(main())
