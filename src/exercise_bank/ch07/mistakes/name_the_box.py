"""How 07.name_the_box goes wrong."""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor

from exercise_bank.skills import said

Box = Callable[[Tensor], Tensor]
Way = Callable[[Box, Tensor], str]


def table_of(box: Box, x: Tensor, how: str = "", than: float = 0.0) -> Tensor:
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
        columns.append(((box(other) - before).abs() > than).any(dim=-1))
    return torch.stack(columns, dim=-1)


def last_into_first(box: Box, x: Tensor, how: str = "") -> str:
    table = table_of(box, x, how)
    if table[0, -1]:
        return "encoder"
    return "prefix" if table[0, 1] else "decoder"


def last_into_first_alone(box: Box, x: Tensor) -> str:
    return "encoder" if table_of(box, x)[0, -1] else "decoder"


def no_other(box: Box, x: Tensor, how: str = "") -> str:
    table = table_of(box, x, how)
    if table.all():
        return "encoder"
    return "prefix" if table.triu(1).any() else "decoder"


def prefix_for_other(box: Box, x: Tensor, how: str = "") -> str:
    table = table_of(box, x, how)
    if table.all():
        return "encoder"
    return "decoder" if torch.equal(table, torch.ones_like(table).tril()) else "prefix"


def looks_back_is_decoder(box: Box, x: Tensor, how: str = "") -> str:
    table = table_of(box, x, how)
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


def by_counting(box: Box, x: Tensor, how: str = "") -> str:
    pairs, n = int(table_of(box, x, how).sum()), len(x)
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


def first_row(box: Box, x: Tensor, how: str = "") -> str:
    seen = int(table_of(box, x, how)[0].sum())
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


def strong_only(box: Box, x: Tensor, than: float = 0.3, how: str = "even") -> str:
    return named(table_of(box, x, how, than))


def first_row_and_below(box: Box, x: Tensor, s: str = "all", how: str = "") -> str:
    """Take for s how many inputs move output 0, those in front alone, or the last that does."""
    table, n = table_of(box, x, how), len(x)
    if not torch.equal(table.tril(), torch.ones_like(table).tril()):
        return "other"
    row = table[0].int()
    lengths = {
        "all": int(row.sum()), "in front": int(row.cumprod(0).sum()),
        "last": int(row.nonzero().max()) + 1,
    }  # fmt: skip
    return "decoder" if lengths[s] == 1 else "encoder" if lengths[s] == n else "prefix"


def last_row_only(box: Box, x: Tensor) -> str:
    table, n = table_of(box, x), len(x)
    if not table[-1].all():
        return "other"
    first = int(table[0].sum())
    return "encoder" if first == n else "decoder" if first == 1 else "prefix"


def first_and_last_row(box: Box, x: Tensor, how: str = "") -> str:
    table = table_of(box, x, how)
    first, n = table[0], len(x)
    seen = int(first.sum())
    if not table[-1].all() or not seen or not first[:seen].all():
        return "other"
    return "encoder" if seen == n else "decoder" if seen == 1 else "prefix"


def never_prefix(box: Box, x: Tensor) -> str:
    name = named(table_of(box, x))
    return "other" if name == "prefix" else name


def some_lengths(box: Box, x: Tensor, least: int, left: int, how: str = "") -> str:
    """Compare with open beginnings of some lengths alone; a negative end counts from the last."""
    name = named(table_of(box, x, how))
    if name != "prefix":
        return name
    length = int(table_of(box, x, how).all(dim=0).sum())
    return "prefix" if least <= length <= (left if left > 0 else len(x) + left) else "other"


def both_ways(way: Callable[..., str]) -> tuple[Way, ...]:
    """Make two ways that change inputs so that a norm may hide it."""
    return partial(way, how="even"), partial(way, how="larger")


def never_prefix_shifted(box: Box, x: Tensor) -> str:
    name = shifted(box, x)
    return "other" if name == "prefix" else name


def rows_below_left_out(box: Box, x: Tensor) -> str:
    table = table_of(box, x)
    return named(table | torch.ones_like(table).tril())


MISCONCEPTIONS = (
    said(
        "prefix-of-some-lengths",
        partial(some_lengths, least=2, left=-2),
        "A prefix ends before the last token but one.",
        "You do not find a prefix of every length. Its first s inputs move every output, and s may "
        "be 2, n − 1 and everything between.",
        "Which lengths does your loop try, for n = 5?",
        "Try every s from 2 to n − 1.",
        kind="form",
        variants=(
            partial(some_lengths, least=3, left=-1),
            partial(some_lengths, least=2, left=2),
            partial(some_lengths, least=3, left=-2),
            partial(some_lengths, least=2, left=-2, how="even"),
            partial(some_lengths, least=2, left=-2, how="larger"),
        ),
    ),
    said(
        "below-the-diagonal-left-out",
        rows_below_left_out,
        "Every output is moved by its own input and all earlier ones.",
        "You look at later inputs alone. A box in which an earlier input does not move a later "
        "output is 'other', whatever happens above the diagonal.",
        "What do you answer for a box in which every output is moved by its own input alone?",
        "Check the cells below the diagonal as well.",
    ),
    said(
        "last-into-first",
        last_into_first,
        "The inputs that move output 0 decide.",
        "Your answer depends on one or two cells: whether the last input moves output 0, and the "
        "second. A box that differs from the three elsewhere gets the name of one of them.",
        "What do you answer for a box in which every token sees itself only?",
        "Every cell of the table is part of the description.",
        variants=(last_into_first_alone, *both_ways(last_into_first)),
    ),
    said(
        "no-other",
        no_other,
        "Every box is one of the three.",
        "You never answer 'other'. A box in which one later token moves one earlier output is not "
        "a prefix decoder, and one in which each output depends on its own input is not a decoder.",
        "How many cells of the future does a prefix of 3 open, and which?",
        "Compare the table with the one that you expect, cell by cell.",
        variants=(prefix_for_other, *both_ways(no_other), *both_ways(prefix_for_other)),
    ),
    said(
        "looks-back-is-decoder",
        looks_back_is_decoder,
        "A box that never looks ahead is a decoder.",
        "You answer 'decoder' for every box in which no later input moves an output. In a decoder "
        "each output is moved by *all* earlier inputs; in a window, or in a box without attention, "
        "it is not.",
        "Which inputs must move the last output of a decoder?",
        "Check the cells below the diagonal as well.",
        variants=both_ways(looks_back_is_decoder),
    ),
    said(
        "neighbours-are-enough",
        neighbours,
        "An output that depends on the input before it depends on all before.",
        "You answer 'decoder' for a window of two. In a decoder each output is moved by *all* "
        "earlier inputs, not only by its own and the one before.",
        "Which inputs must move the last output of a decoder?",
        "Check every cell below the diagonal.",
        variants=(partial(neighbours, how="even"),),
    ),
    said(
        "transposed",
        transposed,
        "Rows are inputs.",
        "Your table is transposed. You answer 'decoder' for a box whose outputs depend on their "
        "own and later inputs only, and 'other' for a decoder.",
        "Input 0 of a decoder moves which outputs? Is that a row or a column of your table?",
        "Changing input j fills column j.",
    ),
    said(
        "by-counting",
        by_counting,
        "The number of pairs separates the three.",
        "Your answer depends on the number of pairs alone. A box with one leak has more pairs than "
        "a decoder, and one that reads backwards has the same number.",
        "How many pairs has a decoder that reads from right to left?",
        "Compare where the pairs are.",
        variants=both_ways(by_counting),
    ),
    said(
        "prefix-of-one",
        prefix_of_one,
        "An open beginning of one token is a prefix.",
        "You answer 'prefix' for a decoder, as if it were a prefix of length 1. A prefix has at "
        "least two inputs that move every output.",
        "Which cells does a prefix of one token open that were closed?",
        "Look for the decoder first.",
    ),
    said(
        "first-row",
        first_row,
        "Output 0 shows how far a box sees.",
        "Your answer depends on output 0 alone. Whatever the box does in later rows changes "
        "nothing in it.",
        "What do you answer for a decoder that leaks in its last row but one?",
        "Use all rows of the table.",
        variants=(first_row_or_other, *both_ways(first_row)),
    ),
    said(
        "first-row-and-below",
        first_row_and_below,
        "Above the diagonal, output 0 shows what the others do.",
        "Above the diagonal, your answer depends on output 0 alone. A later input can move another "
        "output and not output 0, or output 0 and not another. Then the box is 'other'.",
        "What do you answer for a decoder in which output 2 sees input 4?",
        "Compare every row above the diagonal, too.",
        kind="form",
        variants=(
            partial(first_row_and_below, s="in front"),
            partial(first_row_and_below, s="last"),
            *both_ways(first_row_and_below),
            *both_ways(partial(first_row_and_below, s="in front")),
            *both_ways(partial(first_row_and_below, s="last")),
        ),
    ),
    said(
        "adjacent-only",
        adjacent_only,
        "An output that does not depend on the next input depends on none further on.",
        "Above the diagonal, your answer depends on the cells next to it alone. You miss a leak "
        "from further on, and one open cell next to the diagonal makes a prefix for you.",
        "Can output 2 see token 4 and not token 3?",
        "Compare all cells above the diagonal.",
        variants=(adjacent_whatever_is_below,),
        kind="form",
    ),
    said(
        "shifted-evenly",
        shifted,
        "Any change will do.",
        "Your changes do not show in a box that begins with LayerNorm. If the same number is added "
        "to all features of an input, LayerNorm subtracts it again with the mean.",
        "What does LayerNorm make of x and of x + 1?",
        "Change the features by different numbers.",
        variants=(never_prefix_shifted,),
    ),
    said(
        "stretched",
        stretched,
        "A larger input is a different input.",
        "Your changes do not show in a box that begins with a norm. A norm removes the size of its "
        "input, so it makes the same of x and of 2x.",
        "What does a norm make of x and of 2x?",
        "Change the direction of the vector too.",
    ),
    said(
        "large-moves-only",
        strong_only,
        "A small move is rounding.",
        "You overlook outputs that move only a little. A weight of a hundredth counts as well.",
        "By how much may an output move that does not depend on an input?",
        "Not at all. Compare with !=.",
    ),
    said(
        "tolerant",
        partial(strong_only, than=1e-4, how=""),
        "A move below a ten-thousandth is rounding.",
        "You overlook outputs that move by less than you allow for rounding. An output that is "
        "not moved stays the same in every digit, so no tolerance is needed.",
        "By how much may an output move that does not depend on an input?",
        "Not at all. Compare with != and not with a tolerance.",
        kind="form",
    ),
    said(
        "first-and-last-row",
        last_row_only,
        "The first and the last output show everything.",
        "Your answer depends on two outputs, the first and the last. You miss any other name that "
        "the outputs between them would show.",
        "What do you answer for a decoder in which output 2 sees input 4?",
        "Every cell of the table is part of the description.",
        kind="form",
        variants=(first_and_last_row, *both_ways(first_and_last_row)),
    ),
    said(
        "never-a-prefix",
        never_prefix,
        "A box that is neither encoder nor decoder is 'other'.",
        "You never answer 'prefix'. A box in which the first s inputs move every output is one, if "
        "the others move their own output and later ones.",
        "Which table has a prefix of 2?",
        "Compare with each length of an open beginning.",
    ),
)
