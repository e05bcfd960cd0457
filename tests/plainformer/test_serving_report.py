import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer.serving import Request, Simulator, Workload, check, drive, scheduler_for
from plainformer.serving.report import Report, Served, percentile, table
from tests.plainformer.test_serving_simulator import ONE, SHAPE, WORKLOAD, engine


def report(**changes):
    served = [Served(arrived=0.0, times=[1.0, 2.0, 3.0]), Served(arrived=1.0, times=[4.0])]
    usual = {"served": served, "failed": 0, "steps": 5, "computed": 9, "seconds": 4.0}
    return Report(**{**usual, "busy": 3.0, "preemptions": 1, "reused": 0.25, **changes})


def test_its_numbers_are_those_of_what_was_served():
    assert report().summary() == {
        "tokens a second": 1.0,
        "seconds to the first token, median": 1.0,
        "seconds to the first token, 95 %": 3.0,
        "seconds to the first token, 99 %": 3.0,
        "seconds for each further token, median": 1.0,  # an answer of one token has no further ones
        "seconds for each further token, 95 %": 1.0,
        "seconds for each further token, 99 %": 1.0,
        "seconds between any two tokens, 99 %": 1.0,
        "requests a second": 0.5,
        "seconds from arrival to the end, mean": 3.0,
        "requests inside, mean": 1.5,
        "seconds in all": 4.0,
        "share of them busy": 0.75,
        "steps": 5,
        "positions computed": 9,
        "preemptions": 1,
        "share of prompts found in the prefix cache": 0.25,
    }


def test_where_every_answer_has_one_token_there_is_no_time_between_tokens():
    one = [Served(arrived=0.0, times=[1.0])]
    assert (report(served=one).tpot(0.5), report(served=one).itl(0.5)) == (0.0, 0.0)


def test_a_stall_in_a_short_answer_moves_tpot_and_hides_in_the_pool_of_gaps():
    smooth = Served(arrived=0.0, times=[float(n) for n in range(100)])
    stalled = Served(arrived=0.0, times=[1.0, 31.0])
    both = report(served=[smooth, stalled], seconds=99.0)
    assert (both.tpot(0.95), both.itl(0.95)) == (30.0, 1.0)


def test_a_stall_in_a_long_answer_shows_in_the_gaps_and_drowns_in_tpot():
    late = [float(n) for n in range(50)] + [float(n) for n in range(89, 139)]
    one = report(served=[Served(arrived=0.0, times=late)], seconds=138.0)
    assert one.itl(1.0) == 40.0
    assert one.tpot(1.0) == pytest.approx(138 / 99)


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(1, 99)), min_size=1, max_size=20))
def test_requests_inside_are_rate_times_latency(spans):
    """Test Little's law; the left side is computed from the curve of active requests."""
    served = [Served(arrived=float(a), times=[float(a + n)]) for a, n in spans]
    one = report(served=served, seconds=float(max(a + n for a, n in spans)))
    assert one.inside == pytest.approx(one.rate * one.latency)
    for at, count in one.curve():
        assert count == sum(s.arrived <= at < s.times[-1] for s in served)


def test_goodput_counts_requests_that_keep_both_limits():
    assert report().goodput(ttft=3.0, tpot=1.0) == 0.5
    assert report().goodput(ttft=2.9, tpot=1.0) == 0.25
    assert report().goodput(ttft=3.0, tpot=0.9) == 0.25
    assert report().goodput(ttft=0.5, tpot=9.0) == 0.0


def test_the_table_has_a_column_for_each_report():
    columns = {"simulated": report().summary(), "measured": report(seconds=8.0).summary()}
    lines = table(columns).splitlines()
    assert lines[0].split() == ["simulated", "measured"]
    assert lines[1].split()[-2:] == ["1", "0.5"]


def test_of_nobody_served_no_percentile_is_told():
    with pytest.raises(ValueError, match="0 values"):
        report(served=[]).ttft(0.5)


@given(st.lists(st.floats(0, 10), min_size=1, max_size=30), st.floats(0, 1))
def test_a_percentile_is_the_smallest_value_that_the_share_does_not_exceed(values, share):
    found = percentile(values, share)
    within = sum(v <= found for v in values) / len(values)
    assert found in values
    assert within >= share - 1e-9
    assert not any(sum(w <= v for w in values) / len(values) >= share for v in values if v < found)


def test_times_of_a_request_count_from_its_arrival():
    one = Served(arrived=1.0, times=[3.0, 3.5, 4.0, 4.5, 5.0])
    assert (one.ttft, one.tpot, one.latency) == (2.0, 0.5, 4.0)
    assert Served(arrived=1.0, times=[3.0]).tpot == 0.0
    with pytest.raises(ValueError, match="0 values"):
        percentile([], 0.5)


def test_time_counts_steps_waits_for_arrivals_and_begins_answers_in_time():
    asked = [
        (0.5, Request(prompt=[1] * 4, max_new_tokens=3)),
        (10.0, Request(prompt=[1] * 40, max_new_tokens=1)),
    ]
    report = drive(Simulator(scheduler_for(**SHAPE, prefix_cache=False), ONE), asked)
    first, second = report.served
    assert (first.arrived, first.times) == (0.5, [1.5, 2.5, 3.5])
    assert second.times == [13.0], "40 positions are three steps of 16"
    assert (report.steps, report.busy, report.seconds) == (6, 6.0, 13.0)
    assert report.throughput == pytest.approx(4 / 13)
    assert (report.ttft(0.5), report.tpot(1.0)) == (1.0, 1.0)


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


def test_clients_ask_again_when_they_were_answered_and_have_thought():
    asked = [(99.0, Request(prompt=[1], max_new_tokens=2)) for _ in range(3)]
    done = drive(Simulator(scheduler_for(**SHAPE), ONE), asked, clients=1, think=5.0)
    assert [(one.arrived, one.times[-1]) for one in done.served] == [(0, 2), (7, 9), (14, 16)]


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 9), st.sampled_from([0.0, 2.5]))
def test_there_are_never_more_requests_inside_than_clients(clients, think):
    server = Simulator(scheduler_for(**SHAPE), ONE)
    inside = []
    closed = drive(server, WORKLOAD.draw(), clients=clients, think=think,
                   watch=lambda _, step: inside.append(len(server.open)))  # fmt: skip
    assert len(closed.served) == WORKLOAD.requests
    assert max(count for _, count in closed.curve()) == clients
    assert max(inside) <= clients


def test_an_open_load_above_capacity_queues_without_end_and_a_closed_one_does_not():
    def first(requests, clients):
        workload = Workload(requests=requests, rate=2.0, prompt_tokens=(8, 8), answer_tokens=(4, 4))
        return drive(Simulator(scheduler_for(**SHAPE), ONE), workload.draw(), clients=clients)

    assert first(80, None).ttft(0.95) > 1.8 * first(40, None).ttft(0.95)
    assert first(80, 8).ttft(0.95) == first(40, 8).ttft(0.95)


def test_watching_sees_each_step_with_its_time_and_who_took_part():
    seen = []
    asked = [(0.5, Request(prompt=[1] * 20, max_new_tokens=2))]
    server = Simulator(scheduler_for(**SHAPE), ONE)
    drive(server, asked, watch=lambda now, step: seen.append((now, step.shares)))
    assert seen == [(1.5, [(0, 0, 16)]), (2.5, [(0, 16, 4)]), (3.5, [(0, 20, 1)])]


def test_every_request_that_came_is_served_or_counted_as_failed():
    server = Simulator(scheduler_for(**SHAPE), ONE)
    asked = [(0.0, Request(prompt=[i] * 30, max_new_tokens=2)) for i in range(2)]
    one = drive(server, asked, watch=lambda _, step: server.cancel(1) if 1 in server.open else None)
    assert (len(one.served), one.failed) == (1, 1)


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_no_request_page_or_position_is_lost_in_any_step(data):
    draw = data.draw
    page_size = draw(st.integers(1, 6))
    server = Simulator(
        scheduler_for(
            pages=draw(st.integers(-(-39 // page_size), 60)),
            page_size=page_size,
            token_budget=draw(st.integers(1, 40)),
            max_running=draw(st.integers(1, 6)),
            prefix_cache=draw(st.booleans()),
            continuous=draw(st.booleans()),
        ),
        ONE,
    )
    clients = draw(st.sampled_from([None, 1, 4]))
    done = drive(server, WORKLOAD.draw(), clients=clients, watch=lambda *_: check(server))
    check(server)
    assert (len(done.served), done.failed) == (WORKLOAD.requests, 0)
    assert done.computed == sum(answer.computed for answer in server.answers.values())
    if not done.preemptions and server.scheduler.prefix_cache is None:
        assert done.computed == sum(request.longest for _, request in WORKLOAD.draw())


def test_what_a_request_loses_a_second_time_is_counted_beside_the_first():
    scheduler = scheduler_for(pages=22, page_size=2, token_budget=8, max_running=6)
    arrivals = [(0.0, Request(prompt=[1, 1, 1], max_new_tokens=40)) for _ in range(6)]
    server = Simulator(scheduler, ONE)
    drive(server, arrivals, watch=lambda *_: check(server))
    assert max(answer.preempted for answer in server.answers.values()) > 1


def lose_a_request(server):
    server.scheduler.waiting.pop()


def count_a_request_twice(server):
    server.scheduler.waiting.append(server.scheduler.running[0])


def leak_a_page(server):
    server.scheduler.pages.allocate(1)


def free_a_page_too_soon(server):
    server.scheduler.pages.free(server.scheduler.running[0].table.pages[-1:])


def make_up_a_position(server):
    server.scheduler.running[0].table.length -= 1


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (lose_a_request, "3 requests came; 2 run, 0 wait, 0 are answered"),
        (count_a_request_twice, "3 requests came; 2 run, 2 wait, 0 are answered"),
        (leak_a_page, "6 pages are held and 33 free, of 40; pages \\[6\\] count"),
        (free_a_page_too_soon, "a page leaked, or was let go too soon"),
        (make_up_a_position, "request 0 has 9 positions: 10 computed, 0 found, 0 lost"),
    ],
)
def test_what_is_lost_is_named_with_the_numbers(fault, said):
    server = Simulator(scheduler_for(**{**SHAPE, "max_running": 2, "token_budget": 99}), ONE)
    for number in range(3):
        server.submit(Request(prompt=[number] * 10, max_new_tokens=9))
    server.step()
    check(server)
    fault(server)
    with pytest.raises(RuntimeError, match=said):
        check(server)


class Idle(Simulator):
    """A server whose scheduler never plans anything."""

    def step(self):
        return None


def test_a_scheduler_that_plans_nothing_is_found_out_and_not_waited_for():
    with pytest.raises(RuntimeError, match="1 requests wait, and the scheduler plans nothing"):
        drive(Idle(scheduler_for(**SHAPE), ONE), [(0.0, Request(prompt=[1], max_new_tokens=1))])


@pytest.mark.parametrize(
    ("options", "said"),
    [({"clients": 0}, "clients=0"), ({"clients": 2, "think": -1.0}, "think=-1.0")],
)
def test_clients_that_cannot_be_are_named(options, said):
    with pytest.raises(ValueError, match=said):
        drive(engine(), WORKLOAD.draw(), **options)


def test_times_out_of_order_are_refused():
    with pytest.raises(ValueError, match="sort them by time"):
        drive(engine(), WORKLOAD.draw()[::-1])
