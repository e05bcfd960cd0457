"""Test the tests: each of these mistakes, planted in the package, must make a test fail.

A mistake is planted in a copy of the package, and the test that should detect it runs against the
copy, in a process forked from one that has already imported torch.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.plainformer.planted import areas

ROOT = Path(__file__).parents[2]


def plant(file: str, right: str, wrong: str, folder: Path) -> Path:
    """Copy the package into a folder, with one mistake in it."""
    copy = folder / "src" / "plainformer"
    for source in sorted((ROOT / "src" / "plainformer").rglob("*.py")):
        target = copy / source.relative_to(ROOT / "src" / "plainformer")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(source.read_text())
    text = (copy / file).read_text()
    assert right in text, f"{file} no longer contains {right!r}: plant this mistake anew"
    (copy / file).write_text(text.replace(right, wrong, 1))
    return copy.parent


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="runs the tests in forked processes")
@pytest.mark.parametrize("area", sorted(areas()))
def test_every_planted_mistake_is_noticed_by_the_test_named_beside_it(area, tmp_path):
    mistakes = areas()[area]
    jobs = []
    for number, (file, right, wrong, test) in enumerate(mistakes):
        source = plant(file, right, wrong, tmp_path / str(number))
        module, name = test.split(": ")
        jobs.append((str(source), [f"tests/plainformer/test_{module}.py"], f"test_{name}", 60))
    modules = sorted({module for _, (module,), *_ in jobs})
    names = sorted({name for *_, name, _ in jobs})
    healthy = (str(ROOT / "src"), modules, " or ".join(names), 600)  # all tests in one run
    *planted, code = run([*jobs, healthy])
    assert code == 0, "one of these tests fails, or is not found, with no mistake planted"
    assert not [
        mistake for mistake, code in zip(mistakes, planted, strict=True) if code not in (1, -24)
    ]


def run(jobs):
    """Run tests against copies of the package, and return pytest's exit codes."""
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("forked_runs.py"))],
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    codes: list[int] = json.loads(done.stdout.splitlines()[-1])
    return codes


def test_every_planted_mistake_still_has_its_place_and_its_test():
    for file, right, _, test in [mistake for area in areas().values() for mistake in area]:
        source = ROOT / "src/plainformer" / file
        assert right in source.read_text("utf-8"), f"{file} no longer contains {right!r}"
        module, name = test.split(": ")
        tests = (ROOT / f"tests/plainformer/test_{module}.py").read_text("utf-8")
        assert f"def test_{name}" in tests, f"test_{module}.py has no test_{name}…"
