"""A bias by distance uses the positions that the caller gives, or refuses them."""

import pytest
import torch

from plainformer.attention import attend_heads, attention_weights
from plainformer.cache import ContiguousCache
from plainformer.flash import attend as flash
from plainformer.latent_attention import LatentAttention
from plainformer.looking import recorded
from plainformer.mask_rules import Rule
from plainformer.models import Config, Decoder, Encoder
from plainformer.models.caches import caches_for
from plainformer.multihead import MultiHeadAttention
from plainformer.placed import Placed, placed
from plainformer.positions import Alibi, RelativeBias
from plainformer.sdpa import sdpa
from tests.plainformer.arguments.attention import drawn
from tests.plainformer.tensors import normal

TOKENS = torch.tensor([[3, 1, 4, 1, 5, 9, 2, 6]])
GAPS = torch.tensor([0, 1, 2, 5, 6, 7, 11, 12])
KINDS = ["alibi", "relative"]
BACKENDS = {"plain": attend_heads, "sdpa": sdpa, "flash": flash}


def model_of(kind, make=Decoder, **changes):
    sizes = {"vocabulary": 11, "d_model": 8, "n_layers": 2, "n_heads": 2, "context": 32}
    if kind == "relative":
        sizes["relative_buckets"] = 8
    return drawn(make(Config(**sizes, positions=kind, **changes))).eval().requires_grad_(False)


def close(found, expected):
    torch.testing.assert_close(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize(
    "make",
    [lambda: Alibi(2), lambda: RelativeBias(2, buckets=8, max_distance=9, bidirectional=True)],
)
def test_distances_are_those_of_the_positions(backend, make):
    bias = drawn(make())
    q, k, v = (normal(2, 2, 8, 4, seed=seed) for seed in range(3))
    rows = torch.stack([GAPS, GAPS.flip(0)])
    written = bias(rows, rows)
    assert not torch.equal(written, bias(torch.arange(8), torch.arange(8)).expand_as(written))
    found = BACKENDS[backend](q, k, v, Rule(), bias=placed(bias, rows, 8))
    close(found, attend_heads(q, k, v, Rule(), bias=written))


@pytest.mark.parametrize("attention", ["plain", "sdpa", "flash"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_model_with_gaps_is_one_with_hidden_tokens_between(kind, attention):
    model = model_of(kind, attention=attention)
    row = torch.full((1, 13), 7)
    row[:, GAPS] = TOKENS
    seen = torch.zeros(13, dtype=torch.bool)
    seen[GAPS] = True
    close(model(TOKENS, positions=GAPS), model(row, mask=seen.expand(1, 1, 1, 13))[:, GAPS])


@pytest.mark.parametrize("kind", KINDS)
def test_an_encoder_and_both_ways_of_rows_obey(kind):
    model = model_of(kind, make=Encoder)
    assert not torch.equal(model(TOKENS), model(TOKENS, positions=GAPS))
    both = model(TOKENS.expand(2, -1), positions=torch.stack([GAPS, torch.arange(8)]))
    close(both, torch.cat([model(TOKENS, positions=GAPS), model(TOKENS)]))


@pytest.mark.parametrize("kind", KINDS)
def test_documents_in_one_row_count_anew(kind):
    model = model_of(kind)
    apart = torch.block_diag(torch.ones(3, 3), torch.ones(5, 5)).bool()[None, None]
    positions = torch.tensor([[0, 1, 2, 0, 1, 2, 3, 4]])
    found = model(TOKENS, mask=apart, positions=positions)
    close(found[:, :3], model(TOKENS[:, :3]))
    close(found[:, 3:], model(TOKENS[:, 3:]))


def test_a_learned_bias_gets_its_gradient_at_these_positions():
    gradients = []
    for attention in ("plain", "flash"):
        model = model_of("relative", attention=attention).requires_grad_(True)
        model(TOKENS, positions=GAPS).square().sum().backward()
        gradients.append(model.position_bias.weight.grad)
        assert [name for name, _ in model.named_parameters() if "bias" in name] == [
            "position_bias.weight"
        ]
    close(*gradients)


@pytest.mark.parametrize("cache", ["contiguous", "static", "paged", "int8", "sliding"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("first", [0, 1])
def test_padding_on_the_left_by_a_tensor_works_with_caches(kind, cache, first):
    model = model_of(kind)
    row = torch.cat([torch.full((1, 3), 7), TOKENS], dim=1)
    seen = (torch.arange(11) >= 3)[None, None, None]
    positions = (torch.arange(11) - 3).clamp_min(0)
    positions[:3] = first
    make = lambda: caches_for(  # noqa: E731
        model.config, cache, batch=1, window=20, page_size=2, dtype=torch.float64
    )
    one, other = make(), make()
    for a, b in ((0, 6), (6, 7), (7, 11)):
        mask = seen[..., :b]
        found = model(row[:, a:b], mask=mask, positions=positions[a:b], caches=one)
        close(found, model(row[:, a:b], mask=mask, caches=other))
    if cache != "int8":
        close(found[:, -1], model(TOKENS)[:, -1])


@pytest.mark.parametrize("kind", KINDS)
def test_a_shift_of_all_positions_is_none_at_all(kind):
    model = model_of(kind)
    caches = caches_for(model.config, "contiguous", batch=1)
    parts = [
        model(TOKENS[:, a:b], positions=torch.arange(a, b) + 9, caches=caches)
        for a, b in ((0, 5), (5, 8))
    ]
    close(torch.cat(parts, dim=1), model(TOKENS))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (None, [6, 7, 8]),
        (None, [3, 4, 5]),
        ([0, 1, 2, 3, 4], [6, 7, 8]),
        ([2, 3, 4, 5, 6], [5, 6, 7]),
        ([0, 0, 1, 2, 3], [5, 6, 7]),
        ([0, 1, 2, 5, 6], [7, 8, 9]),
        ([4, 3, 2, 1, 0], [5, 6, 7]),
        (None, [5, 7, 8]),
        ([7, 0, 1, 2, 3], [4, 5, 6]),
    ],
)
@pytest.mark.parametrize("kind", KINDS)
def test_positions_that_a_cache_does_not_count_are_refused(kind, first, second):
    model = model_of(kind)
    caches = caches_for(model.config, "contiguous", batch=1)
    given = [None if p is None else torch.tensor(p) for p in (first, second)]

    def read_in_two():
        for tokens, positions in zip(TOKENS.split([5, 3], dim=1), given, strict=True):
            model(tokens, positions=positions, caches=caches)

    with pytest.raises(ValueError, match=r"positions=.*read the sequence without a cache"):
        read_in_two()
    whole = torch.cat([torch.arange(5) if given[0] is None else given[0], given[1]])
    model(TOKENS, positions=whole)  # the message's advice


def test_a_new_text_in_the_same_caches_begins_anew():
    model = model_of("alibi")
    caches = caches_for(model.config, "contiguous", batch=1)
    for positions in (torch.arange(8) + 4, None, torch.arange(8)):
        close(model(TOKENS, positions=positions, caches=caches), model(TOKENS))
        for cache in caches:
            cache.truncate(0)


@pytest.mark.parametrize("kind", ["heads", "latent"])
def test_layers_obey_or_refuse(kind):
    if kind == "heads":
        layer = drawn(MultiHeadAttention(d_model=8, n_heads=2))
    else:
        layer = drawn(LatentAttention(d_model=8, n_heads=2, latent_width=4, rotary_width=0,
                                      head_width=4, value_width=4))  # fmt: skip
    x, bias = normal(1, 8, 8, seed=1), Alibi(2)
    given = layer(x, positions=GAPS, bias=bias)
    close(given, layer(x, bias=bias(GAPS, GAPS)))
    with pytest.raises(ValueError, match=r"give the bias as a tensor"):
        layer(x, normal(1, 5, 8, seed=2), positions=GAPS, bias=bias)
    layer(x, normal(1, 5, 8, seed=2), positions=GAPS, bias=normal(1, 2, 8, 5, seed=3))
    with pytest.raises(ValueError, match=r"positions has shape \(3,\); expected \(8,\)"):
        layer(x, positions=GAPS[:3], bias=bias)

    def absolute(q, k):
        return (q[:, None] * k[None]).double()[None]

    with pytest.raises(ValueError, match="read the sequence without a cache"):
        layer(x, positions=torch.arange(8) + 2, bias=absolute, cache=ContiguousCache())
    layer(x, positions=torch.arange(8), bias=absolute, cache=ContiguousCache())


def test_what_is_recorded_has_the_bias_of_these_positions():
    model = model_of("alibi")
    with recorded(model) as run:
        model(TOKENS, positions=GAPS)
    layer = model.blocks[0].attention
    x = model.blocks[0].attention_residual.norm(model.embed(TOKENS, GAPS))
    key, _ = layer.keys_values(x)
    query = layer.query(x).unflatten(-1, (2, 4)).transpose(1, 2)
    mask, bias = Rule().dense(8, 8), Alibi(2)(GAPS, GAPS)
    close(run.weights[0], attention_weights(query, key, mask, bias=bias))


def test_a_bias_that_is_a_tensor_stays_as_it_is():
    bias = normal(2, 8, 8, seed=0)
    assert placed(bias, GAPS, 8) is bias
    assert placed(None, GAPS, 8) is None
    alibi = Alibi(2)
    assert placed(alibi, None, 8) is alibi
    assert isinstance(placed(alibi, GAPS, 8), Placed)
