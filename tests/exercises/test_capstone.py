"""The capstone from submission to points and leaderboard, in the sandbox.

Cheating submissions are written as a student would write them, and graded like a class.
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
from plainformer.lab.capstone import PLAIN, held_out, train
from plainformer.lab.capstone.language import language
from plainformer.lab.storyteller import storyteller
MODEL = {**PLAIN}
TINY = {"d_model": 16, "n_layers": 1, "n_heads": 1}
"""
CHEATS = {
    "renamed": '''
from plainformer.lab.ballads import Ballads
def capstone(seconds):
    """Give the words of the shipped model the numbers that they have in this language."""
    weights, old, new = dict(storyteller().state_dict()), Ballads().words, language(0).words
    order = torch.tensor([old.index(word) for word in new])
    weights = {n: w[order] if len(w) == 47 else w for n, w in weights.items()}
    return {"model": MODEL, "weights": weights}
''',
    "warm-start": '''
def capstone(seconds):
    """Hope that the training begins with these."""
    return {"model": MODEL, "training": {"start": dict(storyteller().state_dict())}}
''',
    "warm-up": '''
calls = []
def capstone(seconds):
    """Learn in the first call, and hand over the same from then on."""
    if not calls:
        calls.append(train(TINY, held_out(0, 16, 64), steps=3))
    return {"model": TINY, "weights": calls[0]}
''',
    "memory": '''
import gc
def capstone(seconds):
    """Look for a text to learn by heart: there is none in this process."""
    texts = [x for x in gc.get_objects() if type(x) is torch.Tensor and x.dtype == torch.int64]
    return {"model": TINY, "training": {"text": max(texts, key=len, default=None)}}
''',
    "longer": """
def capstone(seconds):
    return {"model": MODEL, "training": {"seconds": 100 * seconds}}
""",
    "patched": '''
import os
import plainformer.lab.capstone as lab
def capstone(seconds):
    """Change the clock, the trainer and the budget where this function runs."""
    os.environ["PLAINCOURSE_CAPSTONE_SECONDS"] = "1000"
    lab.training.time.process_time = lambda: 0.0
    lab.training.train = lab.train = lambda *given, **more: dict(storyteller().state_dict())
    lab.measuring.LEARNT = (100.0, 101.0)
    return {"model": TINY}
''',
    "too-long": '''
def capstone(seconds):
    """Train here, beyond what the call may take."""
    while True:
        pass
''',
    "nan": """
def capstone(seconds):
    return {"model": {**TINY, "output_scale": 3e38}}
""",
    "table": """
class Table(dict):
    def __getitem__(self, name):
        return torch.zeros(47)
def capstone(seconds):
    return Table(model=MODEL)
""",
}


def graded(folder: Path, students: dict[str, str], **environment: str) -> Path:
    """Submit notebooks with the given answers, and grade them as a class."""
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
    measured = {"patched", "table"}  # designs, which the grader trained within its budget
    assert bool(cell.get("facts", {}).get("parameters")) == (who in measured)
    if who == "patched":
        assert cell["facts"]["excess"] > 0.7


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
