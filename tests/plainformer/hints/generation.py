"""Advice in errors of generation and serving, with calls that follow each part."""

import contextlib
from dataclasses import dataclass

import torch

from plainformer import generate as generate_line
from plainformer import serve_sim
from plainformer.cache import ContiguousCache
from plainformer.generation import LeanDecoder, PromptLookup, Sampler, generate, stream
from plainformer.generation.lean.layers import pack
from plainformer.generation.lean.recipe import known
from plainformer.generation.sampling import Temperature
from plainformer.models import Config, Decoder
from plainformer.models.pretrained import load, save
from plainformer.serving import Engine, Request, Simulator, drive, scheduler_for
from plainformer.unknown_fields import check_known, check_overridden
from tests.plainformer.arguments.generation import COST, DRAWN
from tests.plainformer.arguments.generation import SIZES as SERVER
from tests.plainformer.generation_models import talkative
from tests.plainformer.hints.parts import SIZES, place
from tests.plainformer.hints.rows import Hint
from tests.plainformer.traps import Trap

MODEL = talkative()


def saved(**changes):
    folder = place() / "model"
    sizes = {"vocabulary": 13, "d_model": 8, "n_layers": 1, "n_heads": 2, "context": 16}
    save(Decoder(Config(**{**sizes, **changes})), folder)
    return str(folder)


def line(module, *words, **sizes):
    """Run a command line without its parser's error handling, so that errors are raised."""
    words = [saved(**sizes) if word == "MODEL" else word for word in words]
    return module._run(module.parser().parse_args(words))


def generated(*words, **sizes):
    return line(generate_line, "--model", "MODEL", "--max-new-tokens", "2", *words, **sizes)


def texts(*words):
    return generate_line.prompts_of(generate_line.parser().parse_args(["--model", "x", *words]))


DYNAMIC = {"rotary_scaling": "dynamic", "rotary_factor": 4.0, "rotary_context": 4}


def dynamic(drafter=None, load_as=None, prompt=(1, 2, 3)):
    folder = place() / "model"
    save(talkative(**DYNAMIC), folder)
    changes = {"rotary_scaling": load_as} if load_as else {}
    return generate(load(folder, **changes), [list(prompt)], max_new_tokens=4, drafter=drafter)


def served_dynamic(load_as=None):
    folder = place() / "model"
    save(talkative(**DYNAMIC), folder)
    changes = {"rotary_scaling": load_as, "rotary_factor": 4.0} if load_as else {}
    engine = Engine(load(folder, **changes), **SERVER)
    engine.submit(Request(prompt=[1, 2, 3], max_new_tokens=4))
    return engine.run()


def reused(way):
    held = [ContiguousCache() for _ in range(2)]

    def make(model, b, capacity):
        if way == "new":
            return [ContiguousCache() for _ in range(2)]
        if way == "truncate":
            for cache in held:
                cache.truncate(0)
        return held

    for _ in range(2):
        generate(MODEL, [[1, 2]], max_new_tokens=2, caches=make)


def lean(**arguments):
    return LeanDecoder(MODEL, capacity=8, packed=pack(MODEL, weights="int8", batch=1), **arguments)


def submitted(new, pages):
    server = Simulator(scheduler_for(**{**SERVER, "pages": pages}), COST)
    return server.submit(Request(prompt=[1, 2], max_new_tokens=new))


FEW = "--requests 8 --prompt 4:5 --answer 9:10".split()


COSTS = ["--cost", "1,1,1,1"]


LATE = DRAWN[::-1]


def interrupted(again):
    """Interrupt a stream at its third token, and continue with it or with a new one."""
    model, came = talkative(), []
    tokens = stream(model, [[1, 2]], max_new_tokens=6)
    came = [next(tokens).token, next(tokens).token]
    trap = Trap(1)
    with model.blocks[1].register_forward_pre_hook(trap), contextlib.suppress(KeyboardInterrupt):
        next(tokens)
    if again:
        tokens = stream(model, [[1, 2, *came]], max_new_tokens=4)
    came += [token.token for token in tokens]
    assert [came] == generate(model, [[1, 2]], max_new_tokens=6).tokens


@dataclass(frozen=True, kw_only=True)
class Capped(Config):
    """Settings with a field that models do not read."""

    cap: float | None = None


@dataclass(frozen=True)
class Base:
    width: int = 1

    def compute(self):
        return self.width


@dataclass(frozen=True)
class Deaf(Base):
    height: int = 2


@dataclass(frozen=True)
class Heard(Base):
    height: int = 2

    def compute(self):
        return self.width * self.height


HINTS = [
    Hint(
        "has …, which … does not read and would ignore: use a …, or teach … what it means",
        lambda: check_known(Capped(**SIZES, cap=1.0), Config, "a model"),
        [
            lambda: check_known(Config(**SIZES), Config, "a model"),
            lambda: check_known(Capped(**SIZES, cap=1.0), Capped, "a model that was taught"),
        ],
    ),
    Hint(
        "nothing would read it; override the one that computes with it",
        lambda: check_overridden(Deaf(height=3), ["compute"]),
        [lambda: check_overridden(Heard(height=3), ["compute"])],
    ),
    Hint(
        "give token numbers with --tokens, and leave out --prompt and --bytes",
        lambda: generated("--prompt", "abc"),
        [lambda: generated("--tokens", "1,2")],
    ),
    Hint(
        "no prompt: give --tokens 5,3,8, or --prompt TEXT for a model of bytes",
        texts,
        [
            lambda: generated("--tokens", "5,3,8"),
            lambda: generated("--prompt", "TEXT", vocabulary=256),
        ],
    ),
    Hint(
        "leave the drafter out, or load the model with another scaling, such as "
        "load(…, rotary_scaling='ntk')",
        lambda: dynamic(PromptLookup()),
        [dynamic, lambda: dynamic(PromptLookup(), load_as="ntk")],
    ),
    Hint(
        "pack them again, or leave packed out",
        lambda: lean(weights="float32"),
        [
            lambda: LeanDecoder(MODEL, capacity=8, packed=pack(MODEL, weights="float32", batch=1)),
            lambda: LeanDecoder(MODEL, capacity=8),
        ],
    ),
    Hint(
        "is no norm that a lean decoder knows: use the model itself",
        lambda: known(torch.nn.Identity()),
        [lambda: generate(MODEL, [[1]], max_new_tokens=2, fast=False)],
    ),
    Hint(
        "which a lean decoder leaves out: use the model itself",
        lambda: generate(talkative(window=4), [[1]], max_new_tokens=2, fast=True),
        [lambda: generate(talkative(window=4), [[1]], max_new_tokens=2)],
    ),
    Hint(
        "Make new ones at each call, or truncate(0) them",
        lambda: reused(None),
        [lambda: reused("new"), lambda: reused("truncate")],
    ),
    Hint(
        "is empty: give at least one token, or bos=, the token that begins text",
        lambda: generate(MODEL, [[]], max_new_tokens=2),
        [
            lambda: generate(MODEL, [[1]], max_new_tokens=2),
            lambda: generate(MODEL, [[]], max_new_tokens=2, bos=1),
        ],
    ),
    Hint(
        "keep the last …, or fewer, to leave room for new ones",
        lambda: generate(MODEL, [[1] * 25], max_new_tokens=2),
        [
            lambda: generate(MODEL, [([1] * 25)[-24:]], max_new_tokens=2),
            lambda: generate(MODEL, [([1] * 25)[-20:]], max_new_tokens=2),
        ],
    ),
    Hint(
        "for the likeliest token each time, use Sampler(temperature=0)",
        lambda: Temperature(0),
        [lambda: generate(MODEL, [[1]], max_new_tokens=2, sampler=Sampler(temperature=0))],
    ),
    Hint(
        "--check needs an engine, and --cost takes none: leave one of them out",
        lambda: line(serve_sim, *FEW, "--check", *COSTS),
        [
            lambda: line(serve_sim, *FEW, *COSTS),
            lambda: line(serve_sim, *FEW, "--check", "--model", "MODEL"),
        ],
    ),
    Hint(
        "call stream() again, with the prompts and the tokens that came before it",
        lambda: interrupted(again=False),
        [lambda: interrupted(again=True)],
    ),
    Hint(
        "use generate(), or load(…, rotary_scaling='ntk', rotary_factor=…)",
        served_dynamic,
        [dynamic, lambda: served_dynamic("ntk")],
    ),
    Hint(
        "think=… without clients: nobody thinks; give clients, too",
        lambda: drive(Simulator(scheduler_for(**SERVER), COST), DRAWN, think=1.0),
        [lambda: drive(Simulator(scheduler_for(**SERVER), COST), DRAWN, think=1.0, clients=2)],
    ),
    Hint(
        "not in the order of their arrival: sort them by time",
        lambda: drive(Simulator(scheduler_for(**SERVER), COST), LATE),
        [
            lambda: drive(
                Simulator(scheduler_for(**SERVER), COST),
                sorted(LATE, key=lambda asked: asked[0]),
            )
        ],
    ),
    Hint(
        "shorten it, or make the server with more pages",
        lambda: submitted(9, 4),
        [lambda: submitted(5, 4), lambda: submitted(9, 5)],
    ),
]
