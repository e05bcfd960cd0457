"""The README's table of benchmarks says what the results say, misses too."""

import json

import pytest

from plaincourse import measured


def row(**changes):
    usual = {
        "id": "C1", "work": "forward, N=512", "peer": "SDPA", "value": 0.9, "unit": "× its time",
        "goal": 1.0, "better": "lower", "note": "",
    }  # fmt: skip
    return {**usual, **changes}


def write(folder, name, rows, **changes):
    result = {"command": "", "date": "2030-01-02", "processor": "A chip", "threads": 1,
              "python": "3.11.2", "torch": "2.13.0", "rows": rows}  # fmt: skip
    (folder / "benchmarks/results").mkdir(parents=True, exist_ok=True)
    (folder / f"benchmarks/results/{name}.json").write_text(json.dumps({**result, **changes}))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "met"),
        ({"value": 1.0}, "met"),
        ({"value": 1.12}, "missed by 12%"),
        ({"value": 1.004}, "missed by 0.4%"),
        ({"better": "higher"}, "missed by 10%"),
        ({"better": "higher", "value": 1.1}, "met"),
        ({"goal": None}, ""),
        ({"value": None}, "not measured: the peer was not there"),
    ],
)
def test_a_verdict_is_met_or_says_by_how_much_it_is_missed(changes, said):
    assert measured.verdict(row(**changes)) == said


def test_the_table_counts_goals_and_names_each_miss(tmp_path):
    write(tmp_path, "C10", [row(id="C10", work="step", value=2.0, better="higher")])
    write(tmp_path, "C1", [row(), row(work="forward, N=8192", value=1.3), row(goal=None)])
    text = measured.table(tmp_path)
    assert text.startswith("2 of 3 goals are met. Missed are:\n\n")
    assert "\n- C1, forward, N=8192, SDPA: missed by 30%\n" in text
    assert "| C1 | forward, N=512 | SDPA | 0.9 × its time | ≤ 1 | met |" in text
    assert text.index("| C1 |") < text.index("| C10 |")
    assert (
        "C1, C10: 2030-01-02 on A chip, Python 3.11.2, torch 2.13.0, one thread on as many pinned"
        in text
    )


def test_results_of_different_days_are_not_said_to_be_of_one(tmp_path):
    write(tmp_path, "C1", [row()])
    write(tmp_path, "C11", [row(id="C11")], threads=2, date="2030-01-03")
    text = measured.table(tmp_path)
    assert "C1: 2030-01-02" in text
    assert "C11: 2030-01-03 on A chip, Python 3.11.2, torch 2.13.0, 2 threads" in text


def test_without_results_the_table_says_how_to_measure(tmp_path):
    assert measured.table(tmp_path) == "Nothing measured yet: `make bench`."
