"""Project 17.capstone: a model of one's own, measured in a language that nobody has seen."""

import os
from typing import Any

from plaincourse.exercise import Inputs, Project, Worth
from plainformer.lab.capstone import PARTS, VOCABULARY, measure, text

#: Processor seconds of a training. An instructor with faster machines sets another.
SECONDS = float(os.environ.get("PLAINCOURSE_CAPSTONE_SECONDS", "90"))


def inputs(seed: int) -> Inputs:
    return {"text": text(seed), "vocabulary": VOCABULARY, "seconds": SECONDS}


def assess(seed: int, made: Any) -> Worth:
    found = measure(made, seed=seed)
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
    seconds=2 * SECONDS + 30,
    hints=(
        "Start from the plain configuration and the plain recipe, and see which part earns least. "
        "Which chapter is about that part?",
        "A model that has not learnt to copy loses most of what it could win. Print the loss while "
        "it learns: when does it fall fast, and is it flat again before your time is up?",
        "Key/value heads, an INT8 cache and a window each make the cache smaller, and each takes "
        "something else. Change one of them at a time, with the same seed and the same steps.",
    ),
)
