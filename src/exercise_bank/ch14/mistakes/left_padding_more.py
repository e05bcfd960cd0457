"""More ways in which 14.left_padding goes wrong."""

from exercise_bank.ch14.mistakes.left_padding_code import (
    below_zero,
    from_the_right,
    mask_of_numbers,
    mask_to_add,
)
from exercise_bank.skills import said

MORE = (
    said(
        "counted-from-the-right",
        from_the_right,
        "The last token is the first one from the right.",
        "You return how far the last token is from the right end of the row. Asked for is its "
        "column, counted from 0 at the left.",
        "In a row of 5 that ends with a token, which column do you return?",
        "In the flipped row, column 0 is the last one.",
        "Subtract from n - 1.",
        variants=(below_zero,),
    ),
    said(
        "mask-of-numbers",
        mask_of_numbers,
        "A mask is made of numbers.",
        "Your mask has numbers. Asked for are truth values: True where a query attends to a key.",
        "Which dtype has your mask?",
        "Here the mask is not added to scores.",
        "Return a boolean tensor.",
        variants=(mask_to_add,),
    ),
)
