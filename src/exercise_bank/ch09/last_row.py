"""Question 09.last_row: one row of a rollout, by hand."""

from plaincourse.exercise import Alternative, Misconception, Question

TASK = Question(
    id="09.last_row",
    title="One row of a rollout",
    level="easy",
    minutes=10,
    concepts=("attention-rollout",),
    points=3.0,
    answer=(0.0, 5 / 8, 3 / 8),
    misconceptions=(
        Misconception(
            name="order-of-factors",
            answer=(1 / 8, 1 / 2, 3 / 8),
            believed="The first layer stands on the left.",
            says="Yours is the last row of the product with layer 1 on the left. It says that word "
            "0 reaches the last word, but nothing leads there: in layer 1 nobody fetches word 0 "
            "for another place.",
            hints=(
                "Which layer does the last output look through first, seen from the end?",
                "The last row of the product is (last row of layer 2) times layer 1.",
                "Write the two mixed maps down, and multiply layer 2 by layer 1.",
            ),
        ),
        Misconception(
            name="no-residual",
            answer=(0.0, 1.0, 0.0),
            believed="Only what is looked at counts.",
            says="Yours is the row of the bare product: the last word looks at the middle one, and "
            "nothing stays. Half of each word stays where it is.",
            hints=(
                "What does the formula add to each map before it multiplies?",
                "With residual 1/2 the last row of layer 2 is (0, 1/2, 1/2).",
                "Mix both maps with the identity, then multiply.",
            ),
        ),
        Misconception(
            name="only-the-second-head",
            answer=(0.0, 3 / 4, 1 / 4),
            believed="The head that looks away is the one that counts.",
            says="Yours takes head B alone in layer 1. The heads of a layer are averaged, and head "
            "A looks at itself.",
            hints=(
                "What is the mean of heads A and B in row 2?",
                "It is (0, 1/2, 1/2).",
                "Mix that with the identity: (0, 1/4, 3/4).",
            ),
        ),
        Misconception(
            name="only-the-first-head",
            answer=(0.0, 1 / 2, 1 / 2),
            believed="Layer 1 does nothing.",
            says="Yours is the last row of layer 2 alone, or takes head A alone in layer 1. Head B "
            "of layer 1 has already brought half of its look from word 1.",
            hints=(
                "What is the mean of heads A and B in row 2?",
                "It is not the identity.",
                "Multiply (0, 1/2, 1/2) by the mixed map of layer 1.",
            ),
        ),
        Misconception(
            name="mean-of-layers",
            answer=(0.0, 3 / 8, 5 / 8),
            believed="Layers are averaged.",
            says="Yours is the average of the two mixed maps. The layers act one after the other, "
            "so they are multiplied.",
            hints=(
                "Does layer 2 read the words, or what layer 1 has made of them?",
                "One step after another is a product.",
                "Multiply (0, 1/2, 1/2) by the mixed map of layer 1.",
            ),
        ),
        Misconception(
            name="not-halved",
            answer=(0.0, 2.5, 1.5),
            believed="The identity is added to the map.",
            says="Yours sums to 4: the identity is added, and nothing is halved. A row of a "
            "rollout sums to 1.",
            hints=(
                "What does your row sum to?",
                "Half of the map, half of the identity.",
                "Halve in both layers: your numbers become a quarter.",
            ),
        ),
    ),
    alternatives=(
        Alternative(name="decimals", answer=(0, 0.625, 0.375)),
        Alternative(name="as a list", answer=[0.0, 0.625, 0.375]),
    ),
    parts={
        "the second word's share": (1,),
        "the third word's share": (2,),
        "the whole row": (0, 1, 2),
    },
    hints=(
        "First the mean of the two heads of layer 1, then half of it plus half of the identity.",
        "The mixed map of layer 1 has the rows (1, 0, 0), (0, 1, 0), (0, 1/4, 3/4).",
        "The last row of the mixed map of layer 2 is (0, 1/2, 1/2). Multiply it by that.",
    ),
)
