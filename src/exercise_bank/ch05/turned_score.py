"""Question 05.turned_score: one turned score, by hand."""

import math

from plaincourse.exercise import Alternative, Misconception, Question

ROOT = math.sqrt(3)

#: Wrong scores, and how they come about; each may be divided by √2 besides.
UNDIVIDED = (
    ("not-turned", 2.0, "2", "is the dot product without any turning"),
    (
        "sum",
        1 - ROOT,
        "1 − √3",
        "comes from adding the two positions, or from counting 5 steps between them",
    ),
    (
        "key-to-the-right",
        1 + ROOT,
        "1 + √3",
        "comes from turning the key by π/3 to the right, as 14 steps do",
    ),
    ("cosine-only", -1.0, "−1", "has the cosine of the angle and not its sine"),
)

TASK = Question(
    id="05.turned_score",
    title="A score by hand",
    level="easy",
    minutes=6,
    concepts=("rotary-derivation",),
    points=2.0,
    answer=ROOT - 1,
    misconceptions=(
        Misconception(
            name="other-sign",
            answer=-(1 + ROOT),
            believed="The angle is query position minus key position.",
            says="Yours is −(1 + √3). That comes from turning the key by 4 steps to the left "
            "instead of 4 to the right, and also from turning the key alone.",
            hints=(
                "Turn both by their own positions first. Where do they point?",
                "What is left for the key is its own position minus that of the query.",
                "The angle is −2π/3.",
            ),
        ),
        Misconception(
            name="not-turned",
            answer=2.0,
            believed="The score is the dot product of the two.",
            says="Yours is 2, the dot product without any turning. (An offset of 3 steps gives 2 "
            "as well; from 9 to 5 there are 4.)",
            hints=(
                "Which angle lies between the two after turning, and which before?",
                "How many steps lie between 9 and 5?",
                "Turn the key by −4 steps of π/6.",
            ),
        ),
        Misconception(
            name="query-alone",
            answer=-2.0,
            believed="Only the query turns.",
            says="Yours is −2. That comes from turning the query by 9 steps and the key not at "
            "all, and also from turning the key by 3 steps to the left.",
            hints=(
                "Where does the key point after 5 steps?",
                "Both are turned, each by its own position.",
                "What matters is the difference of the two angles.",
            ),
        ),
        Misconception(
            name="sum",
            answer=1 - ROOT,
            believed="The positions add up.",
            says="Yours is 1 − √3. That comes from turning the key by 5 steps to the right "
            "instead of 4, and also from adding the positions, 14 steps to the left.",
            hints=(
                "If both move on by one, does the angle between them change?",
                "The positions are subtracted.",
                "The angle is −4 steps of π/6.",
            ),
        ),
        Misconception(
            name="key-to-the-right",
            answer=1 + ROOT,
            believed="The key turns the other way.",
            says="Yours is 1 + √3, the score of a key turned by π/3 to the right. That is half of "
            "the angle between the positions, and 14 steps to the right, 9 + 5, give the same.",
            hints=(
                "If both move on by one, does the angle between them change?",
                "Both turn to the left, each by its own position.",
                "The angle is −4 steps of π/6.",
            ),
        ),
        Misconception(
            name="other-sign-divided",
            answer=-(1 + ROOT) / math.sqrt(2),
            believed="The angle is query position minus key position, and the score is divided.",
            says="Yours is −(1 + √3), divided by √2. The question asks for the dot product itself, "
            "and −(1 + √3) comes from turning the key by 4 steps to the left instead of 4 to the "
            "right, or from turning the key alone.",
            hints=(
                "Turn both by their own positions first. Where do they point?",
                "What is left for the key is its own position minus that of the query.",
                "The angle is −2π/3, and nothing is divided.",
            ),
        ),
        Misconception(
            name="divided",
            answer=(ROOT - 1) / math.sqrt(2),
            believed="The score is divided by the root of d here.",
            says="Yours is right, divided by √2. The question asks for the dot product itself.",
            hints=(
                "Read once more what is asked for.",
                "Nothing is divided.",
                "Multiply by √2.",
            ),
        ),
        Misconception(
            name="cosine-of-the-two",
            answer=(ROOT - 1) / (2 * math.sqrt(2)),
            believed="The score compares directions alone.",
            says="Yours is the cosine of the angle between the turned vectors. The dot product "
            "also has their lengths as factors, 2 and √2.",
            hints=(
                "How long are the query and the key?",
                "Turning keeps both lengths.",
                "Multiply by 2√2.",
            ),
        ),
        Misconception(
            name="cosine-only",
            answer=-1.0,
            believed="The score is the product of the lengths along x, times the cosine.",
            says="Yours is −1, which is 2 · cos(2π/3). The sine of the angle is missing: turning "
            "the key also brings a part of its second component into the first.",
            hints=(
                "Where does (1, 1) point after turning by −2π/3?",
                "The first component is cos θ − sin θ.",
                "θ is −2π/3, and its sine is −√3/2.",
            ),
        ),
        Misconception(
            name="sine-only",
            answer=ROOT,
            believed="The score is the sine of the angle, times the lengths along y.",
            says="Yours is √3, which is 2 · sin(2π/3). The cosine of the angle is missing: the "
            "first component of the turned key also has a part of the first one.",
            hints=(
                "Where does (1, 1) point after turning by −2π/3?",
                "The first component is cos θ − sin θ.",
                "θ is −2π/3, and its cosine is −1/2.",
            ),
        ),
        Misconception(
            name="key-at-0-degrees",
            answer=2 * math.sqrt(2) * math.cos(2 * math.pi / 3),
            believed="The angle between the two is the angle between their positions.",
            says="Yours is −√2. That is |q| |k| cos(2π/3), as if both had pointed the same way "
            "before they turned, and also −2 divided by √2. Before turning, the key points π/4 "
            "to the left of the query, and nothing is divided.",
            hints=(
                "Which angle is between q and k before anything turns?",
                "Turning the query by 4 steps more changes that angle from π/4.",
                "|q| |k| is 2√2, and the angle is π/4 − 2π/3.",
            ),
        ),
        Misconception(
            name="halved",
            answer=(ROOT - 1) / 2,
            believed="The score is divided by d, or the query has length 1.",
            says="Yours is half of the right score. The length of the query is 2, and nothing is "
            "divided.",
            hints=(
                "How long is the query?",
                "Is anything divided here?",
                "Multiply by 2.",
            ),
        ),
        *(
            Misconception(
                name=f"{name}-divided",
                answer=score / math.sqrt(2),
                believed="The score is divided by the root of d here.",
                says=f"Yours is {number}, divided by √2. The question asks for the dot product "
                f"itself, and {number} {why}.",
                hints=(
                    "Read once more what is asked for: nothing is divided.",
                    "Which angle is between the two after both have been turned?",
                    "Turn the key by −4 steps of π/6.",
                ),
            )
            for name, score, number, why in UNDIVIDED
        ),
    ),
    alternatives=(
        Alternative(name="rounded to four places", answer=0.7321),
        Alternative(name="from the angle", answer=2 * math.sqrt(2) * math.cos(5 * math.pi / 12)),
    ),
    hints=(
        "Only the difference of the positions counts. Which is it, and in which direction?",
        "Turn the key by (5 − 9) steps of π/6 and leave the query where it is.",
        "With θ = −2π/3 the first component of the turned key is cos θ − sin θ.",
    ),
)
