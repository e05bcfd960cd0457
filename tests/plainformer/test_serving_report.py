import pytest

from plainformer.serving.report import Report, table
from plainformer.serving.workload import Served


def report(**changes):
    served = [
        Served(arrived=0.0, first=1.0, done=3.0, tokens=3),
        Served(arrived=1.0, first=4.0, done=4.0, tokens=1),
    ]
    usual = {"served": served, "steps": 5, "seconds": 4.0, "busy": 3.0, "preemptions": 1}
    return Report(**{**usual, "reused": 0.25, **changes})


def test_its_numbers_are_those_of_what_was_served():
    assert report().summary() == {
        "tokens a second": 1.0,
        "seconds to the first token, median": 1.0,
        "seconds to the first token, 95 %": 3.0,
        "seconds for each further token, median": 1.0,  # the answer of one token has none
        "seconds for each further token, 95 %": 1.0,
        "seconds in all": 4.0,
        "share of them busy": 0.75,
        "steps": 5,
        "preemptions": 1,
        "share of prompts found in the prefix cache": 0.25,
    }


def test_where_every_answer_has_one_token_there_is_no_time_between_tokens():
    one = [Served(arrived=0.0, first=1.0, done=1.0, tokens=1)]
    assert report(served=one).each(0.5) == 0.0


def test_the_table_has_a_column_for_each_report():
    lines = table({"simulated": report(), "measured": report(seconds=8.0)}).splitlines()
    assert lines[0].split() == ["simulated", "measured"]
    assert lines[1].split()[-2:] == ["1", "0.5"]


def test_of_nobody_served_no_percentile_is_told():
    with pytest.raises(ValueError, match="0 values"):
        report(served=[]).to_first(0.5)
