"""How 01.name_the_score goes wrong."""

from functools import partial
from itertools import combinations
from typing import Any

from exercise_bank.ch01.mistakes import name_the_score_code as code
from plaincourse.exercise import Misconception

#: A softmax gives an exact 0 if scores are more than about 745 apart.
UNLIKE_A_SOFTMAX = "and those of a softmax are not, unless its scores lie hundreds apart"
#: Names given to each kind of box, and the evidence that the name is wrong.
SLIPS = (
    ("dot", "hard", "its weights are nearly 0 and 1 if its scores lie far apart, but not exactly"),
    ("dot", "additive", "its scores differ by as much as two dot products do"),
    ("scaled", "additive", "at width 4 its scores are half of the dot products"),
    ("scaled", "dot", "at width 4 its scores are half of the dot products"),
    ("cosine", "dot", "its scores stay as they are when a query grows"),
    ("cosine", "additive", "you can work out the cosine of your own vectors by hand"),
    ("hard", "dot", f"its weights are exactly 0 and 1, {UNLIKE_A_SOFTMAX}"),
    ("hard", "additive", f"its weights are exactly 0 and 1, {UNLIKE_A_SOFTMAX}"),
)
TWO_SLIPS = tuple(
    (one, other)
    for one, other in combinations(SLIPS, 2)
    if one[0] != other[0]
    and {one[:2], other[:2]}
    not in (
        {("dot", "additive"), ("scaled", "additive")},
        {("scaled", "additive"), ("hard", "additive")},
    )
)


def with_scaled_too(*slips: tuple[str, str, str]) -> tuple[Any, ...]:
    """Add the answer that also calls a scaled box hard, for each dot box called hard."""
    names = {kind: name for kind, name, _ in slips}
    if names.get("dot") != "hard" or "scaled" in names:
        return ()
    return (partial(code.called_by, names={**names, "scaled": "hard"}),)


def slip(kind: str, name: str, why: str) -> str:
    kind = "scaled dot" if kind == "scaled" else kind
    return f"You call a {kind} box “{name}”: {why}."


MISCONCEPTIONS = (
    Misconception(
        name="unit-vectors",
        answer=code.unit_vectors,
        variants=(code.unit_vectors_by_size,),
        believed="Any probe will do.",
        says="You call a cosine box “dot”. For vectors of length 1 the two scores are equal, so "
        "such vectors cannot distinguish the two.",
        hints=(
            "For which vectors are dot and cosine the same number?",
            "What must change in the probe so that the two differ?",
            "Try a query of another length.",
        ),
    ),
    Misconception(
        name="unit-vectors-cosine",
        answer=code.unit_vectors_cosine,
        believed="A score of 1 means cosine.",
        says="You call a dot box “cosine”. For vectors of length 1 the two scores are equal, so "
        "such vectors cannot distinguish the two.",
        hints=(
            "For which vectors are dot and cosine the same number?",
            "What must change in the probe so that the two differ?",
            "Try a query of another length.",
        ),
    ),
    Misconception(
        name="divided-by-d",
        answer=code.by_d,
        believed="The scaled dot product is divided by d.",
        says="You call a scaled dot box “additive”, and give the others their names. At width 4 "
        "the scaled dot product is half of the dot product.",
        hints=(
            "What is the root of 4?",
            "Compute the scaled dot product of your probe by hand.",
            "Expect half of the dot product, not a quarter.",
        ),
    ),
    Misconception(
        name="no-logarithm",
        answer=code.no_logarithm,
        believed="The ratio of two weights is a score.",
        says="You call every box here that blends “additive”. If you compare weights with scores: "
        "a ratio of weights is e to the difference of the scores. If you compare with weights of "
        "your own: allow for rounding.",
        hints=(
            "Two scores differ by 1. What is the ratio of their weights?",
            "Which function undoes the exponential?",
            "Take the logarithm of the ratio.",
        ),
    ),
    Misconception(
        name="nearly-one-is-hard",
        answer=code.nearly_one_is_hard,
        variants=(
            code.largest_above(0.9, 3.0, 3.0),
            code.largest_above(0.99, 3.0, 3.0),
            code.largest_above(0.999, 10.0, 1.0),
            code.largest_above(0.99, 10.0, 10.0),
            partial(code.called, dot="hard"),
            partial(code.called, dot="hard", scaled="hard"),
            partial(code.called, dot="hard", scaled="hard", additive="hard"),
        ),
        believed="A weight of nearly 1 is a choice.",
        says="You call a dot box “hard”, and perhaps others. When scores lie far apart, a "
        "softmax gives weights of nearly 0 and 1 as well. Use scores that lie close "
        "together: the hard box still gives 0 and 1 for them, a softmax does not.",
        hints=(
            "Can softmax give a weight of exactly 0?",
            "Print both weights with all their digits.",
            "Use a smaller probe, or ask whether a weight is exactly 0.",
        ),
    ),
    Misconception(
        name="swapped",
        answer=code.swapped,
        believed="Scaling makes the scores larger.",
        says="You call the dot box “scaled dot” and the other way round.",
        hints=(
            "Which of the two is the larger number at width 4?",
            "Scaled means divided.",
            "Exchange the two numbers that you expect.",
        ),
    ),
    Misconception(
        name="no-additive",
        answer=code.no_additive,
        variants=(partial(code.called, additive="dot"),),
        believed="A score that fits none of the others is the nearest of them.",
        says="You give an additive box the name of another score. You can work out the "
        "other scores of your vectors by hand; an additive box gives a different number.",
        hints=(
            "Which number would an additive score give for your probe?",
            "The three others give exact numbers.",
            "Accept a name only if the number is right to several digits.",
        ),
    ),
    Misconception(
        name="rest-is-scaled",
        answer=code.rest_is_scaled,
        believed="A box that is neither hard nor the dot product is the scaled dot product.",
        says="You call cosine boxes and additive boxes “scaled dot”. A box holds the scaled dot "
        "product only if its scores are half of the dot products, for any query and keys.",
        hints=(
            "Which score would the scaled dot product give your probe, and a cosine?",
            "Work out all three known scores of your probe, with the lengths of both vectors.",
            "Say “scaled dot” only where the number is right; what fits none is additive.",
        ),
    ),
    Misconception(
        name="one-key",
        answer=code.one_key,
        believed="One key is enough to see the score.",
        says="You call every box “hard”. If you probe with a single key: a softmax over it gives "
        "the weight 1, so you need two keys to see a difference.",
        hints=(
            "What can a query do with its unit of attention if there is one key?",
            "How many keys do you need to see a difference of scores?",
            "Add a second key whose score you know.",
        ),
    ),
    Misconception(
        name="underscored",
        kind="form",
        answer=code.underscored,
        believed="A name is spelled as in code.",
        says="You return “scaled_dot”, which differs from all five names: the name has a space.",
        hints=(
            "Which five names may be returned?",
            "Compare letter by letter.",
            "Return 'scaled dot'.",
        ),
    ),
    Misconception(
        name="never-hard",
        answer=code.never_hard,
        variants=(
            code.hard_is_the_rest,
            partial(code.called, hard="scaled dot"),
            partial(code.called, hard="cosine"),
        ),
        believed="A choice is a very cold softmax.",
        says="You call the hard box by the name of a score. It gives weights of exactly 0 and "
        "1. Those of a softmax are not, unless its scores lie hundreds apart. Look for these before"
        " any other test, with scores that lie a few units apart.",
        hints=(
            "Which weights does the hard box give?",
            "A weight of exactly 0 has no logarithm.",
            "Ask for exact zeros first.",
        ),
    ),
    Misconception(
        name="cosine-and-additive-exchanged",
        answer=code.additive_by_symmetry,
        variants=(partial(code.called, cosine="additive"),),
        believed="A learned score is not symmetric, a cosine is.",
        says="You call a cosine box “additive” or an additive box “cosine”. You can work out the "
        "cosine of your own vectors by hand: a cosine box agrees with that number, and an "
        "additive one does not.",
        hints=(
            "What is the cosine of your probe, worked out by hand?",
            "Cosine does not change when a key grows; an additive score does.",
            "Compare with the number, not with a shape.",
        ),
    ),
    Misconception(
        name="additive-by-zero",
        answer=code.additive_by_zero,
        believed="Zeros score 0 under every score but the additive one.",
        says="You give an additive box the name of another score. If you probe with zeros: a query "
        "of zeros and a key of zeros have the score 0 in it, too.",
        hints=(
            "What is tanh(0)?",
            "Probe with vectors that are not 0.",
            "Work out the three known scores of your probe; a box that fits none is additive.",
        ),
    ),
    Misconception(
        name="dot-and-scaled-merged",
        answer=partial(code.called, scaled="dot"),
        variants=(partial(code.called, dot="scaled dot"),),
        believed="Both are dot products, so either name will do.",
        says="You give dot boxes and scaled dot boxes the same name. At width 4 the scaled dot "
        "product is half of the dot product.",
        hints=(
            "What is the root of 4?",
            "Which two scores does your probe have, worked out by hand?",
            "Compare the difference of two scores with both numbers.",
        ),
    ),
    Misconception(
        name="scaled-and-cosine-merged",
        answer=partial(code.called, scaled="cosine"),
        variants=(partial(code.called, cosine="scaled dot"),),
        believed="Both are dot products made smaller.",
        says="You give scaled dot boxes and cosine boxes the same name. Make a query twice as "
        "long: a scaled dot product doubles, and a cosine stays as it is.",
        hints=(
            "For which lengths of query and key are the two the same number?",
            "By what does each of the two divide the dot product?",
            "Try vectors whose lengths do not multiply to 2.",
        ),
    ),
    Misconception(
        name="dot-not-recognised",
        answer=partial(code.called, dot="additive"),
        variants=(partial(code.called, dot="additive", scaled="additive"),),
        believed="The box rescales its scores.",
        says="You call a dot box “additive”. At temperature 1 the difference of two of its scores "
        "is the difference of two dot products, which you can work out for your vectors.",
        hints=(
            "What is the logarithm of the ratio of two weights?",
            "Which number should a dot box give for your probe?",
            "Print the difference of the two scores for a box of your own.",
        ),
    ),
    Misconception(
        name="two-not-recognised",
        answer=partial(code.called, scaled="additive", hard="additive"),
        believed="A hard box gives all queries one key, and the scaled score is divided by d.",
        says="You call hard boxes and scaled dot boxes “additive”. The weights of a hard box are "
        "exactly 0 and 1, and each query may have another key with the weight 1. At width 4 the "
        "scaled dot product is half of the dot product.",
        hints=(
            "Which weights does the hard box give?",
            "What is the root of 4?",
            "Look for weights of exactly 0 first, then compare with half of the dot product.",
        ),
    ),
    *(
        Misconception(
            name=f"{one[0]}-called-{one[1]}-and-{other[0]}-called-{other[1]}",
            answer=partial(code.called_by, names={each[0]: each[1] for each in (one, other)}),
            variants=with_scaled_too(one, other),
            believed="The probe separates the five.",
            says=f"{slip(*one)} {slip(*other)}",
            hints=(
                "What should each of the five boxes give for your probe, worked out by hand?",
                "Look for weights of exactly 0 first, and compare numbers to several digits.",
            ),
        )
        for one, other in TWO_SLIPS
    ),
)
