"""Run a comparison of trainings for several seeds, and write what came of it as data.

Each file beside this one is one experiment: a function that trains once and returns numbers, the
variants that are compared, the seeds. ``python -m experiments.NAME`` runs it and writes
``src/plainformer/lab/data/experiments/NAME.json``, which :mod:`plainformer.lab.experiments` reads.
"""

import argparse
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch

from plainformer.lab.experiments import FOLDER


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """Say what is compared.

    Args:
        file: ``__file__`` of the experiment; its name is the record's.
        question: what is asked, in one sentence, and the hypothesis against it.
        measure: trains once. Takes ``seed``, ``steps`` and the settings of a variant by keyword,
            and returns numbers or lists of numbers by name.
        variants: name of each, and its settings; one thing differs from one to the next.
        steps: optimiser steps, enough that more would not turn the answer round.
        seeds: at least five.
    """

    file: str
    question: str
    measure: Callable[..., Mapping[str, Any]]
    variants: Mapping[str, Mapping[str, Any]]
    steps: int
    seeds: Sequence[int] = tuple(range(5))

    @property
    def name(self) -> str:
        """The record's name."""
        return Path(self.file).stem

    @property
    def source(self) -> str:
        """A digest of the experiment's code, and of those it imports: other code is stale."""
        here = Path(self.file)
        code = here.read_bytes()
        for name in re.findall(r"^from experiments\.(\w+) import", code.decode(), re.MULTILINE):
            if name != "record":
                code += here.with_name(f"{name}.py").read_bytes()
        return sha256(code).hexdigest()[:16]

    def main(self, arguments: Sequence[str] | None = None) -> None:
        """Run all variants and seeds, and write the record."""
        parser = argparse.ArgumentParser(description=self.question)
        parser.add_argument("--workers", type=int, default=2, help="processes at once")
        chosen = parser.parse_args(arguments)
        began = time.perf_counter()
        jobs = [(variant, seed) for variant in self.variants for seed in self.seeds]
        with ProcessPoolExecutor(chosen.workers, get_context("fork")) as pool:
            done = list(pool.map(self.once, *zip(*jobs, strict=True)))
        runs: dict[str, dict[str, list[Any]]] = {variant: {} for variant in self.variants}
        for (variant, _), numbers in zip(jobs, done, strict=True):
            for what, value in numbers.items():
                runs[variant].setdefault(what, []).append(value)
        record = {
            "question": self.question,
            "command": f"python -m experiments.{self.name}",
            "source": self.source,
            "torch": torch.__version__.partition("+")[0],
            "kernels": torch.backends.cpu.get_cpu_capability(),
            "seconds": round(time.perf_counter() - began),
            "steps": self.steps,
            "seeds": list(self.seeds),
            "variants": {name: dict(settings) for name, settings in self.variants.items()},
            "runs": runs,
        }
        FOLDER.mkdir(exist_ok=True)
        path = FOLDER / f"{self.name}.json"
        path.write_text(dumps(record), encoding="utf-8")
        print(f"{path.name}: {len(jobs)} trainings, {record['seconds']} s")

    def once(self, variant: str, seed: int, steps: int | None = None) -> dict[str, Any]:
        """Train once, on one thread, and return the numbers, rounded to five digits."""
        torch.set_num_threads(1)
        torch.manual_seed(seed)
        settings = self.variants[variant]
        return _rounded(self.measure(seed=seed, steps=steps or self.steps, **settings))


def _rounded(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _rounded(each) for name, each in value.items()}
    if isinstance(value, torch.Tensor):
        return _rounded(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_rounded(each) for each in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value


def dumps(record: Mapping[str, Any]) -> str:
    """Write a record as JSON, a line for each list of numbers."""
    lines = []
    for variant, numbers in record["runs"].items():
        inner = ",\n".join(f"   {json.dumps(k)}: {json.dumps(v)}" for k, v in numbers.items())
        lines.append(f"  {json.dumps(variant, ensure_ascii=False)}: {{\n{inner}\n  }}")
    head = {name: value for name, value in record.items() if name != "runs"}
    text = json.dumps(head, indent=1, ensure_ascii=False)[:-2]
    return text + ',\n "runs": {\n' + ",\n".join(lines) + "\n }\n}\n"
