"""Cheats earn no points. Each was tried on a grader somewhere."""

import copy
import gc
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from plainformer.lab.capstone import (
    PARTS,
    PLAIN,
    Measured,
    Refused,
    configuration,
    held_out,
    measure,
    text,
    train_entry,
)
from plainformer.lab.capstone.language import LONG, SHORT, VOCABULARY
from plainformer.models import Decoder

SEED = 40_017  # in place of the hidden one
SMALL: dict[str, Any] = {"documents": 8, "rounds": 1}


def untrained(seed: int = 0, **model: Any) -> dict[str, Tensor]:
    torch.manual_seed(seed)
    return dict(Decoder(configuration({**PLAIN, **model})).state_dict())


def entry(**parts: Any) -> dict[str, Any]:
    return {"model": dict(PLAIN), "weights": untrained(), **parts}


def graded(data: object) -> Measured:
    return measure(data, seed=SEED, **SMALL)


@pytest.fixture
def lenient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Accept an untrained model, so that the other measurements can be tested."""
    monkeypatch.setattr("plainformer.lab.capstone.measuring.LEARNT", (100.0, 101.0))
    monkeypatch.setattr("plainformer.lab.capstone.measuring.NEW_SERVED", 4)
    monkeypatch.setattr("plainformer.lab.capstone.measuring.NEW_ALONE", 16)


@pytest.mark.usefixtures("lenient")
def test_an_honest_entry_earns_what_it_is_worth_so_that_zero_means_something() -> None:
    found = graded(entry())
    assert not found.refused
    assert found.facts["memory"] == 1.0
    assert found.parts["decode speed"] >= 1


@pytest.mark.usefixtures("lenient")
@pytest.mark.parametrize(
    ("check", "says"),
    [
        ("causal", "later words ('it looks back only' fails)"),
        ("cache_changes_nothing", "'its cache changes nothing' fails"),
        ("batch_changes_nothing", "another answer than alone ('nor does its batch' fails)"),
    ],
)
def test_what_fails_a_gate_earns_nothing_and_is_told_which(
    monkeypatch: pytest.MonkeyPatch, check: str, says: str
) -> None:
    monkeypatch.setattr(f"plainformer.lab.capstone.measuring.{check}", lambda *of, **more: False)
    found = graded(entry())
    assert found.score == 0
    assert says in found.refused
    assert set(PARTS) == set(found.parts)


@pytest.mark.usefixtures("lenient")
def test_a_small_cache_that_forgets_what_the_model_reads_earns_nothing() -> None:
    """The model attends to all words, but its cache keeps only the last eight."""
    weights = {name: 4 * w for name, w in untrained().items()}  # so that each word matters
    found = graded(entry(weights=weights, cache={"kind": "sliding", "window": 8}))
    assert found.facts["memory"] < 0.04
    assert found.score == 0
    assert "'its cache changes nothing' fails" in found.refused


def test_a_model_that_learnt_nothing_earns_nothing_however_small_and_fast() -> None:
    tiny = {"d_model": 16, "n_layers": 1, "n_heads": 1}
    weights = dict(Decoder(configuration(tiny)).state_dict())
    found = graded({"model": tiny, "weights": weights, "cache": {"kind": "int8"}})
    assert found.score == 0
    assert "has not learnt" in found.refused


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
@pytest.mark.parametrize("where", ["embedding.weight", "layers.0.attention.query.weight"])
def test_nan_is_no_wildcard(value: float, where: str) -> None:
    weights = untrained()
    name = next(n for n in weights if n.endswith(where.split(".", 1)[-1]))
    weights[name] = weights[name].clone()
    weights[name].flatten()[0] = value
    found = graded(entry(weights=weights))
    assert found.score == 0
    assert "NaN or infinity" in found.refused


@pytest.mark.usefixtures("lenient")
def test_numbers_that_become_nan_only_inside_the_model_earn_nothing() -> None:
    """All weights are finite, but the model's numbers are not."""
    found = graded(entry(model={**PLAIN, "output_scale": 3e38}))
    assert found.score == 0
    assert "nan nats above" in found.refused


class Table(nn.Module):
    """Answer the public texts from a table."""

    def __init__(self, seen: Tensor) -> None:
        super().__init__()
        self.table = {tuple(row[:-1].tolist()): row for row in seen}

    def forward(self, tokens: Tensor) -> Tensor:
        return torch.full((*tokens.shape, VOCABULARY), -1.0)


def test_a_table_instead_of_a_model_is_refused() -> None:
    table = Table(held_out(0, 16, SHORT))
    for data in (table, table.forward, entry(weights=table), entry(weights={"table": table})):
        found = graded(data)
        assert found.score == 0
        assert found.refused


class OnceGood(dict[str, Any]):
    """Return different weights in each call."""

    asked = 0

    def __getitem__(self, name: str) -> Any:
        type(self).asked += 1
        return super().__getitem__(name)


class Watching(Tensor):
    """A tensor that returns the expected result in comparisons."""

    @classmethod
    def __torch_function__(
        cls, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        if getattr(function, "__name__", "") in {"all", "allclose", "equal", "le"}:
            return torch.tensor(True)
        answer: Any = super().__torch_function__(function, types, args, kwargs or {})  # type: ignore[no-untyped-call]
        return answer


def test_objects_that_answer_for_themselves_are_refused_or_become_numbers() -> None:
    assert graded(OnceGood(entry())).refused
    assert OnceGood.asked == 0
    weights = {name: w.as_subclass(Watching) for name, w in untrained().items()}
    found = graded(entry(weights=weights))
    assert found.score == 0
    assert "has not learnt" in found.refused


def test_expected_tensors_are_nowhere_before_the_entry_was_made() -> None:
    """The test data is drawn after the function has returned, from a seed hidden from it."""
    secret = held_out(SEED, 16, SHORT)
    wanted = copy.deepcopy(secret)
    del secret
    gc.collect()
    given = text(SEED, 64)
    found = [x for x in gc.get_objects() if type(x) is Tensor and x is not wanted]
    same = [x for x in found if x.shape == wanted.shape and torch.equal(x, wanted)]
    assert same == []
    rows = {tuple(row.tolist()) for row in given}
    assert not rows & {tuple(row.tolist()) for row in wanted}


def fitted(documents: Tensor, *, steps: int = 60) -> dict[str, Tensor]:
    """Memorise some documents by training."""
    from plainformer.lab.capstone import train

    return train({**PLAIN, "n_layers": 1}, documents, steps=steps, batch=len(documents), rate=1e-2)


def test_the_held_out_texts_that_all_may_see_learnt_by_heart_earn_nothing() -> None:
    """These are the texts of seed 0, in its language."""
    visible = held_out(0, 8, SHORT)
    weights = fitted(visible)
    model = {**PLAIN, "n_layers": 1}
    by_heart = measure({"model": model, "weights": weights}, seed=0, timed=False, documents=8)
    assert by_heart.facts["excess"] < 0  # it is memorised, with a loss below any honest limit
    found = graded({"model": model, "weights": weights})
    assert found.score == 0
    assert found.facts["excess"] > 2


def storytellers(permuted: bool) -> dict[str, Tensor]:
    """Return the course's weights, with their words renamed to those of a seed's language."""
    from plainformer.lab.ballads import Ballads
    from plainformer.lab.capstone.language import language
    from plainformer.lab.storyteller import storyteller

    weights = dict(storyteller().state_dict())
    if permuted:
        theirs, ours = Ballads().words, language(SEED).words
        order = torch.tensor([theirs.index(word) for word in ours])
        weights = {n: w[order] if w.shape[:1] == (VOCABULARY,) else w for n, w in weights.items()}
    return weights


def test_renamed_weights_measure_well_so_that_refusing_them_means_something() -> None:
    """A measurement of weights alone would give points without any training."""
    data = {"model": dict(PLAIN), "weights": storytellers(permuted=True)}
    assert measure(data, seed=SEED, documents=8, timed=False).score > 8


@pytest.mark.parametrize(
    "design",
    [
        {"weights": storytellers(permuted=True)},
        {"weights": storytellers(permuted=False), "training": {"rate": 1e-9}},
        {"training": {"weights": storytellers(permuted=True)}},
        {"training": {"rate": 1e-3, "start": storytellers(permuted=False)}},
        {"training": {"steps": 10**6}},
        {"training": {"seconds": 10**6}},
        {"training": {"text": held_out(SEED, 4, SHORT)}},
        {"model": {**PLAIN, "weights": storytellers(permuted=True)}},
        {"cache": {"kind": "contiguous", "weights": storytellers(permuted=True)}},
        {"stretch": {"weights": 1}},
        {"seconds": 10**6},
    ],
)
def test_weights_texts_and_time_cannot_be_handed_in(design: dict[str, Any]) -> None:
    """There is no field for renamed weights, a warm start, or more steps."""
    with pytest.raises(Refused):
        train_entry({"model": dict(PLAIN), **design}, seed=SEED, seconds=1e9)


def test_what_is_measured_was_trained_by_the_grader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plainformer.lab.capstone.training.text_of", lambda seed: text(seed, 64))
    monkeypatch.setattr("plainformer.lab.capstone.training._fitting", lambda *of: 2)
    tiny = {"d_model": 8, "n_layers": 1, "n_heads": 1}
    made = train_entry({"model": tiny, "training": {"batch": 4}}, seed=SEED, seconds=0.5)
    assert set(made) == {"model", "weights"}
    assert made["weights"]["embedding.weight"].shape == (VOCABULARY, 8)
    for nothing in ({}, {"training": {}}, None, [], {"model": 3}):
        with pytest.raises(Refused):
            train_entry(nothing, seed=SEED, seconds=0.5)


@pytest.mark.parametrize(
    ("part", "says"),
    [
        ({"model": {**PLAIN, "vocabulary": 5}}, "everybody has the same"),
        ({"model": {**PLAIN, "context": LONG * 8}}, "everybody has the same"),
        ({"model": {**PLAIN, "wisdom": 3}}, "wisdom is no field"),
        ({"model": {**PLAIN, "n_layers": 33}}, "at most 32"),
        ({"model": {**PLAIN, "d_model": 128}}, "do not fit"),
        ({"cache": {"kind": "magic"}}, "kind='magic'"),
        ({"cache": {"kind": "paged", "page_size": 10**9}}, "whole number"),
        ({"cache": {"pool": object()}}, "pool unknown"),
        ({"serving": {"clock": 1}}, "clock unknown"),
        ({"serving": {"token_budget": 0}}, ""),
        ({"weights": {"a": torch.zeros(2_100, 1_000)}}, "more than"),
        ({"surprise": {}}, "surprise"),
    ],
)
def test_what_is_no_entry_is_refused_by_name(part: dict[str, Any], says: str) -> None:
    found = graded(entry(**part))
    assert found.score == 0
    assert says in found.refused
