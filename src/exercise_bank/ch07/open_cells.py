"""Question 07.open_cells: the number of open cells in each mask."""

from plaincourse.exercise import Alternative, Misconception, Question

TASK = Question(
    id="07.open_cells",
    title="Cells of three masks",
    level="easy",
    minutes=6,
    concepts=("masks-of-each-stack", "encoder-decoder-stack"),
    points=2.0,
    answer=(63, 21, 42),
    misconceptions=(
        Misconception(
            name="padding-not-hidden",
            answer=(81, 21, 54),
            believed="Only the causal mask hides anything.",
            says="You count every key of the source. Two of the nine are padding, and no query "
            "attends to them.",
            hints=("How many of the nine source keys are real?",),
        ),
        Misconception(
            name="padded-queries-hidden-too",
            answer=(49, 21, 42),
            believed="Padding is hidden as a query as well.",
            says="You leave out the rows of the padded queries. A padding mask hides keys, so the "
            "row of a padded query has the same open cells as every other row.",
            hints=(
                "How many rows does the encoder's mask have, and how many cells are True in each?",
            ),
        ),
        Misconception(
            name="padding-in-the-encoder-only",
            answer=(63, 21, 54),
            believed="The encoder has already removed the padding.",
            says="Your third number is 54, that is 6 · 9: all cells between the target and the "
            "source. The rows of cross-attention are the six target tokens, and its keys the "
            "source tokens, of which two are padding.",
            hints=("How many queries has cross-attention, and how many open keys has each?",),
        ),
        Misconception(
            name="causal-cross",
            answer=(63, 21, 21),
            believed="Everything in a decoder is causal.",
            says="You made the cross-attention causal: in your count its first row has one open "
            "cell. The source is complete before the first token is written.",
            hints=("Which source tokens lie in the future of the first target token?",),
        ),
        Misconception(
            name="causal-encoder",
            answer=(42, 21, 42),
            variants=((45, 21, 42), (28, 21, 42)),
            believed="Every attention is causal.",
            says="Your first number is that of a causal mask. A query of the encoder attends to "
            "all real keys, before and after it.",
            hints=("Which keys may the first token of the source attend to?",),
        ),
        Misconception(
            name="encoder-and-cross-exchanged",
            answer=(42, 21, 63),
            believed="The order does not matter.",
            says="Your first and third numbers are exchanged: the encoder comes first.",
            hints=("Read the question's last sentence once more.",),
        ),
        Misconception(
            name="rows-of-the-source-in-cross",
            answer=(63, 21, 63),
            believed="Cross-attention has the shape of the encoder's mask.",
            says="Your third number is 63, that is 9 · 7. Rows are queries, and those of "
            "cross-attention are the six target tokens.",
            hints=("How many queries has cross-attention?",),
        ),
        Misconception(
            name="no-causal-mask",
            answer=(63, 36, 42),
            believed="The decoder attends to the whole target.",
            says="You let the target attend to its own future: 36 is 6 · 6.",
            hints=("How many cells of a causal 6 × 6 mask are True?",),
        ),
        Misconception(
            name="without-the-diagonal",
            answer=(63, 15, 42),
            believed="A causal mask hides a token from itself.",
            says="In your causal mask 15 cells are True: the diagonal is missing. A query attends "
            "to its own position as well.",
            hints=("How many cells are on the diagonal?",),
        ),
        Misconception(
            name="order",
            answer=(63, 42, 21),
            believed="Cross-attention comes before self-attention.",
            says="Your second and third numbers are exchanged: the decoder's self-attention comes "
            "second.",
            hints=("Read the question's last sentence once more.",),
        ),
    ),
    alternatives=(Alternative(name="as a list", answer=[63, 21, 42]),),
    hints=(
        "For each of the three masks: how many rows does it have, and how many cells are True in "
        "each?",
        "Rows are queries, padded or not. Only keys are hidden.",
    ),
)
