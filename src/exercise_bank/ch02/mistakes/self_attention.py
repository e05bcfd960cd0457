"""How 02.SelfAttention goes wrong, with the messages."""

from functools import partial

from exercise_bank.ch02.mistakes import self_attention_code as code
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    Misconception(
        name="no-scale",
        answer=code.NoScale,
        believed="Softmax of the raw dot products is the attention.",
        says="Your scores are the raw dot products of the projected vectors, not divided by the "
        "root of d. With several tokens your output leans too far towards the best match.",
        hints=(
            "Which number divides the scores in 02.attention?",
            "The step is missing in forward, between the scores and the softmax.",
            "Divide by the root of d, the width of the projected queries.",
        ),
    ),
    Misconception(
        name="root-of-the-model-width",
        answer=code.RootOfTheModelWidth,
        believed="The d under the root is the model width.",
        says="You divide by the root of d_model, the width of x. The dot product is taken of the "
        "projected vectors, and their width is d.",
        hints=(
            "How wide are the vectors whose dot product is taken?",
            "x.shape[-1] is d_model. The projected queries have width d.",
            "Divide by the root of d, which is the last size of the query after projecting.",
        ),
    ),
    Misconception(
        name="over-queries",
        answer=code.OverQueries,
        believed="Softmax runs over the queries.",
        says="The columns of your weights sum to 1, the rows do not: your softmax runs over the "
        "queries. With a single token the two are the same.",
        hints=(
            "Return the weights for once, and sum them over their last axis. What do you expect?",
            "The keys are the last axis of the scores.",
            "Use dim=-1 in the softmax.",
        ),
    ),
    Misconception(
        name="axis-1",
        answer=code.Axis1,
        believed="The keys are axis 1 of the scores.",
        says="Your softmax runs over axis 1. For a single sequence that is the keys; in scores of "
        "shape (b, q, k) it is the queries, and with two axes in front it is the second of them.",
        hints=(
            "What are the three axes of the scores when x is (b, q, d_model)?",
            "Counted from the end, the keys have the same number with and without a batch.",
            "Use dim=-1 in the softmax.",
        ),
    ),
    Misconception(
        name="batch-axes-flattened",
        answer=code.BatchAxesFlattened,
        believed="All axes in front of the features but the first are positions.",
        says="Where x has two batch axes, the tokens of different sequences attend to each other: "
        "you join all axes between the first and the features into one sequence.",
        hints=(
            "For x of shape (2, 3, 5, 4), to how many keys should each query attend?",
            "The positions are the axis before the last, and no other.",
            "Leave the axes as they are: @, transpose(-2, -1) and dim=-1 take any in front.",
        ),
    ),
    Misconception(
        name="one-layer-for-key-and-value",
        answer=code.OneLayerForKeyAndValue,
        believed="Keys and values are the same thing, so one layer serves both.",
        says="Your key and value are one and the same layer: module.key is module.value gives "
        "True. So the values cannot be wider than the keys, and each position returns exactly the "
        "vector that queries are compared with.",
        hints=(
            "How many weight matrices does your module have? How many are asked for?",
            "Values have width e, keys have width d.",
            "Give the values an nn.Linear of their own, from width d_model to width e, without"
            " bias.",
        ),
    ),
    Misconception(
        name="one-layer-for-query-and-key",
        answer=code.OneLayerForQueryAndKey,
        believed="Query and key come from the same x, so one layer serves both.",
        says="Your query and key are one and the same layer, so your scores are symmetric: token "
        "0 scores token 1 exactly as token 1 scores token 0.",
        hints=(
            "Compare scores[0, 1] and scores[1, 0] in your forward. Should they be equal?",
            "A token's query and its key are learned separately.",
            "Give the keys an nn.Linear(d_model, d, bias=False) of their own.",
        ),
    ),
    Misconception(
        name="value-not-projected",
        answer=code.ValueNotProjected,
        believed="The values are x itself.",
        says="With one token your output equals x: you average the tokens, not their values, and "
        "module.value has no effect.",
        hints=(
            "Which of your three layers does forward not use? What is its gradient?",
            "The output has width e. How wide is yours?",
            "Multiply the weights by the output of the layer `value`.",
        ),
    ),
    Misconception(
        name="with-bias",
        answer=code.WithBias,
        variants=(
            partial(code.Biased, biases=(False, False, True)),
            partial(code.Biased, biases=(True, False, True)),
        ),
        believed="nn.Linear has no bias unless asked for.",
        says="A bias is added to your values: with x = 0 your output is not 0, and "
        "list(module.state_dict()) shows the bias. nn.Linear has one unless you pass bias=False. "
        "In the example the check has set each number of it to 0.5.",
        hints=(
            "Which term does nn.Linear add after the product with its weight?",
            "Look at the arguments of nn.Linear and their defaults.",
            "Pass bias=False to all three.",
        ),
    ),
    Misconception(
        name="bias-of-queries-or-keys",
        answer=partial(code.Biased, biases=(True, False, False)),
        variants=(
            partial(code.Biased, biases=(True, True, False)),
            partial(code.Biased, biases=(False, True, False)),
        ),
        believed="nn.Linear has no bias unless asked for.",
        says="Your queries or your keys have a bias, and list(module.state_dict()) shows it. "
        "nn.Linear has one unless you pass bias=False. In the example each number of it is 0.5.",
        hints=(
            "Which term does nn.Linear add after the product with its weight?",
            "Look at the arguments of nn.Linear and their defaults.",
            "Pass bias=False to all three.",
        ),
    ),
    Misconception(
        name="query-and-key-swapped",
        answer=code.QueryAndKeySwapped,
        believed="The dot product is symmetric, so the order does not matter.",
        says="Your scores are transposed: row i holds the scores that token i receives as a key, "
        "where it should hold those that it gives as a query. The dot product of two vectors is "
        "symmetric, the matrix of all of them is not.",
        hints=(
            "Which layer's output should token 0 use when it is token 0 that looks?",
            "Rows of the scores are queries. Which tensor is on the left?",
            "Multiply the queries, on the left, by the transposed keys.",
        ),
    ),
    Misconception(
        name="plain-tensors",
        answer=code.PlainTensors,
        believed="A tensor with requires_grad=True is a parameter.",
        says="Your list(module.parameters()) is empty: an optimiser would train nothing, and "
        "state_dict() would save nothing.",
        hints=(
            "How many tensors are in list(module.parameters())?",
            "A module registers layers and nn.Parameter, not bare tensors.",
            "Make each weight an nn.Linear without bias, with the widths of the prompt.",
        ),
    ),
    Misconception(
        name="detached",
        answer=code.Detached,
        believed="The weights are only for averaging, so they need no gradient.",
        says="After backward() the gradients of query and key are missing, so training never "
        "changes their random weights.",
        hints=(
            "After output.sum().backward(), what is module.query.weight.grad?",
            "Somewhere between the scores and the output the chain of gradients is cut.",
            "Remove .detach(), .data, .item() or torch.no_grad() from forward.",
        ),
    ),
    Misconception(
        name="root-of-the-value-width",
        answer=code.RootOfTheValueWidth,
        believed="The width under the root is that of the output.",
        says="You divide by the root of e, the width of the values. A score is a sum of d "
        "products, however wide the values are.",
        hints=(
            "Which two tensors make a score? How wide are they?",
            "e does not enter the scores.",
            "Take the width of the projected queries.",
        ),
    ),
    Misconception(
        name="causal-unasked",
        answer=code.Causal,
        believed="Self-attention never looks ahead.",
        says="Your first token returns its own value, whatever comes after it: you hide later "
        "tokens, and the task has no mask.",
        hints=(
            "What does your first token bring back?",
            "Nothing is masked in this task.",
            "Leave the mask out.",
        ),
    ),
    Misconception(
        name="output-projected",
        answer=code.OutputProjected,
        believed="An attention layer ends in a projection.",
        says="Your module has a fourth matrix, which projects the output. Three are asked for.",
        hints=(
            "Which parameters does your module have?",
            "An output projection comes with several heads.",
            "Return the averages as they are.",
        ),
    ),
    Misconception(
        name="residual-added",
        answer=code.ResidualAdded,
        believed="A layer adds to its input.",
        says="Where tokens are as wide as the output you add them to it. The task asks for the "
        "average of the values alone.",
        hints=(
            "With one token, is your output its projected value?",
            "The residual connection belongs to the block.",
            "Return the averages as they are.",
        ),
    ),
    Misconception(
        name="query-and-key-from-one-layer",
        answer=partial(code.ByLayers, layers=("query", "query", "value")),
        variants=(partial(code.ByLayers, layers=("key", "key", "value")),),
        believed="Tokens that ask themselves need one projection for both.",
        says="Your queries and your keys come from the same layer, and the other layer is never "
        "used. So your scores are symmetric: token 0 scores token 1 exactly as token 1 scores "
        "token 0.",
        hints=(
            "Which of your three layers does forward not use? What is its gradient?",
            "Compare scores[0, 1] and scores[1, 0] in your forward. Should they be equal?",
            "Queries come from the layer `query`, keys from the layer `key`.",
        ),
    ),
    Misconception(
        name="values-from-another-layer",
        answer=partial(code.ByLayers, layers=("query", "key", "key")),
        variants=(partial(code.ByLayers, layers=("query", "key", "query")),),
        believed="A query gets back the keys.",
        says="You average keys or queries: module.value is never used. The output is an average of "
        "the values, and has their width e.",
        hints=(
            "Which of your three layers does forward not use? What is its gradient?",
            "The output has width e. How wide is yours?",
            "Multiply the weights by the output of the layer `value`.",
        ),
    ),
    Misconception(
        name="whole-number-root",
        answer=partial(code.ByLayers, whole_root=True),
        believed="A root of a whole number is a whole number.",
        says="You divide the scores by the root of d without its fraction. That is √d only for "
        "widths such as 1, 4, 9 and 16.",
        hints=(
            "What do you divide by where d is 2 or 3?",
            "math.isqrt and int drop the digits after the point.",
            "Use math.sqrt, or the power 0.5.",
        ),
    ),
)
