"""Streaming: tokens as they come, a model left as it was, and nothing lost to NaN."""

import pytest
import torch

from plainformer.generation import EndToken, NaNLogits, Sampler, generate, stream
from tests.plainformer.generation_models import talkative

PROMPTS = [[1, 2, 3], [4], [5, 6, 7, 8, 9, 10, 11, 12], [3, 3]]


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
