"""The command line in a separate process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from plainformer.generation import Sampler, generate
from plainformer.models.pretrained import save
from tests.plainformer.generation_models import talkative

SOURCES = Path(__file__).parents[2] / "src"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    home = tmp_path_factory.mktemp("model")
    save(talkative(1), home)
    return home


def process(line, out=subprocess.PIPE):
    """Run the command line in a separate process."""
    return subprocess.run(
        [sys.executable, "-m", "plainformer.generate", *line.split()],
        stdout=out,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(SOURCES), "OMP_NUM_THREADS": "1"},
        check=False,
    )


def test_a_process_of_its_own_gives_the_same(folder):
    done = process(f"--model {folder} --tokens 1,2,3 --max-new-tokens 5 --device cpu")
    made = generate(talkative(1), [[1, 2, 3]], max_new_tokens=5, sampler=Sampler(seed=0))
    assert (done.returncode, done.stdout) == (0, ",".join(map(str, made.tokens[0])) + "\n")


@pytest.mark.slow
def test_a_reader_that_goes_away_ends_it_quietly(folder):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as closed:
        ended = process(f"--model {folder} --tokens 1,2 --stream --device cpu", closed)
    assert ended.returncode == 0
    assert "Traceback" not in ended.stderr
    assert "Exception" not in ended.stderr
