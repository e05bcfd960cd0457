"""How 04.multi_head goes wrong, with the messages."""

from functools import partial

from exercise_bank.ch04.mistakes.multi_head_code import layer
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    Misconception(
        name="no-output-projection",
        answer=partial(layer, slip="not projected"),
        believed="The heads side by side are the output.",
        says="Your output does not change when w_output does: the heads are put side by side and "
        "never mixed.",
        hints=(
            "Which of the four matrices does your code not use?",
            "Component 0 of your output comes from head 0 alone. What should mix the heads?",
            "Multiply the joined heads by the fourth matrix.",
        ),
    ),
    Misconception(
        name="root-of-m",
        answer=partial(layer, slip="root of m"),
        believed="The width under the root is the width of the model.",
        says="You divide by the root of m, the width of the model. A score is a sum of d = m / h "
        "terms, so with several heads your weights are too even.",
        hints=(
            "A score of one head is a sum of how many products?",
            "After splitting, which tensor's last axis has that size?",
            "Take the width from the split queries.",
        ),
    ),
    Misconception(
        name="split-by-reshape",
        answer=partial(layer, slip="split by reshape"),
        believed="A reshape to (b, h, n, d) splits the heads.",
        says="With several heads, your heads are pieces of the sequence and not slices of the "
        "width: a transpose is missing when you split.",
        hints=(
            "Try one head, then two. Which step differs?",
            "Print your split of torch.arange(8).reshape(1, 2, 4) into two heads.",
            "Cut the last axis first, then exchange positions and heads.",
        ),
    ),
    Misconception(
        name="joined-without-transpose",
        answer=partial(layer, slip="joined without transpose"),
        believed="A reshape to (b, q, m) joins the heads.",
        says="You join the heads while their axis is still in front of the positions. With several "
        "heads and several queries, your rows then hold pieces of different positions.",
        hints=(
            "With a single query your output is right. Why?",
            "Before joining, which axis comes before the positions?",
            "Bring the heads next to the width, then flatten the two.",
        ),
    ),
    Misconception(
        name="over-the-target",
        answer=partial(layer, slip="over queries"),
        variants=(partial(layer, slip="over queries", low=-1e9),),
        believed="Softmax runs over the queries.",
        says="Your weights sum to 1 over the queries. With a single query and nothing hidden each "
        "of them is 1, and your output is the plain sum of all values.",
        hints=(
            "For one query, what should its weights sum to?",
            "Which axis of (b, h, q, k) is divided among?",
            "Softmax over the keys, the last axis.",
        ),
    ),
    Misconception(
        name="memory-ignored",
        answer=partial(layer, slip="memory ignored"),
        believed="Queries, keys and values all come from x.",
        says="Your output does not depend on the memory, or you fail where it has another length "
        "than x: you attend from x to itself.",
        hints=(
            "Which of your arguments is not used?",
            "Who asks, and who is looked at?",
            "Keys and values are made from the memory.",
        ),
    ),
    Misconception(
        name="roles-swapped",
        answer=partial(layer, slip="roles swapped"),
        variants=(partial(layer, slip="roles swapped", low=-1e9),),
        believed="Queries come from the memory, keys and values from x.",
        says="You return a row for each position of the memory. Queries come from x, so the output "
        "has the length of x.",
        hints=(
            "How many rows has your output where x and memory differ in length?",
            "Rows are queries. Who asks?",
            "Queries from x; keys and values from memory.",
        ),
    ),
    Misconception(
        name="mask-ignored",
        answer=partial(layer, slip="mask ignored"),
        believed="The mask may be left out.",
        says="Your output does not change when the mask does.",
        hints=(
            "Change the mask. Does your output move?",
            "Which scores must become minus infinity before the softmax?",
            "Give the mask an axis for the heads, and fill where it is False.",
        ),
    ),
    Misconception(
        name="mask-upside-down",
        answer=partial(layer, slip="upside down"),
        variants=(partial(layer, slip="upside down", low=-1e9),),
        believed="True hides.",
        says="You hide keys for which the mask is True. Here True means that a key is open. Where "
        "all is True you hide every key, which gives nan or a plain average.",
        hints=(
            "What should happen where the mask is all True?",
            "masked_fill fills where its argument is True.",
            "Invert the mask before filling.",
        ),
    ),
    Misconception(
        name="mask-after-softmax",
        answer=partial(layer, slip="after softmax"),
        believed="Setting weights to zero hides a key.",
        says="Where something is hidden, your weights no longer sum to 1: hidden keys have taken "
        "their share before you remove them.",
        hints=(
            "What do your weights of a masked row sum to?",
            "When does a hidden key take part in the sum of the softmax?",
            "Fill the scores with minus infinity, before the softmax.",
        ),
    ),
    Misconception(
        name="mask-without-head-axis",
        answer=partial(layer, slip="no head axis"),
        believed="A mask (b, q, k) fits scores (b, h, q, k).",
        says="Broadcasting aligns the axes of your mask with the last ones of the scores, so its "
        "batch axis meets the head axis. With b = h > 1, head r gets the mask of sequence r; "
        "with other b > 1 and h > 1, the shapes clash.",
        hints=(
            "Write (b, q, k) under (b, h, q, k), aligned at the right end.",
            "Which axis of the scores does the mask lack?",
            "Put an axis of size 1 behind the batch of the mask.",
        ),
    ),
    Misconception(
        name="transposed-projections",
        answer=partial(layer, slip="transposed"),
        believed="Matrices are stored as nn.Linear stores them.",
        says="You multiply by the transposes of the matrices. Here queries are x @ w_query, "
        "without a transpose, and so on for all four.",
        hints=(
            "With m = 1 your output is right. What can a transpose not change there?",
            "nn.Linear computes x @ weight.T. How does this task apply its matrices?",
            "Multiply from the right, without a transpose.",
        ),
    ),
    Misconception(
        name="output-transposed",
        answer=partial(layer, slip="output transposed"),
        believed="The last matrix is applied from the other side.",
        says="You multiply the joined heads by the transpose of w_output. Only where w_output is "
        "symmetric does that make no difference.",
        hints=(
            "Where w_output is the identity, is your output right?",
            "Row r·d of w_output belongs to the first component of head r.",
            "Multiply the joined heads by w_output itself.",
        ),
    ),
    Misconception(
        name="root-of-q",
        answer=partial(layer, slip="root of q"),
        believed="The width is the axis before the last.",
        says="You divide the scores by the root of the number of queries. With one query they are "
        "not divided at all.",
        hints=(
            "Does your output for one query change when you add a second one?",
            "Which axis of (b, h, q, d) is the width of a head?",
            "Take the last axis under the root.",
        ),
    ),
    Misconception(
        name="no-scale",
        answer=partial(layer, slip="no scale"),
        believed="Scores are dot products.",
        says="Your scores are not divided by the root of d, so your weights are too sharp wherever "
        "a head is wider than 1.",
        hints=(
            "With heads of width 1 your output is right. What is 1 there?",
            "How does a sum of d products grow with d?",
            "Divide by the root of the head's width.",
        ),
    ),
    Misconception(
        name="divided-by-d",
        answer=partial(layer, slip="no root"),
        believed="Scores are divided by the width.",
        says="You divide by d and not by its root: your weights are too even wherever a head is "
        "wider than 1.",
        hints=(
            "With heads of width 1 your output is right. Which numbers are their own root?",
            "The standard deviation of a sum grows with the root of its length.",
            "Take the root of the width.",
        ),
    ),
    Misconception(
        name="multiplied-by-the-root",
        answer=partial(layer, slip="multiplied"),
        believed="The root of d makes scores larger.",
        says="You multiply the scores by the root of d, which makes your weights sharper; they are "
        "to be divided by it.",
        hints=(
            "Are your weights nearer to 0 and 1 than they should be?",
            "Scores of wide heads are large already.",
            "Divide.",
        ),
    ),
    Misconception(
        name="causal-unasked",
        answer=partial(layer, slip="causal"),
        believed="Attention never looks ahead.",
        says="You hide later positions, though the mask does not. It alone decides which keys are "
        "open, and x and memory may be two texts.",
        hints=(
            "May the first query look at the last position of the memory? What is the mask there?",
            "Where the mask is all True, everything is seen.",
            "Use the mask that you are given, and no other.",
        ),
    ),
    Misconception(
        name="keys-averaged",
        answer=partial(layer, slip="keys averaged"),
        believed="A query gets back the keys.",
        says="Your output does not depend on w_value: you average the keys.",
        hints=(
            "Which of the four matrices does your code not use?",
            "Keys decide the weights. What is averaged?",
            "Make values from the memory with w_value.",
        ),
    ),
    Misconception(
        name="over-the-heads",
        answer=partial(layer, slip="over heads"),
        believed="The second axis is that of the keys.",
        says="Your weights sum to 1 over the heads; with a single head and nothing hidden each of "
        "them is 1, and your output is a plain sum.",
        hints=(
            "With one head and two keys, what are your weights?",
            "Which axis of (b, h, q, k) is divided among?",
            "Softmax over the keys, the last axis.",
        ),
    ),
    Misconception(
        name="zero-for-hidden",
        answer=partial(layer, slip="zero"),
        believed="A score of 0 means a weight of 0.",
        says="You give hidden positions the score 0. exp(0) is 1, so they still get weight.",
        hints=(
            "What weight does your hidden position get where all scores are equal?",
            "Which score becomes 0 in exp?",
            "Fill with minus infinity.",
        ),
    ),
    Misconception(
        name="every-hth-component",
        answer=partial(layer, slip="every h-th"),
        believed="Head r holds every h-th component.",
        says="Your heads hold components 0, h, 2h, … of the width. Here head r owns the columns "
        "from r·d to (r + 1)·d. With one head, or heads of width 1, the two are the same.",
        hints=(
            "Which components does your head 0 hold of a width of 6, with two heads?",
            "In which order are the two new axes when you cut the last one?",
            "The last axis is h blocks of d numbers.",
        ),
    ),
    Misconception(
        name="first-mask-for-all",
        answer=partial(layer, slip="first mask for all"),
        believed="The sequences of a batch share a mask.",
        says="Every sequence gets the mask of the first one.",
        hints=(
            "What happens to your output when mask[1] changes?",
            "The mask has a batch axis of its own.",
            "Keep all of it, and put an axis for the heads behind the batch.",
        ),
    ),
    Misconception(
        name="masks-out-of-step",
        answer=partial(layer, slip="masks out of step"),
        believed="A mask that is repeated for the heads meets them in any order.",
        says="You repeat the masks of the batch in turn, while all heads of a sequence come "
        "together: head 1 of sequence 0 gets the mask of another sequence.",
        hints=(
            "With b = 2 and h = 2, write down in which order your four masks and your four heads "
            "come.",
            "`repeat` gives 0, 1, 0, 1; heads of a folded batch come as 0, 0, 1, 1.",
            "Repeat each mask h times before the next one comes, or keep the head axis apart.",
        ),
        variants=(partial(layer, slip="masks out of step", low=-1e9),),
    ),
    Misconception(
        name="root-of-h",
        answer=partial(layer, slip="root of h"),
        believed="The scale grows with the number of heads.",
        says="You divide the scores by the root of the number of heads. A score is a sum of d "
        "products, however many heads there are.",
        hints=(
            "With two heads of width 2 your output is right. Which two numbers are equal there?",
            "Which axis of (b, h, q, d) do queries and keys share?",
            "Take the last axis under the root.",
        ),
    ),
    Misconception(
        name="whole-number-root",
        answer=partial(layer, slip="whole root"),
        believed="A root of a whole number is a whole number.",
        says="You divide the scores by the root of d without its fraction. That is √d only for "
        "widths such as 1, 4, 9 and 16.",
        hints=(
            "What do you divide by where d is 2 or 3?",
            "math.isqrt and int leave out the digits after the point.",
            "Use math.sqrt(d) or d ** 0.5.",
        ),
    ),
    Misconception(
        name="mask-added",
        answer=partial(layer, slip="added"),
        believed="Adding a mask to the scores hides.",
        says="You add the mask itself to the scores, 1 for True and 0 for False. Hidden keys keep "
        "a weight, only a smaller one.",
        hints=(
            "What weight does your hidden position get where all scores are equal?",
            "Which score becomes 0 in exp?",
            "Fill with minus infinity where the mask is False.",
        ),
    ),
    Misconception(
        name="multiplied-by-the-mask",
        answer=partial(layer, slip="multiplied by the mask"),
        believed="A score of 0 means a weight of 0.",
        says="In your softmax a hidden key has the score 0, as if you multiplied the scores by the "
        "mask, and takes a share. You set that to 0 afterwards: the weights no longer sum to 1.",
        hints=(
            "What do your weights of a masked row sum to?",
            "Which score becomes 0 in exp?",
            "Fill the scores with minus infinity, before the softmax.",
        ),
    ),
    Misconception(
        name="bare-exp",
        answer=partial(layer, slip="bare exp"),
        believed="A softmax is exp over the sum of exp.",
        kind="form",
        says="You return nan for scores far from 0. If you take exp of the scores as they are: in "
        "float32 it is infinite above 88, and inf / inf is nan; where all scores of a row are "
        "below -104 it is 0, and 0 / 0 is nan, too.",
        hints=(
            "Print torch.exp(torch.tensor(100.0)).",
            "A softmax does not change when the same number is taken off all scores of a row.",
            "Use torch.softmax, or take the largest score of each row off first.",
        ),
    ),
    Misconception(
        name="heads-share-weights",
        answer=partial(layer, slip="shared weights"),
        believed="The heads differ in their values alone.",
        says="All your heads have the same weights: each of your scores is a sum over the whole "
        "width. A head scores with its own part of queries and keys.",
        hints=(
            "How many sets of weights does your layer have for a sequence?",
            "Queries and keys are split into heads, as values are.",
            "Scores have the shape (b, h, q, k).",
        ),
    ),
)
