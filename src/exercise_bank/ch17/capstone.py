"""Project 17.capstone: a design that is trained and measured in a hidden language."""

import os
from functools import cache
from typing import Any

from plaincourse.exercise import Inputs, Project, Worth
from plainformer.lab.capstone import (
    PARTS,
    PLAIN,
    Measured,
    Refused,
    measure,
    seconds_for,
    text,
    train_entry,
)

#: Processor seconds of a training: LEAST, or the time of STEPS of the plain recipe if that is more,
#: up to MOST. PLAINCOURSE_CAPSTONE_SECONDS sets another budget.
STEPS, LEAST, MOST = 1_500, 90.0, 200.0
GIVEN = os.environ.get("PLAINCOURSE_CAPSTONE_SECONDS")


@cache
def budget() -> float:
    if GIVEN:
        return float(GIVEN)
    here = seconds_for(PLAIN, text(0, 32), steps=STEPS)
    return round(min(MOST, max(LEAST, here)))


def inputs(seed: int) -> Inputs:
    """Return the budget only: nothing about the hidden language leaves the grader."""
    return {"seconds": budget()}


def assess(seed: int, made: Any) -> Worth:
    """Train the design here, on the language of the seed, and measure it."""
    try:
        found = measure(train_entry(made, seed=seed, seconds=budget()), seed=seed)
    except Refused as refused:
        found = Measured(parts=dict.fromkeys(PARTS, 0.0), refused=str(refused))
    said = (found.refused[:1].upper() + found.refused[1:],) if found.refused else ()
    return Worth(earned=found.parts, facts=found.facts, said=said)


TASK = Project(
    id="17.capstone",
    title="A model of your own",
    level="hard",
    minutes=180,
    concepts=("compose-a-model", "train-a-model", "extend-a-model", "serve-a-model"),
    parts=tuple(PARTS.items()),
    inputs=inputs,
    assess=assess,
    seconds=30,
    hints=(
        'Begin with the plain design, {"model": capstone.PLAIN}. Which of its five parts earns the '
        "least, and which chapter is about that part?",
        "Most of the loss falls when the model begins to copy. Train a design with capstone.train "
        "for more and more steps and print its loss: when does it fall fast, and is it flat again "
        "before the time is up?",
        "The model is measured on 256 words. Which field of the recipe lets it train on more than "
        "64, and how long does a step then take? Fewer key/value heads, narrow heads, an INT8 "
        "cache and a window each make the cache smaller. Change one of them at a time, with the "
        "same seed and steps.",
    ),
)
