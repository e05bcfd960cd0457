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
        believed="The weight is in halves and should become pairs.",
        says="You reorder in the opposite direction, from halves to pairs. (With four rows per "
        "head, both directions are the same.)",
        hints=(
            "Number the rows 0 to 5. Your function puts row 3 second. Which row should be second?",
            "Rows 0 and 1 form a plane. Where should row 1 go?",
            "The even rows come first.",
        ),
    ),
    Misconception(
        name="heads-ignored",
        answer=heads_ignored,
        believed="The order is that of the whole width.",
        says="With one head, your function is right. With several, you move the even rows of all "
        "heads to the front, so rows of one head end up in another.",
        hints=(
            "Which rows belong to head 0 before your reordering, and which after it?",
            "A head is a block of neighbouring rows, and it should stay one.",
            "Reorder within each block.",
        ),
    ),
    Misconception(
        name="columns",
        answer=columns,
        believed="The components are the columns of the weight.",
        says="You reorder the columns, which belong to the input features. The components of a "
        "query are output features, so they are the rows.",
        hints=(
            "What is the shape of nn.Linear(3, 6).weight?",
            "It is (out, in).",
            "Reorder rows.",
        ),
    ),
    Misconception(
        name="no-transpose",
        answer=no_transpose,
        believed="Reshaping there and back changes the order.",
        says="Your weight is unchanged. Reshaping alone keeps the order of all numbers, so between "
        "two reshapes, two axes have to change places.",
        hints=(
            "Compare input and output.",
            "Which two axes should change places?",
            "Exchange the axis of planes and the axis of the two members of a plane.",
        ),
    ),
    Misconception(
        name="odds-first",
        answer=odds_first,
        believed="Which half comes first does not matter.",
        says="You put the odd rows first. This exchanges the first and second component of each "
        "plane, so it would turn in the opposite direction.",
        hints=(
            "Where should row 0 go?",
            "The first component of each plane belongs in the first half.",
            "The even rows come first.",
        ),
    ),
    Misconception(
        name="heads-last",
        answer=heads_last,
        believed="The heads are the innermost axis.",
        says="You split the rows with the heads behind the planes. But the rows of one head are "
        "neighbours, so the first axis of the split is the heads.",
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
        believed="To make halves, the two halves of a head change places.",
        says="You swap the two halves of each head. The two rows of a plane then remain "
        "neighbours, but they should be d/2 apart.",
        hints=(
            "How far apart are the two members of plane 0 after your reordering?",
            "They should be d/2 apart.",
            "Take every second row.",
        ),
    ),
    said(
        "first-head-only",
        first_head_only,
        "The weight has one head.",
        "You reorder the first head only, and the others stay in pairs.",
        "Which rows of your result have moved?",
        "Do the same to each block of d rows.",
    ),
    said(
        "groups-of-four",
        groups_of_four,
        "Rows 1 and 2 change places, and then rows 5 and 6.",
        "You swap two rows in every four, as in the example of width 4. In a head of width 6 or 8, "
        "the first rows of all planes have to come before the second ones.",
        "Which rows of a head of width 8 come first?",
        "The order is 0, 2, 4, 6, and then 1, 3, 5, 7.",
    ),
    said(
        "neighbours-swapped",
        neighbours_swapped,
        "The two rows of a pair change places.",
        "You swap the two rows of each plane, so they remain neighbours. In halves they are half a "
        "head apart.",
        "How far apart are rows 0 and 1 in your result?",
        "List the first row of each plane, and then the second row of each plane.",
    ),
    said(
        "second-half-backwards",
        backwards_behind,
        "The second half is in reverse order.",
        "Your second half is in reverse order, so the first row of plane 0 is paired with the "
        "second row of the last plane.",
        "Which row is d/2 places behind row 0?",
        "Both halves should list the planes from 0 on.",
    ),
    said(
        "written-into-the-weight",
        written_into,
        "The function may change its argument.",
        "You reorder the rows in place, in the weight that is your argument. The caller then no "
        "longer has the original weight.",
        "Which numbers does the argument contain after a call of your function?",
        "Write into a copy, or build a new tensor from the rows.",
        kind="form",
    ),
    said(
        "sign-turned",
        with_a_sign,
        "The second half gets the minus sign of the rotation.",
        "You change the sign of the second rows. The rotation has its own minus sign, so the "
        "weight should only be reordered.",
        "Which row of the weight should your last one equal?",
        "No number of the weight changes.",
    ),
    said(
        "width-of-a-head-from-m",
        heads_of_the_width,
        "A head has width m/h.",
        "You use m/h as the width of a head. But m is the number of input features, and the weight "
        "has h · d rows, which may be a different number.",
        "For a weight of shape (12, 5) with 2 heads, how many rows does a head have?",
        "Divide the number of rows by the number of heads.",
    ),
    said(
        "heads-ignored-and-odds-first",
        odds_first_through_all,
        "The order is that of the whole width, and either half may be first.",
        "You reorder the rows of all heads together, so rows of one head end up in another. You "
        "also put the odd rows first, so each plane would turn in the opposite direction.",
        "Which rows belong to head 0 before your reordering, and which after it?",
        "Reorder within each block of d rows, the even rows first.",
    ),
    said(
        "heads-ignored-and-to-pairs",
        to_pairs_through_all,
        "The weight is in halves, and there is one head.",
        "You reorder in the opposite direction, from halves to pairs. You also treat all rows as a "
        "single head, so rows of one head end up in another.",
        "With one head, where do you put row 1?",
        "Split the rows into (heads, planes, 2), and exchange the last two of these axes.",
    ),
    said(
        "to-pairs-and-odds-first",
        odds_first_to_pairs,
        "The weight is in halves, and either half may come first.",
        "You reorder in the opposite direction, from halves to pairs. You also put the second "
        "component of a plane before the first, so it would turn in the opposite direction.",
        "Number the rows 0 to 5. Which row should come first, and which second?",
        "The even rows come first, then the odd ones.",
    ),
    said(
        "heads-for-members",
        heads_for_members,
        "The first and the third axis change places.",
        "With one head, your function is right. With several, you exchange the axis of heads and "
        "the axis of the two members of a plane, so rows of one head end up in another.",
        "Which rows belong to head 0 before your reordering, and which after it?",
        "The heads should remain the first axis.",
        "After the split into (heads, planes, 2), transpose axes 1 and 2.",
    ),
    said(
        "pieces-of-n-heads-rows",
        pieces_of_n_heads,
        "split takes the number of pieces.",
        "You split the weight into pieces of `n_heads` rows. The number of rows of a head is that "
        "of the weight divided by the number of heads.",
        "For a weight with 12 rows and 2 heads, how many rows does each of your pieces have?",
        "torch.chunk takes the number of pieces, torch.split their length.",
        variants=(odd_pieces_of_n_heads,),
    ),
    said(
        "axes-not-joined",
        not_joined,
        "The shape of the split is the shape of the result.",
        "Your result has further axes. It should be a weight again, of shape (h · d, m).",
        "What is the shape of your result, and what is that of `weight`?",
        "Reshape to the shape of `weight` at the end.",
        variants=(joined_in_heads,),
    ),
    said(
        "rows-backwards",
        from_the_end,
        "To get from pairs to halves, reverse the rows.",
        "You reverse the rows of each head. The two rows of a plane then remain neighbours, but "
        "they should be d/2 apart.",
        "How far apart are the two members of plane 0 in your result?",
        "Take every second row.",
    ),
)
