"""How 15.ntk_base goes wrong."""

from functools import partial

from exercise_bank.ch15.mistakes import ntk_base_code as code
from exercise_bank.skills import said

RATIO = "Under a base r times larger, plane i turns r^(2i/width) times slower."

MISCONCEPTIONS = (
    said(
        "factor-times-base",
        code.factor_times_base,
        "A context twice as long needs a base twice as large.",
        "Your new base is factor × base. The exponent 2i/width of the last plane is a little below "
        "1, so that it is slowed by less than the factor; an earlier plane by much less.",
        "By what does your base divide the frequency of the last plane?",
        RATIO,
        "Set r^(2 · plane / width) equal to the factor and solve for r.",
        variants=(partial(code.quotient_turned, of=code.factor_times_base),),
    ),
    said(
        "always-the-slowest",
        code.always_the_slowest,
        "The formula has width/(width − 2).",
        "Your base does not depend on `plane`. With the exponent width/(width − 2) of the factor, "
        "the last plane is slowed by the factor, and every other plane by less.",
        "In which step of the derivation does the last plane come in?",
        RATIO,
        "Put `plane` where the formula has width/2 − 1.",
    ),
    said(
        "always-the-slowest-and-turned",
        partial(code.quotient_turned, of=code.always_the_slowest),
        "The formula has width/(width − 2), and frequencies have factors.",
        "Your base does not depend on `plane`: the exponent width/(width − 2) of the factor is "
        "that of the last plane. And your second result holds factors of the frequencies, below 1. "
        "The task asks for their divisors.",
        "In which step of the derivation does the last plane come in?",
        RATIO,
        "Put `plane` where the formula has width/2 − 1, and turn the quotient over.",
    ),
    said(
        "exponent-inverted",
        code.exponent_inverted,
        "The exponent of the frequency is the one to take.",
        "You raise the factor to 2 · plane / width. A larger base has this effect on a plane. "
        "You need the base that has it, so turn the exponent over.",
        "By what does your base divide the frequency of `plane`?",
        RATIO,
        "Solve r^x = factor for r: the exponent is 1/x.",
        variants=(partial(code.quotient_turned, of=code.exponent_inverted),),
    ),
    said(
        "counted-from-one",
        code.counted_from_one,
        "The first plane is plane 1.",
        "You take plane i to turn by base^(−2(i + 1)/width). Planes count from 0: the first turns "
        "by 1 radian under every base.",
        "By what does a larger base divide the frequency of plane 0?",
        "The last plane is width/2 − 1.",
        "Leave out the 1 that you add.",
        kind="form",
    ),
    said(
        "chosen-from-one",
        code.chosen_from_one,
        "A plane that is named counts from 1.",
        "Without `plane` you are right. With it you slow the plane before the one that is named.",
        "Which number has the second plane?",
        "Planes count from 0.",
        "Do not subtract 1 from `plane`.",
        kind="form",
    ),
    said(
        "slowest-is-half-the-width",
        code.slowest_is_half_the_width,
        "The last of width/2 planes is number width/2.",
        "With `plane` you are right. If no plane is given, you take plane width/2, which does "
        "not exist, and get factor × base.",
        "Which number has the last of four planes?",
        "Planes count from 0.",
        "The slowest is width/2 − 1.",
        kind="form",
    ),
    said(
        "without-the-two",
        code.without_the_two,
        "Plane i turns by base^(−i/width).",
        "Your exponent is twice the right one: the frequency of plane i is base^(−2i/width), "
        "because two components share a plane.",
        "How many planes does a width of 8 have?",
        RATIO,
        "Divide your exponent by 2.",
        variants=(partial(code.quotient_turned, of=code.without_the_two),),
    ),
    said(
        "planes-for-width",
        code.planes_for_width,
        "The width is the number of planes.",
        "Your exponent is half of the right one. You count planes, whereas the frequency "
        "contains the width.",
        "What is the frequency of plane 1 of a width of 4?",
        RATIO,
        "Multiply your exponent by 2.",
        variants=(partial(code.quotient_turned, of=code.planes_for_width),),
    ),
    said(
        "components-for-planes",
        code.components_for_planes,
        "There are `width` planes, each with base^(−i/width).",
        "You count components as planes. Two components make a plane: there are width/2 of them, "
        "with frequencies base^(−2i/width).",
        "How many planes does a width of 8 have?",
        RATIO,
        "The slowest is width/2 − 1, and its exponent 2 · plane / width.",
        variants=(partial(code.quotient_turned, of=code.components_for_planes),),
    ),
    said(
        "base-smaller",
        code.base_smaller,
        "To slow a plane the base goes down.",
        "Your base is smaller than the old one, and planes turn faster. Frequencies are negative "
        "powers of the base.",
        "Which is slower, 100^(−½) or 10,000^(−½)?",
        RATIO,
        "Change the sign of your exponent.",
    ),
    said(
        "base-raised-too",
        code.base_raised_too,
        "The exponent is over all of it.",
        "You raise base × factor to the exponent. Only the factor is raised: with a factor of 1 "
        "the base has to stay as it is.",
        "What do you return for a factor of 1?",
        RATIO,
        "Raise the factor first, then multiply by the base.",
    ),
    said(
        "multiplied-instead",
        code.one_more_only,
        "The correction width/(width − 2) is a multiplier.",
        "You multiply the factor by width / (2 · plane) where it is raised to that power. With a "
        "factor of 1 your base grows.",
        "What do you return for a factor of 1?",
        RATIO,
        "Use ** where you have *.",
    ),
    said(
        "growth-alone",
        code.growth_alone,
        "The result is the growth of the base.",
        "Your divisors are right. For the base you return only its growth factor.",
        "What do you return for a factor of 1?",
        "The growth is right.",
        "Multiply it by the old base.",
    ),
    said(
        "none-is-plane-one",
        code.zero_for_none,
        "Without a plane it is the first that turns slower.",
        "With `plane` you are right. Without it you interpolate plane 1 instead of the slowest.",
        "Which plane is the slowest?",
        "The frequency falls with i.",
        "If `plane` is None, use width/2 − 1.",
        kind="form",
    ),
    said(
        "all-alike",
        code.all_alike,
        "Every plane is slowed by the factor.",
        "Your base is right. Your divisors are all the factor: that is position interpolation. A "
        "larger base leaves plane 0 alone and slows later planes by more and more.",
        "By what is the frequency of plane 0 divided?",
        RATIO,
        "Divide base^(−2i/width) by the same with the new base, for each i.",
    ),
    said(
        "interpolation-throughout",
        code.interpolation_throughout,
        "Everything is multiplied by the factor.",
        "Your base is factor × base, and your divisors are all the factor. A base does not slow "
        "all planes alike: plane 0 turns by 1 radian under every base.",
        "By what does your base divide the frequency of the last plane?",
        RATIO,
        "Set r^(2 · plane / width) equal to the factor, solve for r, and put each i in.",
    ),
    said(
        "one-plane-only",
        code.one_plane_only,
        "Only the plane that is named changes.",
        "Your base is right. Your divisors are 1 but at `plane`; a base slows all planes but the "
        "first.",
        "What does your base do to plane 1?",
        RATIO,
        "Divide base^(−2i/width) by the same with the new base, for each i.",
    ),
    said(
        "in-a-line",
        code.in_a_line,
        "From 1 to the factor in equal steps.",
        "Your base is right, and so are the divisors at plane 0 and at the plane that is "
        "interpolated. Between them they grow by a constant *ratio*, not by a constant step.",
        "What does your base do to plane 1?",
        RATIO,
        "Use powers of the factor: factor^(i / plane).",
    ),
    said(
        "in-a-line-to-the-last",
        code.in_a_line_to_the_last,
        "From 1 to the factor in equal steps, over all planes.",
        "Your base is right. Your divisors go from 1 to the factor of the last plane in equal "
        "steps. Those of a base grow by a constant *ratio*, and reach the factor at the plane that "
        "is interpolated.",
        "What does your base do to plane 1?",
        RATIO,
        "Put the growth of your own base in, for each i.",
    ),
    said(
        "all-but-the-first",
        code.all_but_the_first,
        "The first plane stays, all others are slowed by the factor.",
        "Your base is right. Your divisors are the factor for every plane but the first. A base "
        "slows each plane more than the one before, and by the factor only `plane`.",
        "What does your base do to plane 1?",
        RATIO,
        "Put the growth of your own base in, for each i.",
    ),
    said(
        "quotients-turned-over",
        code.quotients_turned,
        "New over old.",
        "Your base is right. Your second result is the new frequency over the old. A divisor is "
        "the old one over the new.",
        "Should a plane that turns slower have a divisor below 1?",
        "A divisor is old over new.",
        "Turn the quotients over.",
        kind="form",
    ),
    said(
        "frequencies",
        code.frequencies,
        "The result is the new frequencies.",
        "Your base is right. You return the new frequencies instead of the numbers by which the "
        "old ones are divided.",
        "What is the first entry of the example?",
        "A plane that is left alone has a divisor of 1.",
        "Divide the old frequencies by yours.",
    ),
    said(
        "by-the-last-plane",
        code.by_the_last_plane,
        "The last divisor is the factor.",
        "Your base is right. Your divisors reach the factor at the last plane, whichever `plane` "
        "was named; with your base it is reached at that one.",
        "What is the divisor of `plane`?",
        "Divisors grow on behind `plane`, beyond the factor.",
        "Use `plane` in the exponent.",
    ),
    said(
        "by-the-width",
        code.by_the_width,
        "The divisors are factor^(2i/width).",
        "Your base is right. Your divisors are those of a base of factor × base: they do not reach "
        "the factor at the plane that is interpolated.",
        "What is the divisor of `plane`?",
        RATIO,
        "Put the growth of your own base in, not the factor.",
    ),
    said(
        "stops-at-the-factor",
        code.stops_at_the_factor,
        "No plane is slowed by more than the factor.",
        "Your base is right. After `plane` your divisors stay at the factor. One base serves all "
        "planes, and slows later ones by more.",
        "What does your base do to the last plane?",
        RATIO,
        "Leave the bound out.",
    ),
    said(
        "for-each-component",
        code.for_each_component,
        "There is a divisor for each component.",
        "Each of your divisors comes twice: (width,) instead of (width/2,). A plane has one.",
        "How many planes does a width of 8 have?",
        "Return each divisor once.",
        kind="form",
    ),
    said(
        "planes-one-off",
        code.one_off_planes,
        "The first plane is slowed a little too.",
        "Your base is right. Your divisors begin above 1; plane 0 turns by 1 radian under every "
        "base.",
        "What is base^0?",
        "Planes count from 0.",
        "Begin the `arange` at 0.",
    ),
    said(
        "planes-from-one",
        code.planes_from_one,
        "The first plane is plane 1.",
        "Your base is right. Your divisors are those of the next plane each: count from 0.",
        "What is base^0?",
        "Planes count from 0.",
        kind="form",
    ),
    said(
        "one-number",
        code.one_number,
        "The factor is the divisor.",
        "Your base is right. Your second result is one number; each plane has its own divisor.",
        "By what is the frequency of plane 0 divided?",
        RATIO,
        "Return one divisor for each of the width/2 planes.",
    ),
    said(
        "base-only",
        code.base_only,
        "The base is the answer.",
        "You return the base alone, and it is right. The task also asks for the divisor of each "
        "plane.",
        "What does the example return?",
        "Return a tuple of two.",
    ),
    said(
        "step-at-the-plane",
        code.step_at_the_plane,
        "Slow planes are slowed, fast ones are not.",
        "Your base is right. Your divisors are 1 before the plane that is interpolated and the "
        "factor from it on. A base slows each plane more than the one before.",
        "What does your base do to plane 1?",
        RATIO,
        "Put the growth of your own base in, for each i.",
    ),
    said(
        "fast-left-alone",
        code.fast_left_alone,
        "Planes before the one that is named stay as they are.",
        "Your base is right, and so are your divisors from the plane that is interpolated on. "
        "Those before it are 1, and a base leaves plane 0 alone and no other.",
        "What does your base do to plane 1?",
        RATIO,
        "Put the growth of your own base in, for each i.",
    ),
    said(
        "squares",
        code.squares,
        "Planes are 0, 2, 4, …",
        "Your base is right. Your divisors are the squares of the right ones: the 2 of 2i/width is "
        "in them twice. 0, 2, 4, … are 2i already.",
        "Is your divisor at the plane that is interpolated the factor?",
        RATIO,
        "Count planes 0, 1, 2, …, or leave the 2 out.",
    ),
    said(
        "roots",
        code.roots,
        "A divisor is growth^(i/width).",
        "Your base is right. Your divisors are the square roots of the right ones: the exponent of "
        "plane i is 2i/width.",
        "Is your divisor at the plane that is interpolated the factor?",
        RATIO,
        "Multiply your exponent by 2.",
    ),
    said(
        "bases-divided",
        code.bases_divided,
        "The bases are the divisors of the frequencies.",
        "Your base is right. All your divisors are the new base over the old one. A frequency has "
        "the base under an exponent, and plane 0 does not see it at all.",
        "By what is the frequency of plane 0 divided?",
        RATIO,
        "Raise your quotient to 2i/width, for each i.",
    ),
    said(
        "from-the-slowest",
        code.from_the_slowest,
        "The first divisor is that of the slowest plane.",
        "Your base is right, and your divisors are in the other order: the first is that of the "
        "slowest plane.",
        "Which number has the fastest plane?",
        "Plane 0 is left alone, so the first divisor is 1.",
        "Begin with plane 0.",
        kind="form",
    ),
    said(
        "root-not-taken",
        code.root_not_taken,
        "The plane's part of the base is the base.",
        "You return base^(2 · plane / width) × factor. The new base gives this number under the "
        "exponent of the plane; the base itself has still to be found from it.",
        "What do you return for a factor of 1?",
        RATIO,
        "Raise your result to width / (2 · plane).",
    ),
)
