"""Inputs of a model: unknown tokens, long prompts and missing caches are refused."""

import pytest
import torch

from plainformer.cache import ContiguousCache
from plainformer.models import Config, Decoder, Encoder, EncoderDecoder
from plainformer.models.stack import check_tokens

SMALL = {"vocabulary": 11, "d_model": 8, "n_layers": 2, "n_heads": 2, "context": 6}


@pytest.mark.parametrize("token", [-1, 11, 2**40])
def test_a_token_outside_the_vocabulary_is_refused(token):
    tokens = torch.tensor([[3, token, 0]])
    with pytest.raises(ValueError, match=f"token {token} is outside the vocabulary of 11: is this"):
        Decoder(Config(**SMALL))(tokens)
    with pytest.raises(ValueError, match=f"token {token} is outside"):
        EncoderDecoder(Config(**SMALL))(tokens, torch.zeros(1, 2, dtype=torch.long))


def test_a_prompt_longer_than_the_context_is_refused():
    with pytest.raises(ValueError, match="7 positions do not fit the model's context of 6"):
        Decoder(Config(**SMALL))(torch.zeros(1, 7, dtype=torch.long))


def test_what_the_caches_hold_counts_too():
    model = Decoder(Config(**SMALL))
    caches = [ContiguousCache() for _ in model.blocks]
    model(torch.zeros(1, 6, dtype=torch.long), caches=caches)
    with pytest.raises(ValueError, match="7 positions do not fit"):
        model(torch.zeros(1, 1, dtype=torch.long), caches=caches)
    assert caches[0].length == 6  # nothing was appended


def test_trusted_tokens_are_not_read_but_counted(monkeypatch):
    from plainformer.models import stack

    def waits(*_):
        raise AssertionError("a GPU would be waited for")

    monkeypatch.setattr(stack, "check_tokens", waits)
    model = Decoder(Config(**SMALL))
    assert model(torch.zeros(1, 2, dtype=torch.long), trusted=True).shape == (1, 2, 11)
    with pytest.raises(ValueError, match="7 positions do not fit"):
        model(torch.zeros(1, 7, dtype=torch.long), trusted=True)


def test_there_is_one_cache_for_each_layer():
    model = Decoder(Config(**SMALL))
    for n in (0, 1, 3):
        with pytest.raises(ValueError, match=f"{n} caches for 2 layers"):
            model(torch.zeros(1, 2, dtype=torch.long), caches=[ContiguousCache()] * n)


def test_unknown_kinds_of_tokens_are_refused():
    tokens = torch.zeros(1, 2, dtype=torch.long)
    with pytest.raises(ValueError, match="type 2 is outside the 2 kinds of tokens"):
        Encoder(Config(**SMALL, token_types=2))(tokens, types=torch.tensor([[0, 2]]))
    with pytest.raises(ValueError, match="types are given, but token_types=0"):
        Encoder(Config(**SMALL))(tokens, types=tokens)


def test_no_tokens_are_no_fault():
    check_tokens(torch.zeros(0, 3, dtype=torch.long), Config(**SMALL))


def test_a_memory_is_given_where_and_only_where_it_is_looked_at():
    tokens, memory = torch.zeros(1, 2, dtype=torch.long), torch.zeros(1, 3, 8)
    with pytest.raises(ValueError, match="cross-attention: False, memory given: True"):
        Decoder(Config(**SMALL))(tokens, memory=memory)
    with pytest.raises(ValueError, match="cross-attention: True, memory given: False"):
        Decoder(Config(**SMALL), cross=True)(tokens)
