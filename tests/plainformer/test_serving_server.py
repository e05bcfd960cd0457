"""A server is unchanged after an interruption; an error in one request ends only that request."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer.generation import EndToken, Sampler, StopSequence, generate
from plainformer.models import Config, Decoder
from plainformer.serving import (
    Cost,
    Engine,
    Request,
    Simulator,
    Workload,
    check,
    drive,
    scheduler_for,
)
from tests.plainformer.traps import Trap

CONFIG = Config(vocabulary=13, d_model=8, n_layers=2, n_heads=2, context=64)
ERRORS = [KeyboardInterrupt, MemoryError, torch.OutOfMemoryError, RuntimeError, SystemExit]


def decoder(seed=0, config=CONFIG):
    torch.manual_seed(seed)
    model = Decoder(config)
    for parameter in model.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.5)
    return model.double().eval()


MODEL = decoder()


def small(model=MODEL, **options):
    shape = {"pages": 6, "page_size": 4, "token_budget": 6, "max_running": 3}
    return Engine(model, **{**shape, **options})


def asked(**last):
    """Return three requests that share a prefix and preempt each other in six pages."""
    chance = [Sampler(temperature=t, seed=7) for t in (0.0, 1.0, 1.0)]
    prompts = [[1, 2, 3, 4, 5, 6, 7], [1, 2, 3, 4, 9], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]
    requests = [
        Request(prompt=prompt, max_new_tokens=7, sampler=sampler)
        for prompt, sampler in zip(prompts, chance, strict=True)
    ]
    return [*requests, Request(prompt=[5, 6], max_new_tokens=5, **last)] if last else requests


def answered(engine, requests):
    for request in requests:
        engine.submit(request)
    while engine.step() is not None:
        check(engine)
    return engine.answers


def alone(request, model=MODEL):
    made = generate(
        model,
        [request.prompt],
        max_new_tokens=request.max_new_tokens,
        sampler=request.sampler,
        stop=request.stop,
    )
    return made.tokens[0], made.stopped[0]


def places(engine):
    """List every module of the model, before and after its call."""
    for module in engine.model.modules():
        yield module.register_forward_pre_hook
        yield module.register_forward_hook


@pytest.mark.parametrize(
    ("error", "every"),
    [
        *((error, 4 if error is KeyboardInterrupt else 23) for error in ERRORS),
        pytest.param(KeyboardInterrupt, 1, marks=pytest.mark.slow),
    ],
)
def test_an_interruption_at_any_module_changes_no_answer_and_leaks_nothing(error, every):
    """Interrupt a run at one call of every n-th hook of all modules, and then continue it."""
    expected = answered(small(), asked())
    assert any(answer.preempted for answer in expected.values())
    for place in range(0, sum(1 for _ in places(small())), every):
        engine, trap = small(), Trap(1 + place % 9, error)
        for request in asked():
            engine.submit(request)
        handle = list(places(engine))[place](trap)
        try:
            while engine.step() is not None:
                check(engine)
        except error:
            check(engine)
        while engine.step() is not None:  # with the hook: without it all would be read again
            check(engine)
        handle.remove()
        assert engine.answers == expected
        engine.scheduler.prefix_cache.evict(99)
        assert engine.pool.free_pages == engine.pool.n_pages


@pytest.mark.parametrize("name", ["hidden", "logits"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ValueError])
def test_an_interruption_at_any_call_into_the_model_changes_no_answer(monkeypatch, name, error):
    expected, model = answered(small(), asked()), decoder()
    real = getattr(model, name)
    for at in range(1, 30, 1 if error is KeyboardInterrupt else 9):
        trap, engine = Trap(at, error), small(model)
        monkeypatch.setattr(model, name, lambda *a, trap=trap, **k: (trap(), real(*a, **k))[1])
        for request in asked():
            engine.submit(request)
        for _ in range(2):
            try:
                engine.run()
            except error:
                check(engine)
        assert engine.answers == expected


@pytest.mark.parametrize("method", ["plan", "done", "finish", "_make_room", "_promise", "_reuse"])
def test_an_interruption_of_the_bookkeeping_loses_no_request_and_no_token(monkeypatch, method):
    expected = answered(small(), asked())
    real = getattr(type(small().scheduler), method)
    for after in (False, True):
        for at in range(1, 25, 4):
            trap, engine = Trap(at, KeyboardInterrupt), small()

            def trapped(*args, trap=trap, after=after, real=real):
                if not after:
                    trap()
                result = real(*args)
                if after:
                    trap()
                return result

            for request in asked():
                engine.submit(request)
            monkeypatch.setattr(type(engine.scheduler), method, trapped)
            try:
                engine.run()
            except KeyboardInterrupt:
                check(engine)
            monkeypatch.undo()
            answers = engine.run()
            check(engine)
            assert {n: (a.tokens, a.stopped) for n, a in answers.items()} == {
                n: (a.tokens, a.stopped) for n, a in expected.items()
            }


@pytest.mark.parametrize("error", [KeyError, ZeroDivisionError, RuntimeError])
@pytest.mark.parametrize("kind", ["stop", "sampler"])
def test_a_fault_of_one_request_ends_that_request_and_no_other(kind, error):
    expected = answered(small(), asked())

    class Faulty(Sampler):
        def __call__(self, logits, generators, *, where=None):
            Trap(2, error).__call__ if where[0][1] < 2 else Trap(1, error)()
            return super().__call__(logits, generators, where=where)

    last = {"stop": [Trap(3, error)]} if kind == "stop" else {"sampler": Faulty(temperature=0)}
    answers = answered(small(), asked(**last))
    assert {n: answers[n].tokens for n in range(3)} == {n: expected[n].tokens for n in range(3)}
    assert answers[3].stopped.startswith(f"error: {error.__name__}: ")
    assert isinstance(answers[3].error, error)
    assert len(answers[3].tokens) == (3 if kind == "stop" else 2)
    assert all(answers[n].error is None for n in range(3))


@pytest.mark.parametrize("said", [False, 3, ["end"]])
def test_a_condition_that_says_no_reason_ends_its_request_with_that(said):
    answers = answered(small(), asked(stop=[lambda new: said]))
    assert "expected a reason" in answers[3].stopped
    assert [answers[n].stopped for n in range(3)] == ["length"] * 3


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_interruption_in_a_condition_is_passed_on_and_nothing_is_drawn_twice(error):
    expected = answered(small(), asked(sampler=Sampler(seed=3), stop=[lambda new: None]))
    trap, engine = Trap(3, error), small()
    for request in asked(sampler=Sampler(seed=3), stop=[lambda new: trap()]):
        engine.submit(request)
    with pytest.raises(error):
        engine.run()
    check(engine)
    assert engine.run() == expected


def test_a_request_that_is_cancelled_while_a_step_is_taken_keeps_what_it_had():
    engine = small()
    for request in asked():
        engine.submit(request)
    engine.step()
    hook = MODEL.blocks[0].register_forward_hook(lambda *_: engine.cancel(0) if 0 in engine.open
                                                 else None)  # fmt: skip
    try:
        engine.step()
    finally:
        hook.remove()
    engine.run()
    assert engine.answers[0].stopped == "cancelled"
    check(engine)


ENDING = decoder(config=Config(**{**CONFIG.to_dict(), "end_tokens": (3, 5)}))


@settings(max_examples=25, deadline=None)
@given(
    prompt=st.lists(st.integers(0, 12), min_size=1, max_size=6),
    stop=st.sampled_from(
        [None, [], EndToken(2), [EndToken(4, 1)], (StopSequence([3, 4]),), lambda new: "mine"]
    ),
    seed=st.integers(0, 99),
)
def test_an_engine_ends_where_generate_ends(prompt, stop, seed):
    """Test the model's end tokens, no condition, a single one, several, and a custom function."""
    sampler = Sampler(temperature=1.5, seed=seed)
    request = Request(prompt=prompt, max_new_tokens=9, stop=stop, sampler=sampler)
    (answer,) = answered(small(ENDING), [request]).values()
    assert (answer.tokens, answer.stopped) == alone(request, ENDING)


@pytest.mark.parametrize("stop", ["</s>", ["</s>"], [2], EndToken, 2])
def test_an_end_that_is_no_condition_is_refused_when_the_request_is_made(stop):
    with pytest.raises(Exception, match=r"expected conditions|parameter 'stop'"):
        Request(prompt=[1], max_new_tokens=2, stop=stop)


def test_the_simulator_takes_the_steps_of_an_engine_whose_model_has_end_tokens():
    """A workload's answers have the requested lengths in both."""
    work = Workload(
        requests=6, rate=50.0, prompt_tokens=(3, 9), answer_tokens=(2, 7), vocabulary=13, seed=2
    )
    shape = {"pages": 9, "page_size": 4, "token_budget": 6, "max_running": 3}
    steps = []
    cost = Cost(step=1.0, token=0.0, look=0.0, request=0.0)
    for server in (Engine(ENDING, **shape), Simulator(scheduler_for(**shape), cost)):
        shares = []
        for _, request in work.draw():
            server.submit(request)
        while (step := server.step()) is not None:
            shares.append(step.shares)
        steps.append(shares)
    assert steps[0] == steps[1]


def test_the_simulator_asks_no_condition():
    server = Simulator(
        scheduler_for(pages=9, page_size=4, token_budget=6, max_running=3),
        Cost(step=1.0, token=0.0, look=0.0, request=0.0),
    )
    report = drive(server, [(0.0, Request(prompt=[1], max_new_tokens=5, stop=EndToken(0)))])
    assert report.computed == 5
    assert server.answers[0].stopped == "length"
