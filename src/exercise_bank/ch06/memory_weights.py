"""Exercise 06.memory_weights: write facts into a feed-forward network with ReLU."""

from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.ch06.mistakes.memory_weights import MISCONCEPTIONS
from exercise_bank.draws import normal, together
from exercise_bank.skills import both_types, in_proportion, in_single
from plaincourse.checking.drawing import Fresh
from plaincourse.checking.in_words import show
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plaincourse.exercise.precision import SUMMED

NEURONS = "one neuron for each fact"
ALL_FEATURES = "a neuron fires for all features of its key"
EXACTLY = "a full match leaves exactly 1"


def rows(*features: tuple[int, ...], m: int) -> Tensor:
    keys = torch.zeros(len(features), m, dtype=torch.float64)
    for row, present in zip(keys, features, strict=True):
        row[list(present)] = 1
    return keys


def asked(g: Generator, keys: Tensor, streams: Tensor) -> dict[str, Any]:
    """Make inputs: facts with random values, and input streams.

    Hidden inputs have their features and their streams in another order.
    """
    if isinstance(g, Fresh):
        order = torch.randperm(keys.shape[1], generator=g)
        rows_in_order = torch.randperm(len(streams), generator=g)
        keys, streams = keys[:, order], streams[rows_in_order][:, order]
    return {"keys": keys, "values": normal(g, *keys.shape), "streams": streams}


def pairs_read(g: Generator) -> list[Inputs]:
    """Draw single facts of two features, and a stream that holds them."""
    drawn: list[Inputs] = []
    for at, m in (((0, 1), 3), ((1, 3), 4), ((0, 2), 5)):
        keys = rows(at, m=m)
        drawn.append(asked(g, keys, keys))
    return drawn


def one_of_several(g: Generator) -> list[Inputs]:
    """Draw facts of two features, alone and with others, and a stream that contains one key."""
    keys = rows((0, 1), (2, 3), (1, 4), m=5)
    return [*pairs_read(g), asked(g, keys[:2], keys[:1]), asked(g, keys, keys)]


def pairs_and_parts(g: Generator) -> list[Inputs]:
    """Draw equally many features and facts of two; streams hold a key, a part, or nothing."""
    drawn: list[Inputs] = []
    for n in (3, 4):
        keys = rows(*((i, (i + 1) % n) for i in range(n)), m=n)
        parts = torch.eye(n, dtype=torch.float64)
        drawn.append(asked(g, keys, torch.cat([keys, parts, 0 * keys[:1]])))
    return drawn


def other_sizes(g: Generator) -> list[Inputs]:
    """Draw as many facts as features, of one feature, of three, of one up to three."""
    one = torch.eye(2, dtype=torch.float64)
    three = rows((0, 1, 2), (1, 2, 3), (0, 2, 3), (0, 1, 3), m=4)
    two = rows((0, 1), (2, 3), (1, 3), (2,), m=4)
    mixed = rows((0,), (1, 2), (0, 1, 2), m=3)
    parts = rows((0, 1, 2), (0,), (1, 2), (1,), (2,), (), m=3)
    return [
        asked(g, one, torch.cat([one, 0 * one[:1]])),
        asked(g, three, torch.cat([three, two])),
        asked(g, mixed, parts),
    ]


def two_at_once(g: Generator) -> list[Inputs]:
    """Draw streams that contain two keys of two features, and features outside all keys."""
    keys = rows((0, 1), (2, 3), m=6)
    full = rows((0, 1, 2, 3), (0, 1, 5), (2, 3, 4, 5), m=6)
    crossing = rows((0, 1), (1, 2), (0, 2), m=4)
    return [asked(g, keys, full), asked(g, crossing, rows((0, 1, 2), (0, 1, 3), m=4))]


def whole(g: Generator) -> list[Inputs]:
    example = asked(g, rows((0, 1), m=3), rows((0, 1), (0, 2), m=3))
    example["values"] = torch.tensor([[0.0, 0.0, 5.0]], dtype=torch.float64)
    keys = rows((0, 1), (2, 3, 4), (5,), m=6)
    streams = rows((0, 1, 2, 3, 4), (0, 1, 5), (2, 3, 5), (0, 2, 3, 4), (), m=6)
    long = rows((0,), (1, 2, 3), (2, 4, 5, 6), m=7)
    lacking = rows((1, 2), (4, 5, 6), (3,), (1, 3), (2, 4, 5), m=7)
    return [example, asked(g, keys, streams), asked(g, long, torch.cat([long, lacking]))]


def recall(answer: Any, inputs: Inputs) -> Tensor:
    """Pass streams through the network with an answer's weights."""
    (up, bias, down), kind = together(answer(inputs["keys"], inputs["values"]))
    fires: Tensor = torch.relu(inputs["streams"].double() @ up.mT + bias)
    written: Tensor = fires @ down.mT
    return written.to(kind)


def memory_weights(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return W_1 (n, m), b_1 (n,) and W_2 (m, n): one neuron for each fact."""
    return keys, 1 - keys.sum(dim=-1), values.mT


def louder(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    needed = (keys > 0).sum(-1)
    return 3 * keys, 3.0 * (1 - needed), values.T / 3


def fact_by_fact(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    n, m = keys.shape
    up, bias, down = keys.new_zeros(n, m), keys.new_zeros(n), keys.new_zeros(m, n)
    for i in range(n):
        up[i] = keys[i]
        bias[i] = 1 - int(keys[i].sum())
        down[:, i] = values[i]
    return up, bias, down


def by_squares(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    matches = torch.einsum("nm,nm->n", keys, keys)
    return keys.clone(), -(matches - 1), torch.einsum("nm->mn", values)


def in_shares(keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Scale a full match to 1, and choose the bias so that only the last share passes."""
    count = keys.sum(dim=-1)
    return keys / count[:, None], 1 / count - 1, (values * count[:, None]).mT


def from_facts(keys: Tensor, values: Tensor, streams: Tensor) -> Tensor:
    """Return the vectors to be written into each stream."""
    complete = streams.double() @ keys.double().mT == keys.double().sum(-1)
    return complete.double() @ values.double()


def silent_or_not(inputs: Inputs, output: Tensor) -> str | None:
    """Describe the first stream with a wrong value, or with a missing one."""
    wanted = from_facts(**inputs)
    if output.shape != wanted.shape:
        return f"your network writes {tuple(output.shape)}; the streams are {tuple(wanted.shape)}"
    for stream, right, yours in zip(inputs["streams"], wanted, output, strict=True):
        if not yours.isfinite().all():
            return "your network writes nan or inf"
        if right.any() != (yours.abs().max() > 1e-5):
            if yours.abs().max() > 1e-5:
                return (
                    f"the stream {show(stream)} contains no complete key, so nothing should be "
                    f"written; your network writes {show(yours)}"
                )
            return (
                f"the stream {show(stream)} has all features of a key, so {show(right)} should "
                "be written; your network writes nothing"
            )
    return None


TASK = Exercise(
    id="06.memory_weights",
    title="Write facts into a network",
    level="medium",
    minutes=15,
    concepts=("feed-forward-as-memory", "relu-and-gelu", "feed-forward"),
    reference=memory_weights,
    call=recall,
    rungs=(
        Rung(
            name="a key of two features writes its value, up to a factor",
            points=0.5,
            draw=in_single(pairs_read),
            law=in_proportion(from_facts, "a complete key writes a multiple of its value"),
            compare=False,
            idea=NEURONS,
        ),
        Rung(
            name="a key of two features, alone complete, writes exactly its value",
            points=1.0,
            draw=in_single(one_of_several),
            idea=EXACTLY,
        ),
        Rung(
            name="keys of two features: a partial key writes nothing, a complete one something",
            points=0.75,
            draw=in_single(pairs_and_parts),
            law=silent_or_not,
            compare=False,
            idea=ALL_FEATURES,
        ),
        Rung(
            name="keys of one feature and of three: partial keys write nothing, complete ones "
            "something",
            points=1.0,
            draw=in_single(other_sizes),
            law=silent_or_not,
            compare=False,
            idea=ALL_FEATURES,
        ),
        Rung(
            name="two keys in one stream write the sum of their values, up to a factor",
            points=1.0,
            draw=in_single(two_at_once),
            law=in_proportion(from_facts, "the values of complete keys are added"),
            compare=False,
            idea=NEURONS,
        ),
        Rung(name="all of it, in float32 and float64", points=0.75, draw=both_types(whole)),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="louder keys, quieter values", answer=louder),
        Alternative(name="fact by fact", answer=fact_by_fact),
        Alternative(name="dot products of keys with themselves", answer=by_squares),
        Alternative(name="in shares of a key", answer=in_shares),
    ),
    hints=(
        "What is the dot product of a key of three features with itself, and with a stream that "
        "lacks one of them?",
        "A neuron should be above 0 only if all features of its key are in the stream. That "
        "depends on the bias, which need not be the same for all neurons.",
        "For a key of n features, a full match is n. Which bias turns n into exactly 1, and n - 1 "
        "into 0?",
    ),
    equivalents={
        "memory_weights: line 2: the minus of -1 dropped": "the keys have two axes",
    },
    precision=SUMMED,
)
