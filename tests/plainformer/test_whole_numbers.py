"""Integers of Python, NumPy and PyTorch are accepted by every function; booleans are not."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.generation import EndToken, PromptLookup, Sampler, StopSequence, generate
from plainformer.generation.drawing import generators_of
from plainformer.generation.reading import read_prompts
from plainformer.generation.sampling import TopK
from plainformer.models import Config, Decoder
from plainformer.serving import Engine, Request, scheduler_for
from plainformer.whole_numbers import whole, wholes

SIZES = {"vocabulary": 13, "d_model": 8, "n_layers": 1, "n_heads": 2, "context": 16}
MODEL = Decoder(Config(**SIZES)).eval()
KINDS = [np.int64, np.int32, np.uint8, torch.tensor, lambda n: np.array(n)]
POOL = {"page_size": 4, "token_budget": 8, "max_running": 2}


def drawn(**options):
    torch.manual_seed(1)
    return generate(MODEL, [[1, 2]], **{"max_new_tokens": 3, **options}).tokens


def served(request, **shape):
    engine = Engine(MODEL, **{"pages": 9, **POOL, **shape})
    engine.submit(request)
    return engine.run()[0].tokens


# Functions that take a number, each mapping it to a result that can be compared.
DOORS = {
    "Sampler(seed=)": lambda n: [g.initial_seed() for g in Sampler(seed=n).generators(2)],
    "Sampler(top_k=)": lambda n: Sampler(top_k=n).steps[1].k,
    "TopK": lambda n: TopK(n)(torch.arange(5.0)[None]).isinf().sum().item(),
    "generators_of": lambda n: [g.initial_seed() for g in generators_of(n, n)],
    "generate(max_new_tokens=)": lambda n: drawn(max_new_tokens=n),
    "generate(chunk=)": lambda n: drawn(chunk=n),
    "generate(bos=)": lambda n: drawn(bos=n),
    "generate(ahead=)": lambda n: drawn(ahead=n, drafter=PromptLookup()),
    "a prompt's token": lambda n: read_prompts([[1, n]], vocabulary=9, context=9),
    "PromptLookup": lambda n: PromptLookup(n).longest,
    "EndToken": lambda n: EndToken(n)([7, 3]),
    "StopSequence": lambda n: StopSequence([7, n])([7, 3]),
    "Config(window=)": lambda n: Config(**SIZES, window=n),
    "Config(n_layers=)": lambda n: Config(**{**SIZES, "n_layers": n}),
    "Config(end_tokens=)": lambda n: Config(**SIZES, end_tokens=[n]),
    "Config.from_dict": lambda n: Config.from_dict({**SIZES, "n_kv_heads": n}),
    "Request(max_new_tokens=)": lambda n: Request(prompt=[1], max_new_tokens=n).longest,
    "Request(prompt=)": lambda n: served(Request(prompt=[1, n], max_new_tokens=2)),
    "Engine(pages=)": lambda n: served(Request(prompt=[1], max_new_tokens=3), pages=n),
    "Engine(token_budget=)": lambda n: served(
        Request(prompt=[1] * 7, max_new_tokens=3), token_budget=n
    ),
    "scheduler_for": lambda n: scheduler_for(pages=9, **{**POOL, "max_running": n}).max_running,
}


@pytest.mark.parametrize("door", DOORS)
def test_a_number_of_any_library_means_the_same(door):
    expected = DOORS[door](3)
    for kind in KINDS:
        assert DOORS[door](kind(3)) == expected


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("wrong", [True, np.True_, torch.tensor(True), torch.tensor([3])])
def test_truth_values_and_tensors_with_axes_are_refused_at_the_door(door, wrong):
    # The type checker of the tests refuses objects without an index.
    with pytest.raises(Exception, match=r"whole number|token numbers|expected .*int|SupportsIndex"):
        DOORS[door](wrong)


def test_a_configuration_keeps_plain_numbers_that_json_can_hold():
    config = Config(**{name: np.int64(size) for name, size in SIZES.items()}, end_tokens=[2])
    assert all(type(value) is not np.int64 for value in config.to_dict().values())
    assert config == Config(**SIZES, end_tokens=(2,))
    assert type(Sampler(seed=np.int64(3)).seed) is int


@given(st.integers(-(2**31), 2**31 - 1))
def test_every_kind_of_a_number_is_read_as_itself(n):
    for kind in (int, np.int32, np.int64, torch.tensor):
        assert whole(kind(n), "n") == n
        assert type(whole(kind(n), "n")) is int
    for several in (np.array([n, 1]), torch.tensor([n, 1]), (n, np.int64(1)), iter([n, 1])):
        assert wholes(several, "n") == [n, 1]


@pytest.mark.parametrize("wrong", [1.0, np.float32(2), torch.tensor(2.0), "3", None, 2j, [3]])
def test_what_is_not_a_whole_number_is_named(wrong):
    with pytest.raises(ValueError, match=r"size=.*: expected a whole number of steps"):
        whole(wrong, "size", of=" of steps")


def test_a_number_below_the_least_is_named():
    with pytest.raises(ValueError, match="size=0: expected at least 1"):
        whole(0, "size", least=1)
    assert whole(1, "size", least=1) == 1


@pytest.mark.parametrize("wrong", [3, "ab", [1, True], torch.tensor([1.5]), torch.ones(2, 2), None])
def test_what_is_not_a_sequence_of_whole_numbers_is_named(wrong):
    with pytest.raises(ValueError, match=r"prompt=.*: expected a"):
        wholes(wrong, "prompt")
