"""Question 06.block_cost: parameters and operations of one block, by hand."""

from plaincourse.exercise import Alternative, Misconception, Question

TASK = Question(
    id="06.block_cost",
    title="The cost of one block",
    level="medium",
    minutes=10,
    concepts=("parameter-count", "flop-count", "gated-feed-forward", "sandwich-norm"),
    points=3.0,
    answer=(28_032, 7_449_600),
    tolerance=0.5,
    letters="PF",
    misconceptions=(
        Misconception(
            name="two-matrices",
            answer=(21_888, 6_220_800),
            believed="A feed-forward network has two matrices.",
            says="You count two matrices in the feed-forward network, but this one is gated, so it "
            "has three.",
            variants=((21_888, 7_449_600),),
            hints=("How many matrices does SwiGLU have?", "Count 3 m f."),
        ),
        Misconception(
            name="norms-too-small",
            answer=(27_840, 7_449_600),
            believed="A block has two norms, or a norm has m parameters.",
            says="Your P has too few parameters for the norms. Sandwich-norm has a norm on each "
            "side of each sublayer, four in all, and each LayerNorm has a gain and a shift.",
            hints=(
                "How many norms does a block with sandwich-norm have?",
                "Each norm has a gain and a shift of m numbers each.",
            ),
            variants=tuple((27_648 + k * 48, 7_449_600) for k in (0, 1, 2, 3, 6)),
        ),
        Misconception(
            name="two-matrices-and-norms-too-small",
            answer=(21_696, 6_220_800),
            believed="A block has two matrices after attention, and two norms.",
            says="You count two matrices in the feed-forward network, but this one is gated, so "
            "it has three. And your P has too few parameters for the norms: sandwich-norm has "
            "four, each with a gain and a shift.",
            variants=tuple((21_504 + k * 48, 6_220_800) for k in (0, 1, 2, 3, 6)),
            hints=(
                "How many matrices does SwiGLU have, and how many norms a block with "
                "sandwich-norm?",
                "Count 3 m f, and 4 · 2 m for the norms.",
            ),
        ),
        Misconception(
            name="half-of-attention",
            answer=(28_032, 6_489_600),
            believed="Attention has one product between two activations.",
            says="Your F contains only half the cost of attention between its matrices. Attention "
            "multiplies queries by keys, and then weights by values, and each product costs 2 n² "
            "m. Without a mask, no pair is left out.",
            hints=(
                "Which two products does attention compute between its projections?",
                "Add 4 n² m in all.",
            ),
        ),
        Misconception(
            name="three-projections",
            answer=(25_728, 6_988_800),
            believed="Attention projects queries, keys and values.",
            says="You count three matrices in attention, but the output projection is a fourth "
            "one.",
            hints=(
                "How many matrices does multi-head attention have?",
                "After the heads are joined, they are multiplied by one more matrix.",
            ),
        ),
        Misconception(
            name="no-output-projection-in-F",
            answer=(28_032, 6_988_800),
            believed="The output projection costs nothing.",
            says="Your F leaves out a matrix of m by m, for example the output projection.",
            hints=("How many matrices does multi-head attention have?", "Each costs 2 n m²."),
        ),
        Misconception(
            name="no-output-projection-in-P",
            answer=(25_728, 7_449_600),
            believed="The output projection has no parameters.",
            says="Your P leaves out a matrix of m by m, for example the output projection.",
            hints=("How many matrices does multi-head attention have?", "Each has m² parameters."),
        ),
        Misconception(
            name="biases-counted",
            answer=(28_528, 7_449_600),
            believed="A linear layer has a bias.",
            says="Your P counts a bias for each linear layer. These layers have none.",
            hints=("Do the linear layers in the task have biases?", "Only the norms have shifts."),
        ),
        Misconception(
            name="multiplications",
            answer=(28_032, 3_724_800),
            believed="A product of two numbers is one operation.",
            says="Your F counts multiplications only. Each comes with an addition, and the task "
            "counts both.",
            hints=(
                "How many additions does a dot product of width m need?",
                "Your number has to be doubled.",
            ),
        ),
        Misconception(
            name="backward-counted",
            answer=(28_032, 22_348_800),
            believed="A pass includes the gradients.",
            says="Your F is three times the right one: it is that of a step of training, with the "
            "backward pass. The question asks for the forward pass.",
            hints=("Which passes does your F contain?", "Divide it by three."),
        ),
        Misconception(
            name="norms-multiplied",
            answer=(28_032, 7_526_400),
            believed="Each parameter costs two operations for each token.",
            says="Your F counts two operations for each parameter, those of the norms as well. The "
            "gains and shifts are in no matrix product.",
            hints=(
                "How many parameters are in matrices?",
                "Take twice these for each token, and add the products of attention.",
            ),
        ),
        Misconception(
            name="no-attention",
            answer=(28_032, 5_529_600),
            believed="Operations are twice the parameters, for each token.",
            says="Your F leaves out the scores and the weighted sum of the values. They need "
            "operations, but no parameters.",
            hints=(
                "Which products does attention compute between its projections?",
                "Add 4 n^2 m.",
            ),
        ),
        Misconception(
            name="scores-for-each-head",
            answer=(28_032, 17_049_600),
            believed="Each head computes scores at the full width.",
            says="Your F counts the scores and the weighted sums of each head at the full width, "
            "but a head has only width m/h.",
            hints=("What is the width of one head?", "h heads of width m/h have width m together."),
        ),
        Misconception(
            name="one-token",
            answer=(28_032, 57_216),
            believed="The count is for one token.",
            says="Your F is that of a single token. The sequence has 100 tokens, and each attends "
            "to all of them.",
            variants=((28_032, 55_296), (28_032, 55_488), (28_032, 74_496)),
            hints=(
                "How many tokens are there?",
                "Each matrix costs 2 n operations for each of its entries.",
            ),
        ),
    ),
    alternatives=(
        Alternative(name="as floats", answer=(28_032.0, 7_449_600.0)),
        Alternative(name="as a list", answer=[28_032, 7_449_600]),
    ),
    hints=(
        "Count the matrices first, four in attention and three in the feed-forward network, and "
        "then the norms.",
        "Each entry of a matrix costs 2 operations per token. Add the products that attention "
        "computes between its projections.",
        "The norms have parameters, and their operations are not counted.",
    ),
)
