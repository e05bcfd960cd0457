import jaxtyping
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer.generation import EndToken, Sampler, generate
from plainformer.models import Config, Decoder
from plainformer.serving import Engine, Request, check


def decoder(**changes):
    torch.manual_seed(0)
    sizes = {"vocabulary": 13, "d_model": 16, "n_layers": 2, "n_heads": 4, "n_kv_heads": 2}
    return Decoder(Config(**{**sizes, "context": 64, **changes})).double().eval()


MODEL = decoder()


def alone(request, model=MODEL):
    return generate(
        model,
        [list(request.prompt)],
        max_new_tokens=request.max_new_tokens,
        sampler=request.sampler,
        stop=request.stop,
    ).tokens[0]


@settings(max_examples=12, deadline=None)
@given(st.data())
def test_every_request_gets_what_it_would_get_alone(data):
    """This is tested for any budget, pages, concurrent requests, and preemptions."""
    draw = data.draw
    page_size = draw(st.integers(1, 6))
    engine = Engine(
        MODEL,
        pages=draw(st.integers(-(-14 // page_size), 30)),
        page_size=page_size,
        token_budget=draw(st.integers(1, 20)),
        max_running=draw(st.integers(1, 5)),
        prefix_cache=draw(st.booleans()),
    )
    requests = [
        Request(
            prompt=[1, 2, 3][: draw(st.integers(0, 3))]
            + draw(st.lists(st.integers(0, 12), min_size=1, max_size=5)),
            max_new_tokens=draw(st.integers(1, 6)),
            sampler=Sampler(temperature=draw(st.sampled_from([0.0, 1.0])), seed=number),
        )
        for number in range(draw(st.integers(1, 5)))
    ]
    for request in requests:
        engine.submit(request)
    while engine.step() is not None:
        check(engine)
    answers = engine.answers
    assert [answers[i].tokens for i in range(len(requests))] == [alone(r) for r in requests]
    if engine.scheduler.prefix_cache is not None:
        engine.scheduler.prefix_cache.evict(10**6)
    assert engine.pool.free_pages == engine.pool.n_pages


@pytest.mark.parametrize("positions", ["rotary", "learned", "alibi", "none"])
def test_answers_are_those_of_the_model_for_every_kind_of_position(positions):
    model = decoder(positions=positions)
    engine = Engine(model, pages=8, page_size=4, token_budget=5)
    requests = [Request(prompt=[i + 1] * (3 + 4 * i), max_new_tokens=5) for i in range(3)]
    for request in requests:
        engine.submit(request)
    answers = engine.run()
    assert [answers[i].tokens for i in range(3)] == [alone(r, model) for r in requests]


def test_requests_that_come_later_join_and_the_answers_stay():
    engine = Engine(MODEL, pages=30, page_size=4)
    first = Request(prompt=[1, 2, 3], max_new_tokens=6)
    second = Request(prompt=[4, 5], max_new_tokens=3)
    engine.submit(first)
    engine.step()
    engine.submit(second)
    step = engine.step()
    assert step.load.requests == 2
    assert {token.number for token in step.drawn} == {0, 1}
    answers = engine.run()
    assert [answers[0].tokens, answers[1].tokens] == [alone(first), alone(second)]
    assert engine.idle
    assert engine.step() is None


def test_tenants_share_nothing_and_get_the_same_answer():
    engine = Engine(MODEL, pages=30, page_size=2)
    tenants = [None, "a", "b", "a", None]
    for salt in tenants:
        engine.submit(Request(prompt=[1, 2, 3, 4, 5], max_new_tokens=3, salt=salt))
        engine.run()
        check(engine)
    found = [engine.answers[i].reused for i in range(len(tenants))]
    assert found == [0, 0, 0, 4, 4]
    assert len({tuple(answer.tokens) for answer in engine.answers.values()}) == 1


def test_a_salt_is_a_string():
    with pytest.raises((ValueError, jaxtyping.TypeCheckError), match="salt"):
        Request(prompt=[1], max_new_tokens=1, salt=7)


def test_preempted_requests_say_so_and_get_the_same_answer():
    engine = Engine(MODEL, pages=5, page_size=2, prefix_cache=False)
    requests = [Request(prompt=[i, 7], max_new_tokens=7) for i in range(2)]
    for request in requests:
        engine.submit(request)
    answers = engine.run()
    assert answers[1].preempted > 0
    assert engine.scheduler.preemptions == answers[0].preempted + answers[1].preempted
    assert [answers[i].tokens for i in range(2)] == [alone(r) for r in requests]


def test_a_preempted_request_that_finds_its_own_pages_gets_the_same_answer():
    requests = [Request(prompt=[i, 7, 3, 9], max_new_tokens=4 - i) for i in range(2)]
    computed = []
    for prefix_cache in (False, True):
        engine = Engine(MODEL, pages=5, page_size=2, prefix_cache=prefix_cache)
        for request in requests:
            engine.submit(request)
        answers = engine.run()
        assert [answers[i].tokens for i in range(2)] == [alone(r) for r in requests]
        assert (answers[1].preempted, answers[1].reused) == (1, 0)
        computed.append(answers[1].computed)
    assert computed == [10, 8], "two of the four positions that it lost were still there"


@pytest.mark.parametrize("page_size", [1, 3, 4])
def test_a_prompt_that_is_known_as_a_whole_gets_the_same_answer(page_size):
    engine = Engine(MODEL, pages=30, page_size=page_size)
    request = Request(prompt=[1, 2, 3, 4, 5, 6, 7, 8], max_new_tokens=3)
    for _ in range(2):
        engine.submit(request)
        engine.run()
    first, second = engine.answers.values()
    assert first.tokens == second.tokens == alone(request)
    assert second.computed == first.computed - second.reused
    assert second.reused == 7 // page_size * page_size


def test_a_shared_beginning_is_read_from_the_prefix_cache():
    engine = Engine(MODEL, pages=30, page_size=4)
    requests = [Request(prompt=[1] * 9 + [i], max_new_tokens=2) for i in range(2)]
    for request in requests:
        engine.submit(request)
        engine.run()
    assert engine.answers[0].reused == 0
    assert engine.answers[1].reused == 8
    assert [engine.answers[i].tokens for i in range(2)] == [alone(r) for r in requests]


def test_logits_that_are_no_numbers_end_one_request_and_not_the_others():
    model = decoder(positions="none")
    with torch.no_grad():
        model.embedding.weight[12] = torch.nan  # tied: only requests that read 12 …
        model.output.weight = torch.nn.Parameter(MODEL.output.weight.clone())  # … are affected
    engine = Engine(model, pages=9, page_size=4)
    engine.submit(Request(prompt=[12], max_new_tokens=3))
    engine.submit(Request(prompt=[1], max_new_tokens=3))
    answers = engine.run()
    assert (answers[0].stopped, answers[0].tokens) == ("logits", [])
    assert (answers[1].stopped, len(answers[1].tokens)) == ("length", 3)


@pytest.mark.parametrize(
    ("prompt", "new", "named"),
    [
        ([1] * 60, 6, "need 65 positions; the context has 64"),
        ([1] * 30, 20, "needs up to 49 positions, and all pages together hold 36"),
        ([13], 1, "token 13 is outside the vocabulary of 13"),
        ([], 1, "a prompt of 0 tokens"),
        ([1], 0, "max_new_tokens=0"),
    ],
)
def test_what_cannot_be_answered_is_refused_with_the_numbers(prompt, new, named):
    engine = Engine(MODEL, pages=9, page_size=4)
    with pytest.raises(ValueError, match=named):
        engine.submit(Request(prompt=prompt, max_new_tokens=new))
    assert engine.idle


def test_answers_end_where_a_condition_says_so():
    likely = alone(Request(prompt=[1, 2], max_new_tokens=5))
    request = Request(prompt=[1, 2], max_new_tokens=5, stop=[EndToken(likely[1])])
    engine = Engine(MODEL, pages=9, page_size=4)
    engine.submit(request)
    (answer,) = engine.run().values()
    assert (answer.tokens, answer.stopped) == (likely[: likely.index(likely[1]) + 1], "token")


def test_a_cancelled_request_keeps_what_it_had_and_frees_its_pages():
    engine = Engine(MODEL, pages=9, page_size=4, prefix_cache=False)
    number = engine.submit(Request(prompt=[1, 2], max_new_tokens=9))
    engine.step()
    engine.step()
    engine.cancel(number)
    assert (engine.answers[number].stopped, len(engine.answers[number].tokens)) == ("cancelled", 2)
    assert engine.pool.free_pages == 9
    with pytest.raises(ValueError, match="request 0 is not open"):
        engine.cancel(number)
