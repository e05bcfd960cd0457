"""Advice in errors of the lab and the pictures, with calls that follow each part."""

from functools import partial
from unittest import mock

import torch

from plainformer import plotting
from plainformer.costs.roofline import Machine
from plainformer.lab import storyteller
from plainformer.lab.capstone import entry
from plainformer.lab.capstone import training as capstone
from plainformer.lab.corpus import Chain
from plainformer.lab.grammar import Grammar
from plainformer.models import Config, Decoder
from tests.plainformer.hints.parts import place
from tests.plainformer.hints.rows import Hint


def told(make=False):
    """Load the package's model with its data missing, or remade with a shorter training."""
    short = partial(storyteller.Recipe, steps=1, batch=2, documents=4, looks=(0, 1))
    with (
        mock.patch.object(storyteller, "HOME", place() / "told"),
        mock.patch.object(storyteller, "Recipe", short),
    ):
        if make:
            storyteller.main(["--seeds"])
        return storyteller.storyteller()


def too_slow(most):
    model = Decoder(Config(vocabulary=9, d_model=8, n_layers=1, n_heads=2, context=8))
    return capstone._step(model, torch.ones(2, 8, dtype=torch.long), most=most)


DESIGN = {"model": {"d_model": 8, "n_layers": 1, "n_heads": 2}}


def endless(weight):
    return Grammar({"S": [(1.0, "a"), (weight, "b S S")]})


def drawn(what, *arguments, **more):
    """Draw a picture, and close it."""
    import matplotlib.pyplot as plt

    try:
        with mock.patch.object(plt, "show"):
            return getattr(plotting, what)(*arguments, **more)
    finally:
        plt.close("all")


def spans(n):
    return {"one": {str(i): [(i, i + 1)] for i in range(n)}}


def roofs(n):
    return {str(i): Machine(1e12, 1e11, str(i)) for i in range(n)}


AXES = {"xlabel": "x", "ylabel": "y"}


WEIGHTS = torch.full((2, 2, 3, 3), 1 / 3)


MASK = torch.ones(2, 2, 3, 3, dtype=torch.bool)


HINTS = [
    Hint(
        "everybody has the same; leave it out",
        lambda: entry.configuration({**DESIGN["model"], "vocabulary": 9}),
        [lambda: entry.configuration(DESIGN["model"])],
    ),
    Hint(
        'Say how under "training", and leave "weights" out',
        lambda: entry.read({**DESIGN, "weights": {}}, weights=False),
        [lambda: entry.read({**DESIGN, "training": {}}, weights=False)],
    ),
    Hint(
        "choose a smaller batch, fewer documents or a smaller model",
        lambda: too_slow(0.0),
        [lambda: too_slow(9.0)],
    ),
    Hint(
        "contexts: more than 20000; lower the order",
        lambda: Chain(order=4),
        [lambda: Chain(order=3)],
    ),
    Hint(
        "never come to words: add a rule without them",
        lambda: Grammar({"S": [(1.0, "a S")]}),
        [lambda: Grammar({"S": [(1.0, "a S"), (1.0, "a")]})],
    ),
    Hint(
        "can begin with themselves: turn the rule round, to the right",
        lambda: Grammar({"S": [(1.0, "S a"), (1.0, "a")]}),
        [lambda: Grammar({"S": [(1.0, "a S"), (1.0, "a")]})],
    ),
    Hint(
        "lower the weights of the rules that use names again",
        lambda: endless(9.0),
        [lambda: endless(0.1)],
    ),
    Hint(
        "has the same right-hand side twice: add up their weights",
        lambda: Grammar({"S": [(1.0, "a"), (2.0, "a"), (1.0, "b")]}),
        [lambda: Grammar({"S": [(1.0 + 2.0, "a"), (1.0, "b")]})],
    ),
    Hint(
        "install the package with its data, or make the model with python -m "
        "plainformer.lab.storyteller",
        told,
        [storyteller.storyteller, lambda: told(make=True)],
    ),
    Hint(
        "series, and … colours that can be told apart: use two pictures",
        lambda: drawn("lines", range(2), {str(i): [0, 1] for i in range(9)}, **AXES),
        [lambda: drawn("lines", range(2), {str(i): [0, 1] for i in range(2)}, **AXES)],
    ),
    Hint(
        "give one value for each x",
        lambda: drawn("lines", range(3), {"a": [0, 1]}, **AXES),
        [lambda: drawn("lines", range(2), {"a": [0, 1]}, **AXES)],
    ),
    Hint(
        "Pick one of a batch and one head first: mask[0, 0]",
        lambda: drawn("mask_grids", {"a": MASK}),
        [lambda: drawn("mask_grids", {"a": MASK[0, 0]})],
    ),
    Hint(
        "give one weight for each cell of the mask, of one batch and one head",
        lambda: drawn("leaks", {"a": WEIGHTS}, MASK[0, 0]),
        [lambda: drawn("leaks", {"a": WEIGHTS[0, 0]}, MASK[0, 0])],
    ),
    Hint(
        "Pick one of a batch and one head first: weights[0, 0]",
        lambda: drawn("weights", WEIGHTS),
        [lambda: drawn("weights", WEIGHTS[0, 0])],
    ),
    Hint(
        "weights of shape …: give one name each",
        lambda: drawn("weights", WEIGHTS[0, 0], queries=["a"]),
        [lambda: drawn("weights", WEIGHTS[0, 0], queries=["a", "b", "c"])],
    ),
    Hint(
        "machines, and … colours that can be told apart: use two pictures",
        lambda: drawn("roofline", roofs(9)),
        [lambda: drawn("roofline", roofs(4))],
    ),
    Hint(
        "states, and … colours: use fewer",
        lambda: drawn("timeline", spans(9)),
        [lambda: drawn("timeline", spans(4))],
    ),
]
