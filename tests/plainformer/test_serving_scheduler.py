import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer.cache import PagePool, PageTable
from plainformer.cache.pages import grow
from plainformer.serving.prefix import PrefixCache
from plainformer.serving.scheduler import Request, Running, Scheduler


def running(s, number, prompt, new=4):
    tokens = list(prompt) if not isinstance(prompt, int) else [number] * prompt
    request = Request(prompt=tokens, max_new_tokens=new)
    return Running(number, request, list(tokens), PageTable(s.pages))


def scheduler(total=8, page_size=4, budget=8, most=4, prefix=False, continuous=True):
    pages = PagePool(n_layers=1, n_pages=total, page_size=page_size, n_kv_heads=1, width=1)
    tree = PrefixCache(pages) if prefix else None
    return Scheduler(
        pages, token_budget=budget, max_running=most, prefix_cache=tree, continuous=continuous
    )


def answer(s, work):
    """Simulate the work: draw a token for each complete prompt, and finish complete requests."""
    grow([one.running.table for one in work], [one.first + one.count for one in work])
    for one in work:
        s.done(one)
        if one.draws:
            one.running.tokens.append(0)
            if len(one.running.new) == one.running.request.max_new_tokens:
                s.finish(one.running)


def test_the_last_token_is_never_read_and_needs_no_place():
    assert Request(prompt=[1, 2, 3], max_new_tokens=1).longest == 3
    assert Request(prompt=[1], max_new_tokens=5).longest == 5


def test_without_a_sampler_the_likeliest_token_is_taken():
    assert Request(prompt=[1], max_new_tokens=1).sampler.greedy


@pytest.mark.parametrize(("prompt", "new"), [([], 1), ([1], 0)])
def test_an_empty_prompt_and_no_new_tokens_are_refused(prompt, new):
    with pytest.raises(ValueError, match=f"{len(prompt)} tokens, max_new_tokens={new}"):
        Request(prompt=prompt, max_new_tokens=new)


def test_what_is_new_and_what_is_missing_follow_from_tokens_and_table():
    pool = PagePool(n_layers=1, n_pages=2, page_size=4, n_kv_heads=1, width=1)
    request = Request(prompt=[1, 2], max_new_tokens=3)
    running = Running(0, request, [1, 2, 9], PageTable(pool, pages=pool.allocate(1), length=2))
    assert (running.new, running.missing) == ([9], 1)


def test_a_long_prompt_is_read_in_chunks_while_others_are_answered():
    s = scheduler(total=99, budget=8)
    s.submit(running(s, 0, 3))
    answer(s, s.plan())
    s.submit(running(s, 1, 20))
    shares = []
    for _ in range(3):
        work = s.plan()
        shares.append([(w.running.number, w.first, w.count, w.draws) for w in work])
        answer(s, work)
    assert shares == [
        [(0, 3, 1, True), (1, 0, 7, False)],
        [(0, 4, 1, True), (1, 7, 7, False)],
        [(0, 5, 1, True), (1, 14, 6, True)],
    ]


def test_no_more_run_at_once_than_allowed_and_the_oldest_go_first():
    s = scheduler(total=99, budget=99, most=2)
    for number in range(4):
        s.submit(running(s, number, 2, new=1))
    order = []
    while work := s.plan():
        order.append([w.running.number for w in work])
        answer(s, work)
    assert order == [[0, 1], [2, 3]]


def test_a_static_batch_is_answered_whole_before_the_next_begins():
    s = scheduler(total=99, budget=99, most=2, continuous=False)
    for number, new in enumerate([1, 3, 1]):
        s.submit(running(s, number, 2, new=new))
    order = []
    while work := s.plan():
        order.append([w.running.number for w in work])
        answer(s, work)
    assert order == [[0, 1], [1], [1], [2]]


def test_where_pages_run_out_the_youngest_gives_its_own_back_and_goes_on_later():
    s = scheduler(total=3, page_size=4, budget=99)
    old, young = running(s, 0, 4, new=6), running(s, 1, 4, new=2)
    s.submit(old)
    s.submit(young)
    answer(s, s.plan())  # a page each
    late = running(s, 2, 8, new=1)
    s.submit(late)  # it needs two pages, and waits
    answer(s, s.plan())  # the old one gets the third; none is left for the young one
    assert (young.preempted, s.preemptions, list(s.waiting)) == (1, 1, [young, late])
    assert young.tokens[-1] == 0, "what it had generated is kept"
    while work := s.plan():
        answer(s, work)
    assert [len(r.new) for r in (old, young, late)] == [6, 2, 1]
    assert s.pages.free_pages == 3


def test_a_request_that_could_never_be_answered_is_refused_with_the_numbers():
    s = scheduler(total=2, page_size=4)
    s.submit(running(s, 0, 5, new=4))  # 8 positions: its last token is never read
    with pytest.raises(ValueError, match="needs up to 9 positions, and all pages together hold 8"):
        s.submit(running(s, 1, 6, new=4))


def test_what_two_prompts_share_is_computed_once():
    s = scheduler(total=9, page_size=4, budget=99, prefix=True)
    first, second = running(s, 0, [1] * 9, new=1), running(s, 1, [1] * 8 + [2, 3], new=1)
    s.submit(first)
    answer(s, s.plan())
    s.submit(second)
    (work,) = s.plan()
    assert (work.first, work.count, second.reused) == (8, 2, 8)
    assert second.table.pages[:2] == s.prefix_cache.match([1] * 8)


@pytest.mark.parametrize(("page_size", "left"), [(1, 1), (2, 2), (4, 4), (3, 2)])
def test_at_least_one_position_is_computed_even_of_a_prompt_that_is_known(page_size, left):
    """Logits need a query, so the tokens on the last page are computed again."""
    s = scheduler(total=20, page_size=page_size, budget=99, prefix=True)
    for number in range(2):
        s.submit(running(s, number, [1] * 8, new=1))
        work = s.plan()
        answer(s, work)
    assert (work[0].first, work[0].count) == (8 - left, left)


def test_a_preempted_request_finds_its_own_pages_and_reuse_is_not_counted_again():
    s = scheduler(total=5, page_size=2, budget=99, prefix=True)
    old, young = running(s, 0, 4, new=4), running(s, 1, 4, new=3)
    s.submit(old)
    s.submit(young)
    again = []
    while work := s.plan():
        again += [w for w in work if w.running is young and young.preempted and w.count > 1]
        answer(s, work)
    assert (young.preempted, young.lost, young.reused) == (1, 4, 0)
    assert [(w.first, w.count) for w in again] == [(2, 3)], "one of its two pages is still there"
    assert (young.found, young.computed, len(young.new)) == (2, 8, 3)


def test_what_was_reused_is_what_was_found_when_the_request_was_admitted():
    s = scheduler(total=5, page_size=4, budget=99, prefix=True)
    first, second = running(s, 0, [1] * 9, new=1), running(s, 1, [1] * 8 + [2], new=1)
    s.submit(first)
    s.submit(second)
    s.pages.allocate(2)  # taken: the first request fits, the second has to wait
    answer(s, s.plan())
    answer(s, s.plan())
    assert second.reused == 8, "not what it found when it was first tried, which was nothing"


def test_a_request_that_does_not_fit_leaves_the_prefix_cache_as_it_is():
    s = scheduler(total=4, page_size=4, budget=99, prefix=True)
    s.submit(running(s, 0, [1] * 8, new=1))
    answer(s, s.plan())
    s.submit(running(s, 1, [2] * 4, new=4))
    s.submit(running(s, 2, [3] * 16, new=1))
    answer(s, s.plan())
    assert [r.number for r in s.waiting] == [2], "four pages are needed, and one is in use"
    assert len(s.prefix_cache.match([1] * 8)) == 2


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_whatever_comes_everyone_is_answered_and_every_page_comes_back(data):
    draw = data.draw
    page_size, prefix = draw(st.integers(1, 5)), draw(st.booleans())
    s = scheduler(draw(st.integers(6, 12)), page_size, draw(st.integers(1, 9)),
                  draw(st.integers(1, 4)), prefix)  # fmt: skip
    room = s.pages.n_pages * page_size
    asked = []
    for number in range(draw(st.integers(1, 7))):
        new = draw(st.integers(1, 4))
        length = draw(st.integers(1, max(1, min(12, room - new))))
        asked.append(running(s, number, [draw(st.integers(0, 1)) for _ in range(length)], new))
    waiting = [(draw(st.integers(0, 9)), r) for r in asked]
    for step in range(500):
        for _, r in [(at, r) for at, r in waiting if at == step]:
            s.submit(r)
        work = s.plan()
        assert sum(w.count for w in work) <= s.token_budget
        assert len({w.running.number for w in work}) == len(work) <= s.max_running
        for w in work:
            assert w.first == w.running.table.length
            assert w.count >= 1, "without a query there is no logit"
        taken = [page for r in s.running for page in r.table.pages]
        if not prefix:
            assert len(set(taken)) == len(taken), "no page belongs to two requests"
        answer(s, work)
        if not work and step > 9:
            break
    assert all(len(r.new) == r.request.max_new_tokens for r in asked)
    if prefix:
        s.prefix_cache.evict(s.pages.n_pages)
        assert len(s.prefix_cache) == 0
    assert s.pages.free_pages == s.pages.n_pages


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_by_arrival_is_decodes_first_for_whoever_still_reads_runs_last(data):
    """The steps are the same as with a scheduler that serves decodes before prompts."""
    draw = data.draw
    s = scheduler(draw(st.integers(6, 12)), 4, draw(st.integers(1, 9)), draw(st.integers(1, 4)),
                  draw(st.booleans()), draw(st.booleans()))  # fmt: skip
    for number in range(draw(st.integers(2, 6))):
        s.submit(running(s, number, draw(st.integers(1, 16)), draw(st.integers(1, 6))))
        for _ in range(draw(st.integers(0, 3))):
            answer(s, s.plan())
    while s.waiting or s.running:
        assert [r for r in s.running if r.missing > 1] in ([], s.running[-1:])
        answer(s, s.plan())


def served(loads, *, total, page_size, budget, most, prefix):
    """Serve requests of (arrival in steps, prompt, new tokens); return their results."""
    s = scheduler(total, page_size, budget, most, prefix)
    room = total * page_size
    asked, elder, finished = [], {}, []
    for number, (_, prompt, new) in enumerate(loads):
        prompt = min(prompt, room - new)
        asked.append(running(s, number, [number] * max(1, prompt), new))
    for step in range(20_000):
        for (at, _, _), one in zip(loads, asked, strict=True):
            if at == step:
                s.submit(one)
        for work in (plan := s.plan()):
            elder.setdefault(work.running, sum(one.number < work.running.number
                                               for one in s.running))  # fmt: skip
        answer(s, plan)
        finished = [one for one in asked if len(one.new) == one.request.max_new_tokens]
        if len(finished) == len(asked):
            break
    assert len(finished) == len(asked)
    return asked, elder


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_request_is_preempted_at_most_once_for_each_that_ran_before_it(data):
    """It is admitted only if its missing pages fit, so it can return only after a request ends."""
    draw = data.draw
    loads = sorted(
        draw(
            st.lists(
                st.tuples(st.integers(0, 40), st.integers(1, 120), st.integers(1, 60)),
                min_size=2,
                max_size=9,
            )
        )
    )
    asked, elder = served(
        loads,
        total=draw(st.integers(20, 60)),
        page_size=draw(st.integers(3, 6)),
        budget=draw(st.integers(1, 64)),
        most=draw(st.integers(1, 6)),
        prefix=draw(st.booleans()),
    )
    for one in asked:
        assert one.preempted <= elder[one]
        assert one.computed <= one.request.longest * (1 + elder[one])
    assert sum(one.computed for one in asked) <= 3 * sum(one.request.longest for one in asked)


@pytest.mark.parametrize(
    ("loads", "total", "budget"),
    [
        ([(0, 64, 300), (0, 330, 20)], 25, 32),  # one long prompt during a long answer
        ([(0, 100, 200), (3, 150, 10), (5, 140, 10)], 22, 16),  # two of them
        ([(0, 30, 90), (0, 40, 90), (9, 170, 5)], 17, 24),  # during two answers
        ([(0, 20, 150), (20, 180, 30)], 14, 8),  # by small chunks, later
    ],
)
@pytest.mark.parametrize("prefix", [False, True])
def test_a_long_prompt_is_not_read_again_and_again(loads, total, budget, prefix):
    asked, _ = served(loads, total=total, page_size=16, budget=budget, most=4, prefix=prefix)
    for one in asked:
        assert one.computed <= 2 * one.request.longest
        assert one.preempted <= 2


def test_a_prompt_that_is_being_read_keeps_the_pages_that_were_free_for_it():
    s = scheduler(total=6, page_size=4, budget=4)
    first, second = running(s, 0, 16, new=2), running(s, 1, 8, new=1)
    s.submit(first)
    answer(s, s.plan())  # one page of four is read
    s.submit(second)
    for _ in range(4):
        work = s.plan()
        assert work[0].running is first
        answer(s, work)
    assert s.preemptions == 0


def test_numbers_below_one_are_named():
    with pytest.raises(ValueError, match="token_budget=0, max_running=4"):
        scheduler(budget=0)
