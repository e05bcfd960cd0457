"""Project 17.capstone: a model of one's own, measured in a language that nobody has seen."""

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

#: Processor seconds of a training: LEAST, and where the processor is slower what STEPS of the plain
#: recipe take, up to MOST. An instructor sets another by PLAINCOURSE_CAPSTONE_SECONDS.
STEPS, LEAST, MOST = 1_500, 90.0, 200.0
GIVEN = os.environ.get("PLAINCOURSE_CAPSTONE_SECONDS")


@cache
def budget() -> float:
    if GIVEN:
        return float(GIVEN)
    here = seconds_for(PLAIN, text(0, 32), steps=STEPS)
    return round(min(MOST, max(LEAST, here)))


def inputs(seed: int) -> Inputs:
    """Return the budget only: of the hidden language nothing leaves the grader."""
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
        "Start from the plain configuration and the plain recipe, and see which part earns least. "
        "Which chapter is about that part?",
        "A model that has not learnt to copy loses most of what it could win. Print the loss while "
        "it learns (capstone.train takes steps): when does it fall fast, and is it flat again "
        "before the time is up?",
        "Key/value heads, an INT8 cache and a window each make the cache smaller, and each takes "
        "something else. Change one of them at a time, with the same seed and the same steps.",
    ),
)
