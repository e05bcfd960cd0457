"""Question 01.behind_the_weights: from weights back to the query."""

import math
from collections.abc import Callable
from itertools import combinations

from plaincourse.exercise import Alternative, Misconception, Question

RIGHT = (math.log(0.5 / 0.3), math.log(0.5 / 0.2))
Two = tuple[float, float]


def times(factor: float) -> Callable[[Two], Two]:
    return lambda query: (factor * query[0], factor * query[1])


#: Slips that can be combined, and the message for each.
SLIPS: tuple[tuple[str, Callable[[Two], Two], str], ...] = (
    ("exchanged", lambda query: query[::-1], "Your two entries are in the wrong order."),
    ("inverted", times(-1), "Your signs are wrong."),
    ("too-large", times(math.sqrt(2)), "Your numbers are √2 times too large; nothing is scaled."),
    ("too-small", times(1 / math.sqrt(2)), "Your numbers are divided by √2; nothing is scaled."),
    ("ten", times(1 / math.log(10)), "You take logarithms to base 10, not to base e."),
    ("two", times(1 / math.log(2)), "You take logarithms to base 2, not to base e."),
)
#: Pairs that are described elsewhere, cancel each other, or repeat one slip.
LEFT_OUT = {
    ("exchanged", "inverted"),
    ("exchanged", "too-large"),
    ("too-large", "too-small"),
    ("ten", "two"),
}

TASK = Question(
    id="01.behind_the_weights",
    title="The query behind the weights",
    level="medium",
    minutes=10,
    concepts=("single-query-attention", "weights-as-distribution", "query-key-value"),
    points=3.0,
    answer=RIGHT,
    tolerance=2e-3,
    misconceptions=(
        Misconception(
            name="logarithms-of-the-weights",
            answer=(math.log(0.2), math.log(0.3)),
            believed="A score is the logarithm of its weight.",
            says="ln 0.2 and ln 0.3 are logarithms of weights. The same number added to all scores "
            "changes no weight, so a score need not be the logarithm of its weight. With these two "
            "the third weight would be 0.11 and not 0.5.",
            hints=(
                "Put your query in and compute the three scores. Do they give the weights?",
                "Ratios of weights are what scores decide.",
                "Write a₂/a₁ and a₂/a₀ in terms of the query.",
            ),
        ),
        Misconception(
            name="swapped",
            answer=RIGHT[::-1],
            believed="The first entry comes from the first weight.",
            says="Your first entry, ln(5/2), belongs in the second place. With the two entries in "
            "the wrong order the first card gets the weight 0.3, and the second 0.2.",
            hints=(
                "By which entry of the query do the scores of cards 2 and 1 differ?",
                "The key of card 2 minus the key of card 1 is (1, 0).",
                "So the first entry is ln(a₂/a₁).",
            ),
        ),
        Misconception(
            name="no-logarithm",
            answer=(0.5 / 0.3, 0.5 / 0.2),
            believed="The ratio of two weights is the difference of their scores.",
            says="5/3 and 5/2 are ratios of two weights. A ratio of weights is e to a difference "
            "of scores.",
            hints=(
                "Two scores differ by 1. What is the ratio of the weights?",
                "What undoes the exponential?",
                "One step is missing.",
            ),
        ),
        Misconception(
            name="differences",
            answer=(0.2, 0.3),
            believed="Weights are scores.",
            says="Yours are weights, or differences of weights. A softmax made these weights from "
            "scores, and the query gives the scores.",
            hints=(
                "Compute the weights of your query. How far from even are they?",
                "Softmax turns differences into ratios.",
                "Look at ratios of the given weights.",
            ),
        ),
        Misconception(
            name="sign",
            answer=(-RIGHT[0], -RIGHT[1]),
            believed="A larger weight means a smaller score.",
            says="Both your signs are wrong: with your query the third card gets the smallest "
            "weight.",
            hints=(
                "Which card has the largest weight, and what does that say about its score?",
                "Check the sign of ln(a₂/a₁).",
                "Exchange numerator and denominator.",
            ),
        ),
        Misconception(
            name="base-10",
            answer=(math.log10(0.5 / 0.3), math.log10(0.5 / 0.2)),
            believed="log is the logarithm to base 10.",
            says="Yours are logarithms to base 10. A softmax takes powers of e, so the "
            "logarithm is the natural one.",
            hints=(
                "Which number does softmax raise to the scores?",
                "math.log is natural, math.log10 is not.",
                "Multiply yours by ln 10.",
            ),
        ),
        Misconception(
            name="base-2",
            answer=(math.log2(0.5 / 0.3), math.log2(0.5 / 0.2)),
            believed="log is the logarithm to base 2.",
            says="Yours are logarithms to base 2. A softmax takes powers of e, so the logarithm "
            "is the natural one.",
            hints=(
                "Which number does softmax raise to the scores?",
                "math.log is natural, math.log2 is not.",
                "Multiply yours by ln 2.",
            ),
        ),
        Misconception(
            name="scaled-the-other-way",
            answer=(RIGHT[0] / math.sqrt(2), RIGHT[1] / math.sqrt(2)),
            believed="The query itself is divided by the root of d.",
            says="Both your numbers are √2 times too small. Nothing is scaled here: the score is "
            "the plain dot product.",
            hints=(
                "Which score does the question name?",
                "Is there a root of 2 in it?",
                "Multiply yours by the root of 2.",
            ),
        ),
        Misconception(
            name="logarithms-exchanged",
            answer=(math.log(0.3), math.log(0.2)),
            believed="A score is the logarithm of its weight.",
            says="ln 0.3 and ln 0.2 are logarithms of weights. The same number added to all scores "
            "changes no weight, so a score need not be the logarithm of its weight.",
            hints=(
                "Put your query in and compute the three scores. Do they give the weights?",
                "Ratios of weights are what scores decide.",
                "Write a₂/a₁ and a₂/a₀ in terms of the query.",
            ),
        ),
        Misconception(
            name="scaled",
            answer=(math.sqrt(2) * RIGHT[0], math.sqrt(2) * RIGHT[1]),
            believed="Scores are divided by the root of d.",
            says="Both your numbers are √2 times too large. They would fit scores that are divided "
            "by √2; here the score is the plain dot product.",
            hints=(
                "Which score does the question name?",
                "Is there a root of 2 in it?",
                "Divide yours by the root of 2.",
            ),
        ),
        Misconception(
            name="scaled-and-swapped",
            answer=(math.sqrt(2) * RIGHT[1], math.sqrt(2) * RIGHT[0]),
            believed="Scores are divided by the root of d, and the first entry comes from the "
            "first weight.",
            says="Your two entries are in the wrong order, and both are √2 times too large. "
            "They would fit a score that is divided by √2; here it is the plain dot product.",
            hints=(
                "Which score does the question name? Is there a root of 2 in it?",
                "By which entry of the query do the scores of cards 2 and 1 differ?",
                "Divide yours by the root of 2, and exchange the two.",
            ),
        ),
        Misconception(
            name="ratio-to-each-other",
            answer=(math.log(0.2 / 0.3), math.log(0.3 / 0.2)),
            believed="The first two cards give the two components.",
            says="You take the ratio of the first two weights, which gives the difference of the "
            "two components only. The third card gives the rest.",
            hints=(
                "Which score has the third card, in terms of the query?",
                "The third score is the sum of the first two.",
                "Compare the third weight with the second, and with the first.",
            ),
        ),
        Misconception(
            name="inverted-and-exchanged",
            answer=(math.log(0.2 / 0.5), math.log(0.3 / 0.5)),
            believed="A component is the card's own weight against the third.",
            says="Your first number is ln(0.2/0.5), the score of the first card less that of the "
            "third. The first card scores q₀ and the third q₀ + q₁, so the difference is −q₁. In "
            "the same way your second number is −q₀.",
            hints=(
                "By how much do the scores of cards 3 and 1 differ, in terms of the query?",
                "The first component is the third score minus the second.",
                "Take ln(0.5/0.3) for the first component.",
            ),
        ),
        Misconception(
            name="first-is-zero",
            answer=(0.0, math.log(0.3 / 0.2)),
            believed="Only differences count, so one component may be 0.",
            says="Adding the same to all scores changes no weight, but the query adds its "
            "components to different cards: the third one gets both.",
            hints=(
                "Which scores does (0, b) give? Which weights?",
                "There are three weights, two ratios, and two components.",
                "Solve for both.",
            ),
        ),
        *(
            Misconception(
                name=f"sign-of-the-{which}",
                answer=query,
                believed="A sign does not matter.",
                says=f"Your {which} number has the wrong sign.",
                hints=(
                    "Which of the two scores is larger, and what does that say about q?",
                    "The first entry is ln(a₂/a₁), the second ln(a₂/a₀).",
                ),
            )
            for which, query in (
                ("first", (-RIGHT[0], RIGHT[1])),
                ("second", (RIGHT[0], -RIGHT[1])),
            )
        ),
        *(
            Misconception(
                name=name,
                answer=query,
                believed="A weight over another number is the score.",
                says=f"{says} A score is known up to a number that is added to all three, so "
                "compare two weights: the logarithm of their ratio is a difference of two scores.",
                hints=(
                    "Put your query in and compute the three scores. Do they give the weights?",
                    "Write a₂/a₁ and a₂/a₀ in terms of the query.",
                    "The first entry is ln(a₂/a₁), the second ln(a₂/a₀).",
                ),
            )
            for name, query, says in (
                (
                    "log-odds",
                    (math.log(0.2 / 0.8), math.log(0.3 / 0.7)),
                    "Yours are the logarithms of 0.2/0.8 and 0.3/0.7, a weight over the sum of "
                    "the others.",
                ),
                ("shares-of-the-third", (0.4, 0.6), "Yours are the ratios 0.2/0.5 and 0.3/0.5."),
                ("exponentials", (math.exp(0.2), math.exp(0.3)), "Yours are e to the weights."),
                (
                    "logarithm-of-the-third",
                    (math.log(0.5), math.log(0.5)),
                    "Both yours are ln 0.5.",
                ),
                (
                    "weights-along-the-keys",
                    (0.7, 0.8),
                    "Yours are the sums of weights 0.2 + 0.5 and 0.3 + 0.5, the average of the "
                    "keys.",
                ),
                ("last-two-weights", (0.3, 0.5), "Yours are two of the weights."),
            )
        ),
        Misconception(
            name="two-decimals",
            kind="form",
            answer=(0.51, 0.92),
            variants=((0.5, 0.9),),
            believed="Two digits are enough.",
            says="Your numbers are right as far as they go, and the task asks for three decimals.",
            hints=(
                "How many decimals does the task ask for?",
                "A formula such as math.log(2) has all of them.",
            ),
        ),
        *(
            Misconception(
                name=f"{one[0]}-and-{other[0]}",
                answer=one[1](other[1](RIGHT)),
                believed="The two entries follow from the ratios.",
                says=f"{one[2]} {other[2]}",
                hints=(
                    "Put your query in and compute the three scores. Do they give the weights?",
                    "Write a₂/a₁ and a₂/a₀ in terms of the query.",
                    "The first entry is ln(a₂/a₁), the second ln(a₂/a₀).",
                ),
            )
            for one, other in combinations(SLIPS, 2)
            if (one[0], other[0]) not in LEFT_OUT
        ),
        Misconception(
            name="ratios-exchanged",
            answer=(0.5 / 0.2, 0.5 / 0.3),
            believed="The ratio of two weights is a component.",
            says="Yours are the ratios 5/2 and 5/3. A ratio of weights is e to a difference of "
            "scores, so a logarithm is missing. And your two entries are in the wrong order.",
            hints=(
                "Two scores differ by 1. What is the ratio of the weights?",
                "By which entry of the query do the scores of cards 2 and 1 differ?",
                "The first entry is ln(a₂/a₁), the second ln(a₂/a₀).",
            ),
        ),
    ),
    alternatives=(
        Alternative(name="rounded", answer=(0.511, 0.916)),
        Alternative(name="a list", answer=[RIGHT[0], RIGHT[1]]),
    ),
    hints=(
        "What does the ratio of two weights say about their scores?",
        "The three scores are q₀, q₁ and q₀ + q₁. Which ratio of weights contains q₀ alone?",
        "Divide the third weight by the second, and by the first. What is left in the exponents?",
    ),
)
