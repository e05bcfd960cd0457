"""A small model that ships with the course: it tells ballads, and it can be looked into.

``python -m plainformer.training.storyteller`` makes it anew: the same weights, on the same
platform, as those in the package.
"""

import argparse
import dataclasses
import hashlib
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, cast

import torch
from torch import nn

from plainformer.models import Decoder, pretrained
from plainformer.models.storage import write_atomically
from plainformer.training.growing import BALLADS, Recipe, held_out, train

HOME = Path(__file__).parents[1] / "data" / "storyteller"
RECORD, GROWTH = "record.json", "growth-{seed}.json"
SEEDS = tuple(range(1, 8))  # of further trainings, of which the growth alone is kept

__all__ = [
    "BALLADS",
    "Recipe",
    "fingerprint",
    "growth",
    "held_out",
    "main",
    "make",
    "record",
    "storyteller",
]


def storyteller(**changes: Any) -> Decoder:
    """Load the model of the package, in evaluation mode.

    Args:
        changes: fields of its configuration that shall differ, such as ``context=128``.

    Raises:
        FileNotFoundError: the package was installed without its data.
    """
    if not (HOME / RECORD).exists():
        raise FileNotFoundError(
            f"{HOME} is missing: install the package with its data, or make the model with "
            "python -m plainformer.training.storyteller"
        )
    return cast(Decoder, pretrained.load(HOME, **changes))


def record() -> dict[str, Any]:
    """Return how the model of the package was made, and how good it is."""
    return cast(dict[str, Any], json.loads((HOME / RECORD).read_text("utf-8")))


def growth(seed: int = 0) -> list[dict[str, Any]]:
    """Return what was seen in a model while it learned, one row for each look.

    Args:
        seed: 0 for the model of the package, 1 to 7 for others by the same recipe.
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
    """Train the model, and write it with its record and its growth.

    Args:
        folder: where the files shall be.
        recipe: how; as in the package when left out.
        seeds: of further trainings, of which the growth alone is written.
        say: whether each look is printed.

    Cost: as :func:`~plainformer.training.growing.train`, for each seed.
    """
    recipe, folder = Recipe() if recipe is None else recipe, Path(folder)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # sums of several threads are rounded in another order
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
        "command": "python -m plainformer.training.storyteller",
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
        argv: its arguments; those of the process when left out.
    """
    parser = argparse.ArgumentParser(prog="python -m plainformer.training.storyteller")
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
