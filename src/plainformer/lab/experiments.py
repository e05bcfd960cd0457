"""Read the recorded results of an experiment with several seeds.

The experiments are in the folder ``experiments`` of the repository; ``python -m experiments.NAME``
runs one again. A page of the book plots all seeds of the record, and trains one small run itself.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "data" / "experiments"


@dataclass(frozen=True, kw_only=True)
class Record:
    """The results of an experiment.

    Args:
        question: the question of the experiment.
        command: the command that runs it again.
        steps: optimiser steps of each training run.
        seeds: the seed of each training run, in the order of the numbers.
        runs: for each variant, by name, each measure and its values, one for each seed. A value is
            a number, or a list over the course of training.
    """

    question: str
    command: str
    steps: int
    seeds: list[int]
    runs: dict[str, dict[str, list[Any]]]

    def values(self, measure: str) -> dict[str, list[Any]]:
        """Return one measure of every variant, one value per seed.

        Args:
            measure: its name.

        Raises:
            KeyError: no variant has it; the message names the existing ones.
        """
        found = {name: run[measure] for name, run in self.runs.items() if measure in run}
        if not found:
            known = sorted({each for run in self.runs.values() for each in run})
            raise KeyError(f"measure={measure!r}: expected one of {known}")
        return found


def read(name: str) -> Record:
    """Read the record of an experiment.

    Args:
        name: the name of the file in ``experiments``, without its extension.

    Raises:
        ValueError: there is no such record; the message names the existing ones.
    """
    path = FOLDER / f"{name}.json"
    if not path.is_file():
        known = sorted(each.stem for each in FOLDER.glob("*.json"))
        raise ValueError(f"name={name!r}: no such record; expected one of {known}")
    data = json.loads(path.read_text(encoding="utf-8"))
    return Record(
        question=data["question"],
        command=data["command"],
        steps=data["steps"],
        seeds=data["seeds"],
        runs=data["runs"],
    )
