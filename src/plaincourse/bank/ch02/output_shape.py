"""Question 02.output_shape: every shape in one attention."""

from plaincourse.exercise import Alternative, Misconception, Question

TASK = Question(
    id="02.output_shape",
    title="Every shape",
    level="easy",
    minutes=5,
    concepts=("shapes", "softmax-axis", "value-width", "query-length"),
    points=2.0,
    answer="C",
    options={
        "A": "S is 7×5, A is 7×5, O is 5×32; softmax along the axis of length 5",
        "B": "S is 5×7, A is 5×7, O is 5×16; softmax along the axis of length 7",
        "C": "S is 5×7, A is 5×7, O is 5×32; softmax along the axis of length 7",
        "D": "S is 5×7, A is 5×7, O is 5×32; softmax along the axis of length 5",
        "E": "S is 16×16, A is 16×16, O is 16×32; softmax along the last axis",
        "F": "S is 5×7, A is 5×7, O is 7×32; softmax along the axis of length 7",
    },
    misconceptions=(
        Misconception(
            name="on-its-side",
            answer="A",
            believed="The scores have a row for each key.",
            says="Your S is on its side, and your A does not fit your O: A·V would be "
            "(7×5)·(7×32), in which 5 and 7 do not meet.",
            hints=(
                "How many rows has Q? A product Q·Kᵀ has as many.",
                "Write QKᵀ as (5×16)·(16×7).",
                "S and A are 5×7: rows are queries, columns are keys.",
            ),
        ),
        Misconception(
            name="width-of-the-keys",
            answer="B",
            believed="The output is as wide as the queries.",
            says="Your O has width 16, the width of queries and keys. But O = A·V is made of "
            "values, and the widths of your answer do not multiply: (5×7)·(7×32).",
            hints=(
                "What is averaged to give the output?",
                "An average of vectors is as wide as these vectors.",
                "Write A·V as (5×7)·(7×32) and read off the outer sizes.",
            ),
        ),
        Misconception(
            name="softmax-over-queries",
            answer="D",
            believed="Softmax runs over the queries.",
            says="Your shapes are right. Your softmax runs along the axis of length 5, the "
            "queries: each *key* would give out a weight of 1, and a query might get none of it.",
            hints=(
                "Who has a total weight of 1 to give away: a query or a key?",
                "Each row of A belongs to one query and sums to 1. How long is a row?",
                "Softmax runs along a row, over the keys.",
            ),
        ),
        Misconception(
            name="features-by-features",
            answer="E",
            believed="Scores compare features.",
            says="Your S has a row and a column for each *feature*, 16 of each. Scores compare "
            "positions: 5 queries with 7 keys. QᵀK cannot even be formed here, as 5 is not 7.",
            hints=(
                "What does one score say, and about which two things?",
                "A dot product uses the features up: they are summed over.",
                "QKᵀ is (5×16)·(16×7); the 16 disappears.",
            ),
        ),
        Misconception(
            name="a-row-for-each-key",
            answer="F",
            believed="The output has a row for each value.",
            says="Your O has 7 rows, as many as there are keys. But it is the 5 queries that ask, "
            "and each gets one answer.",
            hints=(
                "How many questions are asked, and how many answers come back?",
                "O = A·V has as many rows as A.",
                "Write A·V as (5×7)·(7×32) and read off the outer sizes.",
            ),
        ),
    ),
    alternatives=(
        Alternative(name="lower case", answer="c"),
        Alternative(name="with a blank", answer=" C "),
    ),
    hints=(
        "Which sizes must agree for QKᵀ to exist, and which for AV?",
        "In a product of an (a×b) and a (b×c) matrix, b disappears.",
        "Write both products with their sizes: (5×16)·(16×7), then that result times (7×32).",
    ),
)
