"""Question 05.turned_score: one turned score, by hand."""

import math

from plaincourse.exercise import Alternative, Misconception, Question

ROOT = math.sqrt(3)

#: Wrong scores and their causes; each may also be divided by √2.
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
    ("cosine-only", -1.0, "−1", "contains the cosine of the angle, but not its sine"),
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
            says="Your answer is −(1 + √3). You get that by turning the key by 4 steps to the left "
            "instead of 4 to the right, and also by turning the key alone.",
            hints=(
                "Turn both by their own positions first. Where do they point?",
                "You may also turn the key alone, by its own position minus that of the query.",
                "The angle is −2π/3.",
            ),
        ),
        Misconception(
            name="not-turned",
            answer=2.0,
            believed="The score is the dot product of the two.",
            says="Your answer is 2, the dot product without any turning. (An offset of 3 steps "
            "also gives 2, but there are 4 steps between 9 and 5.)",
            hints=(
                "What is the angle between the two after turning, and what is it before?",
                "How many steps are between 9 and 5?",
                "Turn the key by −4 steps of π/6.",
            ),
        ),
        Misconception(
            name="query-alone",
            answer=-2.0,
            believed="Only the query turns.",
            says="Your answer is −2. You get that by turning the query by 9 steps and not the key, "
            "and also by turning the key by 3 steps to the left.",
            hints=(
                "Where does the key point after 5 steps?",
                "Both are turned, each by its own position.",
                "The score depends on the difference of the two angles.",
            ),
        ),
        Misconception(
            name="sum",
            answer=1 - ROOT,
            believed="The positions add up.",
            says="Your answer is 1 − √3. You get that by turning the key by 5 steps to the right "
            "instead of 4, and also by adding the positions, which is 14 steps to the left.",
            hints=(
                "If both move on by one, does the angle between them change?",
                "The positions are subtracted.",
                "The angle is −4 steps of π/6.",
            ),
        ),
        Misconception(
            name="key-to-the-right",
            answer=1 + ROOT,
            believed="The key turns in the opposite direction.",
            says="Your answer is 1 + √3, the score of a key that is turned by π/3 to the right. "
            "That is half of the angle between the positions. Turning by the sum of the positions, "
            "14 steps to the right, gives the same.",
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
            says="Your answer is −(1 + √3), divided by √2. The question asks for the dot product "
            "itself. And you get −(1 + √3) by turning the key by 4 steps to the left instead of 4 "
            "to the right, or by turning the key alone.",
            hints=(
                "Turn both by their own positions first. Where do they point?",
                "You may also turn the key alone, by its own position minus that of the query.",
                "The angle is −2π/3, and nothing is divided.",
            ),
        ),
        Misconception(
            name="divided",
            answer=(ROOT - 1) / math.sqrt(2),
            believed="The score is divided by the root of d here.",
            says="Your answer is the right one divided by √2. The question asks for the dot "
            "product itself.",
            hints=(
                "Read the last lines of the question once more.",
                "Nothing is divided.",
                "Multiply by √2.",
            ),
        ),
        Misconception(
            name="cosine-of-the-two",
            answer=(ROOT - 1) / (2 * math.sqrt(2)),
            believed="The score depends on directions alone.",
            says="Your answer is the cosine of the angle between the turned vectors. The dot "
            "product also has their lengths as factors, 2 and √2.",
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
            says="Your answer is −1, which is 2 · cos(2π/3). The sine of the angle is missing: the "
            "first component of the turned key also depends on its second component before "
            "turning.",
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
            says="Your answer is √3, which is 2 · sin(2π/3). The cosine of the angle is missing: "
            "the first component of the turned key also depends on its first component before "
            "turning.",
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
            says="Your answer is −√2. That is |q| |k| cos(2π/3), as if both pointed in the same "
            "direction before turning. But the key then points π/4 to the left of the query. (Or "
            "you found −2, which is not the score either, and divided it by √2. Nothing is "
            "divided.)",
            hints=(
                "What is the angle between q and k before anything turns?",
                "Turning the query by 4 steps more changes that angle from π/4.",
                "|q| |k| is 2√2, and the angle is π/4 − 2π/3.",
            ),
        ),
        Misconception(
            name="halved",
            answer=(ROOT - 1) / 2,
            believed="The score is divided by d, or the query has length 1.",
            says="Your answer is half of the right score. The length of the query is 2, and "
            "nothing is divided.",
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
                says=f"Your answer is {number}, divided by √2. The question asks for the dot "
                f"product itself. And {number} {why}.",
                hints=(
                    "Read the last lines of the question once more: nothing is divided.",
                    "What is the angle between the two after both have been turned?",
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
        "Only the difference of the positions matters. What is it, and in which direction does it "
        "turn the key?",
        "Turn the key by (5 − 9) steps of π/6 and leave the query where it is.",
        "With θ = −2π/3 the first component of the turned key is cos θ − sin θ.",
    ),
)
