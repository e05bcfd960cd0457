"""How 07.name_the_box goes wrong."""

from collections.abc import Callable

import torch
from torch import Tensor

from exercise_bank.skills import said

Box = Callable[[Tensor], Tensor]


def table_of(box: Box, x: Tensor, how: str = "") -> Tensor:
    before = box(x)
    columns = []
    for j in range(len(x)):
        other = x.clone()
        if how == "even":
            other[j] += 1
        elif how == "larger":
            other[j] *= 2
        else:
            other[j] += torch.linspace(1, 3, x.shape[1], dtype=x.dtype)
        columns.append((box(other) != before).any(dim=-1))
    return torch.stack(columns, dim=-1)


def last_into_first(box: Box, x: Tensor) -> str:
    table = table_of(box, x)
    if table[0, -1]:
        return "encoder"
    return "prefix" if table[0, 1] else "decoder"


def last_into_first_alone(box: Box, x: Tensor) -> str:
    return "encoder" if table_of(box, x)[0, -1] else "decoder"


def no_other(box: Box, x: Tensor) -> str:
    table = table_of(box, x)
    if table.all():
        return "encoder"
    return "prefix" if table.triu(1).any() else "decoder"


def prefix_for_other(box: Box, x: Tensor) -> str:
    table = table_of(box, x)
    if table.all():
        return "encoder"
    return "decoder" if torch.equal(table, torch.ones_like(table).tril()) else "prefix"


def looks_back_is_decoder(box: Box, x: Tensor) -> str:
    table = table_of(box, x)
    if not table.triu(1).any():
        return "decoder"
    if table.all():
        return "encoder"
    first = int(table[0].sum())
    right = torch.ones_like(table).tril()
    right[:, :first] = True
    return "prefix" if torch.equal(table, right) else "other"


def transposed(box: Box, x: Tensor) -> str:
    table = table_of(box, x).mT
    right = torch.ones_like(table).tril()
    for first in range(1, len(x) + 1):
        right[:, :first] = True
        if torch.equal(table, right):
            return "decoder" if first == 1 else "encoder" if first == len(x) else "prefix"
    return "other"


def neighbours(box: Box, x: Tensor, how: str = "") -> str:
    table = table_of(box, x, how)
    seen = bool(table.diagonal().all() and table.diagonal(-1).all())
    return "decoder" if seen and not table.triu(1).any() else named(table)


def neighbours_shifted(box: Box, x: Tensor) -> str:
    return neighbours(box, x, "even")


def by_counting(box: Box, x: Tensor) -> str:
    pairs, n = int(table_of(box, x).sum()), len(x)
    if pairs == n * n:
        return "encoder"
    if pairs == n * (n + 1) // 2:
        return "decoder"
    return "prefix" if pairs > n * (n + 1) // 2 else "other"


def prefix_of_one(box: Box, x: Tensor) -> str:
    table = table_of(box, x)
    right = torch.ones_like(table).tril()
    if table.all():
        return "encoder"
    for first in range(1, len(x)):
        right[:, :first] = True
        if torch.equal(table, right):
            return "prefix"
    return "other"


def first_row(box: Box, x: Tensor) -> str:
    seen = int(table_of(box, x)[0].sum())
    return "encoder" if seen == len(x) else "decoder" if seen == 1 else "prefix"


def first_row_or_other(box: Box, x: Tensor) -> str:
    row = table_of(box, x)[0]
    return first_row(box, x) if row[: int(row.sum())].all() and row[0] else "other"


def adjacent_only(box: Box, x: Tensor) -> str:
    table, n = table_of(box, x), len(x)
    ahead = [bool(table[i, i + 1]) for i in range(n - 1)]
    if not bool(table.tril().eq(torch.ones_like(table).tril()).all()):
        return "other"
    return "encoder" if all(ahead) else "prefix" if any(ahead) else "decoder"


def adjacent_whatever_is_below(box: Box, x: Tensor) -> str:
    ahead = table_of(box, x).diagonal(1)
    return "encoder" if ahead.all() else "prefix" if ahead.any() else "decoder"


def named(table: Tensor) -> str:
    right = torch.ones_like(table).tril()
    for first in range(1, len(table) + 1):
        right[:, :first] = True
        if torch.equal(table, right):
            return "decoder" if first == 1 else "encoder" if first == len(table) else "prefix"
    return "other"


def shifted(box: Box, x: Tensor) -> str:
    return named(table_of(box, x, "even"))


def stretched(box: Box, x: Tensor) -> str:
    return named(table_of(box, x, "larger"))


def strong_only(box: Box, x: Tensor) -> str:
    before, columns = box(x), []
    for j in range(len(x)):
        other = x.clone()
        other[j] += 1
        columns.append(((box(other) - before).abs() > 0.3).any(dim=-1))
    return named(torch.stack(columns, dim=-1))


def last_row_only(box: Box, x: Tensor) -> str:
    table, n = table_of(box, x), len(x)
    if not table[-1].all():
        return "other"
    first = int(table[0].sum())
    return "encoder" if first == n else "decoder" if first == 1 else "prefix"


def never_prefix(box: Box, x: Tensor) -> str:
    name = named(table_of(box, x))
    return "other" if name == "prefix" else name


MISCONCEPTIONS = (
    said(
        "last-into-first",
        last_into_first,
        "What output 0 sees decides.",
        "You decide by one cell or two: whether the last input moves output 0, and the second. A "
        "box that looks nowhere else, or peeks in another place, passes for one of the three.",
        "What do you answer for a box in which every token sees itself only?",
        "Every cell of the table is part of the description.",
        variants=(last_into_first_alone,),
    ),
    said(
        "no-other",
        no_other,
        "Every box is one of the three.",
        "You never answer other. A box in which one later token leaks into one earlier output is "
        "no prefix decoder, and one that looks at itself only is no decoder.",
        "How many cells of the future does a prefix of 3 open, and which?",
        "Compare the table with the one that you expect, cell by cell.",
        variants=(prefix_for_other,),
    ),
    said(
        "looks-back-is-decoder",
        looks_back_is_decoder,
        "A box that never looks ahead is a decoder.",
        "You call every box a decoder that does not look ahead. In a decoder each output is moved "
        "by *all* earlier inputs; a window or a box without attention forgets some.",
        "Which inputs must move the last output of a decoder?",
        "Check the cells below the diagonal as well.",
    ),
    said(
        "neighbours-are-enough",
        neighbours,
        "Who sees itself and the one before sees all before.",
        "You call a window of two a decoder. In a decoder each output is moved "
        "by *all* earlier inputs, not only by its own and the one before.",
        "Which inputs must move the last output of a decoder?",
        "Check every cell below the diagonal.",
        variants=(neighbours_shifted,),
    ),
    said(
        "transposed",
        transposed,
        "Rows are inputs.",
        "Your table lies on its side. A box whose outputs see only what comes later is a decoder "
        "for you, and a decoder is none of the three.",
        "Input 0 of a decoder moves which outputs? Is that a row or a column of your table?",
        "Changing input j fills column j.",
    ),
    said(
        "by-counting",
        by_counting,
        "The number of pairs tells the three apart.",
        "You count pairs. A box with one leak has more pairs than a decoder, and one that reads "
        "backwards has exactly as many.",
        "How many pairs has a decoder that reads from right to left?",
        "Compare where the pairs are.",
    ),
    said(
        "prefix-of-one",
        prefix_of_one,
        "An open beginning of one token is a prefix.",
        "You call a decoder a prefix of length 1. The tables are the same, and the task asks to "
        "call that one a decoder.",
        "Which cells does a prefix of one token open that were closed?",
        "Look for the decoder first.",
    ),
    said(
        "first-row",
        first_row,
        "Output 0 tells how far a box sees.",
        "You look at output 0 alone. Whatever the box does in its later rows, you cannot see it.",
        "What do you answer for a decoder that leaks in its last row but one?",
        "Use all rows of the table.",
        variants=(first_row_or_other,),
    ),
    said(
        "adjacent-only",
        adjacent_only,
        "Who does not see the next token sees none further on.",
        "You ask each output about its next token alone. A leak from further on, or one open cell "
        "next to the diagonal, escapes you.",
        "Can output 2 see token 4 and not token 3?",
        "Compare all cells above the diagonal.",
        variants=(adjacent_whatever_is_below,),
        kind="form",
    ),
    said(
        "shifted-evenly",
        shifted,
        "Any change will do.",
        "You add the same number to all features of an input. A box that begins with LayerNorm "
        "takes the mean away first, and does not notice.",
        "What does LayerNorm make of x and of x + 1?",
        "Change the features by different numbers.",
        kind="form",
    ),
    said(
        "stretched",
        stretched,
        "A larger input is another one.",
        "You multiply an input. A box that begins with a norm does not see how large it is.",
        "What does a norm make of x and of 2x?",
        "Change the direction of the vector too.",
        kind="form",
    ),
    said(
        "large-moves-only",
        strong_only,
        "A small move is rounding.",
        "You overlook outputs that move a little. A weight of a hundredth is a look all the same.",
        "By how much may an output move that does not look at an input?",
        "Not at all. Compare with !=, or with a tolerance of rounding.",
    ),
    said(
        "first-and-last-row",
        last_row_only,
        "The first and the last output tell all.",
        "You look at two outputs, the first and the last. What is wrong between them passes.",
        "What do you answer for a decoder in which output 2 sees input 4?",
        "Every cell of the table is part of the description.",
        kind="form",
    ),
    said(
        "never-a-prefix",
        never_prefix,
        "What is neither encoder nor decoder is something else.",
        "You never answer prefix. A box that opens its first s inputs to all outputs is one.",
        "Which table has a prefix of 2?",
        "Compare with each length of an open beginning.",
    ),
)
