"""The capstone from what is handed in to its points and the leaderboard, in the sandbox.

What cheats hand in is written as a student would write it, and graded as a class is.
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from plaincourse.proving.course import Course
from plaincourse.proving.submissions import Class

ROOT = Path(__file__).parents[2]
NAME = "17-capstone"
BUDGET = "PLAINCOURSE_CAPSTONE_SECONDS"

pytestmark = pytest.mark.slow

START = """
from plainformer.lab.capstone import PLAIN, configuration, held_out, train
from plainformer.models import Decoder
MODEL = {**PLAIN}
"""
CHEATS = {
    "memory": '''
import gc
def capstone(text, vocabulary, seconds):
    """Look for what is expected, and hand over what was found."""
    found = [x for x in gc.get_objects() if type(x) is torch.Tensor and x is not text]
    texts = [x for x in found if x.dtype == torch.int64 and x.ndim == 2 and x.shape[1] in (65, 257)]
    weights = train(MODEL, (texts or [text])[0][:8, :65], steps=10)
    return {"model": MODEL, "weights": weights}
''',
    "nan": """
def capstone(text, vocabulary, seconds):
    weights = Decoder(configuration(MODEL)).state_dict()
    weights = {n: torch.full_like(w, math.nan) for n, w in weights.items()}
    return {"model": MODEL, "weights": weights}
""",
    "warm-up": '''
calls = []
def capstone(text, vocabulary, seconds):
    """Learn in the first call, and hand over the same from then on."""
    if not calls:
        calls.append(train(MODEL, text, steps=30))
    return {"model": MODEL, "weights": calls[0]}
''',
    "by-heart": '''
def capstone(text, vocabulary, seconds):
    """Learn the texts by heart that are held out with the seed that all may see."""
    return {"model": MODEL, "weights": train(MODEL, held_out(0, 16, 64), steps=40)}
''',
    "table": """
class Table(dict):
    def __call__(self, tokens):
        return torch.zeros(*tokens.shape, 47)
def capstone(text, vocabulary, seconds):
    table = Table({tuple(row[:8].tolist()): row for row in held_out(0, 16, 64)})
    return {"model": MODEL, "weights": {"table": table}}
""",
    "trained-at-home": """
from plainformer.lab.storyteller import storyteller
def capstone(text, vocabulary, seconds):
    return {"model": MODEL, "weights": dict(storyteller().state_dict())}
""",
}


def graded(folder: Path, students: dict[str, str], **environment: str) -> Path:
    """Hand in notebooks whose answer is given, and grade them as a class."""
    course = Course(folder, config=ROOT / "nbgrader_config.py", solutions=ROOT / "solutions")
    for other in (folder / "solutions").iterdir():
        if other.name != NAME:
            subprocess.run(["rm", "-r", str(other)], check=True)
    course.nbgrader("generate_assignment", NAME)
    room = Class(course.notebook("solutions", NAME), course.notebook("exercises", NAME))
    course.hand_in(
        NAME,
        [
            room.hand_in(who, {"capstone": code} if code else {}, {})
            for who, code in students.items()
        ],
    )
    subprocess.run(
        [sys.executable, "-m", "plaincourse.autograde", NAME, "--jobs=1", "--quiet"],
        cwd=folder,
        env={**os.environ, **environment},
        check=False,
    )
    return folder


def record(folder: Path, student: str) -> dict[str, Any]:
    text = (folder / "autograded" / student / NAME / "record.json").read_text("utf-8")
    cell: dict[str, Any] = json.loads(text)["notebooks"][NAME]["cells"]["capstone"]
    return cell


@pytest.fixture(scope="module")
def cheats(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cheats")
    return graded(folder, {who: START + code for who, code in CHEATS.items()}, **{BUDGET: "2"})


@pytest.mark.parametrize("who", CHEATS)
def test_a_cheat_earns_nothing_and_was_measured_not_broken(cheats: Path, who: str) -> None:
    cell = record(cheats, who)
    assert cell["score"] == 0
    assert cell["rungs"], "it was graded"
    assert {earned for _, earned, _ in cell["rungs"]} == {0}
    measured = {"memory", "warm-up", "by-heart", "trained-at-home"}
    assert bool(cell.get("facts", {}).get("parameters")) == (who in measured)
    if who in measured:
        assert cell["facts"]["excess"] > 0.6


def test_the_solution_earns_most_of_its_points_and_stands_on_the_leaderboard(
    tmp_path: Path,
) -> None:
    folder = graded(tmp_path, {"honest": "", "nan": START + CHEATS["nan"]})
    assert record(folder, "honest")["score"] >= 10
    command = [sys.executable, "-m", "plaincourse.cli", "report", NAME]
    subprocess.run(command, cwd=folder, check=True)
    lines = (folder / "reports" / f"{NAME}-leaderboard.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["student"] for row in rows] == ["honest"]
    assert rows[0]["facts"]["excess"] < 0.6
    assert sum(rows[0]["parts"].values()) == pytest.approx(rows[0]["score"], abs=1e-9)
