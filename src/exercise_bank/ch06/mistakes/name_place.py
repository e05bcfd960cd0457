"""How 06.name_place goes wrong."""

from functools import partial
from itertools import permutations, product

from exercise_bank.ch06.mistakes import name_place_code as code
from exercise_bank.skills import said, saying
from plaincourse.exercise import Misconception

renamed = saying(code.renaming)

#: Names for a failed comparison of the sums, and of the reads.
NOT_A_SUM = ("post", "sandwich", "stream")
NOT_THE_STREAM = ("pre", "sandwich", "stream")

SEEN = {
    "none": "`read` is x, and `out` is x + wrote",
    "pre": "`read` is a norm of x, and `out` is x + wrote",
    "post": "`read` is x, and `out` is a norm of x + wrote",
    "sandwich": "`read` is a norm of x, and `out` is x plus a norm of `wrote`",
    "stream": "`read` is a norm of x, and `out` is read + wrote",
}

#: Places and wrong names that a mistake above describes better.
TREATED = (
    ("stream", "sandwich"),
    ("sandwich", "stream"),
    ("stream", "pre"),
    ("none", "stream"),
    ("post", "none"),
    ("post", "sandwich"),
    ("sandwich", "post"),
    ("sandwich", "pre"),
    ("stream", "post"),
    ("post", "stream"),
    ("pre", "sandwich"),
)

MISCONCEPTIONS = (
    Misconception(
        name="reads-only",
        answer=code.reads_only,
        variants=tuple(
            code.by_one_fact("read", *names)
            for names in product(("none", "post"), NOT_THE_STREAM)
            if names != ("post", "pre")
        ),
        believed="What the sublayer reads shows the place.",
        says="On all inputs here, your answer depends only on whether `read` is x. So two places "
        "with the same `read` get the same name, although `out` differs: none and post, for "
        "example.",
        hints=(
            "In which two of the five does the sublayer read x itself?",
            "What differs between none and post?",
            "Compare out with a sum as well.",
        ),
    ),
    Misconception(
        name="sums-only",
        answer=code.sums_only,
        variants=tuple(
            code.by_one_fact("sum", *names)
            for names in product(("none", "pre"), NOT_A_SUM)
            if names != ("pre", "post")
        ),
        believed="What comes out shows the place.",
        says="On all inputs here, your answer depends only on whether `out` is x + wrote. So two "
        "places with the same sum get the same name, although `read` differs: none and pre, for "
        "example. (The mean and the size of `read` do not show a norm: gains change both.)",
        hints=(
            "In which two of the five is out the plain sum?",
            "What differs between none and pre?",
            "Compare read with x as well.",
        ),
    ),
    Misconception(
        name="stream-called-sandwich",
        answer=code.no_stream,
        believed="A block that changes both what is read and the sum has two norms.",
        says="You answer 'sandwich' where `out` is read + wrote. That takes one norm, and x itself "
        "is not in the sum: its stream is lost. A sandwich has two norms, and keeps x.",
        hints=(
            "What is out - wrote in the two cases that you call sandwich?",
            "In a sandwich the stream x is kept.",
            "One further comparison tells the two apart.",
        ),
    ),
    Misconception(
        name="sandwich-called-stream",
        answer=code.stream_for_sandwich,
        believed="If the sum does not hold, the stream is lost.",
        says="You answer 'stream' for a norm on both sides. There x is kept, and a norm of `wrote` "
        "is added to it. (With its gains and its mean, out - x need not point along `wrote`.)",
        hints=(
            "What is out - x in the two cases that you call stream?",
            "In a lost stream, out is read + wrote.",
            "One further comparison tells the two apart.",
        ),
    ),
    Misconception(
        name="stream-called-pre",
        answer=code.stream_for_pre,
        believed="Pre-norm adds to what was normalised.",
        variants=(code.renaming({"stream": "pre"}),),
        says="You answer 'pre' where `out` is read + wrote. That sum has lost the stream; in "
        "pre-norm it begins with x.",
        hints=(
            "What does the sum of pre-norm begin with?",
            "Only the sublayer reads the normalised stream.",
            "Compare out with x + wrote.",
        ),
    ),
    Misconception(
        name="exactly-equal",
        answer=code.exactly,
        variants=(
            code.nothing_left,
            code.renaming({"sandwich": "stream"}, exact=True),
            code.renaming({"sandwich": "post"}, exact=True),
            code.renaming({"post": "sandwich"}, exact=True),
        ),
        believed="Equal numbers are equal in every bit.",
        says="You compare exactly. In float32 a sum may differ in its last bits, and then you see "
        "norms that are not there.",
        hints=(
            "What is 0.1 + 0.2 == 0.3?",
            "Which requirement do you fail, and what is the dtype of its inputs?",
            "Allow for a small difference.",
        ),
        kind="form",
    ),
    Misconception(
        name="post-by-its-numbers",
        answer=code.post_by_numbers,
        believed="The output of a norm has mean 0 and variance 1.",
        says="You answer 'none' where the norm comes after the sum. If you look for mean 0 and "
        "variance 1 in `out`: a gain changes both, and RMSNorm does not bring the mean to 0.",
        hints=(
            "What is the variance of a normalised token when the gains are 2?",
            "You are given all four tensors; no statistics are needed.",
            "If x is read as it is, is out the plain sum or not?",
        ),
    ),
    Misconception(
        name="exactly-and-no-stream",
        answer=code.exactly_without_stream,
        believed="Equal tensors are equal in every bit, and a sandwich is all that is left.",
        says="You never answer 'stream'. You also compare exactly, and a sum that was taken in "
        "another order differs from yours in its last bits.",
        hints=(
            "Of which two tensors is out the sum, if the stream is lost?",
            "What is 0.1 + 0.2 == 0.3?",
            "Compare with torch.allclose, and out with read + wrote as well.",
        ),
    ),
    Misconception(
        name="by-size",
        answer=code.by_mean,
        believed="A tensor is normalised if its standard deviation is about 1.",
        says="You recognise a norm by the size of its output. Gains change that, and a plain "
        "tensor may have that size by chance.",
        hints=(
            "What is the standard deviation of a normalised token when the gains are 2?",
            "You are given all four tensors; no statistics are needed.",
            "Ask which tensors are equal.",
        ),
    ),
    Misconception(
        name="pre-and-post-swapped",
        answer=code.turned_round,
        believed="Post-norm normalises before.",
        says="You answer 'pre' for post-norm and 'post' for pre-norm. Post means that the norm "
        "comes after the sum.",
        hints=(
            "In post-norm, what comes before the norm?",
            "Your comparisons can stay as they are.",
            "Swap two words.",
        ),
    ),
    said(
        "one-token-only",
        code.first_token,
        "One token is enough.",
        "You look at one token alone. A token of zeros is the same before a norm and after, so it "
        "shows nothing.",
        "What does a norm make of a token of zeros?",
        "Compare whole tensors.",
        kind="form",
    ),
    said(
        "one-number-is-enough",
        code.anywhere,
        "Tensors are equal where a number agrees.",
        "You call two tensors equal as soon as one of their numbers agrees. A single zero does.",
        "What does .any() ask, and what .all()?",
        "All numbers have to agree.",
        kind="form",
    ),
    said(
        "plain-sum-called-stream",
        code.stream_first,
        "If out is read + wrote, the stream is lost.",
        "You answer 'stream' where there is no norm. There `read` is x itself, so `out` is also "
        "read + wrote, but nothing is lost.",
        "What is read + wrote when there is no norm?",
        "Ask first whether read is x.",
    ),
    said(
        "post-called-sandwich",
        code.sandwich_for_post,
        "If the sum does not hold, there are two norms.",
        "You answer 'sandwich' for a norm after the sum. There the sublayer reads the stream as it "
        "is.",
        "What does the sublayer of a post-norm block read?",
        "Of what is left, ask whether read is x.",
    ),
    said(
        "sandwich-called-post",
        code.post_for_sandwich,
        "If the sum does not hold, the norm comes behind it.",
        "You answer 'post' for a norm on both sides. There `read` is not x.",
        "In which of the two does the sublayer read the stream itself?",
        "One further comparison tells the two apart.",
    ),
    said(
        "too-coarse",
        code.coarsely,
        "Tensors that differ a little are equal.",
        "Your tolerance is as large as the numbers of a quiet stream, so there all tensors count "
        "as equal.",
        "How large are the numbers of the smallest failing input?",
        "Rounding moves the last digits only: 1e-5 will do, not 0.3.",
        kind="form",
    ),
    said(
        "by-the-mean",
        code.by_zero_mean,
        "A tensor is normalised if its mean is 0.",
        "You recognise a norm by the mean of its output. RMSNorm does not centre, and gains move "
        "the mean.",
        "What is the mean of a token after RMSNorm?",
        "You are given all four tensors. Which of them are equal?",
    ),
    said(
        "tolerance-near-0",
        code.default_tolerance,
        "The default of torch.allclose is wide enough for sums.",
        "Your tolerance is too small for a sum near 0. If x and wrote almost cancel, the rounding "
        "error is as large as for x itself, so it can be much more than 1e-5 of the sum.",
        "In float32, how large is the rounding error of 2.0 - 1.9999?",
        "By default torch.allclose allows 1e-8 besides 1e-5 of each number.",
        "Give torch.allclose atol=1e-5.",
        kind="form",
    ),
    said(
        "one-small-tolerance",
        code.one_small_tolerance,
        "Rounding is of one size.",
        "Your tolerance is too small for a loud stream: it does not grow with the numbers that are "
        "added. For numbers near 100 the rounding error of float32 is about 1e-5.",
        "In float32, how far apart are 100 and the next number?",
        "Give torch.allclose a relative tolerance besides the absolute one.",
        kind="form",
        variants=(
            partial(code.one_small_tolerance, atol=2e-6),
            partial(code.one_small_tolerance, atol=3e-6),
        ),
    ),
    renamed(
        "sandwich-called-pre",
        {"sandwich": "pre"},
        "A block that normalises before the sublayer is pre-norm.",
        "You answer 'pre' for a norm on both sides. In pre-norm `out` is x + wrote; in a sandwich "
        "a norm of `wrote` is added in its place.",
        "In which of the two is `out` the plain sum?",
        "Compare `out` with x + wrote.",
        variants=({"sandwich": "pre", "stream": "pre"},),
    ),
    renamed(
        "stream-called-post",
        {"stream": "post"},
        "If the sum does not begin with x, the norm comes after it.",
        "You answer 'post' where the stream is lost. There `read` is not x, and `out` is "
        "read + wrote.",
        "What does the sublayer of a post-norm block read?",
        "Compare `read` with x, and `out` with read + wrote.",
        variants=({"stream": "post", "sandwich": "post"},),
    ),
    renamed(
        "post-called-stream",
        {"post": "stream"},
        "If the sum does not begin with x, the stream is lost.",
        "You answer 'stream' for a norm after the sum. There `read` is x, and the norm acts on "
        "x + wrote.",
        "What does the sublayer of a post-norm block read?",
        "Compare `read` with x before you answer 'stream'.",
        variants=({"post": "stream", "sandwich": "stream"},),
    ),
    renamed(
        "pre-called-sandwich",
        {"pre": "sandwich"},
        "A sublayer that reads a norm is in a sandwich.",
        "You answer 'sandwich' for pre-norm. There `out` is x + wrote, so nothing is normalised "
        "after the sublayer.",
        "What does a sandwich add to x?",
        "Compare `out` with x + wrote before you answer 'sandwich'.",
        variants=({"pre": "sandwich", "stream": "sandwich"},),
    ),
    *(
        renamed(
            f"{true}-called-{false}",
            {true: false},
            f"A block of the kind {true!r} is {false!r}.",
            f"You answer {false!r} where {true!r} is right. There {SEEN[true]}.",
            "For each of the five places, write down what `read` is and what `out` is.",
            "Compare `read` with x, and `out` with x + wrote and with read + wrote.",
        )
        for true, false in permutations(SEEN, 2)
        if (true, false) not in TREATED
    ),
)
