"""Records of experiments are complete, from the current code, and have five seeds or more."""

import importlib
import inspect
import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from experiments import stretch_the_storyteller
from experiments.record import Experiment, dumps

from plainformer.lab import storyteller
from plainformer.lab.experiments import FOLDER, read

ROOT = Path(__file__).parents[2]
NAMES = sorted(
    path.stem
    for path in (ROOT / "experiments").glob("*.py")
    if path.stem not in {"record", "__init__"}
)


def experiment(name: str) -> Experiment:
    return importlib.import_module(f"experiments.{name}").EXPERIMENT


def test_every_experiment_has_its_record_and_every_record_its_experiment() -> None:
    assert [path.stem for path in sorted(FOLDER.glob("*.json"))] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_record_is_of_the_code_that_stands_there(name: str) -> None:
    record = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    made = experiment(name)
    assert record["source"] == made.source, f"run python -m experiments.{name} again"
    assert (record["steps"], record["seeds"]) == (made.steps, list(made.seeds))
    assert record["command"] == f"python -m experiments.{name}"
    assert {k: dict(v) for k, v in made.variants.items()} == record["variants"]


@pytest.mark.parametrize("name", NAMES)
def test_a_record_holds_every_seed_of_every_variant(name: str) -> None:
    record = read(name)
    assert len(set(record.seeds)) >= 5
    assert set(record.runs) == set(experiment(name).variants)
    for numbers in record.runs.values():
        assert numbers
        assert {len(values) for values in numbers.values()} == {len(record.seeds)}


@pytest.mark.parametrize("name", NAMES)
def test_an_experiment_still_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module(f"experiments.{name}")
    if name.startswith("stretch_"):  # with all their texts and needles they take minutes
        few = stretch_the_storyteller
        monkeypatch.setattr(
            module, "train", lambda r: storyteller.train(replace(r, documents=2 * r.batch))
        )
        monkeypatch.setattr(few, "DEPTHS", (0.5,))
        for size, small in (("DEPTHS", (0.5,)), ("NEEDLES", 4)):
            if hasattr(module, size):
                monkeypatch.setattr(module, size, small)
        monkeypatch.setattr(few, "hide", cache(few.hide))
        for measured in (few.losses, few.needles):
            monkeypatch.setitem(inspect.unwrap(measured).__kwdefaults__, "count", 4)
    made = module.EXPERIMENT
    variant = next(iter(made.variants))
    numbers = made.once(variant, made.seeds[0], steps=2)
    assert set(numbers) == set(read(name).runs[variant])


def test_an_unknown_record_and_an_unknown_measure_are_refused_by_name(
    tmp_path, monkeypatch
) -> None:
    with pytest.raises(ValueError, match=r"name='nothing': no such record; expected one of \["):
        read("nothing")
    monkeypatch.setattr("plainformer.lab.experiments.FOLDER", tmp_path)
    made = {"question": "?", "command": "c", "steps": 1, "seeds": [0], "runs": {"a": {"loss": [1]}}}
    (tmp_path / "one.json").write_text(dumps(made), "utf-8")
    assert read("one").values("loss") == {"a": [1]}
    with pytest.raises(KeyError, match="measure='los': expected one of"):
        read("one").values("los")
