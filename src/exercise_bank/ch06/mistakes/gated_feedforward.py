"""How 06.gated_feedforward goes wrong."""

from exercise_bank.ch06.mistakes import gated_feedforward_code as code
from exercise_bank.skills import said
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    Misconception(
        name="gate-and-up-swapped",
        answer=code.swapped,
        believed="It does not matter which half goes through the activation.",
        says="You apply the activation to the reading of `up` and leave the reading of `gate` as "
        "it is. In training from scratch that would only exchange two names, but with given "
        "weights it computes a different function.",
        hints=(
            "Which of the two readings passes through SiLU in the formula?",
            "Choose `gate` so that its reading is -100. The output should be nearly 0. What is "
            "yours?",
            "Exchange two names in your code.",
        ),
    ),
    Misconception(
        name="another-activation-on-up",
        answer=code.gelu_on_up,
        variants=(code.relu_on_up, code.sigmoid_on_up),
        believed="Which half is activated, and by which function, does not matter.",
        says="You apply the activation to the reading of `up` and leave the reading of `gate` as "
        "it is: `gate` should go through it. And your activation differs from SiLU.",
        hints=(
            "Which of the two readings passes through SiLU in the formula?",
            "What is SiLU of 1, and what is your activation of 1?",
            "Exchange two names in your code, and use F.silu.",
        ),
    ),
    Misconception(
        name="sigmoid",
        answer=code.sigmoid,
        believed="A gate is a number between 0 and 1.",
        says="Your gate never exceeds 1, because you use the sigmoid alone. That is GLU. In "
        "SwiGLU, the gate grows with its reading.",
        hints=(
            "What is your gate for a reading of 10? What is SiLU of 10?",
            "SiLU is its argument times a second factor.",
            "You have that second factor, the sigmoid, but not the argument itself.",
        ),
    ),
    Misconception(
        name="bent-after-the-product",
        answer=code.bent_after,
        believed="The activation comes after the product of gate and up.",
        says="You apply SiLU to the product of the two readings. Only the reading of `gate` goes "
        "through SiLU: if `gate` reads 60 and `up` reads −0.5, the neuron should give −30, but "
        "yours gives nearly 0.",
        hints=(
            "For the readings -3 and -3, what does your neuron give?",
            "Which comes first, SiLU or the product?",
            "One reading goes through SiLU before the two are multiplied.",
        ),
    ),
    Misconception(
        name="bent-twice",
        answer=code.bent_twice,
        believed="Both halves go through the activation.",
        variants=(code.gelu_twice,),
        says="You apply the activation to both readings. Neither can then be far below 0, so a "
        "negative reading of `up` is nearly lost. Only the reading of `gate` goes through the "
        "activation.",
        hints=(
            "Which sign can your product have if both readings are large?",
            "How often does the formula use the activation?",
            "One of the two readings stays linear.",
        ),
    ),
    Misconception(
        name="not-bent",
        answer=code.not_bent,
        believed="The product is nonlinear enough.",
        says="You multiply two linear readings, without an activation. That is a bilinear layer: "
        "if x changes its sign, your output stays the same.",
        hints=(
            "What happens to your output when x is replaced by -x?",
            "Which function is applied to the first product in the formula?",
            "The reading of `gate` goes through SiLU.",
        ),
    ),
    Misconception(
        name="summed",
        answer=code.summed,
        variants=(code.bent_sum, code.sum_of_bent),
        believed="The two halves are added.",
        says="You add the two readings, but they should be multiplied. With gate = 0 your output "
        "still depends on the reading of `up`, and it should be 0.",
        hints=(
            "What should the output be if the matrix of the gate is all zeros?",
            "What does the circle with the dot mean in the formula?",
            "The two readings are combined number by number, but not by a sum.",
        ),
    ),
    Misconception(
        name="gelu",
        answer=code.gelu,
        believed="Any smooth activation will do.",
        variants=(code.gelu_by_sigmoid, code.gelu_by_tanh),
        says="Your gate is GELU, or one of its approximations, so you compute GeGLU. SwiGLU uses "
        "SiLU, which is x times the sigmoid of x, without a factor in the sigmoid.",
        hints=(
            "Compare SiLU and GELU at 1: 0.731 and about 0.84.",
            "The Sw in SwiGLU means Swish, another name for SiLU.",
            "The name of the activation has to change.",
        ),
    ),
    Misconception(
        name="no-up",
        answer=code.gate_alone,
        believed="The gate is the middle of the network.",
        says="Your output does not depend on `up`. You compute a network with one reading and two "
        "matrices.",
        hints=(
            "Which argument do you not use?",
            "How many readings of x are there?",
            "SiLU of one reading is multiplied by a second one.",
        ),
    ),
    said(
        "matrices-the-other-way-up",
        code.transposed,
        "A token is multiplied by the matrix without a transpose.",
        "You multiply x by the matrices without transposing them. They are stored as (out, in). "
        "With square matrices your code runs, but it multiplies the wrong entries; with others the "
        "shapes do not fit.",
        "What does nn.Linear compute with its weight?",
        "x has m numbers, and gate is (f, m). Over which axis of gate does the product sum?",
        "Transpose each matrix: x @ W.mT.",
    ),
    said(
        "matrices-on-the-left",
        code.on_the_left,
        "W x is gate @ x.",
        "You write W @ x, as in the formula. That is right for a single vector; with several "
        "tokens, x has a token in each row, so the shapes do not fit, or rows and columns are "
        "mixed up. Multiply x by the transposed matrix.",
        "Which axes of `gate` and `x` have the same length m, and which does `gate @ x` sum over?",
        "The last axis of x is m: write x @ gate.mT.",
    ),
    said(
        "bent-at-the-end",
        code.bent_at_the_end,
        "The activation is the last step.",
        "You apply SiLU to the output of the network. The output may be any number, but yours is "
        "never below -0.28.",
        "Which sign can your output have?",
        "Is SiLU applied before or after W_2 in the formula?",
        "Only the reading of `gate` goes through SiLU.",
        variants=(code.bent_at_the_end_too,),
    ),
    said(
        "relu",
        code.relu,
        "A gate is 0 for negative readings.",
        "Your gate is exactly 0 for every negative reading, so you compute ReGLU. For negative "
        "readings, SiLU is a little below 0.",
        "What is SiLU of -1, and what is ReLU of -1?",
        "The name of the activation has to change.",
    ),
    said(
        "bent-before-the-matrix",
        code.bent_before,
        "The token goes through the activation and then through the gate.",
        "You apply SiLU to the token, and then multiply it by `gate`. The reading of `gate` itself "
        "then does not go through SiLU, and may be far below 0.",
        "What is the argument of SiLU in the formula: x, or W_g x?",
        "First the product with the matrix, then SiLU.",
    ),
    said(
        "softmax-gate",
        code.softmaxed,
        "The gates of a token sum to 1.",
        "You use softmax, so your gates of a token sum to 1. A SiLU gate does not depend on the "
        "other gates.",
        "If all readings of `gate` are large, how large are your gates?",
        "SiLU is applied to each number separately.",
    ),
    said(
        "no-gate",
        code.chained,
        "The gate is the activation.",
        "Your output does not depend on `gate`. You compute the plain network, with one reading "
        "and SiLU.",
        "Which argument do you not use?",
        "SiLU of the reading of `gate` is multiplied by the reading of `up`.",
    ),
    said(
        "with-the-stream",
        code.with_residual,
        "A sublayer returns the stream plus its own output.",
        "You add x to your output. The block computes that sum, and the network returns only its "
        "own output.",
        "What should the output be if `down` is all zeros?",
        "Is there a sum with x in the formula?",
    ),
    said(
        "axes-in-front-lost",
        code.axes_lost,
        "A batch of tokens is a matrix.",
        "Your output always has two axes, because you merge all axes in front of the features and "
        "do not restore them.",
        "What is the shape of your output for one token, of shape (m,), and for x of shape (2, 3, "
        "m)?",
        "A product with @ keeps the axes in front, so there is no need to flatten them.",
        kind="form",
    ),
    said(
        "two-axes-only",
        code.two_axes_only,
        "x is a matrix of tokens.",
        "Your function raises an error unless x has exactly two axes. There may be any number of "
        "axes in front of the features, or none.",
        "What does your function do with a single token, of shape (m,)?",
        "torch.mm takes matrices only, but @ takes any axes in front.",
        variants=(code.two_axes_unpacked,),
        kind="form",
    ),
    said(
        "tanh-gate",
        code.tanh,
        "A gate is a number between -1 and 1.",
        "Your gate is tanh of its reading, which is never above 1. SiLU is the reading times its "
        "sigmoid, so it grows with the reading.",
        "What is SiLU of 10, and what is tanh of 10?",
        "SiLU(z) = z · sigmoid(z).",
    ),
    said(
        "softplus-gate",
        code.softplus,
        "Any smooth version of ReLU is SiLU.",
        "Your gate is ln(1 + e^z), which is 0.69 at 0. SiLU is z · sigmoid(z), which is 0 at 0.",
        "What should the output be if the matrix of the gate is all zeros?",
        "SiLU(z) = z · sigmoid(z).",
    ),
    said(
        "reshaped-where-transposed",
        code.down_reshaped,
        "Reshaping to the other shape is a transpose.",
        "One of your matrices, or several, should be transposed, but you reshape it or leave it as "
        "it is. If the shapes fit, your code runs, but it mixes up rows and columns.",
        "What is the transpose of [[1, 2, 3], [4, 5, 6]], and what do you get by reshaping it to "
        "(3, 2)?",
        "A reshape keeps the order in which the numbers are stored, but a transpose does not.",
        "Compute x @ W.mT for each matrix.",
        variants=(
            code.readings_reshaped,
            code.all_reshaped,
            code.down_as_it_is,
            code.readings_as_they_are,
        ),
    ),
    said(
        "product-of-outputs",
        code.product_of_outputs,
        "Gate and up are multiplied after W_2.",
        "You multiply both readings by `down`, and then by each other. In the formula, the two "
        "readings are first multiplied neuron by neuron, and the product is multiplied by `down`.",
        "How often does W_2 occur in the formula?",
        "The product of the two readings has f numbers.",
    ),
    said(
        "infinite-exponentials",
        code.inf_over_inf,
        "e^z / (1 + e^z) is the sigmoid.",
        "Your SiLU is nan for large readings: e^z is infinite in float32 if z is above 88, and "
        "inf / inf is nan.",
        "Print torch.exp(torch.tensor(100.0)).",
        "Write z / (1 + e^(−z)), in which a large z gives 1 + 0, or use F.silu.",
        variants=(code.inf_over_inf_at_once,),
    ),
    said(
        "exponent-without-minus",
        code.no_minus,
        "The sigmoid is 1 / (1 + e^z).",
        "Your gate is z / (1 + e^z), which is nearly 0 for large readings. SiLU has e^(−z) in "
        "place of e^z, so it is nearly z for large readings.",
        "What is your gate for a reading of 10? It should be nearly 10.",
        "A minus is missing in the exponent.",
    ),
)
