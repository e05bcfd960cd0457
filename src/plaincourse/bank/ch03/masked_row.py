"""Question 03.masked_row: one row of a causal softmax, by hand."""

import math

from plaincourse.exercise import Alternative, Misconception, Question

E3, E4 = math.exp(3), math.exp(4)

TASK = Question(
    id="03.masked_row",
    title="One row by hand",
    level="easy",
    minutes=5,
    concepts=("causal-mask", "mask-before-softmax"),
    points=2.0,
    answer=1 / (1 + math.exp(-3)),
    misconceptions=(
        Misconception(
            name="no-mask",
            answer=E3 / (1 + E3 + E4),
            believed="All three keys share the weight.",
            says="Yours is e³/(1 + e³ + e⁴): key 2 has taken part. Query 1 may not see it.",
            hints=(
                "Which keys may query 1 see?",
                "Write the row with -inf where a key is hidden.",
                "Softmax of [0, 3, -inf] is softmax of [0, 3] with a 0 behind it.",
            ),
        ),
        Misconception(
            name="the-other-key",
            answer=1 / (1 + E3),
            believed="The smaller score gets the larger weight, or the keys count from 1.",
            says="Yours is the weight of key 0. Keys count from 0, and key 1 has the score 3.",
            hints=(
                "Which of the two visible keys has the larger score?",
                "The two weights sum to 1.",
                "Key 1 is the one with score 3.",
            ),
        ),
        Misconception(
            name="score-zero",
            answer=E3 / (2 + E3),
            believed="A hidden key has score 0.",
            says="Yours is e³/(2 + e³): you gave the hidden key the score 0, and exp(0) is 1.",
            hints=(
                "Which score gives a weight of exactly 0?",
                "exp(-inf) is 0.",
                "Take softmax of [0, 3, -inf].",
            ),
        ),
        Misconception(
            name="no-exp",
            answer=1.0,
            believed="Weights are scores divided by their sum.",
            says="Yours is 3/(0 + 3) = 1, as if weights were scores divided by their sum. Then a "
            "key with score 0 could never get any weight.",
            hints=(
                "What does softmax do to a score before it divides?",
                "exp(0) is 1, not 0.",
                "Divide e³ by e⁰ + e³.",
            ),
        ),
        Misconception(
            name="hides-itself",
            answer=0.0,
            believed="A query may not see its own position.",
            says="Yours is 0, as if query 1 could not see key 1. A query always sees its own "
            "position.",
            hints=(
                "In a causal mask, is the diagonal True?",
                "Query 1 sees keys 0 and 1.",
                "Take softmax of [0, 3].",
            ),
        ),
        Misconception(
            name="no-renormalising",
            answer=(1 + E3) / (1 + E3 + E4),
            believed="The weight of both visible keys is asked.",
            says="Yours is what both visible keys together would get if the third took part.",
            hints=(
                "The weights of the visible keys sum to 1. Why does yours not fit?",
                "Hide key 2 first, then take softmax.",
                "Take softmax of [0, 3].",
            ),
        ),
    ),
    alternatives=(
        Alternative(name="with positive powers", answer=E3 / (1 + E3)),
        Alternative(name="rounded to four places", answer=0.9526),
    ),
    hints=(
        "Which keys may query 1 see under a causal mask?",
        "The score 4 belongs to key 2.",
        "Take softmax of [0, 3]: divide e³ by 1 + e³, or 1 by 1 + e⁻³.",
    ),
)
