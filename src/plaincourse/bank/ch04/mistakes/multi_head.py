"""How 04.multi_head goes wrong, and what is said to it."""

from plaincourse.bank.ch04.mistakes import multi_head_code as code
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    Misconception(
        name="no-output-projection",
        answer=code.no_output_projection,
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
        answer=code.root_of_m,
        believed="The width under the root is the width of the model.",
        says="Your output is right with one head and too close to the plain average with several: "
        "you divide by the root of m, while a score is a sum of d = m / h terms.",
        hints=(
            "A score of one head is a sum of how many products?",
            "After splitting, which tensor's last axis has that size?",
            "Take the width from the split queries.",
        ),
    ),
    Misconception(
        name="split-by-reshape",
        answer=code.split_by_reshape,
        believed="A reshape to (b, h, n, d) splits the heads.",
        says="Your output is right with one head. With several, your heads are pieces of the "
        "sequence and not slices of the width, because a transpose is missing when you split.",
        hints=(
            "Try one head, then two. Which step differs?",
            "Print your split of torch.arange(8).reshape(1, 2, 4) into two heads.",
            "Cut the last axis first, then exchange positions and heads.",
        ),
    ),
    Misconception(
        name="joined-without-transpose",
        answer=code.joined_without_transpose,
        believed="A reshape to (b, q, m) joins the heads.",
        says="Your weights are right; the joining is not. With several heads and several queries, "
        "your rows hold pieces of different positions.",
        hints=(
            "With a single query your output is right. Why?",
            "Before joining, which axis stands in front of the positions?",
            "Bring the heads next to the width, then flatten the two.",
        ),
    ),
    Misconception(
        name="over-the-target",
        answer=code.over_the_target,
        believed="Softmax runs over the queries.",
        says="Your weights sum to 1 over the queries. With a single query each of them is 1, and "
        "your output is the plain sum of all values.",
        hints=(
            "For one query, what should its weights sum to?",
            "Which axis of (b, h, q, k) is divided among?",
            "Softmax over the keys, the last axis.",
        ),
    ),
    Misconception(
        name="memory-ignored",
        answer=code.memory_ignored,
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
        answer=code.roles_swapped,
        believed="The memory asks and x is looked at.",
        says="You return a row for each position of the memory. x asks, so the output has the "
        "length of x.",
        hints=(
            "How many rows has your output where x and memory differ in length?",
            "Rows are queries. Who asks?",
            "Queries from x; keys and values from memory.",
        ),
    ),
    Misconception(
        name="mask-ignored",
        answer=code.mask_ignored,
        believed="The mask may be left out.",
        says="Your output is right as long as the mask is all True, and does not change when the "
        "mask does.",
        hints=(
            "Change the mask. Does your output move?",
            "Which scores must become minus infinity before the softmax?",
            "Give the mask an axis for the heads, and fill where it is False.",
        ),
    ),
    Misconception(
        name="mask-upside-down",
        answer=code.mask_upside_down,
        believed="True hides.",
        says="You hide where the mask is True. Here True means that a query may look. Where all is "
        "True you return nan.",
        hints=(
            "What should happen where the mask is all True?",
            "masked_fill fills where its argument is True.",
            "Invert the mask before filling.",
        ),
    ),
    Misconception(
        name="mask-after-softmax",
        answer=code.mask_after_softmax,
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
        answer=code.mask_without_head_axis,
        believed="A mask (b, q, k) fits scores (b, h, q, k).",
        says="Your mask meets the scores from the right, so its batch axis meets the head axis: "
        "with b = h, head r gets the mask of sequence r; otherwise shapes clash.",
        hints=(
            "Write (b, q, k) under (b, h, q, k), aligned at the right end.",
            "Which axis of the scores does the mask lack?",
            "Put an axis of size 1 behind the batch of the mask.",
        ),
    ),
)
