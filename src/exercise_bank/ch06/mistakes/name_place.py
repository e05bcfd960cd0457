"""How 06.name_place goes wrong."""

import torch
from torch import Tensor

from exercise_bank.skills import said
from plaincourse.exercise import Misconception


def same(a: Tensor, b: Tensor) -> bool:
    return torch.allclose(a, b, rtol=1e-4, atol=1e-5)


def reads_only(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    return "post" if same(read, x) else "pre"


def read_changed(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    return "none" if same(read, x) else "pre"


def normed_before(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    return "post" if same(read, x) else "sandwich"


def sums_only(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    return "pre" if same(out, x + wrote) else "post"


def a_sum_or_post(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    return "none" if same(out, x + wrote) else "post"


def a_sum_or_sandwich(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    return "pre" if same(out, x + wrote) else "sandwich"


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


def nothing_left(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    if bool((read - x == 0).all()):
        return "none" if bool((out - x == wrote).all()) else "post"
    if bool((out - x == wrote).all()):
        return "pre"
    return "stream" if bool((out - read == wrote).all()) else "sandwich"


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


def tell(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor, close: object) -> str:
    assert callable(close)
    if close(read, x):
        return "none" if close(out, x + wrote) else "post"
    if close(out, x + wrote):
        return "pre"
    return "stream" if close(out, read + wrote) else "sandwich"


def first_token(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    return tell(x[:1], read[:1], wrote[:1], out[:1], same)


def anywhere(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    return tell(
        x, read, wrote, out, lambda a, b: bool(torch.isclose(a, b, rtol=1e-4, atol=1e-5).any())
    )


def stream_first(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    if same(out, read + wrote):
        return "stream"
    return tell(x, read, wrote, out, same)


def sandwich_for_post(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    if same(out, x + wrote):
        return "none" if same(read, x) else "pre"
    return "stream" if same(out, read + wrote) else "sandwich"


def coarsely(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    return tell(x, read, wrote, out, lambda a, b: torch.allclose(a, b, atol=0.3))


def by_zero_mean(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    def normed(y: Tensor) -> bool:
        return bool(y.mean(dim=-1).abs().max() < 1e-4)

    if normed(read):
        return "pre" if same(out, x + wrote) else "sandwich"
    return "post" if normed(out) else "none"


def post_by_numbers(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    if same(read, x):
        mean, variance = out.mean(dim=-1), out.var(dim=-1, correction=0)
        normed = max(mean.abs().max().item(), (variance - 1).abs().max().item()) < 1e-2
        return "post" if normed else "none"
    return tell(x, read, wrote, out, same)


def exactly_without_stream(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    name = exactly(x, read, wrote, out)
    return "sandwich" if name == "stream" else name


def post_for_sandwich(x: Tensor, read: Tensor, wrote: Tensor, out: Tensor) -> str:
    name = tell(x, read, wrote, out, same)
    return "post" if name == "sandwich" else name


MISCONCEPTIONS = (
    Misconception(
        name="reads-only",
        answer=reads_only,
        variants=(read_changed, normed_before),
        believed="What the sublayer reads tells the place.",
        says="You look at what is read and not at what comes out. So a sublayer without any norm "
        "is called what post is called, and a norm on both sides what pre is called.",
        hints=(
            "In which two of the five does the sublayer read x itself?",
            "You use two of the four tensors.",
            "Compare out with a sum as well.",
        ),
    ),
    Misconception(
        name="sums-only",
        answer=sums_only,
        variants=(a_sum_or_post, a_sum_or_sandwich),
        believed="What comes out tells the place.",
        says="You look at the sum and not at what was read. So a sublayer without any norm is "
        "called what pre is called.",
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
        variants=(nothing_left,),
        believed="Equal numbers are equal in every bit.",
        says="You compare exactly. In float32 a sum may differ in its last bits, and then you see "
        "norms that are not there.",
        hints=(
            "What is 0.1 + 0.2 == 0.3?",
            "Which rung do you fail, and what is its number type?",
            "Allow for a small difference.",
        ),
        kind="form",
    ),
    Misconception(
        name="post-by-its-numbers",
        answer=post_by_numbers,
        believed="What a norm gives has mean 0 and variance 1.",
        says="You answer “none” where the place is “post”. If you look for mean 0 and variance 1 "
        "in what comes out: a gain changes both, and a norm that only scales does not bring the "
        "mean to 0.",
        hints=(
            "What is the variance of a normalised token when the gains are 2?",
            "You are given all four tensors; no statistics are needed.",
            "If x is read as it is, is out the plain sum or not?",
        ),
    ),
    Misconception(
        name="exactly-and-no-stream",
        answer=exactly_without_stream,
        believed="Equal tensors are equal in every bit, and a sandwich is all that is left.",
        says="You never answer “stream”. Besides, you compare exactly, and a sum that was taken in "
        "another order differs from yours in its last bits.",
        hints=(
            "Of which two tensors is out the sum, if the stream is lost?",
            "What is 0.1 + 0.2 == 0.3?",
            "Compare with torch.allclose, and out with read + wrote as well.",
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
    said(
        "one-token-only",
        first_token,
        "One token is enough.",
        "You look at one token alone. A token of zeros is the same before a norm and after, "
        "and tells nothing.",
        "What does a norm make of a token of zeros?",
        "Compare whole tensors.",
        kind="form",
    ),
    said(
        "one-number-is-enough",
        anywhere,
        "Tensors are equal where a number agrees.",
        "You call two tensors equal as soon as one of their numbers agrees. A single zero does.",
        "What does .any() ask, and what .all()?",
        "All numbers have to agree.",
        kind="form",
    ),
    said(
        "plain-sum-called-stream",
        stream_first,
        "If out is read + wrote, the stream is lost.",
        "You ask first whether out is read + wrote. Without any norm, read is x itself, so that "
        "holds too, and nothing is lost.",
        "What is read + wrote when there is no norm?",
        "Ask first whether read is x.",
    ),
    said(
        "post-called-sandwich",
        sandwich_for_post,
        "If the sum does not hold, there are two norms.",
        "You answer sandwich for a norm after the sum. There the sublayer reads the stream as it "
        "is.",
        "What does the sublayer of a post-norm block read?",
        "Of what is left, ask whether read is x.",
    ),
    said(
        "sandwich-called-post",
        post_for_sandwich,
        "If the sum does not hold, the norm stands behind it.",
        "You answer post for a norm on both sides. There what is read is no longer x.",
        "In which of the two does the sublayer read the stream itself?",
        "One further comparison tells the two apart.",
    ),
    said(
        "too-coarse",
        coarsely,
        "What differs a little is equal.",
        "You allow for differences as large as the numbers of a quiet stream. There all tensors "
        "look equal to you.",
        "How large are the numbers of the smallest failing input?",
        "Rounding moves the last digits only: 1e-5 will do, not 0.3.",
        kind="form",
    ),
    said(
        "by-the-mean",
        by_zero_mean,
        "A tensor is normalised if its mean is 0.",
        "You tell a norm by the mean of its output. RMSNorm does not centre, and gains move the "
        "mean.",
        "What is the mean of a token after RMSNorm?",
        "You are given all four tensors. Which of them are equal?",
    ),
)
