"""How 06.name_place goes wrong."""

from functools import partial
from itertools import permutations, product

from exercise_bank.ch06.mistakes import name_place_code as code
from exercise_bank.skills import said, saying
from plaincourse.exercise import Misconception

renamed = saying(code.renaming)

#: Names after a failed comparison of the sums, and of the inputs of the sublayer.
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
        believed="The input of the sublayer shows the place.",
        says="On all inputs here, your answer depends only on whether `read` is x. So two places "
        "with the same `read` get the same name, although `out` differs: none and post, for "
        "example.",
        hints=(
            "For which two of the five places is `read` x itself?",
            "What is the difference between none and post?",
            "Compare `out` with a sum as well.",
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
        believed="The output shows the place.",
        says="Your answer follows from whether `out` is x + wrote, and from nothing else. So two "
        "places with the same sum get the same name, although `read` differs: none and pre, for "
        "example. (The mean and the size of `read` do not show a norm: gains change both.)",
        hints=(
            "For which two of the five places is `out` the plain sum?",
            "What is the difference between none and pre?",
            "Compare `read` with x as well.",
        ),
    ),
    Misconception(
        name="stream-called-sandwich",
        answer=code.no_stream,
        believed="If neither `read` is x nor `out` is x + wrote, there are two norms.",
        says="You answer 'sandwich' although `out` is read + wrote. That needs only one norm, and "
        "the stream is lost, because x itself is not in the sum. A sandwich has two norms, and "
        "keeps x.",
        hints=(
            "What is out - wrote in the two cases for which you answer 'sandwich'?",
            "In a sandwich the stream x is kept.",
            "One further comparison distinguishes the two.",
        ),
    ),
    Misconception(
        name="sandwich-called-stream",
        answer=code.stream_for_sandwich,
        believed="If `out` is not x + wrote, the stream is lost.",
        says="You answer 'stream' for a norm on both sides. A sandwich keeps x, and adds a norm of "
        "`wrote` to it. (Neither the mean nor the direction of out - x shows that, because gains "
        "change both.)",
        hints=(
            "What is out - x in the two cases for which you answer 'stream'?",
            "If the stream is lost, `out` is read + wrote.",
            "One further comparison distinguishes the two.",
        ),
    ),
    Misconception(
        name="stream-called-pre",
        answer=code.stream_for_pre,
        believed="Pre-norm adds to the normalised stream.",
        variants=(code.renaming({"stream": "pre"}),),
        says="You answer 'pre' although `out` is read + wrote. The stream is lost in that sum, but "
        "in pre-norm the sum is x + wrote.",
        hints=(
            "To which tensor does pre-norm add `wrote`?",
            "The normalised stream is only the input of the sublayer.",
            "Compare `out` with x + wrote.",
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
        says="You compare exactly, or almost so. In float32 a sum may differ in its last bits, so "
        "you find norms that are not there.",
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
        says="You answer 'none' for a norm after the sum. Mean 0 and variance 1 in `out` are not a "
        "safe sign of a norm: a gain changes both, and RMSNorm does not bring the mean to 0.",
        hints=(
            "What is the variance of a normalised token when the gains are 2?",
            "You are given all four tensors, so you need no statistics.",
            "If `read` is x itself, is `out` the plain sum or not?",
        ),
    ),
    Misconception(
        name="exactly-and-no-stream",
        answer=code.exactly_without_stream,
        believed="Equal tensors are equal in every bit, and the only place left is the sandwich.",
        says="You never answer 'stream'. You also compare exactly, or almost so, but a sum that "
        "was computed in a different order may differ from yours in its last bits.",
        hints=(
            "If the stream is lost, `out` is the sum of which two tensors?",
            "What is 0.1 + 0.2 == 0.3?",
            "Compare with torch.allclose, and compare `out` with read + wrote as well.",
        ),
    ),
    Misconception(
        name="by-size",
        answer=code.by_mean,
        believed="A tensor is normalised if its standard deviation is about 1.",
        says="You recognise a norm by the size of its output. But gains change that size, and a "
        "tensor that was not normalised may have it by chance.",
        hints=(
            "What is the standard deviation of a normalised token when the gains are 2?",
            "You are given all four tensors, so you need no statistics.",
            "Check which tensors are equal.",
        ),
    ),
    Misconception(
        name="pre-and-post-swapped",
        answer=code.turned_round,
        believed="Post-norm normalises before the sublayer.",
        says="You answer 'pre' for post-norm and 'post' for pre-norm. Post means that the norm "
        "comes after the sum.",
        hints=(
            "In post-norm, what comes before the norm?",
            "Your comparisons can stay as they are.",
            "Swap two of your names.",
        ),
    ),
    said(
        "one-token-only",
        code.first_token,
        "One token is enough.",
        "You compare a single token. A token of zeros is the same before and after a norm, so it "
        "shows nothing.",
        "What does a norm return for a token of zeros?",
        "Compare whole tensors.",
        kind="form",
    ),
    said(
        "one-number-is-enough",
        code.anywhere,
        "Tensors are equal if one of their numbers agrees.",
        "You treat two tensors as equal as soon as one of their numbers agrees. A single zero is "
        "enough for that.",
        "What is the difference between .any() and .all()?",
        "All numbers have to agree.",
        kind="form",
    ),
    said(
        "plain-sum-called-stream",
        code.stream_first,
        "If `out` is read + wrote, the stream is lost.",
        "You answer 'stream' for a block without a norm. Its `read` is x itself, so `out` is also "
        "read + wrote, but nothing is lost.",
        "What is read + wrote in a block without a norm?",
        "First check whether `read` is x.",
    ),
    said(
        "post-called-sandwich",
        code.sandwich_for_post,
        "If `out` is not x + wrote, there are two norms.",
        "You answer 'sandwich' for a norm after the sum. In post-norm, the sublayer reads the "
        "stream itself.",
        "What does the sublayer of a post-norm block read?",
        "For the remaining cases, check whether `read` is x.",
    ),
    said(
        "sandwich-called-post",
        code.post_for_sandwich,
        "If `out` is not x + wrote, the norm comes after the sum.",
        "You answer 'post' for a norm on both sides. In a sandwich, `read` is not x.",
        "For which of the two does the sublayer read the stream itself?",
        "One further comparison distinguishes the two.",
    ),
    said(
        "too-coarse",
        code.coarsely,
        "Tensors that differ a little are equal.",
        "Your tolerance is as large as the numbers of a stream of small numbers, so you treat all "
        "its tensors as equal.",
        "How large are the numbers of the smallest failing input?",
        "Rounding changes only the last digits, so the tolerance should be about 1e-5.",
        kind="form",
    ),
    said(
        "by-the-mean",
        code.by_zero_mean,
        "A tensor is normalised if its mean is 0.",
        "You recognise a norm by the mean of its output. But RMSNorm does not centre, and gains "
        "change the mean.",
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
        "By default, torch.allclose allows 1e-8 plus 1e-5 of each number.",
        "Pass atol=1e-5 to torch.allclose.",
        kind="form",
    ),
    said(
        "one-small-tolerance",
        code.one_small_tolerance,
        "Rounding errors always have the same size.",
        "Your tolerance is too small for a stream of large numbers, because it does not grow with "
        "the numbers that are added. For numbers near 100 the rounding error of float32 is about "
        "1e-5.",
        "In float32, what is the distance between 100 and the next larger number?",
        "Pass a relative tolerance to torch.allclose, in addition to the absolute one.",
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
        "You answer 'pre' for a norm on both sides. In pre-norm `out` is x + wrote, but a sandwich "
        "adds a norm of `wrote` instead.",
        "For which of the two is `out` the plain sum?",
        "Compare `out` with x + wrote.",
        variants=({"sandwich": "pre", "stream": "pre"},),
    ),
    renamed(
        "stream-called-post",
        {"stream": "post"},
        "If x is not in the sum, the norm comes after the sum.",
        "You answer 'post' for a block whose stream is lost. In that block, `read` is not x, and "
        "`out` is read + wrote.",
        "What does the sublayer of a post-norm block read?",
        "Compare `read` with x, and `out` with read + wrote.",
        variants=({"stream": "post", "sandwich": "post"},),
    ),
    renamed(
        "post-called-stream",
        {"post": "stream"},
        "If `out` is not x + wrote, the stream is lost.",
        "You answer 'stream' for a norm after the sum. In post-norm, `read` is x, and the norm is "
        "applied to x + wrote.",
        "What does the sublayer of a post-norm block read?",
        "Compare `read` with x before you answer 'stream'.",
        variants=({"post": "stream", "sandwich": "stream"},),
    ),
    said(
        "differences-compared",
        code.by_differences,
        "out - x is `wrote`, to the last digits of `wrote`.",
        "You compare out - x with `wrote`. Where the stream is large and little was written, the "
        "rounding of `out` is larger than the tolerance for `wrote`.",
        "By how much may a float32 number of about 500 be rounded?",
        "Compare `out` with x + wrote.",
        variants=(code.by_differences_finely,),
        kind="form",
    ),
    renamed(
        "pre-called-sandwich",
        {"pre": "sandwich"},
        "If the sublayer reads a norm, the block is a sandwich.",
        "You answer 'sandwich' for pre-norm. In pre-norm, `out` is x + wrote, so nothing is "
        "normalised after the sublayer.",
        "Which tensor does a sandwich add to x?",
        "Compare `out` with x + wrote before you answer 'sandwich'.",
        variants=({"pre": "sandwich", "stream": "sandwich"},),
    ),
    *(
        renamed(
            f"{true}-called-{false}",
            {true: false},
            f"A block of the kind {true!r} is {false!r}.",
            f"You answer {false!r}, but {true!r} is right: {SEEN[true]}.",
            "For each of the five places, write down formulas for `read` and `out`.",
            "Compare `read` with x, and `out` with x + wrote and with read + wrote.",
        )
        for true, false in permutations(SEEN, 2)
        if (true, false) not in TREATED
    ),
)
