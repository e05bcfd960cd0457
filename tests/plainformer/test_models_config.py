"""Configurations: round trips, and errors that list the options."""

import dataclasses
import json

import pytest

from plainformer.models import Config, Decoder

SMALL = {"vocabulary": 11, "d_model": 8, "n_layers": 2, "n_heads": 2}


def test_what_was_written_as_json_is_read_back():
    config = Config(**SMALL, rotary_scaling="yarn", rotary_options={"truncate": False}, window=3)
    assert Config.from_dict(json.loads(json.dumps(config.to_dict()))) == config
    assert hash(config) == hash(dataclasses.replace(config))


def test_a_whole_number_is_a_number():
    config = Config.from_dict({**SMALL, "dropout": 0, "rotary_base": 500})
    assert isinstance(config.rotary_base, float)


def test_all_wrong_fields_are_said_at_once():
    fields = {"vocabulary": 11, "d_model": "8", "n_layers": 2, "depth": 3, "tied": 1}
    with pytest.raises(ValueError, match="n_heads is missing; depth is no field") as caught:
        Config.from_dict(fields)
    assert "d_model is '8', expected <class 'int'>" in str(caught.value)
    assert "tied is 1, expected <class 'bool'>" in str(caught.value)
    with pytest.raises(ValueError, match="n_heads is True"):
        Config.from_dict({**SMALL, "n_heads": True})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"positions": "learned", "rotary_scaling": "yarn", "rotary_factor": 2.0},
            "{'rotary_scaling': 'yarn'} with positions='learned': only rotary positions read that",
        ),
        ({"rotary_factor": 2.0}, "rotary_factor=2.0.*nothing reads them; expected one of"),
        ({"rotary_options": {"truncate": False}}, "rotary_options={'truncate': False} with"),
    ],
)
def test_a_scaling_that_nothing_reads_is_refused(changes, words):
    with pytest.raises(ValueError, match=words):
        Decoder(Config(**SMALL, **changes))


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("positions", "rope", "positions='rope': expected one of .*'alibi', 'learned', 'none'"),
        ("norm", "batch", "norm='batch': expected one of .*'layer', 'rms'"),
        ("placement", "middle", "placement='middle': expected one of .*'deep', 'post', 'pre'"),
        ("feedforward", "selu", "feedforward='selu': expected one of .*'geglu', 'geglu_tanh'"),
        ("score", "cosine", "score='cosine': expected one of .*'dot', 'scaled_dot'"),
        ("attention", "fast", "attention='fast': expected one of .*'plain', 'sdpa'"),
        ("rotary_scaling", "su", "rotary_scaling='su': expected one of .*'dynamic', 'linear'"),
        ("rotary_layout", "thirds", "rotary_layout='thirds': expected one of .*'halves', 'pairs'"),
        ("n_heads", 3, "d_model=8 is not divisible by n_heads=3"),
    ],
)
def test_unknown_names_are_refused_with_those_there_are(field, value, words):
    with pytest.raises(ValueError, match=words):
        Decoder(Config(**{**SMALL, field: value}))


def test_unknown_options_of_a_scaling_are_refused():
    config = Config(**SMALL, rotary_scaling="llama3", rotary_options={"beta_fast": 1.0})
    with pytest.raises(ValueError, match=r"rotary_options=\['beta_fast'\]: 'llama3' knows"):
        Decoder(config)


@pytest.mark.parametrize(
    "changes",
    [
        {"d_model": 0},
        {"n_kv_heads": 0},
        {"head_width": -1},
        {"window": 0},
        {"n_encoder_layers": 0},
        {"dropout": 1.0},
        {"dropout": float("nan")},
        {"norm_eps": -1e-5},
        {"token_types": -1},
    ],
)
def test_sizes_that_make_no_model_are_refused(changes):
    ((name, value),) = changes.items()
    with pytest.raises(ValueError, match=f"{name}={value}: expected"):
        Config(**{**SMALL, **changes})
