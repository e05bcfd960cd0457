"""Generation: batched equals alone, cached equals uncached, streamed equals whole."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer.generation import (
    EndToken,
    ModelDrafter,
    NaNLogits,
    PromptLookup,
    Sampler,
    generate,
    growing,
    static,
    stream,
)
from plainformer.generation.drawing import seed_of
from plainformer.generation.stopping import collected
from plainformer.models.layers import POSITIONS
from tests.plainformer.generation_models import talkative
from tests.plainformer.tensors import SEEDS
from tests.plainformer.traps import Trap

PROMPTS = [[1, 2, 3], [4], [5, 6, 7, 8, 9, 10, 11, 12], [3, 3]]
CACHES = {"growing": growing, "static": static, "none": None}
FEW = settings(max_examples=6)


def alone(model, prompts, **settings):
    """Continue each prompt with the simplest loop, without caches."""
    every = []
    for prompt in prompts:
        text = list(prompt)
        while len(text) - len(prompt) < settings["max_new_tokens"]:
            if len(text) > model.config.context:
                break
            text.append(int(model(torch.tensor([text]))[0, -1].argmax()))
        every.append(text[len(prompt) :])
    return every


@pytest.mark.parametrize("positions", sorted(POSITIONS))
@pytest.mark.parametrize("caches", CACHES)
@pytest.mark.parametrize("window", [None, 3])
def test_a_batch_of_ragged_prompts_gives_each_what_it_gets_alone(positions, caches, window):
    model = talkative(positions=positions, window=window)
    made = generate(model, PROMPTS, max_new_tokens=9, caches=CACHES[caches])
    expected = alone(model, PROMPTS, max_new_tokens=9)
    assert made.tokens == expected
    assert made.stopped == ["length"] * 4
    assert len({token for new in expected for token in new}) > 4


@FEW
@given(seed=SEEDS, lengths=st.lists(st.integers(1, 9), min_size=1, max_size=4))
def test_batches_of_any_lengths_give_each_what_it_gets_alone(seed, lengths):
    model = talkative(seed % 100)
    rng = torch.Generator().manual_seed(seed)
    prompts = [torch.randint(13, (n,), generator=rng).tolist() for n in lengths]
    made = generate(model, prompts, max_new_tokens=5)
    assert made.tokens == alone(model, prompts, max_new_tokens=5)


@pytest.mark.parametrize("caches", CACHES)
def test_a_long_neighbour_takes_no_room_from_a_short_prompt(caches):
    model = talkative(context=10)
    made = generate(model, PROMPTS, max_new_tokens=20, caches=CACHES[caches])
    assert made.tokens == alone(model, PROMPTS, max_new_tokens=20)
    assert [len(new) for new in made.tokens] == [8, 10, 3, 9]  # one is after the context
    assert made.stopped == ["context"] * 4


def test_a_prompt_that_fills_the_context_gets_one_token():
    made = generate(talkative(context=3), [[1, 2, 3]], max_new_tokens=5)
    assert (len(made.tokens[0]), made.stopped) == (1, ["context"])


@pytest.mark.parametrize("chunk", [1, 2, 3, 5, 8])
def test_a_prompt_read_in_chunks_equals_one_read_whole(chunk):
    model = talkative()
    whole = generate(model, PROMPTS, max_new_tokens=6)
    assert generate(model, PROMPTS, max_new_tokens=6, chunk=chunk).tokens == whole.tokens


def test_each_token_is_read_once():
    model, read = talkative(), []
    model.embedding.register_forward_hook(lambda _m, args, _o: read.append(args[0].shape[1]))
    generate(model, [[1, 2, 3, 4, 5]], max_new_tokens=4, chunk=2)
    assert read == [2, 2, 1, 1, 1, 1]


@FEW
@given(seed=st.integers(0, 2**30))
def test_a_sequence_draws_the_same_whatever_its_neighbours(seed):
    model = talkative(context=10)  # sequences are regrouped when the longest ends
    many = generate(model, PROMPTS, max_new_tokens=9, sampler=Sampler(seed=seed))
    for i, prompt in enumerate(PROMPTS):
        one = generate(model, [prompt], max_new_tokens=9, sampler=Sampler(seed=seed_of(seed, i)))
        assert one.tokens[0] == many.tokens[i]


def test_draws_differ_between_seeds_and_repeat_with_one():
    model = talkative()
    drawn = [
        generate(model, PROMPTS, max_new_tokens=9, sampler=Sampler(seed=s)).tokens
        for s in (1, 1, 900)
    ]
    assert drawn[0] == drawn[1] != drawn[2]


def test_log_probabilities_are_what_the_model_gives_each_token():
    model = talkative()
    made = generate(model, PROMPTS, max_new_tokens=5, sampler=Sampler(temperature=2, seed=0))
    for prompt, new, logs in zip(PROMPTS, made.tokens, made.log_probabilities, strict=True):
        given = model(torch.tensor([prompt + new])).log_softmax(-1)[0, len(prompt) - 1 : -1]
        expected = given.gather(-1, torch.tensor(new)[:, None])[:, 0]
        torch.testing.assert_close(torch.tensor(logs, dtype=torch.float64), expected)


def test_no_prompts_give_nothing():
    made = generate(talkative(), [], max_new_tokens=3)
    assert (made.tokens, made.stopped, made.acceptance) == ([], [], None)


@pytest.mark.parametrize("wrong", [{"max_new_tokens": 0}, {"max_new_tokens": 1, "chunk": 0}])
def test_numbers_out_of_range_are_refused(wrong):
    (name, value) = list(wrong.items())[-1]
    with pytest.raises(ValueError, match=f"{name}={value}: expected at least 1"):
        stream(talkative(), [[1]], **wrong)


def test_a_stream_yields_the_tokens_in_order_and_the_callback_sees_them():
    model, seen = talkative(), []
    whole = generate(model, PROMPTS, max_new_tokens=4, on_token=seen.append)
    streamed = list(stream(model, PROMPTS, max_new_tokens=4))
    assert streamed == seen
    assert [t.sequence for t in streamed] == [0, 1, 2, 3] * 4
    assert [t.token for t in streamed[2::4]] == whole.tokens[2]
    assert [t.stopped for t in streamed] == [None] * 12 + ["length"] * 4


def test_a_stream_yields_before_it_has_read_on():
    model, steps = talkative(), []
    model.output.register_forward_hook(lambda *_: steps.append(1))
    next(stream(model, [[1]], max_new_tokens=9))
    assert len(steps) == 1


def test_an_open_or_closed_stream_leaves_model_and_gradients_as_they_were():
    model = talkative(dropout=0.5).train()
    tokens = stream(model, PROMPTS, max_new_tokens=9)
    first = next(tokens)
    assert model.training
    assert torch.is_grad_enabled()
    tokens.close()
    assert model.training
    assert first == next(stream(model.eval(), PROMPTS, max_new_tokens=9))
    assert not model.training


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_nan_logits_name_sequence_and_step_and_lose_nothing(temperature):
    model = talkative()
    free = generate(model, PROMPTS, max_new_tokens=9, sampler=Sampler(temperature=0, seed=0))
    calls = []

    def spoil(_module, _args, logits):
        calls.append(1)
        if len(calls) == 4:
            logits[2] = torch.nan
        return logits

    model.output.register_forward_hook(spoil)
    sampler = Sampler(temperature=temperature, seed=0)
    with pytest.raises(NaNLogits, match="sequence 2 at step 3 hold NaN") as caught:
        generate(model, PROMPTS, max_new_tokens=9, sampler=sampler)
    assert [len(new) for new in caught.value.generated.tokens] == [3] * 4
    assert caught.value.generated.stopped == [None] * 4
    if temperature == 0:
        assert caught.value.generated.tokens == [new[:3] for new in free.tokens]


def test_a_sequence_that_has_stopped_may_be_nan():
    model = talkative()
    first = generate(model, PROMPTS, max_new_tokens=1).tokens[1][0]
    whole = generate(model, PROMPTS, max_new_tokens=5, stop=[EndToken(first)])
    calls = []

    def spoil(_module, _args, logits):
        calls.append(1)
        logits[1] = torch.nan if len(calls) > 1 else logits[1]
        return logits

    model.output.register_forward_hook(spoil)
    assert generate(model, PROMPTS, max_new_tokens=5, stop=[EndToken(first)]) == whole
    assert whole.stopped[1] == "token"


ITERABLES = {
    "generator": lambda prompts: (prompt for prompt in prompts),
    "iterator": iter,
    "map": lambda prompts: map(torch.tensor, prompts),
    "tuple": tuple,
}


@pytest.mark.parametrize("call", [generate, stream])
@pytest.mark.parametrize("kind", ITERABLES)
def test_prompts_may_come_one_by_one(kind, call):
    model, settings = talkative(), {"max_new_tokens": 3, "sampler": Sampler(seed=1)}
    found = call(model, ITERABLES[kind](PROMPTS), **settings)
    expected = generate(model, PROMPTS, **settings)
    assert (collected(found, len(PROMPTS)) if call is stream else found) == expected


def test_no_prompts_of_a_generator_are_no_texts():
    assert generate(talkative(), iter(()), max_new_tokens=3).tokens == []


DRAFTED = {"max_new_tokens": 8, "sampler": Sampler(temperature=0.8, seed=4)}


@pytest.mark.parametrize("caches", ["growing", "static", growing, static, None])
def test_a_drafter_takes_the_names_of_caches(caches):
    model, usual = talkative(), ModelDrafter(talkative(seed=5))
    expected = generate(model, PROMPTS, **DRAFTED, drafter=usual)
    drafter = ModelDrafter(talkative(seed=5), caches=caches)
    assert generate(model, PROMPTS, **DRAFTED, drafter=drafter) == expected
    with pytest.raises(ValueError, match="caches='paged': expected one of"):
        ModelDrafter(talkative(), caches="paged")


@pytest.mark.parametrize("caches", ["growing", "static"])
def test_a_drafter_that_was_interrupted_anywhere_guesses_the_same_again(caches):
    model, small = talkative(), talkative(seed=5, n_layers=1)
    call = {"model": model, "prompts": PROMPTS[:1], "max_new_tokens": 4, "ahead": 2}
    expected = generate(**call, drafter=ModelDrafter(small, caches=caches))
    trap = Trap(0)
    parts = [small.embedding, small.blocks[0].attention, small.output]
    handles = [part.register_forward_hook(trap) for part in parts]
    drafter = ModelDrafter(small, caches=caches)
    generate(**call, drafter=drafter)
    total = trap.calls
    assert total > 3
    for at in range(1, total + 1):
        trap.calls, trap.at = 0, at
        with pytest.raises(KeyboardInterrupt):
            generate(**call, drafter=drafter)
        assert generate(**call, drafter=drafter) == expected
    for handle in handles:
        handle.remove()


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ValueError])
@pytest.mark.parametrize("more", [{}, {"caches": None}, {"drafter": PromptLookup()}])
def test_a_stream_that_was_interrupted_does_not_end_as_if_it_were_whole(error, more):
    model = talkative()
    tokens = stream(model, [[1, 2, 1, 2]], max_new_tokens=9, **more)
    first = next(tokens)
    trap = Trap(1, error=error)
    handle = model.blocks[1].register_forward_hook(trap)
    with pytest.raises(error):
        list(tokens)
    handle.remove()
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"tokens are missing: call stream\(\) again"):
            next(tokens)
    again = stream(model, [[1, 2, 1, 2]], max_new_tokens=9, **more)
    assert next(again) == first
    assert len(list(again)) == 8
    assert list(again) == []  # a finished stream stays finished
