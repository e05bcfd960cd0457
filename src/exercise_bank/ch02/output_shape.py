"""Question 02.output_shape: every size in one attention."""

from plaincourse.exercise import Alternative, Misconception, Question

TASK = Question(
    id="02.output_shape",
    title="Six sizes",
    level="warm-up",
    minutes=5,
    concepts=("shapes", "softmax-axis", "value-width", "query-length"),
    points=2.0,
    answer=(6, 4, 6, 5, 4, 8),
    misconceptions=(
        Misconception(
            name="on-its-side",
            answer=(4, 6, 6, 5, 4, 8),
            believed="The scores have a row for each key.",
            says="Your S has a row for each key, as if it were transposed: 4 × 6. Then A would "
            "have 6 columns and could not be multiplied by V, which has 4 rows.",
            hints=(
                "How many rows has Q? The product of Q and the transposed K has the same number.",
                "Rows are those who ask.",
                "Which of 6 and 4 counts those who ask?",
            ),
        ),
        Misconception(
            name="width-of-the-keys",
            answer=(6, 4, 6, 8, 4, 8),
            believed="The output is as wide as the queries.",
            says="Your O has 8 columns, the width of queries and keys. But the average is "
            "taken over the values, and it is as wide as they are.",
            hints=(
                "What is averaged to give the output?",
                "An average of vectors is as wide as these vectors.",
                "Look up the width of V.",
            ),
        ),
        Misconception(
            name="softmax-over-queries",
            answer=(6, 4, 6, 5, 6, 8),
            believed="Softmax runs over the queries.",
            says="Your softmax runs along an axis of length 6, the queries: each key would give "
            "out a weight of 1, and a query might get none of it.",
            hints=(
                "Whose weights sum to 1: those of a query or those of a key?",
                "Each row of A belongs to one query and sums to 1. How long is a row?",
                "How many columns did you give S?",
            ),
        ),
        Misconception(
            name="a-row-for-each-key",
            answer=(6, 4, 4, 5, 4, 8),
            believed="The output has a row for each value.",
            says="Your O has 4 rows, as many as there are keys. But it is the 6 queries that ask, "
            "and each gets one answer.",
            hints=(
                "How many questions are asked, and how many answers come back?",
                "O = AV has as many rows as A.",
                "How many rows did you give S?",
            ),
        ),
        Misconception(
            name="root-of-the-number-of-keys",
            answer=(6, 4, 6, 5, 4, 4),
            believed="The number under the root is that of the keys.",
            says="Your number under the root is the number of keys. It should be the number of "
            "terms in one dot product, which does not change when a key is added.",
            hints=(
                "How many products are added up in one score?",
                "Would one score change if there were a fifth key?",
                "It is the width that queries and keys share.",
            ),
        ),
        Misconception(
            name="width-of-all-heads",
            answer=(6, 4, 6, 5, 4, 24),
            believed="The number under the root is the width of all heads together.",
            says="Your number under the root is 24 = 3 · 8, the width of all heads together. Each "
            "head takes dot products over its own features only.",
            hints=(
                "How many products are added up in one score of one head?",
                "Heads are an axis in front, like the batch.",
                "What is the last axis of Q?",
            ),
        ),
        Misconception(
            name="features-by-features",
            answer=(8, 8, 8, 5, 8, 8),
            believed="Scores compare features.",
            says="A row or a column of your S is a feature. Scores compare positions: 6 "
            "queries with 4 keys. A dot product sums the features up, so none is left.",
            hints=(
                "What does one score say, and about which two things?",
                "A dot product uses the features up: they are summed over.",
                "Which sizes of Q and K are left when the width is summed over?",
            ),
        ),
        Misconception(
            name="values-under-the-root",
            answer=(6, 4, 6, 5, 4, 5),
            believed="The number under the root is the width of the values.",
            says="Your number under the root is the width of the values. They take no part in the "
            "scores.",
            hints=(
                "Which two matrices meet in a score?",
                "How many products are added up in one score?",
                "It is the width that queries and keys share.",
            ),
        ),
        Misconception(
            name="batch-and-heads-too",
            answer=(36, 24, 36, 30, 24, 8),
            believed="Sizes are counted over the whole batch.",
            says="You multiply by the 2 sequences and 3 heads, which have axes of their own. "
            "The question asks for the sizes of one head.",
            hints=(
                "How many queries does one head of one sequence have?",
                "Batch and heads are axes in front.",
                "Leave the factor 6 out.",
            ),
        ),
        Misconception(
            name="output-as-scores",
            answer=(6, 4, 6, 4, 4, 8),
            believed="The output has a column for each key.",
            says="Your O has a column for each key. It is an average of values, and has their "
            "width.",
            hints=(
                "What is averaged?",
                "A weight for each key makes one vector of width e.",
                "O is 6 × 5.",
            ),
        ),
        Misconception(
            name="softmax-over-features",
            answer=(6, 4, 6, 5, 8, 8),
            believed="Softmax runs over the features.",
            says="Your softmax runs along an axis of length 8, the features. They are summed over "
            "in the dot products, and the scores have no such axis.",
            hints=(
                "Which axes has S?",
                "How many columns did you give S?",
            ),
        ),
        Misconception(
            name="softmax-over-values",
            answer=(6, 4, 6, 5, 5, 8),
            believed="Softmax runs over the components of a value.",
            says="Your softmax runs along an axis of length 5, the width of the values. It makes "
            "weights, one for each key.",
            hints=(
                "How many weights has one query?",
                "How many columns did you give S?",
            ),
        ),
        Misconception(
            name="number-of-the-axis",
            answer=(6, 4, 6, 5, -1, 8),
            believed="The axis is asked by its number.",
            says="Your fifth number is the number of the axis. The question asks how long this "
            "axis is.",
            hints=(
                "How many weights has one query?",
                "How many columns did you give S?",
            ),
        ),
        Misconception(
            name="as-wide-as-a-key",
            answer=(6, 8, 6, 5, 4, 8),
            believed="A query scores each feature.",
            says="Your S has 8 columns, one for each feature. A query has one score for each key.",
            hints=(
                "How many keys are there?",
                "A dot product sums over the features.",
            ),
        ),
        Misconception(
            name="output-on-its-side",
            answer=(6, 4, 5, 6, 4, 8),
            believed="The output has a row for each component.",
            says="Your O is transposed: 5 × 6. It has a row for each query.",
            hints=(
                "How many rows has A, and so AV?",
                "O is as wide as a value.",
            ),
        ),
        Misconception(
            name="width-of-all-values",
            answer=(6, 4, 6, 15, 4, 8),
            believed="The heads are joined in the output.",
            says="Your O has 15 = 3 · 5 columns, the width of all heads together. The question "
            "asks for the output of one head.",
            hints=(
                "How wide is a value of one head?",
                "Heads are an axis in front.",
            ),
        ),
        Misconception(
            name="square-under-the-root",
            answer=(6, 4, 6, 5, 4, 64),
            believed="The root of the squared width is taken.",
            says="Your number under the root is d². The scores are divided by √d, and not by d.",
            hints=(
                "How many products are added up in one score?",
                "Which number is the divisor then, d or its root?",
            ),
        ),
        Misconception(
            name="queries-under-the-root",
            answer=(6, 4, 6, 5, 4, 6),
            believed="The number of queries is under the root.",
            says="Your number under the root is the number of queries. It should be the number of "
            "terms in one dot product.",
            hints=(
                "How many products are added up in one score?",
                "Would one score change if a query were added?",
            ),
        ),
        Misconception(
            name="rounded-root",
            answer=(6, 4, 6, 5, 4, 2.83),
            variants=((6, 4, 6, 5, 4, 2.828), (6, 4, 6, 5, 4, 2.8284), (6, 4, 6, 5, 4, 2.8)),
            believed="The divisor is asked.",
            says="Your last number is the root of 8, rounded. The question asks for the number "
            "under the root.",
            hints=(
                "Which number is the root taken of?",
                "Give d.",
            ),
        ),
        Misconception(
            name="heads-under-the-root",
            answer=(6, 4, 6, 5, 4, 3),
            believed="The number of heads is under the root.",
            says="Your number under the root is the number of heads. It should be the number of "
            "terms in one dot product.",
            hints=(
                "How many products are added up in one score?",
                "It is the width that queries and keys share.",
            ),
        ),
        Misconception(
            name="queries-with-queries",
            answer=(6, 6, 6, 5, 6, 8),
            believed="There are as many keys as queries.",
            says="Your S has 6 columns, and there are 4 keys. A query has one score for each key.",
            hints=(
                "How many keys are there?",
                "How long is a row of S?",
            ),
        ),
        Misconception(
            name="the-root-itself",
            answer=(6, 4, 6, 5, 4, 8**0.5),
            believed="The divisor is asked.",
            says="All sizes are right. The last number is the one under the root, d itself.",
            hints=(
                "Which number is the root taken of?",
                "Give d.",
            ),
        ),
    ),
    alternatives=(Alternative(name="as a list", answer=[6, 4, 6, 5, 4, 8]),),
    parts={
        "the rows and columns of the scores": (0, 1),
        "the rows and columns of the output": (2, 3),
        "the softmax's axis and the number under the root": (4, 5),
    },
    hints=(
        "Which sizes must agree for the first product to exist, and which for the second?",
        "In a product of an (a × b) and a (b × c) matrix, b disappears. Batch and heads are "
        "in front and never meet.",
        "Write both products with the last two sizes of each factor. What remains outside of each?",
    ),
    tolerance=1e-6,
)
