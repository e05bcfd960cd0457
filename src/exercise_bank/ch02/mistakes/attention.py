"""How 02.attention goes wrong."""

from functools import partial

from exercise_bank.ch02.mistakes import attention_code as code
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    Misconception(
        name="no-scale",
        answer=code.no_scale,
        believed="Softmax of the raw dot products is the attention.",
        says="Your outputs are averages of the values, but lean too far towards the best key: your "
        "scores are the raw dot products, which spread wider the wider the vectors are.",
        hints=(
            "What is the spread of the dot product of two random vectors of width 64?",
            "Between the dot product and the softmax a step is missing.",
            "Divide the scores by the root of the last size of `query`.",
        ),
    ),
    Misconception(
        name="divided-by-d",
        answer=code.divided_by_d,
        believed="The scores are divided by d.",
        says="Your outputs are averages of the values, but nearer to the plain average than those "
        "asked for: you divide by d. The scores of vectors that know nothing of each other then "
        "have variance 1/d, and the wider the vectors, the flatter the weights at the start.",
        hints=(
            "The dot product of random vectors of width d has variance d. Its standard deviation?",
            "What must you divide by, so that variance d becomes variance 1?",
            "Divide by the root of d.",
        ),
    ),
    Misconception(
        name="root-of-the-value-width",
        answer=code.root_of_the_value_width,
        believed="The d under the root is the width of the values.",
        says="You divide the scores by the root of the width of the values. Add a feature to the "
        "values and your weights change, although values take no part in the scores.",
        hints=(
            "A dot product is a sum over how many terms?",
            "Values take no part in the scores. Which tensors do?",
            "The width under the root is the last size of `query`, which is also that of `key`.",
        ),
    ),
    Misconception(
        name="root-of-the-number-of-keys",
        answer=code.root_of_the_number_of_keys,
        believed="The d under the root is the length of the sequence.",
        says="You divide the scores by the root of the number of keys. The two scales agree only "
        "when there are as many keys as features (k = d); yours grows with the sequence.",
        hints=(
            "Does one dot product know how many other keys there are?",
            "You take a size of axis -2. Which axis do query and key share?",
            "The width under the root is the last size of `query`.",
        ),
    ),
    Misconception(
        name="root-of-the-number-of-queries",
        answer=code.root_of_the_number_of_queries,
        believed="The d under the root is the number of queries.",
        says="You divide the scores by the root of the number of queries. With one query you "
        "divide by 1, and each further query makes all the weights flatter.",
        hints=(
            "Should the weights of a query change because another one asks too?",
            "You take a size of axis -2. Which axis do query and key share?",
            "The width under the root is the last size of `query`.",
        ),
    ),
    Misconception(
        name="root-of-axis-1",
        answer=code.root_of_axis_1,
        believed="The width is axis 1.",
        says="You divide by the root of query.shape[1]. That is the width of a matrix (q, d); with "
        "axes in front it is the number of queries, or of heads.",
        hints=(
            "What is query.shape[1] for a query of shape (2, 3, 5, 7)?",
            "The width is the last axis, however many axes come before it.",
        ),
    ),
    Misconception(
        name="axes-0-and-1",
        answer=code.axes_0_and_1,
        believed="The two axes of a matrix are 0 and 1, so these are the ones to swap.",
        says="You exchange axes 0 and 1 of the keys. In a matrix these are positions and features; "
        "with axes in front they are not, and key.transpose(0, 1) moves the batch.",
        hints=(
            "What does transpose(0, 1) make of a key of shape (2, 3, 4)?",
            "Batch axes stay where they are. Only the last two change places.",
        ),
    ),
    Misconception(
        name="scaled-after-softmax",
        answer=code.scaled_after_softmax,
        believed="It does not matter whether one scales before or after the softmax.",
        says="With one token, whose weight is 1, your output is the value divided by √d: your "
        "weights sum to 1 / √d.",
        hints=(
            "With one key, what is its weight? What do you multiply its value by?",
            "The root of d belongs to the scores. Where do you divide?",
            "Divide before the softmax, and leave the weights as the softmax gives them.",
        ),
    ),
    Misconception(
        name="over-queries",
        answer=code.over_queries,
        believed="Softmax runs over the queries.",
        says="This is what attention gives when softmax runs over the queries: with a single query "
        "all your weights are 1, so your output is the sum of all values.",
        hints=(
            "With one query and two equal keys, what should the output be? Yours is twice that.",
            "Print the sums of your weights along the last axis. They should all be one. Along"
            " which axis are yours?",
            "Use dim=-1 in the softmax.",
        ),
    ),
    Misconception(
        name="over-all-pairs",
        answer=code.over_all_pairs,
        variants=(code.over_all_pairs_of_a_batch,),
        believed="A softmax shares out 1 among all scores.",
        says="Your softmax runs over all pairs of a query and a key at once, so that the weights "
        "of all queries together sum to 1. The weights of each query should sum to 1.",
        hints=(
            "Put ones into value. What should each query get back, and what does it get?",
            "Print the sums of your weights along the last axis. They should all be one.",
            "Use dim=-1 in the softmax, on scores of shape (…, q, k).",
        ),
    ),
    Misconception(
        name="axis-1",
        answer=code.axis_1,
        believed="The keys are axis 1.",
        says="Your softmax runs over axis 1. In the scores of a single sequence that is the keys; "
        "with axes in front it is the queries, or the heads.",
        hints=(
            "What is axis 1 of a tensor of shape (b, h, q, k)?",
            "Which number names the last axis, however many there are?",
            "Use dim=-1 in the softmax.",
        ),
    ),
    Misconception(
        name="average-of-keys",
        answer=code.average_of_keys,
        believed="A query gets an average of the keys that it matches.",
        says="With one token your output equals its key, not its value: you average the keys, and "
        "the values have no effect.",
        hints=(
            "Which of your three arguments does your code not use?",
            "Keys decide the weights. Which tensor is averaged?",
            "The last product is weights @ value.",
        ),
    ),
    Misconception(
        name="no-softmax",
        answer=code.no_softmax,
        believed="The scaled scores are the weights.",
        says="With one token your output is not its value but the value times the score: your "
        "weights may be negative, and they do not sum to 1.",
        hints=(
            "With a single key, what must its weight be, whatever its score?",
            "Between scaling and averaging a step is missing.",
            "Take the softmax of the scores over the last axis, then multiply by the values.",
        ),
    ),
    Misconception(
        name="best-key-only",
        answer=code.best_key_only,
        believed="A query gets the value of its best key.",
        says="Each row of your output is exactly one of the values. With two equal keys you return "
        "the first value, not the average of the two.",
        hints=(
            "Two keys match equally well. Should the second be ignored?",
            "A choice cannot be trained by gradients. What is the soft form of a choice?",
            "Take the softmax of the scaled scores and multiply it by the values.",
        ),
    ),
    Misconception(
        name="causal-unasked",
        answer=code.causal,
        believed="Attention never looks ahead.",
        says="Query 0 brings back the first value, whatever the keys are: you hide later keys, "
        "though nothing asks for it.",
        hints=(
            "What does the first query of yours bring back?",
            "The formula has no mask.",
            "Leave the mask out.",
        ),
    ),
    Misconception(
        name="multiplied-by-the-root",
        answer=code.multiplied,
        believed="The root of d makes scores larger.",
        says="Your outputs lean further towards the best key than without any scale: you "
        "multiply by √d, and the scores are to be divided by it.",
        hints=(
            "With width 1 your output is right. Which number is its own inverse?",
            "Dot products of wide vectors are large already.",
            "Divide.",
        ),
    ),
    Misconception(
        name="scaled-twice",
        answer=code.scaled_twice,
        believed="Everything is divided by √d.",
        says="You divide by √d twice: first the scores, as you should, and then the weights, which "
        "sum to 1 / √d.",
        hints=(
            "With one token, is your output its value?",
            "The root belongs to the scores only.",
            "Leave the weights as softmax gives them.",
        ),
    ),
    Misconception(
        name="sum-not-divided",
        answer=code.sum_not_divided,
        believed="The best key has weight 1.",
        says="Your best key has the weight 1, and the other weights are added to it: you do not "
        "divide the weights by their sum.",
        hints=(
            "What do your weights of a row sum to?",
            "Subtracting the maximum changes no ratio; it does not make the sum 1.",
            "Divide by the sum, or use torch.softmax.",
        ),
    ),
    Misconception(
        name="no-maximum",
        kind="corner",
        answer=code.no_maximum,
        believed="exp of any score is finite.",
        says="For large scores your output is nan: exp overflows.",
        hints=(
            "Which score is too large for exp in float32?",
            "torch.softmax subtracts the largest score first.",
            "Use torch.softmax, or subtract the row's maximum.",
        ),
    ),
    Misconception(
        name="queries-among-themselves",
        answer=code.scores_of_self,
        believed="Queries are compared with each other.",
        says="Your output does not change when the keys do, or your shapes clash: you score "
        "queries against queries.",
        hints=(
            "Which of your arguments is not used?",
            "Scores are for pairs of a query and a key.",
            "Multiply the queries with the keys.",
        ),
    ),
    Misconception(
        name="whole-number-root",
        answer=code.whole_root,
        variants=(code.rounded_root,),
        believed="A root of a whole number is a whole number.",
        says="You divide the scores by a whole number, the root of d without its fraction or "
        "rounded. That is √d only for widths such as 1, 4, 9 and 16.",
        hints=(
            "What do you divide by where d is 2 or 3?",
            "math.isqrt and int drop the digits after the point.",
            "Use math.sqrt, or the power 0.5.",
        ),
    ),
    Misconception(
        name="cosines",
        answer=code.cosines,
        variants=(partial(code.cosines, power=0.5),),
        believed="A score is the cosine of an angle.",
        says="Your weights stay as they are when a query or a key becomes longer: you divide by "
        "the lengths of both. A dot product grows with both, and is divided by √d.",
        hints=(
            "Make a key ten times as long. What happens to its weight?",
            "The lengths of queries and keys are meant to count.",
            "Leave out the division by the lengths.",
        ),
    ),
    Misconception(
        name="sizes-of-scores",
        answer=code.sizes_of_scores,
        believed="A large score is a good match, whatever its sign.",
        says="You take the scores without their signs, so a key that points away from the query "
        "gets as much weight as one that points along it.",
        hints=(
            "Which weight gets a key with a negative score?",
            "The exponential of a negative score is small, and still above 0.",
            "Leave out abs.",
        ),
    ),
)
