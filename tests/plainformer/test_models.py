"""Decoder, encoder and encoder–decoder: their laws for all configurations."""

from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer import masks
from plainformer.cache import ContiguousCache
from plainformer.mask_rules import Rule
from plainformer.models import Config, Decoder, Encoder, EncoderDecoder, MaskedLanguageModel
from plainformer.models.layers import FEEDFORWARD, NORM, PLACEMENT, POSITIONS, SCORE
from tests.plainformer.tensors import SEEDS

SMALL = {"vocabulary": 11, "d_model": 8, "n_layers": 2, "n_heads": 4, "context": 32}
CHANGES = [
    *({"positions": name} for name in POSITIONS),
    *({"norm": a, "placement": b} for a, b in product(NORM, PLACEMENT)),
    *({"feedforward": name} for name in FEEDFORWARD),
    *({"score": name} for name in SCORE),
    *({"rotary_scaling": n, "rotary_factor": 2.0} for n in ("linear", "ntk", "yarn", "llama3")),
    {"bias": True, "qkv_bias": False},
    {"n_kv_heads": 2, "head_width": 6, "tied": False, "d_ff": 5},
    {"window": 3, "rotary_layout": "pairs", "attention": "plain"},
    {"embedding_norm": True, "embedding_scale": 8**0.5, "output_scale": 0.5},
]


def tokens(b, n, seed=0):
    return torch.randint(0, 11, (b, n), generator=torch.Generator().manual_seed(seed))


def built(model, seed=0, **changes):
    torch.manual_seed(seed)
    made = model(Config(**{**SMALL, **changes})).double().eval()
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.add_(0.2 * torch.randn_like(parameter))
    return made


def same(found, expected):
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_a_decoders_cached_steps_equal_the_whole(changes):
    model, x = built(Decoder, **changes), tokens(2, 9)
    caches = [ContiguousCache() for _ in model.blocks]
    steps = [model(part, caches=caches) for part in x.split([4, 1, 3, 1], dim=1)]
    same(torch.cat(steps, dim=1), model(x))


@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_a_decoder_does_not_see_what_comes_later(changes):
    model, x = built(Decoder, **changes), tokens(1, 8)
    y = x.clone()
    y[:, 5:] = (y[:, 5:] + 1) % 11
    assert torch.equal(model(x)[:, :5], model(y)[:, :5])
    assert not torch.allclose(model(x)[:, 5:], model(y)[:, 5:])


@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_padding_changes_nothing_on_either_side(changes):
    decoder, encoder = built(Decoder, **changes), built(Encoder, **changes)
    x, junk = tokens(1, 6), tokens(1, 3, seed=1)
    left, right = torch.cat([junk, x], dim=1), torch.cat([x, junk], dim=1)
    starts, lengths = torch.tensor([3]), torch.tensor([6])
    same(decoder(left, mask=Rule(starts=starts, window=decoder.config.window))[:, 3:], decoder(x))
    for rule, padded, part in [
        (Rule(causal=False, starts=starts, window=encoder.config.window), left, slice(3, 9)),
        (Rule(causal=False, lengths=lengths, window=encoder.config.window), right, slice(0, 6)),
    ]:
        same(encoder(padded, mask=rule)[:, part], encoder(x))


@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_an_encoder_decoders_cached_steps_equal_the_whole(changes):
    model, source, target = built(EncoderDecoder, **changes), tokens(2, 7), tokens(2, 6, seed=1)
    rule = Rule(causal=False, lengths=torch.tensor([7, 4]), window=model.config.window)
    memory = model.encode(source, mask=rule)
    caches, memory_caches = ([ContiguousCache() for _ in range(2)] for _ in range(2))
    steps = [
        model.decode(
            part, memory, memory_mask=rule, caches=caches, memory_caches=memory_caches, trusted=True
        )
        for part in target.split([2, 1, 3], dim=1)
    ]
    same(torch.cat(steps, dim=1), model(source, target, source_mask=rule))


@pytest.mark.parametrize("model", [Decoder, EncoderDecoder])
def test_the_target_sees_the_padded_source_only_where_it_is_real(model):
    model, source, target = built(EncoderDecoder), tokens(1, 5), tokens(1, 4, seed=1)
    rule = Rule(causal=False, starts=torch.tensor([2]))
    other = source.clone()
    other[:, :2] = (other[:, :2] + 1) % 11
    assert torch.equal(
        model(source, target, source_mask=rule), model(other, target, source_mask=rule)
    )
    same(model(source, target, source_mask=rule), model(source[:, 2:], target))


@pytest.mark.parametrize("changes", CHANGES, ids=str)
def test_every_parameter_receives_a_gradient(changes):
    for model, inputs in [
        (built(MaskedLanguageModel, **changes, token_types=2), (tokens(2, 5),)),
        (built(EncoderDecoder, **changes), (tokens(2, 5), tokens(2, 4))),
    ]:
        model(*inputs).square().sum().backward()
        bare = [n for n, p in model.named_parameters() if p.grad is None]
        assert not bare


@settings(max_examples=10)
@given(seed=SEEDS, cut=st.integers(1, 8))
def test_any_chunks_give_the_same(seed, cut):
    model, x = built(Decoder, seed=seed % 7, positions="relative"), tokens(1, 9, seed)
    caches = [ContiguousCache() for _ in model.blocks]
    steps = [model(part, caches=caches) for part in x.split(cut, dim=1)]
    same(torch.cat(steps, dim=1), model(x))


def test_an_encoder_without_positions_is_blind_to_order():
    model, x, order = built(Encoder, positions="none"), tokens(1, 6), torch.randperm(6)
    same(model(x[:, order]), model(x)[:, order])


def test_a_post_norm_model_ends_without_another_norm():
    names = {n for n, _ in built(Decoder, placement="post").named_parameters()}
    assert not [n for n in names if n.startswith("norm.")]
    hidden = built(Decoder, placement="post", norm="layer").hidden(tokens(1, 3))
    assert hidden.shape == (1, 3, 8)


def test_dropout_falls_while_training_only():
    model = built(Decoder, dropout=0.5)
    assert torch.equal(model(tokens(1, 5)), model(tokens(1, 5)))
    model.train()
    assert not torch.equal(model(tokens(1, 5)), model(tokens(1, 5)))


def test_kinds_of_tokens_are_zero_when_left_out():
    model, x = built(Encoder, token_types=2), tokens(1, 5)
    assert torch.equal(model(x), model(x, types=torch.zeros_like(x)))
    assert not torch.equal(model(x), model(x, types=torch.ones_like(x)))


def test_an_empty_batch_passes():
    assert built(Decoder)(tokens(0, 4)).shape == (0, 4, 11)
    assert built(EncoderDecoder)(tokens(0, 4), tokens(0, 2)).shape == (0, 2, 11)


@pytest.mark.parametrize("window", [None, 3])
def test_a_mask_of_padding_does_not_let_a_decoder_look_ahead(window):
    model, x, lengths = built(Decoder, window=window), tokens(2, 7), torch.tensor([7, 4])
    real = torch.arange(7) < lengths[:, None]
    expected = model(x, mask=Rule(lengths=lengths, window=window))
    for mask in (
        real[:, None, None],
        real[:, None, None].expand(2, 1, 7, 7),
        Rule(lengths=lengths),
    ):
        same(model(x, mask=mask), expected)
    everything = torch.ones(7, 7, dtype=torch.bool)
    same(model(x, mask=everything), model(x))
    y = x.clone()
    y[:, 5:] = (y[:, 5:] + 1) % 11
    assert torch.equal(model(x, mask=everything)[:, :5], model(y, mask=everything)[:, :5])


ONE_WAY = {
    "default": Rule(),
    "lengths": Rule(lengths=torch.tensor([7, 5])),
    "starts": Rule(starts=torch.tensor([0, 2])),
    "window": Rule(window=3),
    "said": Rule(causal=True, lengths=torch.tensor([6, 7])),
}


@pytest.mark.parametrize("rule", ONE_WAY)
@pytest.mark.parametrize("kind", [Encoder, MaskedLanguageModel, EncoderDecoder])
def test_what_looks_both_ways_refuses_a_causal_rule(kind, rule):
    model, x, rule = built(kind), tokens(2, 7), ONE_WAY[rule]
    encoder = model if kind is Encoder else model.encoder

    def read(mask):
        if kind is EncoderDecoder:
            return model(x, x[:, :3], source_mask=mask)
        return model(x, mask=mask)

    with pytest.raises(
        ValueError, match=r"mask is a Rule with .* looks both ways: give it causal=False"
    ):
        read(rule)
    read(rule.changed(causal=False))  # the message's advice
    one_way = encoder.hidden(x, mask=rule, causal=True)
    same(one_way, encoder(x, mask=rule.dense(7, 7)))
    assert not torch.allclose(one_way, encoder(x, mask=rule.changed(causal=False)))


def test_a_decoder_looks_ahead_where_it_is_told_to():
    model, x = built(Decoder), tokens(2, 7)
    opened = masks.prefix(7, prefix=4)
    same(model(x, mask=opened, causal=False), model(x, mask=Rule(prefix=4)))
    assert not torch.allclose(model(x, mask=opened), model(x, mask=Rule(prefix=4)))
    same(model(x, causal=False), model(x, mask=Rule(causal=False)))
    encoder = built(Encoder)
    same(encoder(x, mask=masks.causal(7)), encoder.hidden(x, mask=Rule(), causal=True))
    with pytest.raises(ValueError, match="causal=False, but mask=Rule"):
        model(x, mask=Rule(), causal=False)


def test_a_mask_of_all_positions_goes_with_caches_too():
    model, x = built(Decoder), tokens(2, 7)
    seen = torch.rand(2, 1, 7, 7, generator=torch.Generator().manual_seed(3)) < 0.6
    whole, caches = model(x, mask=seen), [ContiguousCache() for _ in model.blocks]
    steps = [
        model(x[:, a:b], mask=seen[:, :, a:b, :b], caches=caches)
        for a, b in ((0, 3), (3, 4), (4, 7))
    ]
    same(torch.cat(steps, dim=1), whole)


@pytest.mark.parametrize(
    ("mask", "words"),
    [
        (torch.ones(2, 7, dtype=torch.bool), r"does not broadcast to scores.*b=2, h=4, q=7, k=7"),
        (torch.ones(7, 7), "expected torch.bool"),
        (~masks.causal(7), "upside down"),
    ],
)
def test_a_model_refuses_masks_that_would_be_misread(mask, words):
    with pytest.raises(ValueError, match=words):
        built(Decoder)(tokens(2, 7), mask=mask)
