"""Rotary angles that depend on the length: neighbours, chunks and requests have no effect."""

import pytest
import torch

from plainformer.generation import ModelDrafter, PromptLookup, generate
from plainformer.models import Config, Decoder
from plainformer.serving import Engine, Request
from tests.plainformer.generation_models import talkative

SHORT, LONG, LONGER = [3, 4, 5], [*range(30)], [*range(10, 48)]


def decoder(**changes):
    torch.manual_seed(0)
    sizes = {"vocabulary": 50, "d_model": 16, "n_layers": 2, "n_heads": 2, "context": 64}
    scaled = {"rotary_scaling": "dynamic", "rotary_factor": 4.0, "rotary_context": 16}
    model = Decoder(Config(**{**sizes, **scaled, **changes}))
    for parameter in model.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.4)
    return model.double().eval()


MODEL = decoder()


def alone(prompt, new=10, model=MODEL):
    return generate(model, [prompt], max_new_tokens=new).tokens[0]


@pytest.mark.parametrize("caches", ["growing", "static"])
@pytest.mark.parametrize("batch", [[SHORT, LONG], [LONG, LONGER, SHORT], [SHORT, LONGER]])
def test_a_row_gets_what_it_gets_alone(batch, caches):
    made = generate(MODEL, batch, max_new_tokens=10, caches=caches)
    for i, prompt in enumerate(batch):
        one = generate(MODEL, [prompt], max_new_tokens=10)
        assert made.tokens[i] == one.tokens[0]
        assert made.log_probabilities[i] == pytest.approx(one.log_probabilities[0], abs=1e-9)


def test_rows_go_on_as_alone_when_a_neighbour_has_filled_the_context():
    made = generate(MODEL, [LONG, LONGER], max_new_tokens=34).tokens
    assert made == [alone(LONG, 34), alone(LONGER, 34)]


@pytest.mark.parametrize("chunk", [1, 3, 8, 17, 31])
def test_a_prompt_is_read_alike_in_any_pieces(chunk):
    for prompt in (SHORT, LONG, LONGER):
        assert generate(MODEL, [prompt], max_new_tokens=10, chunk=chunk).tokens[0] == alone(prompt)


def test_an_engine_answers_what_fits_the_trained_context_and_refuses_the_rest():
    engine = Engine(MODEL, pages=20, page_size=4, token_budget=5)
    requests = [Request(prompt=[i, *SHORT], max_new_tokens=10) for i in range(4)]
    for request in requests:
        engine.submit(request)
    with pytest.raises(ValueError, match=r"39 positions, and beyond 16 .*'dynamic'.*generate\(\)"):
        engine.submit(Request(prompt=LONG, max_new_tokens=10))
    answers = engine.run()
    assert [answers[i].tokens for i in range(4)] == [alone(r.prompt) for r in requests]


@pytest.mark.parametrize("drafter", [PromptLookup(), ModelDrafter(decoder(n_layers=1))])
def test_a_drafter_is_refused_beyond_the_trained_context_and_changes_nothing_within(drafter):
    made = generate(MODEL, [SHORT], max_new_tokens=10, drafter=drafter)
    assert made.tokens[0] == alone(SHORT)
    with pytest.raises(ValueError, match=r"40 positions, and beyond 16 .* leave the drafter out"):
        generate(MODEL, [LONG], max_new_tokens=10, drafter=drafter)


@pytest.mark.parametrize(("small", "large"), [(30, 32), (32, 30), (50, 64), (100, 101)])
def test_a_drafter_whose_table_is_padded_otherwise_guesses_all_the_same(small, large):
    model, guess = (talkative(vocabulary=v, context=64) for v in (large, small))
    for prompt in ([1, 2], [min(small, large) - 1, 3]):
        plain = generate(model, [prompt], max_new_tokens=12)
        made = generate(model, [prompt], max_new_tokens=12, drafter=ModelDrafter(guess))
        assert made.tokens == plain.tokens


@pytest.mark.parametrize("new", [1, 2, 5, 31, 63, 64])
def test_no_number_of_tokens_takes_another_path_once_the_weights_are_packed(new):
    model = talkative(context=128)
    generate(model, [[1, 2]], max_new_tokens=64)
    made = generate(model, [[2, 1]], max_new_tokens=new)
    assert made.path == "lean"
    assert made.tokens == generate(model, [[2, 1]], max_new_tokens=new, fast=False).tokens
    with torch.no_grad():
        model.norm.weight.mul_(2)
    assert generate(model, [[2, 1]], max_new_tokens=5).path == "model", "packed no more"
