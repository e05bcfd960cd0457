"""How 04.split_heads goes wrong."""

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def no_transpose_needed(x: Tensor, n_heads: int) -> Tensor:
    b, n, width = x.shape
    return x.reshape(b, n_heads, n, width // n_heads)


def transpose_forgotten(x: Tensor, n_heads: int) -> Tensor:
    b, n, width = x.shape
    return x.reshape(b, n, n_heads, width // n_heads)


def every_hth_number(x: Tensor, n_heads: int) -> Tensor:
    b, n, width = x.shape
    return x.reshape(b, n, width // n_heads, n_heads).permute(0, 3, 1, 2)


def heads_in_front(x: Tensor, n_heads: int) -> Tensor:
    return torch.stack(x.chunk(n_heads, dim=-1), dim=0)


def sequences_mixed(x: Tensor, n_heads: int) -> Tensor:
    b, n, width = x.shape
    return torch.stack(x.chunk(n_heads, dim=-1)).reshape(b, n_heads, n, width // n_heads)


def positions_last(x: Tensor, n_heads: int) -> Tensor:
    b, n, width = x.shape
    return x.reshape(b, n, n_heads, width // n_heads).permute(0, 2, 3, 1)


def width_for_heads(x: Tensor, n_heads: int) -> Tensor:
    b, n, width = x.shape
    return x.reshape(b, n, width // n_heads, n_heads).transpose(1, 2)


def whole_width_each(x: Tensor, n_heads: int) -> Tensor:
    return x.unsqueeze(1).repeat(1, n_heads, 1, 1)


def heads_backwards(x: Tensor, n_heads: int) -> Tensor:
    return torch.stack(x.chunk(n_heads, dim=-1)[::-1], dim=1)


def first_sequence_only(x: Tensor, n_heads: int) -> Tensor:
    return torch.stack(x[:1].expand_as(x).chunk(n_heads, dim=-1), dim=1)


def list_of_heads(x: Tensor, n_heads: int) -> tuple[Tensor, ...]:
    return x.chunk(n_heads, dim=-1)


def heads_side_by_side(x: Tensor, n_heads: int) -> Tensor:
    return torch.stack(x.chunk(n_heads, dim=-1), dim=1).flatten(0, 1)


MISCONCEPTIONS = (
    Misconception(
        name="no-transpose-needed",
        answer=no_transpose_needed,
        believed="A reshape to the final shape puts every number in its place.",
        says="Your head 0 holds the first numbers of "
        "the sequence in the order in which they lie in memory, so one position gives it several "
        "rows.",
        hints=(
            "With 2 positions and 2 heads: does your head 0 hold anything of position 1?",
            "A reshape never moves numbers. Which order of axes fits the memory of x?",
            "Cut the last axis in two first; then exchange two axes.",
        ),
    ),
    Misconception(
        name="transpose-forgotten",
        answer=transpose_forgotten,
        believed="Heads are cut from the last axis, and that is all.",
        says="Your axes are (b, n, h, d): positions come before heads. Attention on the last two "
        "axes would then compare the heads of one position with each other.",
        hints=(
            "Which axes does attention act on, and which does it carry along?",
            "Heads belong with the batch, in front of the positions.",
            "Exchange axes 1 and 2.",
        ),
    ),
    Misconception(
        name="every-hth-number",
        answer=every_hth_number,
        believed="Head r holds every h-th number.",
        says="Your head 0 holds components 0, h, 2h, … of each position. Heads are blocks: head 0 "
        "holds the first d components.",
        hints=(
            "With width 6 and 2 heads, which three numbers are in your head 0?",
            "In which order are the two new axes when you cut the last one?",
            "The last axis is h blocks of d numbers, not d blocks of h.",
        ),
    ),
    Misconception(
        name="heads-in-front",
        answer=heads_in_front,
        believed="The head axis comes first of all.",
        says="Your axes are (h, b, n, d). The layout of the course, and of PyTorch, has the batch "
        "first: (b, h, n, d).",
        hints=(
            "What is the size of axis 0 of your result for a batch of 3?",
            "Which axis of x is the batch?",
            "Put the new axis behind the batch.",
        ),
    ),
    Misconception(
        name="sequences-mixed",
        answer=sequences_mixed,
        believed="A reshape puts the batch in front.",
        kind="form",
        says="One sequence comes out right. With several, you put heads of another sequence into "
        "the places of the first: a reshape does not swap axes.",
        hints=(
            "Which axis comes first before your reshape, batch or heads?",
            "Number the entries of a small batch with torch.arange. Where do they go?",
            "Swap the axes of batch and heads with transpose, or stack along axis 1.",
        ),
    ),
    Misconception(
        name="positions-last",
        answer=positions_last,
        believed="Heads are to be transposed for the product with the queries.",
        says="Your last two axes are (d, n). The scores need the keys in that layout. Here each "
        "position is to be a row.",
        hints=(
            "Is a position a row or a column of your heads?",
            "The transpose of the keys belongs to the scores, later.",
            "End with (n, d).",
        ),
    ),
    Misconception(
        name="width-for-heads",
        answer=width_for_heads,
        believed="The last axis is cut into d parts of size h.",
        says="You have as many heads as a head should be wide, and each is as wide as there should "
        "be heads: your axes are (b, d, n, h).",
        hints=(
            "With width 6 and 2 heads, how many heads do you return?",
            "Which of the two new axes must have size n_heads?",
            "Cut the width into the heads first, and into the width of a head second.",
        ),
    ),
    Misconception(
        name="whole-width-each",
        answer=whole_width_each,
        believed="Each head gets the whole width.",
        says="Each of your heads is as wide as x, such as a copy of it. Heads share the width: "
        "each gets a part, and no two the same.",
        hints=(
            "How many numbers go in, and how many come out?",
            "Splitting copies nothing.",
            "Each head has width // n_heads numbers of each position.",
        ),
    ),
    Misconception(
        name="heads-backwards",
        answer=heads_backwards,
        believed="The last block is the first head.",
        says="Your head 0 holds the last d components of every position. Head 0 holds the first d.",
        hints=(
            "With width 4 and 2 heads, which two numbers are in your head 0?",
            "Blocks are numbered from the left.",
        ),
    ),
    Misconception(
        name="first-sequence-only",
        answer=first_sequence_only,
        believed="There is one sequence.",
        says="You return the heads of the first sequence for the whole batch.",
        hints=(
            "What does your output do when x[1] changes?",
            "Every sequence is cut in the same way.",
            "Keep the batch axis through every step.",
        ),
    ),
    Misconception(
        name="list-of-heads",
        kind="form",
        answer=list_of_heads,
        believed="Several heads are a list.",
        says="You return several tensors. The task asks for one, with an axis for the heads.",
        hints=(
            "What is the type of your result?",
            "torch.stack makes one tensor of many, with a new axis.",
            "Stack along axis 1.",
        ),
    ),
    Misconception(
        name="heads-side-by-side",
        answer=heads_side_by_side,
        believed="Attention carries along a single batch axis.",
        says="You merge batch and heads into one axis. The task asks for four axes: (b, h, n, d).",
        hints=(
            "How many axes has your output?",
            "Which two of the four axes are one in yours?",
            "Leave the head axis apart from the batch.",
        ),
    ),
)
