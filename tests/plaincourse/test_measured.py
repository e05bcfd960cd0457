"""The tables of benchmarks agree with the results, including missed goals."""

import json

import pytest

from plaincourse import measured


def row(**changes):
    usual = {
        "id": "C1", "work": "forward, N=512", "peer": "SDPA", "value": 0.9, "unit": "× its time",
        "goal": 1.0, "better": "lower", "note": "",
    }  # fmt: skip
    return {**usual, **changes}


def write(folder, name, rows, machine="a-chip", **changes):
    result = {"command": f"python -m benchmarks {name} --rounds 9", "date": "2030-01-02",
              "processor": "A chip", "threads": 1, "python": "3.11.2", "torch": "2.13.0",
              "rows": rows}  # fmt: skip
    path = folder / f"benchmarks/results/{machine}/{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**result, **changes}))


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
        ({"value": None}, "not measured: the peer is missing"),
    ],
)
def test_a_verdict_is_met_or_says_by_how_much_it_is_missed(changes, said):
    assert measured.verdict(row(**changes)) == said


def test_the_table_counts_goals_and_marks_each_miss(tmp_path):
    write(tmp_path, "C10", [row(id="C10", work="step", value=2.0, better="higher")])
    write(tmp_path, "C1", [row(), row(work="forward, N=8192", value=1.3), row(goal=None, work="x")])
    text = measured.table(tmp_path)
    assert text.startswith("- **A chip**: 2 of 3 goals are met. C1, C10: 2030-01-02, Python 3.11.2")
    assert "| C1 | forward, N=512 | SDPA | ≤ 1 | 0.9 × its time, met |" in text
    assert "| C1 | forward, N=8192 | SDPA | ≤ 1 | 1.3 × its time, missed by 30% |" in text
    assert "| C1 | x | SDPA |  | 0.9 × its time |" in text
    assert text.index("| C1 |") < text.index("| C10 |")


def test_each_processor_has_its_column_and_its_count(tmp_path):
    write(tmp_path, "C1", [row(), row(work="only here")])
    other = {"machine": "b-chip", "processor": "B chip"}
    write(tmp_path, "C1", [row(value=1.5)], **other)
    write(tmp_path, "C11", [row(id="C11", goal=0.5)], **other)
    write(tmp_path, "C11", [row(id="C11", goal=0.7)])
    text = measured.table(tmp_path)
    assert "| | work | compared with | goal | A chip | B chip |" in text
    assert (
        "| C1 | forward, N=512 | SDPA | ≤ 1 | 0.9 × its time, met | 1.5 × its time, missed by 50% |"
        in text
    )
    assert "| C1 | only here | SDPA | ≤ 1 | 0.9 × its time, met | – |" in text
    assert "| C11 | forward, N=512 | SDPA | varies |" in text
    assert "- **B chip**: 0 of 2 goals are met." in text


def test_grading_stands_below_the_package_and_names_its_range(tmp_path):
    write(tmp_path, "G1", [row(id="G1"), row(id="G2"), row(id="G8", goal=None)])
    write(tmp_path, "C10", [row(id="C10")])
    text = measured.table(tmp_path)
    assert "C10, G1 to G8: 2030-01-02" in text
    assert text.index("| C10 |") < text.index("| G1 |") < text.index("| G8 |")


def test_results_of_different_days_are_not_said_to_be_of_one(tmp_path):
    write(tmp_path, "C1", [row()])
    write(tmp_path, "C11", [row(id="C11")], threads=2, date="2030-01-03")
    text = measured.table(tmp_path)
    assert "C1: 2030-01-02, Python" in text
    assert "C11: 2030-01-03, Python 3.11.2, torch 2.13.0, 2 threads" in text


def test_without_results_the_table_says_how_to_measure(tmp_path):
    assert measured.table(tmp_path) == "Nothing measured yet: `make bench`."


def chosen(folder, text):
    (folder / "benchmarks/short.yml").write_text(text)


def test_the_short_table_has_the_named_rows_with_their_commands(tmp_path):
    write(tmp_path, "C1", [row(), row(peer="another"), row(id="C2", value=None)])
    write(tmp_path, "G1", [row(id="G1", value=7.0, unit="× its speed")])
    other = {"machine": "b-chip", "processor": "B chip"}
    write(tmp_path, "C1", [row(value=1.5)], **other)
    chosen(
        tmp_path,
        """
- {says: attention, id: C1, work: "forward, N=512", peer: SDPA}
- {says: grading, id: G1, work: "forward, N=512"}
""",
    )
    assert measured.short(tmp_path).splitlines() == [
        "| | compared with | A chip | B chip | command |",
        "|---|---|---|---|---|",
        "| attention | SDPA | 0.9 × its time | 1.5 × its time | `make bench BENCH=C1` |",
        "| grading | SDPA | 7 × its speed | – | `make bench-grading` |",
    ]


def test_a_row_that_nobody_measured_is_refused_by_name(tmp_path):
    write(tmp_path, "C2", [row(id="C2", value=None)])
    chosen(tmp_path, '- {says: x, id: C2, work: "forward, N=512"}')
    with pytest.raises(LookupError, match=r"benchmarks/short.yml: nobody measured .*'C2'"):
        measured.short(tmp_path)


def test_without_results_the_short_table_says_how_to_measure(tmp_path):
    assert measured.short(tmp_path) == measured.NOTHING
