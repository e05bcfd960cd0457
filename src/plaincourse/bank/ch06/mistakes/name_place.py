"""How 06.name_place goes wrong."""

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def same(a: Tensor, b: Tensor) -> bool:
    return torch.allclose(a, b, rtol=1e-4, atol=1e-5)


def reads_only(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    return "post" if same(read, x) else "pre"


def sums_only(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    return "pre" if same(out, x + wrote) else "post"


def no_stream(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    if same(read, x):
        return "none" if same(out, x + wrote) else "post"
    return "pre" if same(out, x + wrote) else "sandwich"


def stream_for_sandwich(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    if same(read, x):
        return "none" if same(out, x + wrote) else "post"
    return "pre" if same(out, x + wrote) else "stream"


def stream_for_pre(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    if same(read, x):
        return "none" if same(out, x + wrote) else "post"
    return "pre" if same(out, read + wrote) else "sandwich"


def exactly(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    if torch.equal(read, x):
        return "none" if torch.equal(out, x + wrote) else "post"
    if torch.equal(out, x + wrote):
        return "pre"
    return "stream" if torch.equal(out, read + wrote) else "sandwich"


def by_mean(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    def centred(y: Tensor) -> bool:
        return bool((y.std(dim=-1, correction=0) - 1).abs().max() < 0.25) and not same(y, x)

    if centred(read):
        return "pre" if same(out, x + wrote) else "sandwich"
    return "post" if centred(out) else "none"


def turned_round(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    if same(read, x):
        return "none" if same(out, x + wrote) else "pre"
    if same(out, x + wrote):
        return "post"
    return "stream" if same(out, read + wrote) else "sandwich"


MISCONCEPTIONS = (
    Misconception(
        name="reads-only",
        answer=reads_only,
        believed="What the sublayer reads tells the place.",
        says="You look at what is read and not at what comes out. So a sublayer without any norm "
        "is called post, and a norm on both sides is called pre.",
        hints=(
            "In which two of the five does the sublayer read x itself?",
            "You use two of the four tensors.",
            "Compare out with a sum as well.",
        ),
    ),
    Misconception(
        name="sums-only",
        answer=sums_only,
        believed="What comes out tells the place.",
        says="You look at the sum and not at what was read. So a sublayer without any norm is "
        "called pre.",
        hints=(
            "In which two of the five is out the plain sum?",
            "One of the four tensors is never used.",
            "Compare read with x as well.",
        ),
    ),
    Misconception(
        name="stream-called-sandwich",
        answer=no_stream,
        believed="Whoever changes both what is read and what is left has two norms.",
        says="You answer sandwich for a stream that is lost: there out is read + wrote, one "
        "norm, and x itself is nowhere in the sum.",
        hints=(
            "What is out - wrote in the two cases that you call sandwich?",
            "In a sandwich the stream x is kept.",
            "One further comparison tells the two apart.",
        ),
    ),
    Misconception(
        name="sandwich-called-stream",
        answer=stream_for_sandwich,
        believed="If the sum does not hold, the stream is lost.",
        says="You answer stream for a norm on both sides: there x is kept, and what is added to it "
        "is a norm of what was written.",
        hints=(
            "What is out - x in the two cases that you call stream?",
            "In a lost stream, out is read + wrote.",
            "One further comparison tells the two apart.",
        ),
    ),
    Misconception(
        name="stream-called-pre",
        answer=stream_for_pre,
        believed="Pre-norm adds to what was normalised.",
        says="For you pre-norm adds to what it normalised. That is the mistake that loses the "
        "stream: in pre-norm the sum begins with x.",
        hints=(
            "What does the sum of pre-norm begin with?",
            "Only the sublayer reads the normalised stream.",
            "Compare out with x + wrote.",
        ),
    ),
    Misconception(
        name="exactly-equal",
        answer=exactly,
        believed="Equal numbers are equal in every bit.",
        says="You compare exactly. In float32 a sum may differ in its last bits, and then you see "
        "norms that are not there.",
        hints=(
            "What is 0.1 + 0.2 == 0.3?",
            "Which rung do you fail, and what is its number type?",
            "Allow for a small difference.",
        ),
    ),
    Misconception(
        name="by-size",
        answer=by_mean,
        believed="A tensor is normalised if its standard deviation is about 1.",
        says="You tell a norm by the size of its output. Gains change that, and a plain tensor may "
        "be of that size by chance.",
        hints=(
            "What is the standard deviation of a normalised token when the gains are 2?",
            "You are given all four tensors; no statistics are needed.",
            "Ask which tensors are equal.",
        ),
    ),
    Misconception(
        name="pre-and-post-swapped",
        answer=turned_round,
        believed="Post-norm normalises before.",
        says="You tell the five apart, and your names for two of them are swapped: post means that "
        "the norm comes after the sum.",
        hints=(
            "After what does the norm of post-norm stand?",
            "Your comparisons are right.",
            "Swap two words.",
        ),
    ),
)
