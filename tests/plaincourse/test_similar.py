"""Similar work is found in any disguise, and no two honest students are named."""

import itertools
import json
from datetime import datetime

import pytest

from plaincourse.classroom import similar
from plaincourse.classroom.model import Classroom, Student, Work
from plaincourse.classroom.page import page
from plaincourse.classroom.tasks import Book
from tests.plaincourse.copied import CLASSES, DISGUISES


def room(number):
    """A chapter's honest class, by student and graded cell."""
    return {
        who: {(number, task): code for task, code in own.items()}
        for who, own in CLASSES[number].items()
    }


def found(answers, given=()):
    return {(pair.one, pair.other) for pair in similar.pairs(answers, given)}


@pytest.mark.parametrize("number", CLASSES)
def test_no_two_honest_students_are_alike(number):
    assert found(room(number)) == set()


def test_precision_and_recall_by_disguise(capsys):
    """Each student in turn is copied once; the class has up to 12 honest students."""
    rows = {}
    for name, disguise in DISGUISES.items():
        hits = others = tries = 0
        for number, who in ((n, who) for n in CLASSES for who in CLASSES[n]):
            honest = room(number)
            copy = {key: disguise(code) for key, code in honest[who].items()}
            pairs = found({**honest, "zz": copy})
            hits += (who, "zz") in pairs
            others += len(pairs - {(who, "zz")})
            tries += 1
        rows[name] = (hits, tries, others)
        with capsys.disabled():
            print(
                f"\n{name:13} {hits} of {tries} copies found, {others} honest pairs named", end=""
            )
    assert all(others == 0 for _, _, others in rows.values())
    assert all(hits == tries for hits, tries, _ in list(rows.values())[:4])
    assert all(hits >= 0.8 * tries for hits, tries, _ in rows.values())


def test_half_a_copied_notebook_is_not_an_accusation():
    honest = room("05")
    half = dict(itertools.islice(honest["a"].items(), len(honest["a"]) // 2))
    assert found({**honest, "zz": {**honest["b"], **half}}) <= {("a", "zz"), ("b", "zz")}


def test_what_the_release_gives_to_all_says_nothing():
    honest = room("05")
    given = "\n\n".join(honest["a"].values())
    both = {"y": honest["a"], "z": honest["a"]}
    assert ("y", "z") in found({**honest, **both})
    assert ("y", "z") not in found({**honest, **both}, honest["a"].values())
    assert similar.passages(given)


def test_a_passage_of_the_whole_class_says_nothing():
    same = {f"s{count}": {("n", "t"): CLASSES["05"]["a"]["rotate_part"]} for count in range(9)}
    assert found(same) == set()


def test_a_small_class_names_nobody():
    honest = room("05")
    few = {"y": honest["a"], "z": honest["a"], **dict(itertools.islice(honest.items(), 3))}
    assert found(few) == set()


@pytest.mark.parametrize(
    "code", ["", "def f(:\n", "f = (" + "(" * 300, "x = 1\n" * 9_000, "\0", "−" * 50, "%%bash\nls"]
)
def test_code_that_cannot_be_read_stops_nobody(code):
    honest = room("05")
    assert found({**honest, "y": {("05", "rotate_part"): code}, "z": {}}) == set()


def test_deep_code_is_walked():
    deep = "x = " + "-" * 80 + "1"
    assert similar.passages(deep)


def test_answers_are_the_cells_above_each_test(tmp_path):
    def cell(source, kind="code", **meta):
        return {"cell_type": kind, "source": source, "metadata": {"nbgrader": meta} if meta else {}}

    cells = [
        cell("import torch"),
        cell(["a = 1\n", "b = 2"], solution=True),
        cell("check()", grade=True, grade_id="first"),
        cell("An essay.", kind="markdown", solution=True, grade=True, grade_id="essay"),
        cell("c = 3", solution=True),
        cell("check()", grade=True, grade_id="second"),
    ]
    (tmp_path / "n.ipynb").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    (tmp_path / "bad.ipynb").write_text("{", encoding="utf-8")
    odd = {"cells": [{"metadata": None, "source": 7}, 3]}
    (tmp_path / "odd.ipynb").write_text(json.dumps(odd), encoding="utf-8")
    assert similar.answers(tmp_path) == {
        ("n", "first"): "a = 1\nb = 2",
        ("n", "essay"): "",
        ("n", "second"): "c = 3",
    }


def shown(alike, size=8):
    works = tuple(Work(student=Student(id=f"s{count}", last="<b>")) for count in range(size))
    room = Classroom(assignment="05-position", items=(), works=works)
    return page(room, Book(None), made=datetime(2027, 2, 1), alike=alike)


def test_the_page_shows_both_answers_and_what_a_percentage_means():
    code = "def f(x):\n    return '<script>'\n" + "    pass\n" * 60
    answer = (("05-position", "rotate_part"), 0.93, code, code)
    pair = similar.Pair(one="s1", other="s2", share=0.912, answers=(answer,))
    told = shown((pair,))
    assert "&lt;b&gt;" in told
    assert "91\N{NO-BREAK SPACE}%" in told
    assert "takes no points off" in told
    assert "<script>" not in told
    assert told.count("…") >= 2
    assert told.count("<pre") == 2


def test_the_section_is_there_only_if_it_is_asked_for():
    assert "Similar work" not in shown(None)
    assert "No two submissions are alike" in shown(())
    assert "do not show which passages are common" in shown((), size=3)
