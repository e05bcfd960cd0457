"""How 07.name_the_box goes wrong."""

from functools import partial

from exercise_bank.ch07.mistakes import name_the_box_code as code
from exercise_bank.skills import said

MISCONCEPTIONS = (
    said(
        "prefix-of-some-lengths",
        partial(code.some_lengths, least=2, left=-2),
        "A prefix ends before the last token but one.",
        "You do not find a prefix of every length. Its first s inputs move every output, and s may "
        "be any number from 2 to n − 1.",
        "Which lengths does your loop try, for n = 5?",
        "Try every s from 2 to n − 1.",
        kind="form",
        variants=(
            partial(code.some_lengths, least=3, left=-1),
            partial(code.some_lengths, least=2, left=2),
            partial(code.some_lengths, least=3, left=-2),
            partial(code.some_lengths, least=2, left=-2, how="even"),
            partial(code.some_lengths, least=2, left=-2, how="larger"),
        ),
    ),
    said(
        "below-the-diagonal-left-out",
        code.rows_below_left_out,
        "Every output is moved by its own input and all earlier ones.",
        "You only test whether later inputs move an output. A box in which an earlier input does "
        "not move a later output is 'other', whatever happens above the diagonal.",
        "What do you answer for a box in which every output is moved by its own input alone?",
        "Check the cells below the diagonal as well.",
    ),
    said(
        "last-into-first",
        code.last_into_first,
        "The inputs that move output 0 decide.",
        "Your answer depends on a few cells of the table, such as whether the last input moves "
        "output 0. If a box differs from the three kinds in other cells, you give it the name of "
        "one of them.",
        "What do you answer for a box in which every token attends only to itself?",
        "Every cell of the table is part of the description.",
        variants=(
            code.last_into_first_alone,
            code.three_cells,
            code.corners_alone,
            code.two_corners_and_a_cell,
            *code.both_ways(code.last_into_first),
            *code.both_ways(code.three_cells),
            *code.both_ways(code.corners_alone),
        ),
    ),
    said(
        "no-other",
        code.no_other,
        "Every box is one of the three.",
        "You never answer 'other'. A box in which one later token moves one earlier output is not "
        "a prefix decoder, and one in which each output depends on its own input is not a decoder.",
        "Which cells above the diagonal does a prefix of 3 open?",
        "Compare the table with the one that you expect, cell by cell.",
        variants=(
            code.prefix_for_other,
            *code.both_ways(code.no_other),
            *code.both_ways(code.prefix_for_other),
        ),
    ),
    said(
        "looks-back-is-decoder",
        code.looks_back_is_decoder,
        "A box that never looks ahead is a decoder.",
        "You answer 'decoder' for a box in which no later input moves an output, whether or not "
        "all earlier ones do. In a decoder each output is moved by its own input and *all* earlier "
        "ones; in a window it is not.",
        "Which inputs must move the last output of a decoder?",
        "Check the cells below the diagonal as well.",
        variants=(
            *code.both_ways(code.looks_back_is_decoder),
            code.looks_back_at_all_is_decoder,
        ),
    ),
    said(
        "neighbours-are-enough",
        code.neighbours,
        "An output that depends on the input before it depends on all earlier ones.",
        "You answer 'decoder' for a window of two. In a decoder each output is moved by *all* "
        "earlier inputs, not only by its own and the one before.",
        "Which inputs must move the last output of a decoder?",
        "Check every cell below the diagonal.",
        variants=(partial(code.neighbours, how="even"),),
    ),
    said(
        "transposed",
        code.transposed,
        "Rows are inputs.",
        "Your table is transposed. You answer 'decoder' for a box whose outputs depend on their "
        "own and later inputs only, and 'other' for a decoder.",
        "Input 0 of a decoder moves which outputs? Is that a row or a column of your table?",
        "Changing input j fills column j.",
    ),
    said(
        "by-counting",
        code.by_counting,
        "The number of pairs separates the three kinds.",
        "Your answer depends on the number of pairs alone. A box with one leak has more pairs than "
        "a decoder, and one that reads backwards has the same number.",
        "How many pairs does a decoder that reads from right to left have?",
        "Compare where the pairs are.",
        variants=code.both_ways(code.by_counting),
    ),
    said(
        "prefix-of-one",
        code.prefix_of_one,
        "An open beginning of one token is a prefix.",
        "You answer 'prefix' for a decoder, as if it were a prefix of length 1. A prefix has at "
        "least two inputs that move every output.",
        "Which cells does a prefix of one token open that a decoder does not?",
        "Test for a decoder first.",
    ),
    said(
        "first-row",
        code.first_row,
        "Output 0 shows which tokens a box attends to.",
        "Your answer depends on output 0 alone. It does not change with the later rows of the "
        "table.",
        "What do you answer for a decoder that leaks in its last row but one?",
        "Use all rows of the table.",
        variants=(code.first_row_or_other, *code.both_ways(code.first_row)),
    ),
    said(
        "first-row-and-below",
        code.first_row_and_below,
        "Above the diagonal, all outputs are like output 0.",
        "Above the diagonal, your answer depends on output 0 alone. But a later input can move a "
        "different output without moving output 0, or the reverse. Then the box is 'other'.",
        "What do you answer for a decoder in which input 4 moves output 2?",
        "Compare every row above the diagonal, too.",
        kind="form",
        variants=(
            partial(code.first_row_and_below, s="in front"),
            partial(code.first_row_and_below, s="last"),
            *code.both_ways(code.first_row_and_below),
            *code.both_ways(partial(code.first_row_and_below, s="in front")),
            *code.both_ways(partial(code.first_row_and_below, s="last")),
        ),
    ),
    said(
        "adjacent-only",
        code.adjacent_only,
        "An output that does not depend on the next input does not depend on any later one.",
        "Above the diagonal, your answer depends on the cells next to it alone. You miss a leak "
        "from a later input, and you take one open cell next to the diagonal as a prefix.",
        "Can output 2 depend on token 4 but not on token 3?",
        "Compare all cells above the diagonal.",
        variants=(code.adjacent_whatever_is_below,),
        kind="form",
    ),
    said(
        "shifted-evenly",
        code.shifted,
        "Any change will do.",
        "Your changes do not show in a box that begins with LayerNorm. If the same number is added "
        "to all features of an input, LayerNorm subtracts it again with the mean.",
        "What does LayerNorm return for x and for x + 1?",
        "Change the features by different numbers.",
        variants=(code.never_prefix_shifted,),
    ),
    said(
        "one-feature-changed",
        code.one_feature,
        "Any feature of an input will do.",
        "You change a single feature of each input, the first or the last. A box need not read "
        "every feature, so an input may move an output through the others alone.",
        "What does a box do with your change if it multiplies that feature by 0?",
        "Change all features of an input, by different numbers.",
        variants=(partial(code.one_feature, which="last"),),
        kind="form",
    ),
    said(
        "stretched",
        code.stretched,
        "A change of size is enough.",
        "Your changes do not show everywhere. A token of zeros stays 0 if it is multiplied, and a "
        "norm removes the size of its input, so its outputs for x and for 2x are the same.",
        "What does a norm return for x and for 2x?",
        "Change the direction of the vector too.",
    ),
    said(
        "large-moves-only",
        code.strong_only,
        "A small move is rounding.",
        "You overlook outputs that move only a little. But a weight of a hundredth counts as well.",
        "By how much may an output change if it does not depend on an input?",
        "Not at all. Compare with !=.",
    ),
    said(
        "tolerant",
        partial(code.strong_only, than=1e-4, how=""),
        "A move below a ten-thousandth is rounding.",
        "You overlook outputs that move by little: you compare with a tolerance, or in float32. An "
        "output that is not moved stays the same in every digit, so no tolerance is needed.",
        "By how much may an output change if it does not depend on an input?",
        "Not at all. Compare with != and not with a tolerance.",
        kind="form",
        variants=tuple(
            partial(code.strong_only, than=than, how="") for than in (1e-8, 1e-7, 1e-6, 1e-5, 1e-3)
        ),
    ),
    said(
        "first-and-last-row",
        code.last_row_only,
        "The first and the last output show everything.",
        "Your answer depends on two outputs, the first and the last. You give the wrong name if "
        "only the outputs between them show the difference.",
        "What do you answer for a decoder in which input 4 moves output 2?",
        "Every cell of the table is part of the description.",
        kind="form",
        variants=(
            code.first_and_last_row,
            code.open_row_or_last_row,
            *code.both_ways(code.first_and_last_row),
        ),
    ),
    said(
        "first-and-last-row-and-a-tolerance",
        partial(code.open_row_or_last_row, than=1e-3),
        "The first and the last output show everything, and a small move is rounding.",
        "Your answer depends on two outputs, the first and the last, though the others can make "
        "the box 'other'. And you overlook outputs that move by less than you allow for rounding; "
        "an output that is not moved stays the same in every digit.",
        "What do you answer for a decoder in which output 2 sees input 4?",
        "Compare every cell of the table, and compare with !=.",
        variants=tuple(
            partial(way, than=than)
            for way in (code.last_row_only, code.first_and_last_row, code.open_row_or_last_row)
            for than in (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)
            if (way, than) != (code.open_row_or_last_row, 1e-3)
        ),
    ),
    said(
        "never-a-prefix",
        code.never_prefix,
        "A box that is neither encoder nor decoder is 'other'.",
        "You never answer 'prefix'. A box is a prefix if the first s inputs move every output, and "
        "the others move their own output and later ones.",
        "Which table has a prefix of 2?",
        "Compare with each length of an open beginning.",
    ),
    said(
        "set-to-zero",
        code.zeroed,
        "Setting an input to 0 is a change like any other.",
        "You set inputs to 0. An input that is 0 already then does not change, so it seems to move "
        "nothing, not even its own output. And a norm that adds no ε makes nan of a vector of "
        "zeros, which differs from every number: behind it an input seems to move outputs that it "
        "does not move.",
        "What do you change in a vector of zeros, and what does a norm return for one?",
        "Add numbers that differ from feature to feature.",
    ),
    said(
        "sign-turned",
        code.sign_turned,
        "Every input has a sign.",
        "You change an input by a factor, as in turning its sign. That does not change a token of "
        "zeros, so it seems to move nothing.",
        "What is 0 times any number, and what is -0?",
        "Add numbers that differ from feature to feature.",
        kind="corner",
    ),
    said(
        "one-cell-makes-a-prefix",
        code.one_cell_makes_a_prefix,
        "A box that looks ahead from the first output is an encoder or a prefix.",
        "You answer 'prefix' because of one cell of the table, such as input 1 moving output 0, "
        "and do not look at the others. In a prefix the first s inputs move every output, and the "
        "others their own and later ones. Any other table is 'other'.",
        "What do you answer for a box in which input 1 moves only outputs 0 and 1?",
        "Compare the whole table with that of each length of an open beginning.",
        variants=code.both_ways(code.one_cell_makes_a_prefix),
    ),
    said(
        "one-cell-makes-a-prefix-and-a-tolerance",
        partial(code.one_cell_makes_a_prefix, than=1e-3),
        "One open cell makes a prefix, and a small move is rounding.",
        "You answer 'prefix' because of one cell of the table, such as input 1 moving output 0, "
        "and do not look at the others: many tables with that cell are 'other'. And you overlook "
        "outputs that move by less than your tolerance; an output that is not moved stays the same "
        "in every digit.",
        "What do you answer for a box in which input 1 moves only outputs 0 and 1?",
        "Compare the whole table, and compare with != and not with a tolerance.",
        variants=tuple(
            partial(code.one_cell_makes_a_prefix, than=than)
            for than in (1e-2, 1e-4, 1e-5, 1e-6, 1e-7)
        ),
    ),
    said(
        "own-input-taken-for-granted",
        code.own_cell_set,
        "An input always moves its own output.",
        "You assume that each input moves its own output. In a box without a residual stream it "
        "may not, and then the box is 'other'.",
        "What do you answer for a box in which each output is the mean of all other inputs?",
        "Measure the diagonal of the table as well.",
        kind="form",
        variants=(code.above_and_own_left_out,),
    ),
    said(
        "own-input-and-a-tolerance",
        partial(code.own_cell_set, than=1e-2),
        "An input always moves its own output, and a small move is rounding.",
        "You overlook outputs that move by less than your tolerance; an output that is not moved "
        "stays the same in every digit. And you assume that each input moves its own output.",
        "By how much may an output change if it does not depend on an input?",
        "Compare with !=, and measure the diagonal as well.",
        variants=tuple(partial(code.own_cell_set, than=than) for than in (1e-3, 1e-4, 1e-5, 1e-6)),
    ),
    said(
        "never-restored",
        code.never_restored,
        "Earlier changes may stay.",
        "You do not restore an input before you change the next one. So an output that seems to be "
        "moved by input j may be moved by an earlier one.",
        "How many inputs differ from x in your last call of the box?",
        "Start from a fresh copy of x for each input.",
    ),
    said(
        "all-numbers-of-an-output",
        code.all_numbers,
        "An output that moves changes in all its numbers.",
        "You count an output as moved only if all its numbers change. One number is enough.",
        "What do you find if only the last feature of an output depends on other inputs?",
        "Use `any` along the last axis, not `all`.",
        kind="corner",
    ),
)
