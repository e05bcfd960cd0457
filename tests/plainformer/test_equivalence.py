"""All combinations of back end, heads, positions, cache, mask and precision agree."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.plainformer.equivalence import measure, table
from tests.plainformer.equivalence.cells import GRADIENTS, Cell, cells, undefined

ROOT = Path(__file__).parents[2]


def run(*options):
    """Run in a separate process, in which shapes are not checked in each of a million calls."""
    command = [sys.executable, "-m", "tests.plainformer.equivalence", *options]
    return subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_fifth_combination_is_equal():
    done = run("--backends", "plain", "SDPA", "online", "tiles", "--every", "5")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["plain", "SDPA", "online", "tiles", "Triton"])
def test_every_combination_is_equal(backend):
    done = run("--backends", backend)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_book_shows_what_is_measured():
    assert table.PAGE.read_text("utf-8") == table.page(table.PAGE.read_text("utf-8"))
    assert json.loads(table.DATA.read_text("utf-8")) == table.data()


def test_most_of_what_is_left_out_has_no_meaning():
    reasons = [why for cell in cells() if (why := undefined(cell)) is not None]
    every = sum(1 for _ in cells())
    assert len(reasons) + table.data()["combinations"] == every


@pytest.mark.parametrize("change", ["scale", "mask", "order", "gradient"])
def test_a_mistake_is_far_outside_what_is_allowed(change, monkeypatch):
    feeding = GRADIENTS if change == "gradient" else "static, chunks"
    cell = Cell("plain", "GQA", "rotary", feeding, "causal", "float32")
    right = measure.BACKENDS["plain"]

    def wrong(query, key, value, mask=None, *, score, bias=None):
        if change == "scale":
            query = query * 1.001
        if change == "mask":
            mask = None
        if change == "order":
            key = key.flip(1)
        if change == "gradient":  # the output stays right
            key = key.detach() + 0 * key
        return right(query, key, value, mask, score=score, bias=bias)

    assert measure.error(cell) <= measure.allowed(cell)
    most = measure.allowed(cell)
    monkeypatch.setitem(measure.BACKENDS, "plain", wrong)
    assert measure.error(cell) > 2 * most


def test_the_reference_is_in_float64():
    assert all(
        each.dtype == torch.float64
        for gradients in (False, True)
        for each in measure.reference("MHA", "none", gradients, "causal")
    )
