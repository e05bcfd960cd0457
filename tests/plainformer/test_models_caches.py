"""Caches by name, in a whole model."""

import pytest
import torch

from plainformer.mask_rules import Rule
from plainformer.models.caches import KINDS, caches_for
from plainformer.models.config import Config
from plainformer.models.one_stack import Decoder

CONFIG = Config(vocabulary=13, d_model=16, n_layers=2, n_heads=4, n_kv_heads=2, context=20)


@pytest.mark.parametrize("kind", ["contiguous", "static", "sliding", "paged"])
@pytest.mark.parametrize("padded", [False, True])
def test_a_model_with_any_exact_cache_equals_the_model_without(kind, padded):
    torch.manual_seed(0)
    model, tokens = Decoder(CONFIG).double(), torch.randint(0, 13, (2, 12))
    rule = Rule(window=5, starts=torch.tensor([0, 3])) if padded else Rule(window=5)
    caches = caches_for(CONFIG, kind, batch=2, window=5, page_size=4, dtype=torch.float64)
    parts = []
    for s in (slice(0, 7), slice(7, 8), slice(8, 12)):
        positions = torch.arange(12)[s]
        if padded:
            positions = (positions - rule.starts[:, None]).clamp_min(0)
        parts.append(model(tokens[:, s], mask=rule, positions=positions, caches=caches))
    torch.testing.assert_close(torch.cat(parts, 1), model(tokens, mask=rule))


@pytest.mark.parametrize("kind", ["int8", "fp8"])
def test_a_model_with_one_byte_caches_is_near(kind):
    torch.manual_seed(0)
    model, tokens = Decoder(CONFIG), torch.randint(0, 13, (2, 12))
    caches = caches_for(CONFIG, kind, batch=2, capacity=12)
    parts = [model(tokens[:, s], caches=caches) for s in (slice(0, 11), slice(11, 12))]
    got, expected = torch.cat(parts, 1), model(tokens)
    assert (got - expected).abs().max() < 0.1 * expected.std()
    assert not got.equal(expected)


def test_capacity_is_the_context_and_the_window_the_configurations():
    assert caches_for(CONFIG, "static", batch=1)[1].capacity == 20
    windowed = Config(**{**CONFIG.to_dict(), "window": 6})
    assert caches_for(windowed, "sliding", batch=1, sinks=2, slack=3)[0].key.shape[2] == 6 + 2 + 3


def test_unknown_kinds_and_a_missing_window_are_refused():
    with pytest.raises(ValueError, match="kind='lru': expected one of"):
        caches_for(CONFIG, "lru", batch=1)
    with pytest.raises(ValueError, match="window=None: a sliding cache needs one"):
        caches_for(CONFIG, "sliding", batch=1)
    assert set(KINDS) == {"contiguous", "static", "sliding", "paged", "int8", "fp8"}
