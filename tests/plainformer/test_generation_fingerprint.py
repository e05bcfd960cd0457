"""New weights are detected by objects that store results of the old ones."""

import copy

import pytest
import torch

from plainformer.generation import LeanDecoder, ModelDrafter, generate
from plainformer.generation.fingerprint import Fingerprint, Glance
from plainformer.models import Config, Decoder
from plainformer.serving import Engine, Request, check

CONFIG = Config(vocabulary=30, d_model=16, n_layers=2, n_heads=4, context=64)
PROMPT = [list(range(1, 21))]


def decoder(seed=0):
    torch.manual_seed(seed)
    model = Decoder(CONFIG)
    for parameter in model.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.4)
    return model.double().eval()


def load_state_dict(model):
    model.load_state_dict(decoder(1).state_dict())


def optimiser_step(model):
    optimiser = torch.optim.SGD(model.parameters(), lr=3.0)
    model(torch.tensor([[1, 2, 3]])).square().mean().backward()
    optimiser.step()
    optimiser.zero_grad()


def in_place(model):
    with torch.no_grad():
        model.blocks[0].attention.value.weight.mul_(-2)


def by_data(model):
    model.blocks[1].feedforward.up.weight.data.mul_(-3)


def by_array(model):
    model.blocks[0].attention.key.weight.detach().numpy()[:] *= -1


def to_dtype(model):
    model.float()


def another_module(model):
    model.blocks[0].feedforward = decoder(2).blocks[0].feedforward


def another_parameter(model):
    model.norm.weight = torch.nn.Parameter(-2 * model.norm.weight.detach())


CHANGES = [
    load_state_dict,
    optimiser_step,
    in_place,
    by_data,
    by_array,
    to_dtype,
    another_module,
    another_parameter,
]


def plain(model, prompt=PROMPT, new=8):
    return generate(model, prompt, max_new_tokens=new, fast=False).tokens[0]


@pytest.mark.parametrize("change", CHANGES)
def test_an_engine_answers_with_the_weights_that_the_model_has_now(change):
    model = decoder()
    engine = Engine(model, pages=20, page_size=4)
    for _ in range(2):
        number = engine.submit(Request(prompt=PROMPT[0], max_new_tokens=8))
        assert engine.run()[number].tokens == plain(model)
    assert engine.answers[1].reused == 16
    change(model)
    number = engine.submit(Request(prompt=PROMPT[0], max_new_tokens=8))
    answer = engine.run()[number]
    assert (answer.tokens, answer.reused) == (plain(model), 0)
    check(engine)


@pytest.mark.parametrize("change", CHANGES)
def test_requests_that_run_go_on_with_new_weights_from_their_first_position(change):
    model = decoder()
    engine = Engine(model, pages=20, page_size=4, token_budget=64)
    for prompt in (PROMPT[0], [5, 6, 7]):
        engine.submit(Request(prompt=prompt, max_new_tokens=8))
    for _ in range(3):
        engine.step()
    sofar = [engine.open[n].tokens.copy() for n in range(2)]
    change(model)
    answers = engine.run()
    check(engine)
    for n, tokens in enumerate(sofar):
        assert answers[n].tokens[3:] == plain(model, [tokens], new=5)
        assert answers[n].preempted == 1


@pytest.mark.parametrize("change", [c for c in CHANGES if c is not to_dtype])
def test_packed_weights_and_what_a_drafter_has_read_follow_the_model(change):
    model, drafter = decoder(), ModelDrafter(decoder(3))
    lean = LeanDecoder(model, capacity=64, weights="float64")
    for _ in range(2):
        assert lean.generate(torch.tensor(PROMPT), max_new_tokens=8)[0].tolist() == plain(model)
        assert generate(model, PROMPT, max_new_tokens=8, fast=True).tokens[0] == plain(model)
        made = generate(model, PROMPT, max_new_tokens=8, drafter=drafter)
        same = copy.deepcopy(drafter.model)
        fresh = generate(model, PROMPT, max_new_tokens=8, drafter=ModelDrafter(same))
        assert (made.tokens, made.accepted) == (fresh.tokens, fresh.accepted)
        change(model)
        change(drafter.model)


@pytest.mark.parametrize("change", CHANGES)
def test_a_glance_notices_each_change_and_nothing_else(change):
    model = decoder()
    glance, fingerprint = Glance(model), Fingerprint(model)
    assert fingerprint.changed()
    fingerprint.renew()
    plain(model)
    assert not glance.differs()
    assert not fingerprint.changed(closely=True)
    change(model)
    assert glance.differs()
    assert fingerprint.changed()


def test_one_number_that_nobody_counts_and_a_hook_are_seen_by_a_close_look():
    model = decoder()
    fingerprint = Fingerprint(model)
    fingerprint.renew()
    handle = model.blocks[0].register_forward_hook(lambda *_: None)
    assert fingerprint.changed(closely=True)
    handle.remove()
    assert not fingerprint.changed(closely=True)
    model.embedding.weight.data[7, 3] += 1
    assert fingerprint.changed(closely=True)


def test_weights_that_are_not_numbers_equal_themselves():
    model = decoder()
    with torch.no_grad():
        model.embedding.weight[0] = torch.nan
        model.norm.weight[1] = torch.inf
    fingerprint = Fingerprint(model)
    fingerprint.renew()
    assert not fingerprint.changed(closely=True)
