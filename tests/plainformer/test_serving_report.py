import pytest
from hypothesis import given
from hypothesis import strategies as st

from plainformer.serving import Request, Simulator, drive, scheduler_for
from plainformer.serving.report import Report, Served, percentile, table
from tests.plainformer.test_serving_simulator import ONE, SHAPE, WORKLOAD, engine


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


@given(st.lists(st.floats(0, 10), min_size=1, max_size=30), st.floats(0, 1))
def test_a_percentile_is_the_smallest_value_that_the_share_does_not_exceed(values, share):
    found = percentile(values, share)
    within = sum(v <= found for v in values) / len(values)
    assert found in values
    assert within >= share - 1e-9
    assert not any(sum(w <= v for w in values) / len(values) >= share for v in values if v < found)


def test_times_of_a_request_count_from_its_arrival():
    one = Served(arrived=1.0, first=3.0, done=5.0, tokens=5)
    assert (one.to_first, one.each) == (2.0, 0.5)
    assert Served(arrived=1.0, first=3.0, done=3.0, tokens=1).each == 0.0
    with pytest.raises(ValueError, match="0 values"):
        percentile([], 0.5)


def test_time_counts_steps_waits_for_arrivals_and_begins_answers_in_time():
    asked = [
        (0.5, Request(prompt=[1] * 4, max_new_tokens=3)),
        (10.0, Request(prompt=[1] * 40, max_new_tokens=1)),
    ]
    report = drive(Simulator(scheduler_for(**SHAPE, prefix_cache=False), ONE), asked)
    first, second = report.served
    assert (first.arrived, first.first, first.done, first.tokens) == (0.5, 1.5, 3.5, 3)
    assert (second.first, second.done) == (13.0, 13.0), "40 positions are three steps of 16"
    assert (report.steps, report.busy, report.seconds) == (6, 6.0, 13.0)
    assert report.throughput == pytest.approx(4 / 13)
    assert (report.to_first(0.5), report.each(1.0)) == (1.0, 1.0)


def test_a_second_drive_counts_its_own_preemptions_only():
    shape = {"pages": 5, "page_size": 2, "token_budget": 8, "max_running": 2}
    server = Simulator(scheduler_for(**shape, prefix_cache=False), ONE)
    asked = [(0.0, Request(prompt=[i, 7], max_new_tokens=7)) for i in range(2)]
    assert drive(server, asked).preemptions == 1
    assert drive(server, asked[:1]).preemptions == 0


def test_nothing_asked_and_a_busy_server_are_refused():
    with pytest.raises(ValueError, match="0 requests, idle=True"):
        drive(engine(), [])
    busy = engine()
    busy.submit(Request(prompt=[1], max_new_tokens=1))
    with pytest.raises(ValueError, match="idle=False"):
        drive(busy, WORKLOAD.draw())
