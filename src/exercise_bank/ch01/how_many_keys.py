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
            says="Your first number counts 48 numbers for each pair, as the hidden layer has. A "
            "dot score is one number: a matrix product adds up over the features and never holds "
            "them all.",
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
            says="Your second number leaves out the hidden layer: each pair has 48 hidden numbers, "
            "which w turns into one score.",
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
            name="fewer-than",
            answer=(29_999, 624),
            variants=((29_999, 625), (30_000, 624)),
            believed="At most means fewer than.",
            says="A number of yours is one too small. A tensor may hold exactly 1 200 000 numbers, "
            "and with one key more it does.",
            hints=(
                "How many numbers are there with one key more?",
                "Is a tensor of exactly 1 200 000 numbers allowed?",
                "Divide, and take the quotient itself.",
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
            says="You have both numbers, in the wrong order: the dot score comes first. Its matrix "
            "product adds up as it goes, while the hidden layers of all pairs are held at once.",
            hints=(
                "For which score do more keys fit?",
                "Which of the two makes a tensor with three axes?",
                "The dot score comes first.",
            ),
        ),
        Misconception(
            name="exchanged-and-width-of-the-keys",
            answer=(468, 30_000),
            believed="The dot score is the costly one, and the hidden layer is as wide as the "
            "keys.",
            says="Your numbers are in the wrong order: 30,000 is the number for the dot score, "
            "which comes first. And 468 counts 64 numbers for each pair, the width of the keys; "
            "the hidden layer has 48.",
            hints=(
                "For which score do more keys fit?",
                "Which two widths does the question name?",
                "40 · k · 48 numbers may be at most 1 200 000.",
            ),
        ),
        Misconception(
            name="width-of-the-keys-for-both",
            answer=(468, 468),
            believed="Each pair holds a product for each feature of a key.",
            says="Both your numbers count 64 numbers for each pair, the width of the keys. The dot "
            "score of a pair is one number, and its hidden layer has 48.",
            hints=(
                "What shape do the scores of 40 queries and k keys have?",
                "Which two widths does the question name?",
                "40 · k numbers, and 40 · k · 48 numbers, may be at most 1 200 000.",
            ),
        ),
        Misconception(
            name="width-for-the-dot-score",
            answer=(468, 625),
            believed="A dot product holds a product for each feature.",
            says="Your first number counts the width of 64. A matrix product adds up over the "
            "features as it goes, and never holds them for all pairs.",
            hints=(
                "What shape do the scores of 40 queries and k keys have?",
                "The width is summed over inside the product.",
                "40 · k numbers may be at most 1 200 000.",
            ),
        ),
        Misconception(
            name="one-query-for-the-dot-score",
            answer=(1_200_000, 625),
            believed="There is one query.",
            says="Your first number would be right for a single query. There are 40, and each has "
            "its own row of scores.",
            hints=(
                "What shape does the largest tensor with an entry for each pair have?",
                "How many queries are there, and how many numbers for each pair?",
                "40 · k numbers, and 40 · k · 48 numbers, may be at most 1 200 000.",
            ),
        ),
        Misconception(
            name="one-query-for-the-layer",
            answer=(30_000, 25_000),
            believed="There is one hidden vector for each key.",
            says="Your second number counts a hidden vector for each key. Each of the 40 queries "
            "has one with each key.",
            hints=(
                "What shape does the largest tensor with an entry for each pair have?",
                "How many queries are there, and how many numbers for each pair?",
                "40 · k numbers, and 40 · k · 48 numbers, may be at most 1 200 000.",
            ),
        ),
        Misconception(
            name="keys-alone",
            answer=(18_750, 625),
            believed="The keys are the largest tensor.",
            says="Your first number is that of the keys themselves, 64 numbers for each. Count the "
            "tensor that has an entry for each pair: the scores.",
            hints=(
                "What shape does the largest tensor with an entry for each pair have?",
                "How many queries are there, and how many numbers for each pair?",
                "40 · k numbers, and 40 · k · 48 numbers, may be at most 1 200 000.",
            ),
        ),
        Misconception(
            name="widths-added",
            answer=(30_000, 267),
            believed="A pair holds its key and its hidden vector.",
            says="Your second number counts 64 + 48 numbers for each pair. Each pair has one "
            "hidden vector of 48 numbers, and the keys are not copied for it.",
            hints=(
                "What shape does the largest tensor with an entry for each pair have?",
                "How many queries are there, and how many numbers for each pair?",
                "40 · k numbers, and 40 · k · 48 numbers, may be at most 1 200 000.",
            ),
        ),
        Misconception(
            name="hidden-for-the-dot-score",
            answer=(625, 468),
            believed="Each pair holds a vector under both scores.",
            says="Your first number counts 48 numbers for each pair, and a dot score is one "
            "number. Your second counts 64, and the hidden layer has 48.",
            hints=(
                "What shape does the largest tensor with an entry for each pair have?",
                "How many queries are there, and how many numbers for each pair?",
                "40 · k numbers, and 40 · k · 48 numbers, may be at most 1 200 000.",
            ),
        ),
        Misconception(
            name="scores-beside-the-layer",
            answer=(30_000, 612),
            believed="All tensors are counted together.",
            says="Your second number counts the scores as well as the hidden layer. Count only the "
            "largest tensor.",
            hints=(
                "Which single tensor is the largest?",
                "The rule is about a single tensor.",
                "40 · k · 48 numbers may be at most 1 200 000.",
            ),
        ),
        Misconception(
            name="both-widths",
            answer=(30_000, 9),
            believed="Each hidden number holds its products.",
            says="Your second number multiplies the hidden width by the width of the keys. The "
            "projections have been summed over that width before the pairs are made.",
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
            says="Your second number counts two hidden vectors for each pair. The projections of "
            "query and key are added, which gives one.",
            hints=(
                "How many vectors go through the tanh for each pair?",
                "A sum of two tensors of this shape is one tensor of this shape.",
                "40 · k · 48 numbers may be at most 1 200 000.",
            ),
        ),
        Misconception(
            name="a-layer-for-each-query-and-key",
            answer=(30_000, 24_960),
            believed="Each query has a hidden layer, and so has each key.",
            says="Your second number counts 48 numbers for each query and 48 for each key, "
            "48 · (40 + k). Those are the projections; the tanh is taken of their sum for every "
            "pair, which makes 48 · 40 · k numbers.",
            hints=(
                "Of what is the tanh taken, and how many such sums are there?",
                "There is one hidden vector for each pair, and there are 40 · k pairs.",
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
