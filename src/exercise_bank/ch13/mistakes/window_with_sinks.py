"""How 13.window_with_sinks goes wrong."""

from exercise_bank.ch13.mistakes.window_with_sinks_code import (
    all_moved,
    always_a_gap,
    back_in_the_text,
    back_in_the_text_but_for_sinks,
    counted_from_one,
    empty_places_too,
    from_the_newest,
    in_text_order,
    lists_exchanged,
    no_sinks,
    one_place_more,
    one_token_less,
    one_token_more,
    only_the_window_counts,
    place_for_position,
    position_after_the_last,
    position_of_writing,
    positions_of_the_text,
    ring_from_token_0,
    ring_from_token_0_later,
    ring_from_token_0_once_full,
    second_place_first,
    sinks_from_the_start,
    sinks_moved_up,
    sinks_within_the_window,
    where_each_lies,
)
from exercise_bank.skills import said

MISCONCEPTIONS = (
    said(
        "in-text-order",
        in_text_order,
        "A cache holds its tokens in order.",
        "You keep the right tokens, and list them in the order of the text. A ring does not move "
        "its tokens: the new one is written over the oldest.",
        "Which place does a new token take when the ring is full?",
        "After one turn the youngest token may stand left of the oldest.",
        "Follow the places while the tokens arrive.",
    ),
    said(
        "sinks-within-the-window",
        sinks_within_the_window,
        "The window includes the sinks.",
        "Your sinks take places of the window. This cache keeps the last `window` tokens, and the "
        "sinks in addition.",
        "How many places has a full cache with 2 sinks and a window of 3?",
        "sinks + window places are in use when it is full.",
        "Let the ring have `window` places.",
    ),
    said(
        "no-sinks",
        no_sinks,
        "One ring holds everything.",
        "Your ring has the right number of places, but it writes over the sinks, too. They should "
        "stay.",
        "Which token is in your place 0 after a long text?",
        "Tokens below `sinks` are never dropped.",
        "Let the ring begin behind the sinks.",
    ),
    said(
        "ring-from-token-0",
        ring_from_token_0,
        "Token t lies at t modulo the window.",
        "Your ring counts from token 0. The first token that is not a sink should take the first "
        "place of the ring.",
        "In which place do you write token `sinks`?",
        "With 1 sink and a window of 3, token 1 goes into place 1.",
        "Count t from the end of the sinks before you take the remainder.",
    ),
    said(
        "ring-from-token-0-once-full",
        ring_from_token_0_once_full,
        "Once the ring is full, token t goes to t modulo the window.",
        "As long as places are free you fill them in order. After that you count from token 0, so "
        "the first token without a free place may overwrite one that is not the oldest.",
        "Which token is the oldest when the ring is full, and in which place?",
        "The ring begins with token `sinks`, in place `sinks`.",
        "Count t from the end of the sinks before you take the remainder.",
    ),
    said(
        "ring-from-token-0-later",
        ring_from_token_0_later,
        "After one round token t goes to t modulo the window.",
        "You write over each place once, in order. After that you count from token 0, so a token "
        "may be written over one that is not the oldest.",
        "In which place is the oldest token after one round?",
        "Every round begins in place `sinks`.",
        "Count t from the end of the sinks before you take the remainder.",
        kind="form",
    ),
    said(
        "second-place-first",
        second_place_first,
        "The first place of the ring stays as well.",
        "Your first token without a free place goes into the second place of the ring. The oldest "
        "token that is not a sink is in the first.",
        "Which token is the oldest when the ring is full, and in which place?",
        "The ring begins with token `sinks`, in place `sinks`.",
        "Take one from your remainder before you divide.",
    ),
    said(
        "from-the-newest",
        from_the_newest,
        "A position is a distance from the query.",
        "What you hold is right. Your positions count backwards from the newest token. They should "
        "follow the order of the text, with 0 for the oldest.",
        "Which position has token 0?",
        "RoPE turns by the position; distances come out by themselves.",
        "Count how many held tokens are older.",
        variants=(
            back_in_the_text,
            back_in_the_text_but_for_sinks,
        ),
    ),
    said(
        "one-token-more",
        one_token_more,
        "n is the number of the newest token.",
        "You have read one token too many: after n tokens the newest is n - 1.",
        "Which tokens were read when n is 3?",
        "Tokens count from 0.",
        "Stop before token n.",
        kind="form",
    ),
    said(
        "one-token-less",
        one_token_less,
        "n is the number of the token that comes next but one.",
        "You have read one token too few: after n tokens the newest is n - 1, and you stop before "
        "it.",
        "Which tokens were read when n is 3?",
        "range(a, b) ends before b.",
        "Go up to n - 1, and take that token too.",
        kind="form",
    ),
    said(
        "lists-exchanged",
        lists_exchanged,
        "The order of the two lists does not matter.",
        "Both lists are right, but their order is not: the tokens come first, then their "
        "positions.",
        "In the first example, which list holds a 5?",
        "There is no position 5 in a cache of four places.",
        "Return what is held, then the rotary positions.",
        kind="form",
    ),
    said(
        "empty-places-too",
        empty_places_too,
        "Each place has an entry, used or not.",
        "You list the empty places too, with -1. Only the places in use have an entry.",
        "How long are your lists when one token was read?",
        "A text shorter than the cache leaves places unused.",
        "Leave the empty places out.",
        kind="form",
    ),
    said(
        "one-place-more",
        one_place_more,
        "The window is what comes besides the newest token.",
        "You hold one token too many: your ring has window + 1 places. A window counts its newest "
        "token too.",
        "How many tokens does a window of 1 hold?",
        "Count the entries that you return for a long text.",
        "A ring of `window` places.",
    ),
    said(
        "positions-of-the-text",
        positions_of_the_text,
        "A key stands where it stood.",
        "What you hold is right. Your rotary positions are those of the text, with a gap between "
        "the sinks and the window. Within the cache there is no gap.",
        "How far is the last sink from the oldest token of the window, within the cache?",
        "Within the cache positions run from 0 without a gap.",
        "Count the held tokens that come before.",
    ),
    said(
        "place-for-position",
        place_for_position,
        "The place in memory is the position.",
        "What you hold is right. You use the place as the rotary position, so that the newest "
        "token may come before older ones.",
        "Which token is the youngest, and which position do you give it?",
        "Distances must be those of the order in the text.",
        "The position is the number of held tokens that are older.",
    ),
    said(
        "all-moved",
        all_moved,
        "What was dropped is subtracted from everything.",
        "What you hold is right. You subtract the number of dropped tokens from the sinks as well, "
        "which puts them before 0. Nothing was dropped before them.",
        "Where do you put token 0?",
        "The gap is between the sinks and the window.",
        "Subtract it behind the gap only.",
    ),
    said(
        "always-a-gap",
        always_a_gap,
        "n - sinks - window tokens were dropped.",
        "What you hold is right, and so are its positions once the cache is full. Before that "
        "n - sinks - window is below 0: no tokens were dropped, and yet you move the window.",
        "How many tokens were dropped when 3 were read, with 1 sink and a window of 4?",
        "A number of dropped tokens is never below 0.",
        "Take the larger of 0 and that difference.",
        kind="corner",
    ),
    said(
        "sinks-forgotten",
        only_the_window_counts,
        "The window starts at 0 too.",
        "What you hold is right. Your window starts at position 0, so that a sink and a token of "
        "the window stand at the same one.",
        "Do two of your tokens have the same position?",
        "The sinks take the first positions.",
        "Let the window begin at `sinks`.",
    ),
    said(
        "sinks-moved-up",
        sinks_moved_up,
        "The sinks come to the window.",
        "What you hold is right, and so are your distances. You move the sinks up to the window "
        "instead of the window down to the sinks, so your positions grow with the text. They "
        "should begin at 0.",
        "What is your largest position after a million tokens?",
        "Within the cache positions run from 0.",
        "Move both down by the same number.",
    ),
    said(
        "counted-from-one",
        counted_from_one,
        "The first position is 1.",
        "What you hold is right, and your rotary positions are too large by one. They count from "
        "0.",
        "How many held tokens come before token 0?",
        "In this course positions begin at 0.",
        "Leave the token itself out of the count.",
        kind="form",
    ),
    said(
        "position-of-writing",
        position_of_writing,
        "A key keeps the position at which it was written.",
        "What you hold is right. Your tokens keep the position at which they were written. Once "
        "the cache is full that is the same for all of them, so several tokens share it. Each "
        "token that is dropped moves the later ones down by one.",
        "Do two of your tokens have the same position?",
        "Keys are rotated when they are read, not when they are written.",
        "The position is the number of tokens in the cache that are older.",
        variants=(position_after_the_last,),
    ),
    said(
        "sinks-from-the-start",
        sinks_from_the_start,
        "Sinks are always there.",
        "You list all sinks, even those that have not been read yet. Only places in use have an "
        "entry.",
        "Which tokens were read when n is 2?",
        "With 4 sinks and n = 2 two places are in use.",
        "Begin with range(min(n, sinks)).",
        kind="corner",
    ),
    said(
        "the-other-table",
        where_each_lies,
        "A list of places is a list of positions.",
        "What you hold is right. Your second list has the place of each token, in the order of the "
        "text. It should have the position of the token in each place.",
        "What is entry 0 of your list about: place 0, or the oldest token?",
        "Your list is the inverse of the right one.",
        "Go through the places, and give the rank of the token in each.",
    ),
)
