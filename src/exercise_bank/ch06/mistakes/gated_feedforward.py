"""How 06.gated_feedforward goes wrong."""

import torch
from torch import Tensor
from torch.nn import functional as F

from exercise_bank.skills import said
from plaincourse.exercise import Misconception


def swapped(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return ((x @ gate.mT) * F.silu(x @ up.mT)) @ down.mT


def gelu_on_up(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return ((x @ gate.mT) * F.gelu(x @ up.mT)) @ down.mT


def sigmoid(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (torch.sigmoid(x @ gate.mT) * (x @ up.mT)) @ down.mT


def bent_after(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return F.silu((x @ gate.mT) * (x @ up.mT)) @ down.mT


def bent_twice(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.silu(x @ gate.mT) * F.silu(x @ up.mT)) @ down.mT


def not_bent(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return ((x @ gate.mT) * (x @ up.mT)) @ down.mT


def summed(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.silu(x @ gate.mT) + (x @ up.mT)) @ down.mT


def gelu(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.gelu(x @ gate.mT) * (x @ up.mT)) @ down.mT


def gelu_by_sigmoid(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    reads = x @ gate.mT
    return (reads * torch.sigmoid(1.702 * reads) * (x @ up.mT)) @ down.mT


def gelu_by_tanh(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.gelu(x @ gate.mT, approximate="tanh") * (x @ up.mT)) @ down.mT


def gate_alone(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return F.silu(x @ gate.mT) @ down.mT


def transposed(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.silu(x @ gate) * (x @ up)) @ down


def bent_at_the_end(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return F.silu(((x @ gate.mT) * (x @ up.mT)) @ down.mT)


def relu(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.relu(x @ gate.mT) * (x @ up.mT)) @ down.mT


def bent_before(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return ((F.silu(x) @ gate.mT) * (x @ up.mT)) @ down.mT


def softmaxed(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (torch.softmax(x @ gate.mT, dim=-1) * (x @ up.mT)) @ down.mT


def chained(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return F.silu(x @ up.mT) @ down.mT


def with_residual(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return x + (F.silu(x @ gate.mT) * (x @ up.mT)) @ down.mT


def axes_lost(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    rows = x.reshape(-1, x.shape[-1])
    return (F.silu(rows @ gate.mT) * (rows @ up.mT)) @ down.mT


def two_axes_only(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return torch.mm(F.silu(torch.mm(x, gate.mT)) * torch.mm(x, up.mT), down.mT)


def two_axes_unpacked(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    _, _ = x.shape
    return axes_lost(x, gate, up, down)


def tanh(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (torch.tanh(x @ gate.mT) * (x @ up.mT)) @ down.mT


def softplus(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.softplus(x @ gate.mT) * (x @ up.mT)) @ down.mT


def bent_sum(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return F.silu(x @ gate.mT + x @ up.mT) @ down.mT


def sum_of_bent(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.silu(x @ gate.mT) + F.silu(x @ up.mT)) @ down.mT


def relu_on_up(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return ((x @ gate.mT) * F.relu(x @ up.mT)) @ down.mT


def sigmoid_on_up(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return ((x @ gate.mT) * torch.sigmoid(x @ up.mT)) @ down.mT


def gelu_twice(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.gelu(x @ gate.mT) * F.gelu(x @ up.mT)) @ down.mT


def bent_at_the_end_too(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return F.silu((F.silu(x @ gate.mT) * (x @ up.mT)) @ down.mT)


def turned(matrix: Tensor) -> Tensor:
    return matrix.reshape(matrix.shape[1], matrix.shape[0])


def down_reshaped(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.silu(x @ gate.mT) * (x @ up.mT)) @ turned(down)


def readings_reshaped(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.silu(x @ turned(gate)) * (x @ turned(up))) @ down.mT


def all_reshaped(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.silu(x @ turned(gate)) * (x @ turned(up))) @ turned(down)


def down_as_it_is(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.silu(x @ gate.mT) * (x @ up.mT)) @ down


def readings_as_they_are(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return (F.silu(x @ gate) * (x @ up)) @ down.mT


def product_of_outputs(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    return F.silu(x @ gate.mT) @ down.mT * ((x @ up.mT) @ down.mT)


def no_minus(x: Tensor, gate: Tensor, up: Tensor, down: Tensor) -> Tensor:
    reads = x @ gate.mT
    return (reads / (1 + torch.exp(reads)) * (x @ up.mT)) @ down.mT


MISCONCEPTIONS = (
    Misconception(
        name="gate-and-up-swapped",
        answer=swapped,
        variants=(gelu_on_up, relu_on_up, sigmoid_on_up),
        believed="It does not matter which half goes through the activation.",
        says="You apply the activation to what `up` reads and leave what `gate` reads as it is. In "
        "training from scratch that would be a change of names; with given weights it is another "
        "function.",
        hints=(
            "Which of the two readings passes through SiLU in the formula?",
            "Set gate so that it reads -100. Nearly nothing should pass. What passes in yours?",
            "Two names have changed places.",
        ),
    ),
    Misconception(
        name="sigmoid",
        answer=sigmoid,
        believed="A gate is a number between 0 and 1.",
        says="Your gate never exceeds 1: you use the sigmoid alone. That is GLU; SwiGLU's gate "
        "grows with what it reads.",
        hints=(
            "What is your gate for a reading of 10? What is SiLU of 10?",
            "SiLU is its argument times something.",
            "The something is what you have.",
        ),
    ),
    Misconception(
        name="bent-after-the-product",
        answer=bent_after,
        believed="The activation comes after gate and up have met.",
        says="You apply SiLU to the product of the two readings. Only the reading of `gate` goes "
        "through SiLU: if `gate` reads 60 and `up` reads −0.5, the neuron should give −30, and "
        "yours gives nearly 0.",
        hints=(
            "Take readings -3 and -3. What comes out of yours?",
            "Which comes first, SiLU or the product?",
            "One reading goes through SiLU before the two are multiplied.",
        ),
    ),
    Misconception(
        name="bent-twice",
        answer=bent_twice,
        believed="Both halves go through the activation.",
        variants=(gelu_twice,),
        says="You apply the activation to both readings. Then neither gets far below 0, and a "
        "reading of `up` that is negative is nearly lost.",
        hints=(
            "Which sign can your product have, when both are large?",
            "How often does the formula use the activation?",
            "One of the halves stays linear.",
        ),
    ),
    Misconception(
        name="not-bent",
        answer=not_bent,
        believed="The product is nonlinear enough.",
        says="You multiply two linear readings. That is a bilinear layer: turn the sign of x, and "
        "your output stays the same.",
        hints=(
            "What happens to your output when x is replaced by -x?",
            "What is around the first product in the formula?",
            "The gate's reading passes through SiLU.",
        ),
    ),
    Misconception(
        name="summed",
        answer=summed,
        variants=(bent_sum, sum_of_bent),
        believed="The two halves are added.",
        says="You add the two halves. A shut gate then stops nothing: with gate = 0 your output "
        "still depends on what `up` reads, and it should be 0.",
        hints=(
            "What should come out when the gate's matrix is all zeros?",
            "What does the circle with the dot mean in the formula?",
            "The halves meet number by number, in another way.",
        ),
    ),
    Misconception(
        name="gelu",
        answer=gelu,
        believed="Any smooth activation will do.",
        variants=(gelu_by_sigmoid, gelu_by_tanh),
        says="Your gate is GELU, or one of its approximations, and that makes a GeGLU. SwiGLU uses "
        "SiLU, which is x times the sigmoid of x, without a factor in the sigmoid.",
        hints=(
            "Compare SiLU and GELU at 1: 0.731 and about 0.84.",
            "The Sw of SwiGLU is for Swish, another name of SiLU.",
            "One name has to change.",
        ),
    ),
    Misconception(
        name="no-up",
        answer=gate_alone,
        believed="The gate is the middle of the network.",
        says="Your output does not depend on `up`. You have the network with one reading and two "
        "matrices.",
        hints=(
            "Which argument do you not use?",
            "How many readings of x are there?",
            "SiLU of one reading is multiplied by a second one.",
        ),
    ),
    said(
        "matrices-the-other-way-up",
        transposed,
        "A token is multiplied by the matrix as it is.",
        "You multiply x by the matrices as they come. They are stored (out, in), so with square "
        "matrices yours runs and mixes the wrong entries; with others the shapes clash.",
        "What does nn.Linear compute with its weight?",
        "x has m numbers, gate is (f, m). Which axis of gate meets x?",
        "Transpose each matrix: x @ W.mT.",
    ),
    said(
        "bent-at-the-end",
        bent_at_the_end,
        "The activation is the last step.",
        "You apply SiLU to what the network writes. What it writes may be any number; yours is "
        "never below -0.28.",
        "Which sign can your output have?",
        "Where is SiLU in the formula: before or after W_2?",
        "Only what `gate` reads goes through SiLU.",
        variants=(bent_at_the_end_too,),
    ),
    said(
        "relu",
        relu,
        "A gate is shut below 0.",
        "Your gate is exactly 0 for every negative reading: that is ReGLU. SiLU lets a little "
        "pass, with the other sign.",
        "What is SiLU of -1? And ReLU?",
        "One name has to change.",
    ),
    said(
        "bent-before-the-matrix",
        bent_before,
        "The token goes through the activation and then through the gate.",
        "You apply SiLU to the token, and then multiply it by `gate`. What `gate` reads then goes "
        "through no SiLU, and may be far below 0.",
        "What is the argument of SiLU in the formula: x, or W_g x?",
        "First the product with the matrix, then SiLU.",
    ),
    said(
        "softmax-gate",
        softmaxed,
        "Gates share what passes.",
        "Your gates of a token sum to 1: you use softmax. A SiLU gate does not depend on the "
        "others.",
        "Open all gates of a token. Does each let everything pass in yours?",
        "SiLU acts on each number alone.",
    ),
    said(
        "no-gate",
        chained,
        "The gate is the activation.",
        "Your output does not depend on `gate`. You have the plain network: one reading, and SiLU.",
        "Which argument do you not use?",
        "SiLU of what `gate` reads multiplies what `up` reads.",
    ),
    said(
        "with-the-stream",
        with_residual,
        "A sublayer returns the stream with what it adds.",
        "You add x. The sum belongs to the block; the network returns only what it writes.",
        "What should come out where `down` is all zeros?",
        "Is there a sum with x in the formula?",
    ),
    said(
        "axes-in-front-lost",
        axes_lost,
        "A batch of tokens is a matrix.",
        "Your output always has two axes: you make one axis of all axes in front of the features, "
        "and do not restore them.",
        "What shape has your output for one token, of shape (m,)? And for (2, 3, m)?",
        "A product with @ keeps the axes in front; nothing has to be flattened.",
        kind="form",
    ),
    said(
        "two-axes-only",
        two_axes_only,
        "Tokens come as a matrix.",
        "Your function raises an error unless x has exactly two axes. There may be any number of "
        "axes in front of the features, or none.",
        "What does your function do with a single token, of shape (m,)?",
        "torch.mm takes matrices only; @ takes any axes in front.",
        variants=(two_axes_unpacked,),
        kind="form",
    ),
    said(
        "tanh-gate",
        tanh,
        "A gate is a number between -1 and 1.",
        "Your gate is tanh of what it reads, which is never above 1. SiLU is what the gate reads "
        "times a sigmoid, so it grows with what it reads.",
        "What is SiLU of 10, and what is tanh of 10?",
        "SiLU(z) = z · sigmoid(z).",
    ),
    said(
        "softplus-gate",
        softplus,
        "Every smooth ramp is SiLU.",
        "Your gate is ln(1 + e^z), which is 0.69 at 0. SiLU is z · sigmoid(z), and 0 at 0.",
        "What should come out when the gate's matrix is all zeros?",
        "SiLU(z) = z · sigmoid(z).",
    ),
    said(
        "reshaped-where-transposed",
        down_reshaped,
        "A reshape to the other shape is a transpose.",
        "One of your matrices, or several, is reshaped or left as it comes where it should be "
        "transposed. Where the shapes fit, your code runs, and rows and columns are mixed up.",
        "What is the transpose of [[1, 2, 3], [4, 5, 6]]? And its reshape to (3, 2)?",
        "Reshape keeps the order in which the numbers are stored; a transpose does not.",
        "For each matrix: x @ W.mT.",
        variants=(readings_reshaped, all_reshaped, down_as_it_is, readings_as_they_are),
    ),
    said(
        "product-of-outputs",
        product_of_outputs,
        "Gate and up meet after W_2.",
        "You multiply both halves by `down`, and then with each other. In the formula the two "
        "readings are multiplied first, neuron by neuron, and `down` acts once.",
        "How often is W_2 in the formula?",
        "The product of the two readings has f numbers.",
    ),
    said(
        "exponent-without-minus",
        no_minus,
        "The sigmoid is 1 / (1 + e^z).",
        "Your gate is shut for large readings: it is z / (1 + e^z). SiLU has e^(−z) there, so it "
        "lets large readings pass.",
        "What is your gate for a reading of 10? It should be nearly 10.",
        "A minus in the exponent.",
    ),
)
