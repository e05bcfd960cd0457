"""Rows for generation and serving."""

import torch

from plainformer.cache import PagePool
from plainformer.generation import (
    EndToken,
    LeanDecoder,
    ModelDrafter,
    PromptLookup,
    Sampler,
    StopSequence,
    generate,
    growing,
    static,
    stream,
)
from plainformer.generation.drawing import Dice
from plainformer.generation.lean.layers import pack
from plainformer.serving import (
    Cost,
    Engine,
    Load,
    PrefixCache,
    Request,
    Scheduler,
    Server,
    Simulator,
    Workload,
    calibrate,
    drive,
    fit,
    scheduler_for,
)
from tests.plainformer.arguments.rows import Case, Other
from tests.plainformer.generation_models import talkative
from tests.plainformer.tensors import normal

MODEL, LOUDER = talkative(), talkative(seed=7)
PROMPTS = [[1, 2, 3, 1, 2, 3, 4]]
CALL = {"model": MODEL, "prompts": PROMPTS, "max_new_tokens": 4}


def passes(call):
    """Return the result of generation, and the shapes of its calls to the model."""

    def result(**arguments):
        asked = []
        model = arguments["model"]
        hook = model.blocks[0].register_forward_pre_hook(
            lambda module, inputs, more: asked.append(
                (tuple(inputs[0].shape), type(more.get("cache")).__name__)
            ),
            with_kwargs=True,
        )
        fast = arguments.get("fast") or arguments.get("weights")
        if fast:
            hook.remove()
        heard = []
        if "on_token" in arguments:
            arguments["on_token"] = heard.append
        try:
            made = call(**arguments)
            made = list(made) if call is stream else made
        finally:
            hook.remove()
        return made, getattr(made, "log_probabilities", None), asked, len(heard)

    return result


OPTIONS = {
    "model": LOUDER,
    "prompts": [[5]],
    "max_new_tokens": 3,
    "sampler": Sampler(seed=0),
    "stop": lambda new: "enough",
    "bos": 9,
    "caches": "static",
    "chunk": 2,
    "drafter": Other(PromptLookup(), beside={"max_new_tokens": 7}),
    "ahead": Other(1, beside={"drafter": ModelDrafter(MODEL), "max_new_tokens": 7}),
    "fast": True,
    "weights": "int8",
}

SEEN = torch.tensor([[1, 2, 3]])


def lean(**arguments):
    decoder = LeanDecoder(**arguments)
    batch = arguments.get("batch", 1)
    logits = decoder.prefill(SEEN.expand(batch, -1))
    room = 0
    try:
        while True:
            decoder.step(torch.zeros(batch, dtype=torch.long))
            room += 1
    except ValueError:
        return logits, room


def lean_generates(**arguments):
    return LeanDecoder(MODEL, capacity=12, weights="float64").generate(**arguments)


def drawing(**arguments):
    sampler = Sampler(**arguments)
    logits = 2 * normal(1, 13, seed=0)
    drawn = [int(sampler(logits, sampler.generators(1))) for _ in range(5)] if sampler.seed else []
    return sampler.probabilities(logits), drawn


def proposing(drafter):
    dice = Dice(torch.Generator().manual_seed(0))
    tokens = [2, 3, 7, 5, 3, 8, 2, 3]
    return drafter.propose(tokens, 3, sampler=Sampler(temperature=0), dice=dice).tokens


def drafting(model=MODEL, caches=growing):
    asked = []
    hook = model.blocks[0].register_forward_pre_hook(
        lambda module, inputs, more: asked.append(type(more["cache"]).__name__), with_kwargs=True
    )
    with hook:
        draft = proposing(ModelDrafter(model, caches=caches))
    return draft, asked


def served(server):
    """Return the steps and answers of a server for requests with a common prefix."""
    steps = []
    for numbers in ([0, 1, 2], [3]):
        for i in numbers:
            server.submit(Request(prompt=[1, 2, 3, 4, 5, i], max_new_tokens=1 + i))
        while (step := server.step()) is not None:
            steps.append(step.shares)
    pool = server.scheduler.pages
    return steps, server.answers, (pool.n_pages, pool.page_size), server.scheduler.preemptions


def engine(**arguments):
    return served(Engine(**arguments))


def simulated(**arguments):
    return served(Simulator(scheduler_for(**arguments), COST))


COST = Cost(step=1.0, token=0.1, look=0.01, request=0.5)
LOAD = Load(tokens=3, looks=7, requests=2)
SIZES = {"pages": 12, "page_size": 2, "token_budget": 16, "max_running": 8}
SIZED = {
    "pages": 8,
    "page_size": 3,
    "token_budget": 5,
    "max_running": 1,
    "prefix_cache": False,
    "continuous": Other(False, beside={"max_running": 2}),
}


def scheduled(pages=12, prefix_cache=False, **arguments):
    pool = PagePool(n_layers=1, n_pages=pages, page_size=2, n_kv_heads=1, width=1)
    cache = PrefixCache(pool) if prefix_cache else None
    return served(Simulator(Scheduler(pool, prefix_cache=cache, **arguments), COST))


class Ended(Server):
    """A server that computes nothing; only its refusals and its stopping are tested."""

    def compute(self, work):
        raise NotImplementedError


def asked(budget=16, **arguments):
    server = Ended(scheduler_for(**{**SIZES, "token_budget": budget}), **arguments)
    number = server.submit(Request(prompt=[1, 2], max_new_tokens=3))
    return [stop([2]) for stop in server.ends(server.open[number].request)], server.scheduler.plan()


def requested(**arguments):
    server = Engine(MODEL, **SIZES)
    server.submit(Request(prompt=[1, 2, 3], max_new_tokens=1))
    server.run()
    server.submit(Request(**arguments))
    return server.run()


WORK = {"requests": 6, "rate": 2.0, "prompt_tokens": (3, 5), "answer_tokens": (4, 5)}
DRAWN = Workload(**WORK).draw()


def driven(server=COST, **arguments):
    times = []
    if "watch" in arguments:
        arguments["watch"] = lambda now, step: times.append(now)
    return drive(Simulator(scheduler_for(**SIZES), server), **arguments), times


CASES = [
    Case(generate, CALL, {**OPTIONS, "on_token": print}, passes(generate)),
    Case(stream, CALL, OPTIONS, passes(stream)),
    Case(
        LeanDecoder,
        {"model": MODEL, "capacity": 8},
        {
            "model": LOUDER,
            "batch": 2,
            "capacity": 9,
            "weights": "float64",
            "packed": pack(LOUDER, weights="float32", batch=1),
        },
        lean,
    ),
    Case(
        LeanDecoder.generate,
        {"tokens": SEEN, "max_new_tokens": 4},
        {"tokens": SEEN.flip(1), "max_new_tokens": 3, "choose": lambda x: x.argmin(dim=-1)},
        lean_generates,
    ),
    Case(
        static,
        {"model": MODEL, "b": 1, "capacity": 4},
        {"model": talkative(n_kv_heads=1), "b": 2, "capacity": 5},
        lambda **arguments: [cache.nbytes for cache in static(**arguments)],
    ),
    Case(
        growing,
        {"model": MODEL, "b": 1, "capacity": 4},
        {"model": talkative(n_layers=1)},
        lambda **arguments: len(growing(**arguments)),
        {"b": "they grow in every way", "capacity": "they grow in every way"},
    ),
    Case(
        Sampler,
        {},
        {
            "temperature": 0.5,
            "top_k": 2,
            "top_p": 0.5,
            "min_p": 0.5,
            "seed": Other(2, beside={"seed": 1}),
        },
        drawing,
    ),
    Case(EndToken, {}, {"tokens": 3}, lambda tokens=2: EndToken(tokens)([2])),
    Case(StopSequence, {}, {"sequences": [3]}, lambda sequences=(2,): StopSequence(sequences)([2])),
    Case(PromptLookup, {}, {"longest": 1}, lambda **given: proposing(PromptLookup(**given))),
    Case(ModelDrafter, {}, {"model": LOUDER, "caches": "static"}, drafting),
    Case(
        Engine,
        {"model": MODEL, **SIZES},
        {"model": LOUDER, **SIZED},
        engine,
    ),
    Case(scheduler_for, SIZES, SIZED, simulated),
    Case(
        Scheduler,
        {"token_budget": 16, "max_running": 8},
        {
            **{name: other for name, other in SIZED.items() if name != "page_size"},
            "prefix_cache": True,
        },
        scheduled,
    ),
    Case(
        Server,
        {},
        {
            "scheduler": 1,
            "context": Other(3, refused="the context has 3"),
            "end_tokens": [2],
        },
        lambda scheduler=16, **arguments: asked(scheduler, **arguments),
    ),
    Case(
        Request,
        {"prompt": [1, 2, 3], "max_new_tokens": 4},
        {
            "prompt": [2, 1, 3],
            "max_new_tokens": 3,
            "sampler": Sampler(temperature=2.0, seed=0),
            "stop": lambda new: "enough",
            "salt": "another tenant",
        },
        requested,
    ),
    Case(
        Simulator,
        {},
        {"scheduler": 1, "cost": Cost(step=2.0, token=0.0, look=0.0, request=0.0)},
        lambda scheduler=8, cost=COST: drive(
            Simulator(scheduler_for(**{**SIZES, "max_running": scheduler}), cost), DRAWN
        ),
    ),
    Case(
        Cost,
        {"step": 1.0, "token": 1.0, "look": 1.0, "request": 1.0},
        {"step": 2.0, "token": 2.0, "look": 2.0, "request": 2.0},
        lambda **arguments: Cost(**arguments).seconds(LOAD),
    ),
    Case(
        Workload,
        WORK,
        {
            "requests": 5,
            "rate": 3.0,
            "prompt_tokens": (3, 6),
            "answer_tokens": (1, 5),
            "shared_tokens": 2,
            "vocabulary": 9,
            "seed": 1,
        },
        lambda **arguments: str(Workload(**arguments).draw()),
    ),
    Case(
        drive,
        {"asked": DRAWN},
        {
            "server": Cost(step=9.0, token=1.0, look=1.0, request=1.0),
            "asked": DRAWN[:3],
            "clients": 1,
            "think": Other(9.0, beside={"clients": 1}),
            "watch": print,
        },
        driven,
    ),
    Case(
        calibrate,
        {"server": 8, "workload": Workload(**WORK)},
        {"server": 1, "workload": Workload(**{**WORK, "requests": 9}), "warmup": 5},
        lambda server, **more: calibrate(
            Simulator(scheduler_for(**{**SIZES, "max_running": server}), COST), **more
        ),
    ),
    Case(
        fit,
        {"loads": [Load(n, n * n, 1 + n % 2) for n in range(1, 9)], "seconds": [1.0] * 8},
        {"loads": [Load(n, n, 1) for n in range(1, 9)], "seconds": [2.0] * 8},
    ),
]
