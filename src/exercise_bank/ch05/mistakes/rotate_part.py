"""How 05.rotate_part goes wrong."""

from exercise_bank.ch05.mistakes import rotate_part_code as code
from exercise_bank.skills import said
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    said(
        "to-the-last-plane",
        code.to_the_last_plane,
        "The exponents run from 0 to 1.",
        "Your last plane has the frequency 1/10,000, because your exponents run down to −1. The "
        "exponent of plane r is −2r/rotated, so the last one stays above −1.",
        "With 4 components turning, the second frequency should be 1/100. What is yours?",
        "Divide 2r by rotated, not r by the number of the last plane.",
    ),
    Misconception(
        name="in-pairs",
        answer=code.in_pairs,
        believed="Neighbouring components make a plane.",
        says="You turn neighbours, 0 with 1 and 2 with 3. The task asks for halves, so component 0 "
        "turns with component rotated / 2. (With one plane, the two layouts are the same.)",
        hints=(
            "Of 6 components that turn, which one is the partner of component 0?",
            "The two halves are those of the part that turns.",
            "Partners are rotated / 2 apart.",
        ),
    ),
    Misconception(
        name="frequencies-of-the-width",
        answer=code.frequencies_of_the_width,
        believed="The exponent counts along the whole width.",
        says="The right components turn, but if only a part turns, the angles are wrong from the "
        "second plane on, because you divide the exponents by the whole width.",
        hints=(
            "With 6 of 10 components turning, what is the frequency of the last plane?",
            "The part that turns is a small RoPE of its own.",
            "Divide the exponent by rotated.",
        ),
    ),
    Misconception(
        name="everything",
        answer=code.everything,
        believed="All components turn.",
        says="You turn all the components that form planes, whatever the value of `rotated`. Only "
        "the first `rotated` components should turn.",
        hints=(
            "Which of your arguments do you not use?",
            "Compare the last components of input and output.",
            "Components from `rotated` on are passed on as they are.",
        ),
    ),
    Misconception(
        name="backwards",
        answer=code.backwards,
        believed="The minus belongs to the second half.",
        says="You turn to the right, by the angle with the opposite sign. If queries and keys both "
        "turn that way, scores still depend on distances alone, but a key n positions before the "
        "query gets the score that it should have n positions behind it.",
        hints=(
            "Turn (1, 0) by position 1. The second component should be sin 1 ≈ 0.84. Is it?",
            "One of the two sines carries a minus.",
            "Which column of the rotation matrix holds −sin?",
        ),
    ),
    Misconception(
        name="counts-rows",
        answer=code.counts_rows,
        believed="The first row is at position 0.",
        says="You number the rows from 0 and do not use the positions that you are given. In "
        "cached decoding, every new token would be at position 0.",
        hints=(
            "Which of your arguments do you not use?",
            "A single row at position 7: which angle does plane 0 turn by?",
            "Multiply the frequencies by `positions`.",
        ),
    ),
    Misconception(
        name="half-exponent",
        answer=code.half_exponent,
        believed="The frequency of plane r is the base to the power −r/rotated.",
        says="Your frequencies fall too slowly from plane to plane: the exponent of your plane r "
        "is −r/rotated, half of the right one.",
        hints=(
            "With 4 components turning, the second frequency should be 1/100. What is yours?",
            "The exponent of plane r is −2r/rotated.",
            "A factor of 2 is missing in the exponent.",
        ),
    ),
    Misconception(
        name="last-part",
        answer=code.last_part,
        believed="The last components turn.",
        says="You turn the last `rotated` components and pass on the first ones. It should be the "
        "other way round.",
        hints=(
            "Compare input and output: which components are unchanged?",
            "The part that turns comes first.",
            "Check where your slices begin and end.",
        ),
    ),
    Misconception(
        name="mixed-tables",
        answer=code.mixed_tables,
        believed="Each cosine is repeated side by side in every layout.",
        says="With two planes or more, your function changes the lengths of vectors. Your table "
        "repeats each angle side by side, which fits pairs, but you combine components as in "
        "halves.",
        hints=(
            "Compare the norm of a row before and after. A rotation keeps it.",
            "Components r and r + rotated/2 must get the same angle.",
            "How is the table of angles doubled, and how should it be for halves?",
        ),
    ),
    Misconception(
        name="swapped",
        answer=code.swapped,
        believed="Cosine and sine may change places.",
        says="At position 0 your vectors change, because you have exchanged cosine and sine.",
        hints=(
            "What should the output be at position 0?",
            "cos 0 = 1 and sin 0 = 0.",
            "Which of the two multiplies the component itself, and which its partner?",
        ),
    ),
    said(
        "rest-dropped",
        code.rest_dropped,
        "Only the part that turns is returned.",
        "You do not pass on the rest: behind the part that turns you return zeros, or nothing. The "
        "rest belongs there, unchanged.",
        "How wide is your output, and how wide is x?",
        "The result has three pieces side by side.",
        variants=(code.rest_set_to_0,),
    ),
    said(
        "two-minuses",
        code.two_minuses,
        "Both lines of a rotation have a minus.",
        "Your planes do not turn. Both of your lines have a minus, so the lengths of vectors "
        "change.",
        "Where should a quarter turn take (1, 0), and where does yours take it?",
        "One of the two sines has a plus.",
    ),
    said(
        "rest-in-front",
        code.rest_in_front,
        "The part that turned goes to the end.",
        "You put the rest first, so your numbers come in a different order. The rest belongs "
        "behind the part that turns, where it was in x.",
        "Which components of your output equal those of x?",
        "Swap two pieces in torch.cat.",
    ),
    said(
        "whole-positions",
        code.whole_positions,
        "Positions are whole numbers.",
        "You truncate positions to whole numbers. They need not be whole: in the example, the "
        "position is a quarter turn, which is 1.57.",
        "What does your function give for the example in the task?",
        "Use the positions as they are.",
        kind="form",
    ),
    said(
        "planes-from-one",
        code.planes_from_one,
        "The first plane is plane 1.",
        "Your first plane turns too slowly, because you count planes from 1. They count from 0, "
        "and plane 0 has the frequency 1.",
        "By which angle does your first plane turn at position 1?",
        "Let r start at 0.",
    ),
    said(
        "halves-of-the-whole",
        code.half_the_width,
        "The halves are those of x.",
        "You turn component 0 with a partner half the whole width away. The part that turns is a "
        "RoPE of its own, so its planes are formed from its own two halves.",
        "With rotated = 2, which two components turn?",
        "The second half begins at rotated / 2.",
        variants=(code.half_the_width_by_part,),
    ),
    said(
        "one-speed",
        code.one_speed,
        "Every plane turns by the position.",
        "All your planes turn at the same speed. Each has a frequency of its own, and only plane 0 "
        "has the frequency 1.",
        "By which angle does plane 1 of 2 turn at position 1?",
        "Multiply each plane's angle by its frequency.",
    ),
    said(
        "speeds-that-rise",
        code.rising,
        "Each further plane turns faster.",
        "Your planes turn faster and faster, because your frequencies are 10,000 to a power above "
        "0. The frequencies should fall from 1.",
        "Which plane turns most slowly in RoPE?",
        "The exponent has a minus.",
    ),
    said(
        "exponents-rounded-down",
        code.exponents_rounded_down,
        "// divides.",
        "From the second plane on, all your planes turn at the same speed, far too slowly. If you "
        "divide by //: it rounds down, so −2r // rotated is −1 for each of them.",
        "What is -2 // 6, and what is -2 / 6?",
        "Divide by / in the exponent.",
    ),
    said(
        "pairs-and-other-frequencies",
        code.pairs_and_half_exponent,
        "Neighbours make a plane, and the exponent is divided by another number.",
        "You turn neighbours, 0 with 1 and 2 with 3, but the task asks for halves of the part. "
        "At some widths your frequencies are wrong as well, from the second plane on: the exponent "
        "of plane r is −2r/rotated.",
        "Of 6 components that turn, which one is the partner of component 0?",
        "Partners are rotated / 2 apart. With 4 components turning, the second frequency is 1/100.",
        variants=(code.pairs_and_width,),
    ),
    said(
        "layouts-mixed",
        code.pairs_to_halves,
        "The planes may be read in one layout and written in the other.",
        "You read the planes in one layout and write them in the other: pairs become halves, or "
        "halves become pairs. Both components of a plane belong in their old places.",
        "What does your function return at position 0? It should be x.",
        "Read and write halves: components 0 to rotated / 2 − 1, and then the rest of the part.",
        variants=(code.halves_to_pairs,),
    ),
    said(
        "exponent-doubled",
        code.exponent_doubled,
        "arange(0, rotated, 2) counts the planes.",
        "Your exponents are −4r/rotated, twice the right ones. torch.arange(0, rotated, 2) already "
        "contains 2r.",
        "With 4 components turning, the second frequency should be 1/100. What is yours?",
        "Leave out one of the two factors 2.",
    ),
    said(
        "slowest-first",
        code.slowest_first,
        "The order of frequencies does not matter.",
        "Your planes have the right frequencies, but in the opposite order: your first plane is "
        "the slowest. Plane 0 should have the frequency 1.",
        "By which angle does plane 0 turn at position 1?",
        "The exponent of plane r is −2r/rotated.",
    ),
    said(
        "one-position-on",
        code.one_position_on,
        "Positions count from 1.",
        "You add 1 to each position, so vectors at position 0 turn. Use the positions as you are "
        "given them: position 0 turns nothing.",
        "What should the output be at position 0?",
        "Use `positions` unchanged.",
    ),
    said(
        "first-half-overwritten",
        code.first_half_overwritten,
        "The second half may be computed from the first half that has already turned.",
        "You compute the second halves from first halves that have already turned. Both halves "
        "have to be computed from the numbers in x.",
        "Which `a` does your second line use: the old one or the new one?",
        "Keep both old halves under names of their own until you have computed both results.",
    ),
    said(
        "no-minus",
        code.no_minus,
        "Both lines of a rotation have a plus.",
        "Your planes do not turn. Neither of your lines has a minus, so the lengths of vectors "
        "change.",
        "Where should a quarter turn take (0, 1), and where does yours take it?",
        "The first of the two lines has −sin.",
    ),
    said(
        "partner-at-the-end-of-x",
        code.partner_at_the_end,
        "The second half is at the end of x.",
        "You turn the first components with the last ones of x, which should be passed on. The "
        "second half is that of the part, so it ends at component rotated − 1.",
        "Which of your components differ from those of x?",
        "The second half is the slice from rotated / 2 to rotated.",
    ),
)
