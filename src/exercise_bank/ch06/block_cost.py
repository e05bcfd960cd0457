"""Question 06.block_cost: parameters and operations of one block, by hand."""

from plaincourse.exercise import Alternative, Misconception, Question

TASK = Question(
    id="06.block_cost",
    title="What one block costs",
    level="medium",
    minutes=10,
    concepts=("parameter-count", "flop-count", "gated-feed-forward", "sandwich-norm"),
    points=3.0,
    answer=(28_032, 7_449_600),
    tolerance=0.5,
    misconceptions=(
        Misconception(
            name="two-matrices",
            answer=(21_888, 6_220_800),
            believed="A feed-forward network has two matrices.",
            says="You count two matrices in the feed-forward network. This one is gated.",
            hints=("How many matrices does SwiGLU have?", "Count 3 m f."),
        ),
        Misconception(
            name="norms-too-small",
            answer=(27_840, 7_449_600),
            believed="A block has two norms, or a norm has m parameters.",
            says="Your operations are right. Your norms hold too little: a sandwich has one on "
            "each side of each sublayer, and a LayerNorm learns a gain and a shift.",
            hints=("How many norms has a sandwich block?", "Each has a gain and a shift of m."),
        ),
        Misconception(
            name="multiplications",
            answer=(28_032, 3_724_800),
            believed="A product of two numbers is one operation.",
            says="Your parameters are right. You count multiplications; each comes with an "
            "addition, and both are operations.",
            hints=("How many additions does a dot product of width m need?", "Twice yours."),
        ),
        Misconception(
            name="no-attention",
            answer=(28_032, 5_529_600),
            believed="Operations are twice the parameters, for each token.",
            says="Your parameters are right. Your operations leave out the scores and the blend, "
            "which have no parameters.",
            hints=("What does attention compute between its four matrices?", "Add 4 n^2 m."),
        ),
        Misconception(
            name="scores-for-each-head",
            answer=(28_032, 17_049_600),
            believed="Each head scores at the full width.",
            says="Your parameters are right. You count the scores once more for each head; a head "
            "is only m/h wide.",
            hints=("How wide is one head?", "h heads of width m/h make m."),
        ),
        Misconception(
            name="one-token",
            answer=(28_032, 57_216),
            believed="The count is for one token.",
            says="Your parameters are right. Your operations look like those of a single token "
            "(with attention to few others).",
            hints=("How many tokens are there?", "The matrices cost 2 n P."),
        ),
    ),
    alternatives=(
        Alternative(name="as floats", answer=(28_032.0, 7_449_600.0)),
        Alternative(name="as a list", answer=[28_032, 7_449_600]),
    ),
    hints=(
        "Count matrices first: four in attention, three in the network. Then the norms.",
        "Operations: 2 for each entry of a matrix and each token, and attention's own part.",
        "The norms have parameters, and their operations are not counted.",
    ),
)
