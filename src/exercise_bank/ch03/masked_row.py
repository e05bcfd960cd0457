"""Question 03.masked_row: one row under a window and a causal mask, by hand."""

import math

from plaincourse.exercise import Alternative, Misconception, Question

E1, E3, E4, E5 = (math.exp(n) for n in (1, 3, 4, 5))
SCORES = (4, 1, 0, 3, 5)

#: Wrong sets of participating keys, and the message for each.
KEYS = (
    ("no-window", (0, 1, 2, 3), "In your answer key 0 takes part, but it is outside the window."),
    ("around", (2, 3, 4), "In your answer key 4 takes part, but it comes after query 3."),
    (
        "too-narrow",
        (2, 3),
        "In your answer key 1 does not take part; a window of 3 has three keys.",
    ),
    ("too-wide", (1, 2, 3, 4), "In your answer key 4 takes part, but it comes after query 3."),
)


def share(keys: tuple[int, ...], *, hidden: int = 0, root: float = 1.0) -> float:
    """Return the weight of key 3 among these keys, and others with the score 0."""
    powers = {key: math.exp(SCORES[key] / root) for key in keys}
    return powers[3] / (sum(powers.values()) + hidden)


TASK = Question(
    id="03.masked_row",
    title="One row by hand",
    level="warm-up",
    minutes=6,
    concepts=("causal-mask", "sliding-window-mask", "mask-before-softmax"),
    points=2.0,
    answer=E3 / (E1 + 1 + E3),
    misconceptions=(
        Misconception(
            name="no-mask",
            answer=E3 / (E4 + E1 + 1 + E3 + E5),
            believed="All five keys share the weight.",
            says="In your answer all five keys share the weight. Query 3 attends to three of them.",
            hints=(
                "Which keys may query 3 see?",
                "One condition closes the future, the other the far past.",
                "Write the row again, with -inf where a key is hidden.",
            ),
        ),
        Misconception(
            name="no-mask-and-scaled",
            answer=math.exp(3 / 5**0.5) / sum(math.exp(s / 5**0.5) for s in (4, 1, 0, 3, 5)),
            believed="All five keys share the weight, and scores are divided by a root.",
            says="In your answer all five keys share the weight, and their scores are divided by "
            "√5. The scores of the question are scaled already, and query 3 attends to three keys.",
            hints=(
                "Which keys may query 3 see?",
                "Take the scores as they are: no root is left to divide by.",
                "Write the row again, with -inf where a key is hidden.",
            ),
        ),
        Misconception(
            name="no-window",
            answer=E3 / (E4 + E1 + 1 + E3),
            believed="A causal mask is all.",
            says="In your answer key 0 has a share, the largest of all. It lies outside the "
            "window.",
            hints=(
                "How many keys does a window of 3 show?",
                "The window ends with the query's own position.",
                "Count three positions back from 3, its own included.",
            ),
        ),
        Misconception(
            name="no-causal-mask",
            answer=E3 / (1 + E3 + E5),
            believed="The window lies around the query.",
            says="In your answer key 4 has a share, but it comes after query 3.",
            hints=(
                "Which of the five keys is later than position 3?",
                "The window of a decoder looks back only.",
                "Leave key 4 out; count three positions that end at 3.",
            ),
        ),
        Misconception(
            name="window-without-itself",
            answer=0.0,
            believed="The window lies before the query.",
            says="Yours is 0, as if query 3 did not attend to key 3. A query always attends to its "
            "own position, which counts in the window.",
            hints=(
                "In a causal mask, is the diagonal True?",
                "The window's last position is the query's own.",
                "Which three keys end with key 3?",
            ),
        ),
        Misconception(
            name="one-too-narrow",
            answer=E3 / (1 + E3),
            believed="A window of 3 reaches two keys.",
            says="Only two keys share your row. A window of 3 shows three.",
            hints=(
                "How many keys have weight in your row?",
                "The own position counts as one of the three.",
                "Which key is two positions before 3?",
            ),
        ),
        Misconception(
            name="score-zero",
            answer=E3 / (E1 + 3 + E3),
            believed="A hidden key has score 0.",
            says="You gave the two hidden keys the score 0, and exp(0) is 1: they still take part.",
            hints=(
                "Which score gives a weight of exactly 0?",
                "Compare exp(0) and exp(-inf).",
                "A hidden key adds nothing to the sum.",
            ),
        ),
        Misconception(
            name="no-exp",
            answer=3 / 4,
            believed="Weights are scores divided by their sum.",
            says="Yours is 3/(1 + 0 + 3), as if weights were scores divided by their sum. Then a "
            "key with score 0 could never get any weight.",
            hints=(
                "What does softmax do to a score before it divides?",
                "exp(0) is 1, not 0.",
                "Take the exponential of each visible score first.",
            ),
        ),
        Misconception(
            name="best-takes-all",
            answer=1.0,
            believed="The best visible key gets everything.",
            says="Yours is 1, as if the best key took the whole row. Softmax gives each visible "
            "key a share.",
            hints=(
                "What do the keys with scores 1 and 0 get?",
                "The shares are in proportion to the exponentials.",
                "Divide one exponential by the sum of three.",
            ),
        ),
        Misconception(
            name="counted-from-one",
            answer=1 / (E4 + E1 + 1),
            believed="Positions count from 1.",
            says="You take the third query and the third key: your window covers keys 0 to 2. "
            "Positions count from 0, so query 3 is the fourth.",
            hints=(
                "At which place is query 3?",
                "Query 3 sees keys 1, 2 and 3.",
            ),
        ),
        Misconception(
            name="scaled-again",
            answer=math.exp(3 / 5**0.5) / sum(math.exp(s / 5**0.5) for s in (1, 0, 3)),
            believed="Scores are divided by a root.",
            says="You divide the scores by √5. The scores of the question are scaled already.",
            hints=(
                "What does the question say about the scores?",
                "Take the scores as they are.",
            ),
        ),
        Misconception(
            name="window-before-the-query",
            answer=E3 / (E4 + E1 + 1),
            believed="The window lies before the query.",
            says="Your sum runs over keys 0, 1 and 2. The window of query 3 ends at its own "
            "position, so it holds keys 1, 2 and 3.",
            hints=(
                "Is key 3 in your sum?",
                "Which three keys end with key 3?",
            ),
        ),
        Misconception(
            name="window-of-three-more",
            answer=E3 / (1 + E3 + E5 + E1),
            believed="The window lies around the query.",
            says="In your answer key 4 takes part, and more than three keys do. Key 4 comes after "
            "query 3, and a window of 3 has three keys.",
            hints=(
                "Which of the five keys is later than position 3?",
                "Count three positions that end at 3.",
            ),
        ),
        Misconception(
            name="key-3-unnormalised",
            answer=E3,
            believed="A weight is an exponential.",
            says="Your number is above 1: the exponential is not divided by the sum over the "
            "visible keys.",
            hints=(
                "What do the weights of a row sum to?",
                "Divide by the sum over keys 1, 2 and 3.",
            ),
        ),
        *(
            Misconception(
                name=f"{name}-and-score-zero",
                answer=share(keys, hidden=len(SCORES) - len(keys)),
                believed="A hidden key has score 0.",
                says=f"{says} And a key that you hide gets the score 0: it takes part with exp(0).",
                hints=(
                    "Which three keys end with key 3?",
                    "Which score gives a weight of exactly 0?",
                    "A hidden key adds nothing to the sum.",
                ),
            )
            for name, keys, says in KEYS
            if 4 not in keys
        ),
        *(
            Misconception(
                name=f"{name}-and-scaled",
                answer=share(keys, root=math.sqrt(len(SCORES))),
                believed="Scores are divided by a root.",
                says=f"{says} And you divide the scores by √5, but they are scaled already.",
                hints=(
                    "Which three keys end with key 3?",
                    "What does the question say about the scores?",
                    "Take the scores of keys 1, 2 and 3 as they are.",
                ),
            )
            for name, keys, says in KEYS
        ),
        *(
            Misconception(
                name=f"{name}-and-key-2",
                answer=share(keys) / E3,
                believed="Keys count from 1.",
                says="Above the fraction line you take the score 0, which is that of key 2. Keys "
                f"count from 0, so key 3 has the score 3. {says}",
                hints=(
                    "Which key has the score 4, and which the score 3?",
                    "Which three keys end with key 3?",
                    "Divide the exponential of 3 by the sum over keys 1, 2 and 3.",
                ),
            )
            for name, keys, says in (("right-keys", (1, 2, 3), "Your sum is right."), *KEYS)
            if name != "too-wide"  # equals "around" to three decimals, for one reason
        ),
        Misconception(
            name="weight-of-key-1",
            answer=E1 / (E1 + 1 + E3),
            believed="The first key of the window is asked for.",
            says="Yours is the weight of key 1. Your sum is right, and key 3 is asked for: it has "
            "the score 3.",
            hints=("Which score has key 3?", "Divide the exponential of 3 by your sum."),
        ),
        Misconception(
            name="plain-average",
            answer=1 / 3,
            believed="The keys of a window share the row evenly.",
            says="Yours is 1/3, as if the three keys shared the row evenly. A softmax shares it "
            "in proportion to the exponentials of the scores.",
            hints=(
                "Which of the three keys has the largest score?",
                "Divide the exponential of 3 by the sum of three exponentials.",
            ),
        ),
        Misconception(
            name="no-mask-and-no-exp",
            answer=3 / 13,
            believed="Weights are scores divided by their sum.",
            says="Yours is 3/(4 + 1 + 0 + 3 + 5): a score divided by the sum of all scores. A "
            "softmax takes exponentials first, and query 3 attends to three keys.",
            hints=(
                "What does softmax do to a score before it divides?",
                "Which three keys end with key 3?",
            ),
        ),
        Misconception(
            name="four-keys-and-no-exp",
            answer=3 / 8,
            believed="Weights are scores divided by their sum.",
            says="Yours is 3/8: a score divided by the sum of the scores of some keys, such as 0 "
            "to 3. A softmax takes exponentials first, and query 3 attends to keys 1, 2 and 3.",
            hints=(
                "What does softmax do to a score before it divides?",
                "Which three keys end with key 3?",
            ),
        ),
    ),
    alternatives=(
        Alternative(name="with negative powers", answer=1 / (math.exp(-2) + math.exp(-3) + 1)),
        Alternative(name="rounded to four places", answer=0.8438),
    ),
    hints=(
        "Which keys may query 3 see under both conditions?",
        "Cross out the scores of all others. How many are left?",
        "A weight is one exponential divided by the sum of those that are left.",
    ),
)
