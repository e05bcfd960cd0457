"""An unknown setting is respected or refused by name, wherever settings are read."""

import ast
from dataclasses import dataclass, fields
from pathlib import Path

import numpy as np
import pytest
import torch

import plainformer
from plainformer import costs
from plainformer.generation import Sampler
from plainformer.models import Config, Decoder, EncoderDecoder
from plainformer.models.caches import caches_for
from plainformer.positions import Interpolation, LongRoPE, Rotary, YaRN
from plainformer.training import Batches, NextToken, Settings, Windows
from plainformer.training.loop import Trainer


@dataclass(frozen=True, kw_only=True)
class Capped(Config):
    """A model with capped logits (Gemma 2), a setting that is not read here."""

    cap: float | None = None


@dataclass(frozen=True, kw_only=True)
class Averaged(Settings):
    """A training that averages its weights."""

    average: float | None = None


@dataclass(frozen=True, kw_only=True)
class Sharper(YaRN):
    """YaRN with an additional number that is not used."""

    sharpness: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Twice(Interpolation):
    """An interpolation that uses its own number."""

    times: int = 2

    def scale(self, frequencies, length):
        return super().scale(frequencies, length) / self.times


@dataclass(frozen=True, kw_only=True)
class Unread2(Sampler):
    """A sampler with a penalty that is not used."""

    penalty: float | None = None


@dataclass(frozen=True, kw_only=True)
class Without(Sampler):
    """A sampler that never draws one token."""

    token: int = 3

    @property
    def steps(self):
        def ban(logits):
            return logits.index_fill(-1, torch.tensor([self.token]), -torch.inf)

        return [ban, *super().steps]


@dataclass(frozen=True, kw_only=True)
class Reversed(Sampler):
    """A sampler with its own probabilities."""

    turned: bool = True

    def probabilities(self, logits, *, where=None):
        return super().probabilities(-logits, where=where)


SIZES = {"vocabulary": 9, "d_model": 8, "n_layers": 1, "n_heads": 2, "context": 9}
READERS = {
    "a decoder": lambda: Decoder(Capped(**SIZES, cap=30.0)),
    "an encoder-decoder": lambda: EncoderDecoder(Capped(**SIZES, cap=30.0)),
    "caches": lambda: caches_for(Capped(**SIZES, cap=30.0), "static", batch=1),
    "parameters": lambda: costs.decoder.parameters(Capped(**SIZES, cap=30.0)),
    "a cache's bytes": lambda: costs.decoder.cache_bytes_per_token(Capped(**SIZES, cap=30.0)),
    "operations": lambda: costs.decoder.forward_flops(Capped(**SIZES, cap=30.0), q=2),
    "a step": lambda: costs.decoder.decode_step(Capped(**SIZES, cap=30.0), k=2),
    "a file": lambda: Config.from_dict({**SIZES, "cap": 30.0}),
    "a training": lambda: Trainer(
        model=torch.nn.Linear(1, 1),
        objective=NextToken(),
        batches=Batches(source=Windows(np.arange(9), 3), size=2),
        folder="",
        settings=Averaged(steps=1, average=0.9),
    ),
    "a scaling": lambda: Rotary(8, scaling=Sharper(factor=2, context=9, sharpness=2.0)),
    "a scaling's default": lambda: Rotary(8, scaling=Sharper(factor=2, context=9)),
    "a sampler": lambda: Unread2(penalty=1.2),
}


@pytest.mark.parametrize("reader", READERS)
def test_settings_with_an_unread_field_are_refused_by_its_name(reader):
    with pytest.raises(ValueError, match=r"cap|average|sharpness|penalty"):
        READERS[reader]()


def test_an_unread_field_that_says_nothing_is_no_obstacle():
    assert Decoder(Capped(**SIZES))(torch.tensor([[1, 2]])).shape == (1, 2, 9)
    assert Unread2(temperature=0)(torch.eye(3)[:1], torch.Generator()).tolist() == [0]


def test_fields_that_a_subclass_computes_with_are_obeyed():
    place = torch.arange(4)
    half = Rotary(8, scaling=Interpolation(factor=4)).turns(place)
    for ours, right in zip(Rotary(8, scaling=Twice(factor=2)).turns(place), half, strict=True):
        assert torch.equal(ours, right)
    divisors = {"short": [1.0] * 4, "long": [2.0] * 4, "context": 9, "factor": 2}
    assert Rotary(8, scaling=LongRoPE(**divisors)).turns(place)[0].shape == (4, 4)


@pytest.mark.parametrize("temperature", [0, 0.01])
def test_samplers_obey_greedily_as_well(temperature):
    logits, generator = torch.tensor([[0.0, 1.0, 2.0, 5.0]]), torch.Generator()
    usual = Sampler(temperature=temperature)
    assert usual(logits, generator).tolist() == [3]
    for sampler, token in (
        (Without(temperature=temperature), 2),
        (Reversed(temperature=temperature), 0),
    ):
        assert sampler(logits, generator).tolist() == [token]
        assert sampler.probabilities(logits).argmax().item() == token


def read_in(*folders, of=None):
    """List the attributes that the package's files read, from any object or from one name."""
    home = Path(plainformer.__file__).parent
    paths = [path for folder in folders for path in sorted(home.glob(folder))]
    trees = [ast.parse(path.read_text("utf-8")) for path in paths]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    found = [node for node in nodes if isinstance(node, ast.Attribute)]
    return {node.attr for node in found if of in (None, getattr(node.value, "id", None))}


NOT_COUNTED = set(
    """n_encoder_layers rotary_base rotary_layout rotary_scaling rotary_factor rotary_context
    rotary_options relative_reach norm_eps score embedding_scale output_scale attention dropout
    end_tokens""".split()
)


def test_every_setting_is_read_and_costs_decide_on_each():
    names = {field.name for field in fields(Config)}
    assert names <= read_in("models/*.py", "generation/*.py")
    counted = names & read_in("costs/decoder.py", of="config") | {"head_width"}  # width_of_heads
    assert names - counted == NOT_COUNTED  # a new field is counted, or listed there
    settings = {field.name for field in fields(Settings)}
    assert settings <= read_in("training/*.py")
