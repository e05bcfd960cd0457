"""Every accepted argument is read: a different value gives a different result, or an error."""

import inspect
import re

import pytest
import torch

from plainformer import attention as attending
from plainformer import cache, flash, generation, models, serving, training
from plainformer.attention import attend
from plainformer.generation import LeanDecoder
from plainformer.generation.lean.layers import pack
from plainformer.models import Config, Decoder, Encoder, MaskedLanguageModel
from plainformer.serving import drive
from plainformer.training import Settings, Trainer
from tests.plainformer.arguments import attention, caches
from tests.plainformer.arguments import generation as of_generation
from tests.plainformer.arguments import models as of_models
from tests.plainformer.arguments import training as of_training
from tests.plainformer.arguments.rows import Case
from tests.plainformer.generation_models import talkative

CASES = [
    *attention.CASES,
    *caches.CASES,
    *of_models.CASES,
    *of_generation.CASES,
    *of_training.CASES,
]
ROWS = [(case, name) for case in CASES for name in case.others]

# Public names whose arguments do not need rows, and why.
EXEMPT = {
    **dict.fromkeys("Answer Generated Load Report Stream Token Calibrated".split(), "results"),
    **dict.fromkeys("NaNLogits Drafter LayerCache".split(), "an error, or an interface"),
    **dict.fromkeys(["ContiguousCache", "NextToken"], "no arguments"),
    "PrefixCache": "its pool is where its pages are",
    "check": "what it is given is checked, and nothing is returned",
    "table": "what it is given is what it shows",
}


@pytest.fixture(autouse=True)
def one_thread():
    """Use one thread, so that differences do not come from the order of sums."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_argument_has_a_row(case):
    case.check_complete()


@pytest.mark.parametrize(("case", "name"), ROWS, ids=str)
def test_every_argument_is_read(case, name):
    case.check_read(name)


def called(packages):
    """List the public callables of packages, without their errors."""
    names = {name: getattr(package, name) for package in packages for name in package.__all__}
    return {
        name
        for name, value in names.items()
        if callable(value) and not (isinstance(value, type) and issubclass(value, Exception))
    }


def without_rows(names):
    """List the names that are not called in a case and not exempt."""
    cased = {str(case) for case in CASES} | {case.target.__qualname__ for case in CASES}
    cased |= {match[1] for case in cased if (match := re.match(r"(\w+)[.(]", case))}
    return sorted(set(names) - cased - set(EXEMPT))


def test_every_public_name_has_a_case():
    functions = {name for name, f in vars(attending).items() if name.startswith("attend")}
    names = called([cache, flash, generation, models, serving, training])
    assert without_rows(names | functions) == []
    assert without_rows({*names, "Reranker"}) == ["Reranker"]  # a new one fails by name


def patched(query, key, value, mask=None, *, score=attending.scaled_dot, bias=None, sharpness=1.0):
    return attend(query, key, value, mask, score=score, bias=bias)


def test_an_argument_that_nothing_reads_is_found():
    case = Case(patched, attention.HEADS, attention.OTHERS)
    with pytest.raises(AssertionError, match=r"patched: no row for \['sharpness'\]"):
        case.check_complete()
    case = Case(patched, attention.HEADS, {**attention.OTHERS, "sharpness": 2.0})
    case.check_complete()
    for name in attention.OTHERS:
        case.check_read(name)
    with pytest.raises(AssertionError, match="patched does not read sharpness"):
        case.check_read("sharpness")


def test_an_argument_without_a_parameter_fails_by_name():
    case = Case(attend, attention.HEADS, {**attention.OTHERS, "sharpness": 2.0})
    assert "sharpness" not in inspect.signature(attend).parameters
    with pytest.raises(AssertionError, match=r"attend: no argument \['sharpness'\]"):
        case.check_complete()


# An argument that needs another one is refused without it.
SIZES = of_models.SIZES
TRAINING = {
    "model": Decoder(of_training.CONFIG),
    "objective": training.NextToken(),
    "batches": of_training.batches_of(),
}
IDLE = {
    "rotary_layout=pairs.*learned": lambda: Decoder(
        Config(**SIZES, positions="learned", rotary_layout="pairs")
    ),
    "rotary_layout=pairs.*alibi": lambda: MaskedLanguageModel(
        Config(**SIZES, positions="alibi", rotary_layout="pairs")
    ),
    "rotary_layout=pairs": lambda: Encoder(
        Config(**SIZES, positions="none", rotary_layout="pairs")
    ),
    "rotary_scaling=ntk": lambda: Decoder(
        Config(**SIZES, positions="alibi", rotary_scaling="ntk", rotary_factor=2.0)
    ),
    "relative_buckets=8": lambda: Decoder(Config(**SIZES, relative_buckets=8)),
    "relative_reach=64": lambda: Encoder(Config(**SIZES, positions="alibi", relative_reach=64)),
    "n_encoder_layers=1": lambda: Decoder(Config(**SIZES, n_encoder_layers=1)),
    "think=2.0": lambda: drive(
        serving.Simulator(serving.scheduler_for(**of_generation.SIZES), of_generation.COST),
        of_generation.DRAWN,
        think=2.0,
    ),
    "evaluate=1": lambda: Trainer(
        **TRAINING, folder="never made", settings=Settings(steps=2, evaluate=1)
    ),
    "ahead=0": lambda: generation.generate(talkative(), [[1]], max_new_tokens=2, ahead=0),
    "weights=int8": lambda: LeanDecoder(
        talkative(),
        capacity=8,
        weights="int8",
        packed=pack(talkative(), weights="float64", batch=1),
    ),
    "batch=2": lambda: LeanDecoder(
        talkative(),
        capacity=8,
        weights="float64",
        batch=2,
        packed=pack(talkative(), weights="float64", batch=1),
    ),
}


@pytest.mark.parametrize("argument", IDLE)
def test_what_counts_with_another_argument_only_is_refused_without_it(argument):
    name, _, value = argument.partition("=")
    with pytest.raises(ValueError, match=rf"(?s){name}.*{value}"):
        IDLE[argument]()
