"""Train the model of a design: the grader's loop and clock, the design's recipe."""

import copy
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from plainformer.lab.capstone.entry import Refused, configuration, read, without_training
from plainformer.lab.capstone.language import LONG, SHORT
from plainformer.lab.capstone.language import text as text_of
from plainformer.models import Decoder
from plainformer.models.initial import by_sublayers, initialise
from plainformer.training.optimiser import AdamW, Schedule, adamw, clip

# A tenth is kept in reserve; the measurement itself takes as long as eight steps.
SLACK = 1 / 0.9
LOST = 8
FEWEST = 10  # steps that a budget must hold
OVER = 1.1  # factor of a budget at which a training run is stopped
MOST_POSITIONS = 8_192  # in one step


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """The settings of a training run.

    Args:
        rate: highest learning rate, of AdamW; above 0, at most 1.
        warmup: fraction of the steps until it is reached, 0 to 1.
        final: fraction of it that is left at the end of the cosine, 0 to 1.
        batch: sequences in a step.
        documents: number of documents in a row in each sequence, 1 to 4. Four are cut to LONG + 1
            words.
        decay: weight decay, 0 to 1.
        spread: standard deviation of the initial weights; above 0, at most 1.

    Raises:
        Refused: a field is unknown, of the wrong type, or out of range.
    """

    rate: float = 5e-3
    warmup: float = 0.1
    final: float = 0.1
    batch: int = 32
    documents: int = 1
    decay: float = 0.1
    spread: float = 0.1

    def __post_init__(self) -> None:
        for name in ("rate", "spread"):
            self._check(name, 0 < getattr(self, name) <= 1, "above 0 and at most 1")
        for name in ("warmup", "final", "decay"):
            self._check(name, 0 <= getattr(self, name) <= 1, "from 0 to 1")
        self._check("documents", 1 <= self.documents <= LONG // SHORT, f"1 to {LONG // SHORT}")
        most = MOST_POSITIONS // (SHORT * self.documents)
        self._check(
            "batch", 1 <= self.batch <= most, f"1 to {most}, so that a step has at most "
            f"{MOST_POSITIONS:,} positions",
        )  # fmt: skip

    def _check(self, name: str, holds: bool, expected: str) -> None:
        if not holds:
            raise Refused(f"training: {name}={getattr(self, name)!r}; expected {expected}")

    @classmethod
    def read(cls, fields: Mapping[str, Any]) -> "Recipe":
        """Return the recipe with the ``fields`` of a design.

        Raises:
            Refused: a field is unknown, of the wrong type, or out of range.
        """
        types = {f: type(value) for f, value in vars(cls()).items()}
        if unknown := sorted(set(fields) - set(types)):
            raise Refused(f"training: {', '.join(unknown)} unknown; expected some of {list(types)}")
        for name, value in fields.items():
            whole, number = type(value) is int, type(value) in (int, float)
            if not (whole if types[name] is int else number and math.isfinite(value)):
                expected = "a whole number" if types[name] is int else "a number"
                raise Refused(f"training: {name} is a {type(value).__name__}; expected {expected}")
        return cls(**{name: types[name](value) for name, value in fields.items()})


def train(
    model: Mapping[str, Any],
    text: Tensor,
    *,
    seconds: float | None = None,
    steps: int | None = None,
    seed: int = 0,
    **recipe: Any,
) -> dict[str, Tensor]:
    """Train a decoder, and return its weights by name.

    With ``seconds``, the first few steps are timed by the processor's clock, which does not depend
    on other programs, and determine the number of steps; a training run that has used OVER times
    its seconds is stopped. With ``steps``, the result is the same each time.

    Args:
        model: fields of its configuration, without vocabulary and context.
        text: (b, n + 1) documents, of which the last n words are predicted.
        seconds: processor time; exactly one of this and ``steps`` is given.
        steps: number of steps.
        seed: seed of the weights and of the order.
        recipe: fields of :class:`Recipe`.

    Raises:
        ValueError: neither or both of ``seconds`` and ``steps`` are given.
        Refused: the recipe or the model is invalid, or the budget is below FEWEST steps.
    """
    if (seconds is None) == (steps is None):
        raise ValueError(f"seconds={seconds}, steps={steps}: expected one of the two")
    how = Recipe.read(recipe)
    began = time.process_time()
    torch.manual_seed(seed)
    decoder = Decoder(configuration(model))
    initialise(decoder, by_sublayers(2 * decoder.config.n_layers), spread=how.spread)
    order = torch.Generator().manual_seed(seed)
    if steps is None:
        assert seconds is not None
        steps = _fitting(decoder, _rows(text, how, torch.Generator().manual_seed(0)), seconds)
    optimiser = adamw(decoder, rate=how.rate, decay=how.decay)
    schedule = Schedule(peak=how.rate, warmup=int(how.warmup * steps), steps=steps, final=how.final)
    decoder.train()
    for step in range(steps):
        if seconds is not None and time.process_time() - began > OVER * seconds:
            break
        for group in optimiser.param_groups:
            group["lr"] = schedule(step)
        _advance(decoder, optimiser, _rows(text, how, order))
    return {name: w.detach().clone() for name, w in decoder.state_dict().items()}


def train_entry(data: object, *, seed: int, seconds: float) -> dict[str, Any]:
    """Return the entry of a design, with weights trained from scratch on the language of a seed.

    Args:
        data: a dictionary of "model", "training", "stretch", "cache" and "serving"; see
            :func:`~plainformer.lab.capstone.entry.read`. Weights are refused, because only those
            trained here count.
        seed: seed of the language.
        seconds: processor time.

    Raises:
        Refused: the data is not a design, or the budget is too small for it.

    Cost: ``seconds``.
    """
    read(data, weights=False)
    assert isinstance(data, dict)
    recipe = vars(Recipe.read(data.get("training", {})))
    weights = train(data["model"], text_of(seed), seconds=seconds, **recipe)
    return {**without_training(data), "weights": weights}


def _rows(text: Tensor, how: Recipe, order: torch.Generator) -> Tensor:
    """Draw the sequences of a step, (batch, n + 1)."""
    drawn = text[torch.randint(len(text), (how.batch, how.documents), generator=order)]
    return drawn.flatten(1)[:, : LONG + 1]


def _advance(decoder: Decoder, optimiser: AdamW, rows: Tensor) -> None:
    loss = F.cross_entropy(decoder(rows[:, :-1]).flatten(0, 1), rows[:, 1:].flatten())
    loss.backward()  # type: ignore[no-untyped-call]
    clip(decoder.parameters(), 1.0)
    optimiser.step()
    optimiser.zero_grad()


def seconds_for(model: Mapping[str, Any], text: Tensor, *, steps: int, batch: int = 32) -> float:
    """Return the processor seconds that :func:`train` needs here for a number of steps.

    A budget in steps of one model allows the same number of steps on a slow processor and on a fast
    one.

    Args:
        model: fields of its configuration, without vocabulary and context.
        text: (b, n + 1) documents.
        steps: number of steps.
        batch: documents in a step.

    Cost: six steps.
    """
    decoder = Decoder(configuration(model))
    return (steps * SLACK + LOST) * _step(decoder, text[:batch])


def _fitting(decoder: Decoder, rows: Tensor, seconds: float) -> int:
    """Return how many steps fit in the budget; the steps timed here do not change the weights."""
    took = _step(decoder, rows, most=seconds / FEWEST)
    return max(FEWEST, int((seconds - LOST * took) / (SLACK * took)))


def _step(decoder: Decoder, rows: Tensor, most: float = math.inf) -> float:
    """Return the processor seconds of a step, measured on a copy of the model.

    Raises:
        Refused: the step takes more than ``most``.
    """
    other = copy.deepcopy(decoder)
    optimiser = adamw(other, rate=1e-3)
    for _ in range(2):  # the first pass allocates memory that later ones reuse
        began = time.process_time()
        for _ in range(3):
            _advance(other, optimiser, rows)
        took = (time.process_time() - began) / 3
    if took > most:
        raise Refused(
            f"a step takes {took:.2g} s of the processor, and the budget of {most * FEWEST:g} s "
            f"must hold {FEWEST}: choose a smaller batch, fewer documents or a smaller model"
        )
    return took
