"""How 05.to_halves goes wrong."""

import torch
from torch import Tensor

from exercise_bank.skills import said
from plaincourse.exercise import Misconception


def to_pairs(weight: Tensor, n_heads: int) -> Tensor:
    rows, m = weight.shape
    halves = weight.reshape(n_heads, 2, rows // n_heads // 2, m)
    return halves.transpose(1, 2).reshape(rows, m)


def written_into(weight: Tensor, n_heads: int) -> Tensor:
    d = len(weight) // n_heads
    for head in range(n_heads):
        rows = weight[head * d : (head + 1) * d]
        rows[:] = torch.cat([rows[0::2], rows[1::2]])
    return weight


def heads_ignored(weight: Tensor, n_heads: int) -> Tensor:
    return torch.cat([weight[0::2], weight[1::2]])


def columns(weight: Tensor, n_heads: int) -> Tensor:
    m = weight.shape[1]
    order = torch.cat([torch.arange(0, m, 2), torch.arange(1, m, 2)])
    return weight[:, order]


def no_transpose(weight: Tensor, n_heads: int) -> Tensor:
    rows, m = weight.shape
    return weight.reshape(n_heads, rows // n_heads // 2, 2, m).reshape(rows, m)


def odds_first(weight: Tensor, n_heads: int) -> Tensor:
    return torch.cat([torch.cat([w[1::2], w[0::2]]) for w in weight.chunk(n_heads)])


def heads_last(weight: Tensor, n_heads: int) -> Tensor:
    rows, m = weight.shape
    planes = weight.reshape(rows // n_heads // 2, 2, n_heads, m)
    return planes.transpose(0, 1).reshape(rows, m)


def halves_swapped(weight: Tensor, n_heads: int) -> Tensor:
    return torch.cat([torch.cat(w.chunk(2)[::-1]) for w in weight.chunk(n_heads)])


def first_head_only(weight: Tensor, n_heads: int) -> Tensor:
    d = len(weight) // n_heads
    return torch.cat([weight[0:d:2], weight[1:d:2], weight[d:]])


def groups_of_four(weight: Tensor, n_heads: int) -> Tensor:
    order = list(range(len(weight)))
    for i in range(0, len(weight) - 3, 4):
        order[i + 1], order[i + 2] = order[i + 2], order[i + 1]
    return weight[order]


def neighbours_swapped(weight: Tensor, n_heads: int) -> Tensor:
    rows, m = weight.shape
    return weight.reshape(-1, 2, m).flip(1).reshape(rows, m)


def backwards_behind(weight: Tensor, n_heads: int) -> Tensor:
    return torch.cat([torch.cat([w[0::2], w[1::2].flip(0)]) for w in weight.chunk(n_heads)])


def with_a_sign(weight: Tensor, n_heads: int) -> Tensor:
    return torch.cat([torch.cat([w[0::2], -w[1::2]]) for w in weight.chunk(n_heads)])


def heads_of_the_width(weight: Tensor, n_heads: int) -> Tensor:
    d = max(2, weight.shape[1] // n_heads)
    return torch.cat([torch.cat([w[0::2], w[1::2]]) for w in weight.split(d)])


def odds_first_through_all(weight: Tensor, n_heads: int) -> Tensor:
    return torch.cat([weight[1::2], weight[0::2]])


def to_pairs_through_all(weight: Tensor, n_heads: int) -> Tensor:
    rows, m = weight.shape
    return weight.reshape(2, rows // 2, m).transpose(0, 1).reshape(rows, m)


def odds_first_to_pairs(weight: Tensor, n_heads: int) -> Tensor:
    rows, m = weight.shape
    halves = weight.reshape(n_heads, 2, rows // n_heads // 2, m).flip(1)
    return halves.transpose(1, 2).reshape(rows, m)


def heads_in_the_middle(weight: Tensor, n_heads: int) -> Tensor:
    rows, m = weight.shape
    planes = weight.reshape(rows // n_heads // 2, n_heads, 2, m)
    return planes.permute(1, 2, 0, 3).reshape(rows, m)


def heads_for_members(weight: Tensor, n_heads: int) -> Tensor:
    rows, m = weight.shape
    return weight.reshape(n_heads, rows // n_heads // 2, 2, m).transpose(0, 2).reshape(rows, m)


def pieces_of_n_heads(weight: Tensor, n_heads: int) -> Tensor:
    return torch.cat([torch.cat([w[0::2], w[1::2]]) for w in weight.split(n_heads)])


def odd_pieces_of_n_heads(weight: Tensor, n_heads: int) -> Tensor:
    return torch.cat([torch.cat([w[1::2], w[0::2]]) for w in weight.split(n_heads)])


def not_joined(weight: Tensor, n_heads: int) -> Tensor:
    rows, m = weight.shape
    return weight.reshape(n_heads, rows // n_heads // 2, 2, m).transpose(1, 2)


def joined_in_heads(weight: Tensor, n_heads: int) -> Tensor:
    return not_joined(weight, n_heads).flatten(1, 2)


def from_the_end(weight: Tensor, n_heads: int) -> Tensor:
    return torch.cat([w.flip(0) for w in weight.chunk(n_heads)])


MISCONCEPTIONS = (
    Misconception(
        name="to-pairs",
        answer=to_pairs,
        believed="Halves are where the weight comes from.",
        says="You go the other way: yours makes pairs from halves. It undoes what is asked for. "
        "(With four rows a head, both directions are the same.)",
        hints=(
            "Number the rows 0 to 5. Yours puts row 3 second. Which should be second?",
            "Rows 0 and 1 are one plane. Where should row 1 go?",
            "Even rows first.",
        ),
    ),
    Misconception(
        name="heads-ignored",
        answer=heads_ignored,
        believed="The order is that of the whole width.",
        says="With one head yours is right. With several, you send the even rows of all heads to "
        "the front, so that the rows of one head end up in another.",
        hints=(
            "Which rows belong to head 0 before, and which after?",
            "A head is a block of neighbouring rows, and stays one.",
            "Reorder within each block.",
        ),
    ),
    Misconception(
        name="columns",
        answer=columns,
        believed="The components are the columns of the weight.",
        says="You reorder the columns. They count what goes into the layer; the components of a "
        "query are what comes out, the rows.",
        hints=(
            "What is the shape of nn.Linear(3, 6).weight?",
            "It is (out, in).",
            "Reorder rows.",
        ),
    ),
    Misconception(
        name="no-transpose",
        answer=no_transpose,
        believed="A reshape there and back reorders.",
        says="Your weight is unchanged. Reshaping keeps the order of all numbers; between the two "
        "reshapes something has to change places.",
        hints=(
            "Compare input and output.",
            "Which two axes should change places?",
            "Planes, and the two members of a plane.",
        ),
    ),
    Misconception(
        name="odds-first",
        answer=odds_first,
        believed="Which half comes first does not matter.",
        says="You put the odd rows first. A plane would then turn the other way, since its first "
        "and second component have changed places.",
        hints=(
            "Where should row 0 go?",
            "The first component of each plane belongs into the first half.",
            "Even rows first.",
        ),
    ),
    Misconception(
        name="heads-last",
        answer=heads_last,
        believed="The heads are the innermost axis.",
        says="You split the rows with the heads behind the planes. Rows of one head stand "
        "together: the first axis of the split is the head.",
        hints=(
            "Which rows belong to head 0?",
            "The first d rows.",
            "Split into (heads, planes, 2).",
        ),
        variants=(heads_in_the_middle,),
    ),
    Misconception(
        name="halves-swapped",
        answer=halves_swapped,
        believed="Halves means that the halves change places.",
        says="You swap the two halves of each head. Neighbours are still neighbours then, and not "
        "d/2 apart.",
        hints=(
            "How far apart do the two members of plane 0 stand after your reordering?",
            "They should stand d/2 apart.",
            "Take every second row.",
        ),
    ),
    said(
        "first-head-only",
        first_head_only,
        "The rows of one head are the weight.",
        "Only your first head is reordered. The others stay in pairs.",
        "Which rows of your result have moved?",
        "Do the same to each block of d rows.",
    ),
    said(
        "groups-of-four",
        groups_of_four,
        "Rows 1 and 2 change places, then 5 and 6.",
        "You swap two rows in every four, as in the example of width 4. In a head of width 6 or 8 "
        "the first of each plane have to come before all second ones.",
        "Which rows of a head of width 8 come first?",
        "0, 2, 4, 6, and then 1, 3, 5, 7.",
    ),
    said(
        "neighbours-swapped",
        neighbours_swapped,
        "Pairs are turned round.",
        "You swap the two rows of each plane, and they stay neighbours. In halves they stand "
        "half a head apart.",
        "How far apart are rows 0 and 1 in your result?",
        "First of each plane first; then all second ones.",
    ),
    said(
        "second-half-backwards",
        backwards_behind,
        "The second half runs back.",
        "Your second half runs backwards, so plane 0 meets the partner of the last plane.",
        "Which row stands d/2 behind row 0?",
        "Both halves list their planes from 0 on.",
    ),
    said(
        "written-into-the-weight",
        written_into,
        "The weight that is given may be changed.",
        "You put the rows in their order in the weight that you were given, so whoever gave it to "
        "you has it no longer.",
        "After your function, what does the weight hold that it was called with?",
        "Write into a copy, or build a new tensor from the rows.",
        kind="form",
    ),
    said(
        "sign-turned",
        with_a_sign,
        "The second half gets the minus of the rotation.",
        "You turn the sign of the second rows. The rotation has its own minus; the weight is only "
        "reordered.",
        "Which row of the weight is your last one?",
        "No number changes.",
    ),
    said(
        "width-of-a-head-from-m",
        heads_of_the_width,
        "A head is m/h wide.",
        "You take m/h for the width of a head. The rows are h · d, and m is what goes in; the two "
        "need not be equal.",
        "How many rows has a head of a weight (12, 5) with 2 heads?",
        "Divide the number of rows by the number of heads.",
    ),
    said(
        "heads-ignored-and-odds-first",
        odds_first_through_all,
        "The order is that of the whole width, and either half may come first.",
        "You reorder the rows of all heads together, so rows of one head end up in another. And "
        "you put the odd rows first, so that each plane would turn the other way.",
        "Which rows belong to head 0 before, and which after?",
        "Reorder within each block of d rows, the even rows first.",
    ),
    said(
        "heads-ignored-and-to-pairs",
        to_pairs_through_all,
        "Halves are where the weight comes from, and there is one head.",
        "You go the other way, from halves to pairs. And you take all rows for one head, so rows "
        "of one head end up in another.",
        "With one head, where do you put row 1?",
        "Split into (heads, planes, 2), and let the last two change places.",
    ),
    said(
        "to-pairs-and-odds-first",
        odds_first_to_pairs,
        "Halves are where the weight comes from, and either half may come first.",
        "You go the other way, from halves to pairs. And you put the second component of a plane "
        "before the first, so that it would turn the other way.",
        "Number the rows 0 to 5. Which row should come first, and which second?",
        "Even rows first, then the odd ones.",
    ),
    said(
        "heads-for-members",
        heads_for_members,
        "The first and the third axis change places.",
        "With one head yours is right. With several, you let the heads and the two members of a "
        "plane change places, so rows of one head end up in another.",
        "Which rows belong to head 0 before, and which after?",
        "The heads stay the first axis.",
        "After the split into (heads, planes, 2), transpose axes 1 and 2.",
    ),
    said(
        "pieces-of-n-heads-rows",
        pieces_of_n_heads,
        "split takes the number of pieces.",
        "You cut the weight into pieces of `n_heads` rows. A head has as many rows as the weight "
        "divided by the number of heads.",
        "How many rows has a piece of yours, for a weight with 12 rows and 2 heads?",
        "torch.chunk takes the number of pieces, torch.split their length.",
        variants=(odd_pieces_of_n_heads,),
    ),
    said(
        "axes-not-joined",
        not_joined,
        "The shape of the split is the shape of the result.",
        "Your result has further axes. It is a weight again, of shape (h · d, m).",
        "What shape has your result, and what shape has `weight`?",
        "Reshape to the shape of `weight` at the end.",
        variants=(joined_in_heads,),
    ),
    said(
        "rows-backwards",
        from_the_end,
        "From pairs to halves is turning round.",
        "You reverse the rows of each head. Neighbours are still neighbours then, and not d/2 "
        "apart.",
        "How far apart do the two members of plane 0 stand in your result?",
        "Take every second row.",
    ),
)
