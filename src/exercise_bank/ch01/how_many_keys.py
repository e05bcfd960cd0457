"""Question 01.how_many_keys: what fits into memory with each score."""

from plaincourse.exercise import Alternative, Misconception, Question

TASK = Question(
    id="01.how_many_keys",
    title="How many keys fit",
    level="easy",
    minutes=5,
    concepts=("score-costs", "additive-score", "dot-score"),
    points=2.0,
    answer=(30_000, 625),
    misconceptions=(
        Misconception(
            name="width-counts-for-both",
            answer=(625, 625),
            believed="The dot score holds a product for each feature.",
            says="Your first number is that of a tensor with an entry for each query, key and "
            "feature. A matrix product adds up over the features and never holds them all.",
            hints=(
                "What shape do the scores of 40 queries and k keys have?",
                "The width is summed over inside the product.",
                "40 · k numbers may be at most 1 200 000.",
            ),
        ),
        Misconception(
            name="additive-as-cheap",
            answer=(30_000, 30_000),
            believed="The additive score holds no more than its scores.",
            says="Your second number forgets the hidden layer: each pair has 48 hidden numbers "
            "before w makes one of them.",
            hints=(
                "What is inside the tanh, and of which shape?",
                "There is one hidden vector for each pair.",
                "40 · k · 48 numbers may be at most 1 200 000.",
            ),
        ),
        Misconception(
            name="one-query",
            answer=(1_200_000, 25_000),
            believed="There is one query.",
            says="Yours would be right for a single query. There are 40, and each has its own row "
            "of scores.",
            hints=(
                "How many rows do the scores have?",
                "Count pairs and not keys.",
                "Divide yours by the number of queries.",
            ),
        ),
        Misconception(
            name="width-of-the-keys",
            answer=(30_000, 468),
            believed="The hidden layer is as wide as the keys.",
            says="Your second number counts 64 numbers for each pair, the width of the keys. The "
            "hidden layer has another width.",
            hints=(
                "Which two widths does the question name?",
                "The keys are projected before they meet the queries.",
                "Use the hidden width.",
            ),
        ),
        Misconception(
            name="no-pairs",
            answer=(18_750, 25_000),
            believed="Only the keys themselves are held.",
            says="You count one row for each key. The question is about pairs: every query meets "
            "every key.",
            hints=(
                "Which tensor has an entry for each pair?",
                "Multiply by the number of queries.",
                "The scores are 40 × k.",
            ),
        ),
        Misconception(
            name="the-other-way-round",
            answer=(625, 30_000),
            believed="The dot score is the costly one, since it multiplies.",
            says="Your two numbers are right and stand the wrong way round. A matrix product "
            "adds up as it goes; the hidden layers, made for all pairs at once, are held first.",
            hints=(
                "For which score do more keys fit?",
                "Which of the two makes a tensor with three axes?",
                "The dot score comes first.",
            ),
        ),
        Misconception(
            name="width-for-the-dot-score",
            answer=(468, 625),
            believed="A dot product holds a product for each feature.",
            says="Your second number is right. The first counts the width of 64; a matrix product "
            "adds up over the features as it goes, and never holds them for all pairs.",
            hints=(
                "What shape do the scores of 40 queries and k keys have?",
                "The width is summed over inside the product.",
                "40 · k numbers may be at most 1 200 000.",
            ),
        ),
        Misconception(
            name="scores-beside-the-layer",
            answer=(30_000, 612),
            believed="All tensors are counted together.",
            says="Your first number is right. The second counts the scores beside the hidden "
            "layer; only the largest tensor is to be counted.",
            hints=(
                "Which single tensor is the largest?",
                "The rule speaks of a single tensor.",
                "40 · k · 48 numbers may be at most 1 200 000.",
            ),
        ),
        Misconception(
            name="both-widths",
            answer=(30_000, 9),
            believed="Each hidden number holds its products.",
            says="Your first number is right. The second multiplies the hidden width by the width "
            "of the keys; the projections are summed before the pairs are made.",
            hints=(
                "What is inside the tanh, and of which shape?",
                "There is one hidden vector of 48 numbers for each pair.",
                "40 · k · 48 numbers may be at most 1 200 000.",
            ),
        ),
        Misconception(
            name="hidden-for-queries-and-keys",
            answer=(30_000, 312),
            believed="Query and key have a hidden vector each.",
            says="Your first number is right. The second counts two hidden vectors for each pair; "
            "the two projections are added to one.",
            hints=(
                "How many vectors go through the tanh for each pair?",
                "A sum of two tensors of this shape is one tensor of this shape.",
                "40 · k · 48 numbers may be at most 1 200 000.",
            ),
        ),
    ),
    alternatives=(Alternative(name="a list", answer=[30_000, 625]),),
    hints=(
        "Write down the shape of the largest tensor for each score.",
        "One of them has two axes, the other three.",
        "Set the product of the axes equal to 1 200 000, and solve for the number of keys.",
    ),
)
