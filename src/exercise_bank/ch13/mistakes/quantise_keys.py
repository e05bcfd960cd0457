"""How 13.quantise_keys goes wrong."""

from functools import partial

from exercise_bank.ch13.mistakes.quantise_keys_code import (
    axes_exchanged,
    axis_lost,
    both_per_channel,
    both_per_token,
    by_128,
    by_128_clamped,
    by_255,
    codes_in_floats,
    codes_then_scales,
    cut_off,
    half_the_range,
    half_the_range_by_254,
    heads_of_a_sequence_share,
    heads_share,
    heads_share_for_keys,
    heads_share_for_values,
    heads_share_one,
    inverse_scales,
    keys_per_head_repeated,
    largest_for_scale,
    least_scale,
    one_per_head,
    one_per_head_repeated,
    one_scale,
    one_scale_repeated,
    read_back_already,
    rounded_down,
    sequences_share,
    sequences_share_for_keys,
    small_for_zero,
    without_abs,
    zero_scales,
)
from exercise_bank.skills import said

MISCONCEPTIONS = (
    said(
        "both-per-token",
        both_per_token,
        "A vector has one scale.",
        "Your values are right, and your keys have a scale for each token: (b, h, n, 1). One "
        "component that is large in every key then sets the step of all others.",
        "Which shape is asked for as the keys' scale?",
        "An outlier channel is large in every token. What should it not share a scale with?",
        "Take the largest of the keys over the tokens.",
    ),
    said(
        "both-per-channel",
        both_per_channel,
        "Keys and values are quantised alike.",
        "Your keys are right, and your values have a scale for each channel: (b, h, 1, e). Such a "
        "scale changes whenever a token arrives.",
        "Which shape is asked for as the values' scale?",
        "A new token should touch nothing that is stored of the values.",
        "Take the largest of the values over the components.",
    ),
    said(
        "axes-exchanged",
        axes_exchanged,
        "The largest over the last axis belongs to the channel.",
        "Your keys have a scale for each token, and your values one for each channel. It is the "
        "other way round: the axis over which you take the largest disappears from the scale.",
        "After a maximum over the tokens, which axis is left?",
        "The keys' scale is (b, h, 1, d).",
        "Exchange the two axes.",
    ),
    said(
        "one-scale",
        one_scale,
        "A tensor has one scale.",
        "All your keys share one scale, and so do all your values. The largest number of the whole "
        "cache sets the step of every other.",
        "How many numbers has your scale, and how many are asked for?",
        "Sequences, heads, channels or tokens: each has its own.",
        "Take the largest over one axis only, and keep it.",
    ),
    said(
        "one-scale-repeated",
        one_scale_repeated,
        "A tensor has one scale, in the shape that is asked for.",
        "Your scales have the right shape. Those of the keys have the same value for all channels "
        "of a head, so the largest number of a head, or of more, sets the step of every channel.",
        "How many different numbers has your scale?",
        "Each channel of the keys has a largest magnitude of its own, and so has each token of the "
        "values.",
        "Take the largest over one axis only, and keep it.",
        variants=(one_per_head_repeated, keys_per_head_repeated),
    ),
    said(
        "one-per-head",
        one_per_head,
        "Each head has one scale.",
        "You have one scale for a head. Its channels differ in size, and so do its tokens.",
        "What is the shape of your scale?",
        "You take the largest over two axes.",
        "For keys, leave the channels; for values, leave the tokens.",
    ),
    said(
        "heads-share",
        heads_share,
        "Channel 3 is channel 3, in whichever head.",
        "Each head of each sequence should have scales of its own. You take the largest number "
        "over several heads or several sequences, so small numbers are rounded by the step of the "
        "large ones.",
        "How do your scales of head 0 and head 1 differ?",
        "Sequences of a batch should not know of each other.",
        "Take the largest over one axis, not over batch and heads too.",
        variants=(
            sequences_share,
            sequences_share_for_keys,
            heads_share_for_keys,
            heads_share_for_values,
            heads_of_a_sequence_share,
            heads_share_one,
        ),
    ),
    said(
        "cut-off",
        cut_off,
        "The conversion to int8 rounds.",
        "Your codes are cut off towards 0: 2.9 becomes 2. The error is up to a whole step, and "
        "nearly every number comes back nearer to 0 than it was.",
        "What is torch.tensor(2.9).to(torch.int8)?",
        "A conversion to a whole type drops the fraction.",
        "Round first, then convert.",
    ),
    said(
        "rounded-down",
        rounded_down,
        "The whole number below is the code.",
        "You round down: -2.1 becomes -3, and 2.9 becomes 2. The error is up to a whole step, "
        "always in one direction.",
        "Which whole number is nearest to 2.9?",
        "floor and // go down, whatever is nearest.",
        "Use torch.round.",
    ),
    said(
        "largest-for-scale",
        largest_for_scale,
        "The scale is the largest magnitude.",
        "Your codes are right, and your scales are 127 times too large: you return the largest "
        "magnitude itself.",
        "What is code 127 times your scale?",
        "Codes times scale give the numbers back.",
        "Return what you divide by.",
    ),
    said(
        "codes-then-scales",
        codes_then_scales,
        "First all codes, then all scales.",
        "You return both codes first, then both scales. Asked for are codes and scales of the "
        "keys, then those of the values.",
        "What is the second of your four outputs?",
        "Each code is followed by its scale.",
        "Exchange the second and the third.",
        kind="form",
    ),
    said(
        "by-128",
        by_128,
        "Eight bits give 128 steps above 0.",
        "You divide by 128, so the largest of its group gets the code 128. In int8 that wraps "
        "round to -128, and the largest number comes back with its sign reversed.",
        "What is the largest number that int8 can hold?",
        "torch.tensor(128).to(torch.int8) is -128.",
        "Let the largest magnitude be 127.",
    ),
    said(
        "by-128-clamped",
        by_128_clamped,
        "Eight bits give 128 steps above 0, and the top is clamped.",
        "You divide by 128 and clamp. Above 0 the largest gets 127 where it needs 128, and comes "
        "back a whole step too small; below 0 it gets -128.",
        "What does the largest number of a channel come back as?",
        "Codes run from -127 to 127, as many on each side of 0.",
        "Let the largest magnitude be 127.",
    ),
    said(
        "by-255",
        by_255,
        "A byte has 255 steps, and the largest takes them all.",
        "You divide by 255, and int8 goes up to 127: codes above it wrap round and come back with "
        "another sign.",
        "Which code does your largest number get?",
        "255 steps run from -127 to 127, on both sides of 0.",
        "Divide by the number of steps above 0.",
    ),
    said(
        "without-abs",
        without_abs,
        "The largest number is the largest magnitude.",
        "Your scale comes from the largest number, not from the largest magnitude. A channel whose "
        "numbers are below 0 gets a scale that is far too small, or below 0 itself.",
        "What is your scale of the numbers -9 and 1?",
        "Keys lie on both sides of 0.",
        "Take absolute values before the largest.",
    ),
    said(
        "half-the-range",
        half_the_range,
        "The scale is the range divided by the number of codes.",
        "Your scale is the range, largest minus smallest, divided by 255 or so. That needs a zero "
        "point, which is not stored here: without it, numbers such as 90 to 100 get codes far "
        "above 127.",
        "What is your scale of the numbers 90 and 100?",
        "Without a zero point the codes lie evenly on both sides of 0.",
        "Divide the largest magnitude by 127.",
        variants=(half_the_range_by_254,),
    ),
    said(
        "small-for-zero",
        small_for_zero,
        "A scale below a threshold is as good as 0.",
        "Where the scale is small you put 1, as where all numbers are 0. Small numbers then get "
        "the code 0 and are lost: a channel of 5e-5 and -2e-5 has the codes 127 and -51.",
        "What does your function make of a channel that holds 5e-5 and -2e-5?",
        "How small may a scale be before the division is unsafe?",
        "Replace a scale by 1 where it is 0, and nowhere else.",
        variants=(
            partial(small_for_zero, least=1e-5),
            partial(small_for_zero, least=1e-4),
            partial(small_for_zero, least=1e-7),
        ),
        kind="corner",
    ),
    said(
        "least-scale",
        least_scale,
        "A tiny scale is as good as any where all is 0.",
        "Where all numbers are 0 your scale is a tiny number that keeps the division safe. That "
        "would do in practice, but the prompt asks for 1.",
        "Which scale do you return for a channel of zeros?",
        "A lower bound of the scale is not a replacement for 0.",
        "Use torch.where or masked_fill: 1 where the scale is 0.",
        variants=tuple(
            partial(least_scale, least=least, of=of)
            for of, bounds in (
                ("the scale", (1e-5, 1e-6, 1e-7)),
                ("the largest", (1e-5, 1e-6)),
                ("added", (1e-6, 1e-8, 1e-9)),
            )
            for least in bounds
        ),
        kind="corner",
    ),
    said(
        "zero-scales",
        zero_scales,
        "What is 0 needs no care.",
        "Where all numbers are 0 your scale is 0, or hardly above it. The prompt asks for 1 there.",
        "What is 0 / 0?",
        "Any scale but 0 brings back zeros, and the prompt asks for 1.",
        "Replace scales of 0 by 1 before you divide.",
        variants=(
            partial(least_scale, least=1e-12),
            partial(least_scale, least=1e-10),
            partial(least_scale, least=1e-12, of="the largest"),
            partial(least_scale, least=1e-9, of="the largest"),
            partial(least_scale, least=1e-12, of="added"),
        ),
        kind="corner",
    ),
    said(
        "codes-in-floats",
        codes_in_floats,
        "A rounded number is a whole number.",
        "Your codes are whole numbers stored in a float type: the cache is as large as before.",
        "How many bytes has one of your codes?",
        "Rounding changes the number, not its type.",
        "Convert the codes to torch.int8.",
        kind="form",
    ),
    said(
        "read-back-already",
        read_back_already,
        "The cache holds rounded keys.",
        "You return codes times scale, which is what a reader gets. What is stored are the codes "
        "and the scales.",
        "Of which type is what you return first?",
        "The product needs two or four bytes a number again.",
        "Leave out the last multiplication.",
    ),
    said(
        "inverse-scales",
        inverse_scales,
        "The scale is what one multiplies with to get the code.",
        "Your scales are the inverse: 127 over the largest magnitude. Codes times scale should "
        "give the numbers back.",
        "What is the code of the largest times your scale?",
        "The scale is the size of one step.",
        "Return the number that you divide by.",
    ),
    said(
        "axis-lost",
        axis_lost,
        "The scale needs no axis of 1.",
        "Your scales lack the axis over which the largest was taken, so that codes * scale does "
        "not fit, or pairs the wrong axes where sizes happen to agree.",
        "What is the shape of your keys' scale?",
        "(b, h, 1, d) and (b, h, n, 1) are asked for.",
        "keepdim keeps it.",
        kind="form",
    ),
)
