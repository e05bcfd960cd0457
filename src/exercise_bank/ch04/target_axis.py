"""Question 04.target_axis: the right weight, and the wrong row sum, by hand."""

from math import log

from plaincourse.exercise import Alternative, Misconception, Question

TASK = Question(
    id="04.target_axis",
    title="The right weight and the wrong sum",
    level="easy",
    minutes=5,
    concepts=("target-axis-softmax", "self-against-cross", "target-source-alignment"),
    points=2.0,
    answer=(3 / 5, 4 / 3),
    misconceptions=(
        Misconception(
            name="both-over-the-target",
            answer=(3 / 4, 4 / 3),
            believed="The weight is meant with the wrong axis as well.",
            says="Your sum is right. Your weight, 3/4, comes from a softmax over the target, which "
            "shares out a weight of 1 for each source word. Each target word has a weight of 1 to "
            "share out.",
            hints=(
                "Which three numbers sum to 1 in the right weights?",
                "Target word 0 shares out a weight of 1 among the source words.",
            ),
        ),
        Misconception(
            name="sum-is-one",
            answer=(3 / 5, 1.0),
            believed="Rows always sum to 1, or a column is meant.",
            says="Your weight is right. With the softmax over the target each column sums to 1. "
            "The question asks for the sum along row 0, over all three columns: these weights need "
            "not sum to 1.",
            hints=(
                "What sums to 1 when softmax runs over the target?",
                "Compute the three columns, then add along row 0.",
            ),
        ),
        Misconception(
            name="the-other-row",
            answer=(3 / 5, 5 / 3),
            believed="The sum of target word 1 is asked.",
            says="Your weight is right. 5/3 is the sum of target word 1; the question asks for "
            "target word 0. (The two sums add up to 3, one for each source word.)",
            hints=("Which row is target word 0?", "Rows count from 0."),
        ),
        Misconception(
            name="another-source-word",
            answer=(1 / 5, 4 / 3),
            believed="Source words count from 1.",
            says="Your sum is right. 1/5 is the weight of a source word with score 0; source word "
            "1, counted from 0, has the score ln 3.",
            hints=("Which column is source word 1?", "e to the power ln 3 is 3."),
        ),
        Misconception(
            name="all-swapped",
            answer=(3 / 4, 1.0),
            believed="Softmax runs over the target, and rows sum to 1.",
            says="Your weight, 3/4, comes from a softmax over the target; the question asks for "
            "the weight that the right softmax gives. Your sum, 1, is that of the right softmax; "
            "the question asks for the sum under the wrong one, over the target.",
            hints=(
                "The first number belongs to the right axis: along row 0.",
                "The second belongs to the wrong axis: down each column, then added along row 0.",
            ),
        ),
        Misconception(
            name="sum-of-powers",
            answer=(3 / 5, 5.0),
            believed="The sum of the exponentials is asked.",
            says="Your weight is right. 5 is the sum of the exponentials of row 0, before anything "
            "was divided.",
            hints=(
                "What is each exponential divided by when softmax runs over the target?",
                "Divide each column by its own sum first.",
            ),
        ),
        Misconception(
            name="roles-swapped",
            answer=(1 / 2, 4 / 3),
            believed="The first word named is the column.",
            says="Your sum is right. 1/2 is the weight that target word 1 gives to source word 0: "
            "rows are the target, columns the source.",
            hints=(
                "Which row does target word 0 have?",
                "Take row 0, column 1.",
            ),
        ),
        Misconception(
            name="logarithm-left-as-it-is",
            answer=(3 / 5, 1 + 1 / (1 + log(2))),
            believed="The exponential of ln 2 is ln 2.",
            says="Your weight is right. In the last column you leave ln 2 as it is: softmax takes "
            "the exponential of every score, and e to the power ln 2 is 2.",
            hints=(
                "What are the exponentials of the last column, 0 and ln 2?",
                "Divide 1 by 1 + 2 in the last column.",
            ),
        ),
        Misconception(
            name="last-column-shared-evenly",
            answer=(3 / 5, 3 / 2),
            believed="The last column has equal scores, or both target words have equal sums.",
            says="Your weight is right. 3/2 is half of 3, the sum of all six weights under the "
            "wrong softmax, but the two rows do not share it equally. It also comes out if target "
            "word 0 has 1/2 in the last column; the scores there differ: 0 and ln 2.",
            hints=(
                "What are the exponentials of the last column, 0 and ln 2?",
                "Divide 1 by 1 + 2 in the last column, and add along row 0 alone.",
            ),
        ),
        Misconception(
            name="over-all-six",
            answer=(3 / 11, 5 / 11),
            believed="Softmax runs over the whole table.",
            says="You divide by 11, the sum of all six exponentials. The right softmax runs along "
            "each row, and the wrong one down each column.",
            hints=(
                "Which three numbers sum to 1 in the right weights?",
                "Divide row 0 by its own sum; for the second number divide each column by its own.",
            ),
        ),
        Misconception(
            name="order-exchanged",
            answer=(4 / 3, 3 / 5),
            believed="The order is free.",
            says="Your first number is the sum, which comes second: the weight comes first.",
            hints=(
                "A weight is never above 1. Which of your numbers is the weight?",
                "Exchange the two.",
            ),
        ),
        Misconception(
            name="not-exponentiated",
            answer=(1.0, 1.0),
            believed="Scores are divided by their sum.",
            says="You divide the scores themselves by their sum. Softmax takes their exponentials "
            "first: e to the power 0 is 1, not 0.",
            hints=(
                "What is e to the power ln 3, and to the power 0?",
                "Write down the six exponentials first: 1, 3, 1 and 3, 1, 2.",
            ),
        ),
        Misconception(
            name="mean-of-the-row",
            answer=(3 / 5, 4 / 9),
            believed="What weights come to is their mean.",
            says="Your weight is right. 4/9 is the mean of the three weights of target word 0; the "
            "question asks for their sum.",
            hints=(
                "How many weights does target word 0 give?",
                "Multiply by three.",
            ),
        ),
        Misconception(
            name="source-0-and-target-1",
            answer=(1 / 5, 5 / 3),
            believed="Words count from 1, but for the target.",
            says="1/5 is the weight that target word 0 gives to source word 0, and 5/3 is the sum "
            "of target word 1. Words count from 0: the question asks for source word 1, the second "
            "column, and for target word 0, the first row.",
            hints=(
                "Which row is target word 0, and which column is source word 1?",
                "Take the first row for both numbers.",
            ),
        ),
        Misconception(
            name="weight-and-row-of-one",
            answer=(1 / 2, 5 / 3),
            believed="Words count from 1.",
            says="Both numbers belong to target word 1. Words count from 0, so target word 0 is "
            "the first row.",
            hints=(
                "Which row is target word 0?",
                "Take the first row for both.",
            ),
        ),
    ),
    alternatives=(
        Alternative(name="decimals", answer=(0.6, 1.3333)),
        Alternative(name="a list", answer=[0.6, 4 / 3]),
    ),
    hints=(
        "Write the exponentials of all six scores first: they are whole numbers.",
        "Right axis: divide row 0 by its sum. Wrong axis: divide each column by its sum, then add "
        "up row 0.",
    ),
)
