"""A model that several threads use at once gives each thread the same result as alone."""

from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from plainformer.generation import ModelDrafter, Sampler, generate
from plainformer.generation.fast import KEPT
from plainformer.generation.lean.decoder import LeanDecoder
from plainformer.serving import Engine, Request
from tests.plainformer.generation_models import talkative

NEW = 3


def served(model, prompt):
    engine = Engine(model, pages=20, page_size=2)
    number = engine.submit(Request(prompt=prompt, max_new_tokens=NEW))
    return engine.run()[number].tokens


def read(model, prompt, **options):
    return generate(model, [prompt], max_new_tokens=NEW, **options).tokens[0]


WAYS = {
    "cached": read,
    "whole": lambda model, prompt: read(model, prompt, caches=None),
    "drawn": lambda model, prompt: read(model, prompt, sampler=Sampler(seed=prompt[0])),
    "guessed": lambda model, prompt: read(model, prompt, drafter=ModelDrafter(model)),
    "packed": lambda model, prompt: read(model, prompt, fast=True),
    "served": served,
    "lean": lambda model, prompt: (
        LeanDecoder(model, capacity=20, weights="float64")
        .generate(torch.tensor([prompt]), max_new_tokens=NEW)[0]
        .tolist()
    ),
}


@pytest.mark.parametrize("training", [False, True])
def test_threads_that_read_one_model_get_their_own_answers(training):
    model = talkative(positions="rotary", dropout=0.5).train(training)
    jobs = [(way, [i % 13, 2 * i % 13]) for i in range(2) for way in WAYS.values()]
    right = [way(talkative(positions="rotary", dropout=0.5).eval(), p) for way, p in jobs]
    KEPT.clear()
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(lambda job: job[0](model, job[1]), jobs))
    assert found == right
    assert model.training == training
