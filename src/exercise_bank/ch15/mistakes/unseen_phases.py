"""How 15.unseen_phases goes wrong."""

from exercise_bank.ch15.mistakes import unseen_phases_code as code
from exercise_bank.skills import said

ARC = "A slow plane has seen the angles from 0 to frequency × (trained − 1), and no others."

MISCONCEPTIONS = (
    said(
        "one-too-many",
        code.one_too_many,
        "A text of `trained` tokens has a distance of `trained`.",
        "You count `trained` steps instead of trained − 1: in a text of 9 tokens, for example, the "
        "first and the last are 8 apart. So a plane that lacks one step counts as one that "
        "completed its turn, and the first new distance counts as seen.",
        "How far apart are the first and the last of 9 tokens?",
        "Distances run from 0 to trained − 1.",
        "Take one off `trained`, for the turns and for the arc.",
        kind="form",
    ),
    said(
        "turns-one-too-many",
        code.turns_one_too_many,
        "Turns are counted over `trained` steps.",
        "Your `unseen` is right. For `slow` you count `trained` steps; the longest distance of "
        "training is one less.",
        "How far apart are the first and the last of 9 tokens?",
        "You have the right distance in your other list.",
        "Use trained − 1 for the turns too.",
        kind="form",
    ),
    said(
        "arc-one-too-long",
        code.arc_one_too_long,
        "The arc ends at frequency × trained.",
        "Your `slow` is right. The arc of angles that you count as seen is one step too long: "
        "distance `trained` itself occurs in no training text.",
        "Which is the longest distance of training?",
        "You have the right distance in your other list.",
        "End the arc at trained − 1 steps.",
        kind="form",
    ),
    said(
        "wavelength-at-least",
        code.wavelength_at_least,
        "A slow plane has a wavelength of `trained` at least.",
        "Your `slow` lacks planes whose wavelength lies between trained − 1 and `trained`. They "
        "miss their turn too: the longest distance is trained − 1.",
        "What of a wavelength of 16.5 and 17 tokens?",
        "Wavelengths need not be whole.",
        "Compare the wavelength with trained − 1, by >.",
        kind="form",
    ),
    said(
        "rest-at-least",
        code.rest_at_least,
        "A new position is `trained` at least.",
        "Your `slow` is right. For `unseen` you ask whether `trained` steps are left after whole "
        "waves. Waves need not be whole, and 64.5 steps are beyond the last of 65 tokens.",
        "What of 64.5 steps that are left, and 65 tokens?",
        "The arc ends at trained − 1.",
        "Compare the rest with trained − 1, by >.",
        kind="form",
    ),
    said(
        "both-at-least",
        code.both_at_least,
        "New distances begin at `trained`.",
        "In both lists you compare with `trained`, by >=. That serves whole numbers; a wavelength "
        "of 16.5 and 17 tokens misses its turn, and 64.5 steps are beyond the last of 65 tokens.",
        "What of a wavelength of 16.5 and 17 tokens?",
        "Distances run from 0 to trained − 1, and wavelengths need not be whole.",
        "Compare with trained − 1, by >.",
        kind="form",
    ),
    said(
        "wavelengths-rounded",
        code.waves_rounded,
        "A wavelength is a whole number of positions.",
        "You round wavelengths to whole positions. If a plane has 80.4 positions per turn and "
        "you use 80, you are off by 0.4 after one turn and by 20 after 50 turns.",
        "After how many positions has a plane of frequency 0.078 made 50 turns?",
        "Wavelengths need not be whole.",
        "Leave out what makes them whole.",
        variants=(code.waves_rounded_down, code.waves_rounded_up),
    ),
    said(
        "exactly-one-is-slow",
        code.exactly_one_is_slow,
        "A turn is complete when its end is passed.",
        "A plane that makes exactly one turn up to the longest distance is in your `slow`. "
        "It has completed its turn.",
        "Is a plane slow with 8 positions a turn and 9 tokens?",
        "At an angle of 2π a turn is complete.",
        "Compare with < where you have <=.",
        kind="corner",
    ),
    said(
        "longest-is-new",
        code.longest_is_new,
        "Beyond begins at the end itself.",
        "At the longest distance of training, trained − 1, your slow planes are `unseen`. That "
        "angle was the last that was seen.",
        "What do you return for distance = trained − 1?",
        "The end of the arc belongs to it.",
        "Compare with > where you have >=.",
        kind="corner",
    ),
    said(
        "fast-for-slow",
        code.fast_for_slow,
        "The list has the planes that turn fully.",
        "Your `slow` has the planes that do complete a turn. It should have the others.",
        "Which plane of your list has the highest frequency?",
        "The last angle of a slow plane stays below 2π.",
        "Turn the comparison round.",
    ),
    said(
        "half-a-turn",
        code.half_a_turn,
        "A turn is π.",
        "You count a turn as complete at π. That is half of one: planes between half a turn and a "
        "whole turn are missing in your lists.",
        "What is the cosine at π, and where does it come back to 1?",
        "A full circle has 2π radians.",
        "Compare with 2π.",
    ),
    said(
        "half-turns",
        code.half_turns,
        "Angles repeat after π.",
        "You count a turn as complete at π, and let angles repeat after π. Cosine and sine repeat "
        "after 2π; half a turn turns both their signs.",
        "Are the cosines of 0 and of π equal?",
        "A full circle has 2π radians.",
        "Use 2π in both places.",
    ),
    said(
        "back-after-half-a-turn",
        code.back_after_half_a_turn,
        "Angles repeat after π.",
        "Your `slow` is right. For `unseen` you let angles repeat after π; cosine and sine repeat "
        "after 2π, and half a turn turns both their signs.",
        "Are the cosines of 0 and of π equal?",
        "A full circle has 2π radians.",
        "Take whole turns off, not half ones.",
    ),
    said(
        "taken-for-wavelengths",
        code.taken_for_wavelengths,
        "The numbers given are wavelengths.",
        "Both your lists are always empty. That happens if frequencies are compared with `trained` "
        "as if they were positions for a turn; they are radians for a position.",
        "After how many positions has a plane of frequency 0.1 turned by 2π?",
        "A wavelength is 2π / frequency.",
        "Multiply the frequencies by a distance, or turn them into wavelengths first.",
    ),
    said(
        "taken-for-turns",
        code.taken_for_turns,
        "A turn is complete at 1.",
        "You compare angles with 1 as if they counted turns. They are radians: a turn has 2π.",
        "By how many radians does the first plane turn in 6 positions, and is that a turn?",
        "A full circle has 2π radians.",
        "Divide by 2π, or compare with it.",
    ),
    said(
        "in-degrees",
        code.in_degrees,
        "A turn has 360.",
        "You compare angles with 360 as if they were degrees. They are radians: a turn has 2π.",
        "In which unit are the frequencies?",
        "A full circle has 2π radians.",
        "Compare with 2π.",
    ),
    said(
        "every-slow-one",
        code.every_slow_one,
        "Beyond training a slow plane is always somewhere new.",
        "Your `slow` is right. Your `unseen` holds every slow plane beyond training. Far beyond "
        "it some have come round, and are at an angle that was seen.",
        "At which angle is a plane of 80 positions a turn at distance 90?",
        "Distance 90 looks to that plane like distance 10.",
        "Take whole turns off the angle before you compare it with the end of the arc.",
    ),
    said(
        "always-every-slow-one",
        code.always_every_slow_one,
        "Slow planes are the unseen ones.",
        "Your two lists are always the same, whatever `distance` is. At a distance of training "
        "nothing is unseen.",
        "Does your second list depend on `distance`?",
        ARC,
        "Compare the angle at `distance`, without whole turns, with the end of the arc.",
    ),
    said(
        "every-plane-beyond",
        code.every_plane,
        "A larger angle than any of training is a new one.",
        "Beyond training your `unseen` names every plane, those too that turned many times. An "
        "angle and the same angle one turn on are one.",
        "Which angles has a plane not seen that made three turns?",
        "Cosine and sine repeat after 2π.",
        "Take whole turns off the angle before you compare.",
    ),
    said(
        "points-alone",
        code.points_alone,
        "Only the angles of training themselves were seen.",
        "You take an angle for seen only if it is exactly that of a distance in training. The task "
        "counts the whole arc between the first and the last of them.",
        "A plane was trained at 0, 0.1 and 0.2 turns. Has it seen 0.15?",
        ARC,
        "Compare the angle with the end of the arc.",
    ),
    said(
        "still-not-round",
        code.still_not_round,
        "Once a plane has come round it has seen everything.",
        "You count a slow plane that completes its turn by `distance` as seen. It was not "
        "trained on the way there: past its first turn it can be at an angle that training "
        "never showed.",
        "A plane saw half a turn. What of an angle of 1.7 turns?",
        ARC,
        "Take whole turns off the angle, and compare the rest with the end of the arc.",
    ),
    said(
        "round-by-now",
        code.round_by_now,
        "Unseen is what only now completes a turn.",
        "Your `unseen` names the slow planes that have completed a turn by `distance`. Just "
        "beyond training a plane can be at a new angle long before its turn is complete.",
        "A plane saw half a turn. What of an angle of 0.6 turns?",
        ARC,
        "Compare the angle, without whole turns, with the end of the arc.",
        variants=(code.beyond_a_turn,),
    ),
    said(
        "one-turn-off",
        code.one_turn_off,
        "Beyond a turn, one turn comes off.",
        "You take one turn off an angle beyond a turn. An angle can have more whole turns in it, "
        "and all of them come off: 60.15 turns are the same angle as 0.15.",
        "Which angle is that of 2.2 turns?",
        "Cosine and sine repeat after every turn.",
        "Take the rest of a division by 2π.",
    ),
    said(
        "exact-angles-only",
        code.exact_angles_only,
        "An angle is seen where it occurred to the last digit.",
        "Your fast planes are at new angles beyond training: you ask whether exactly that angle "
        "occurred. What lies between two trained angles of the arc counts as seen.",
        "Which of your planes are unseen although they turned several times?",
        "A plane that made a turn has been close to every angle.",
        "Compare with the end of the arc instead of looking the angle up.",
    ),
    said(
        "mirrored",
        code.mirrored,
        "An angle and its negative are the same.",
        "You count an angle and its negative as the same, so that 0.9 turns counts as 0.1. The "
        "cosines agree, the sines do not: a plane that saw up to 0.2 turns has not seen 0.9.",
        "Do 0.1 and 0.9 turns have the same sine?",
        "A query looks back, so trained angles go one way from 0.",
        "Take whole turns off, and no more.",
    ),
    said(
        "seen-both-ways",
        code.seen_both_ways,
        "Trained angles run both ways from 0.",
        "You let the arc of training run both ways from 0, so that you call a plane complete "
        "after half a turn, and 0.9 turns was seen with 0.1. A query attends to keys on one "
        "side only, so its angles run one way.",
        "On which side of a query are the keys that it sees?",
        ARC,
        "Compare with one end of the arc, and the last trained angle with 2π.",
    ),
    said(
        "cosines-compared",
        code.cosines_compared,
        "A larger angle has a smaller cosine.",
        "Your `slow` is right. For `unseen` you compare cosines. Beyond half a turn a cosine rises "
        "again: that of 0.78 turns is that of 0.22, which a plane with half a turn has seen.",
        "Do 0.22 and 0.78 turns have the same cosine?",
        "Cosine and sine together determine an angle; one of them does not.",
        "Compare angles: the last of training, and the one at `distance` without whole turns.",
        variants=(code.cosines_of_all,),
    ),
    said(
        "cosine-and-sine-apart",
        code.cosine_and_sine_apart,
        "An angle is seen when its cosine was and its sine was.",
        "Your `slow` is right. You ask whether the cosine lies among those of training and the "
        "sine among those of training. A plane that saw 0.64 turns met both of 0.9 turns, each at "
        "another angle.",
        "At which two angles up to 0.64 turns are the cosine and the sine of 0.9 turns?",
        ARC,
        "Compare angles: the last of training, and the one at `distance` without whole turns.",
    ),
    said(
        "beyond-the-slowest",
        code.beyond_the_slowest,
        "There is one arc for all planes.",
        "You compare every plane with the arc of the slowest. Each plane has an arc of its own; "
        "faster ones saw more.",
        "How far did each plane turn in training?",
        "The end of an arc is the plane's frequency times trained − 1.",
        "Compare plane by plane, without the minimum.",
    ),
    said(
        "by-the-excess",
        code.by_the_excess,
        "What counts is how far beyond training it is.",
        "You look at the angle by which `distance` goes beyond training. Attention sees the angle "
        "of the whole distance.",
        "By how much does a plane turn between two tokens 100 apart?",
        "The angle is frequency × distance.",
        "Do not subtract the trained length from the distance.",
        variants=(code.by_the_excess_over_the_longest,),
    ),
    said(
        "slow-at-the-distance",
        code.slow_at_the_distance,
        "A plane is slow as long as it has not come round here.",
        "Your `slow` depends on `distance`. A plane is slow if it never completed a turn in "
        "training.",
        "Should `slow` change when only `distance` does?",
        "The longest distance of training is trained − 1.",
        "Use trained − 1 for `slow`.",
    ),
    said(
        "folded-arc",
        code.folded_arc,
        "Whole turns come off on both sides.",
        "You take whole turns off the last trained angle too. A plane with 2.3 turns then counts "
        "as one that saw 0.3 of one, although it saw everything.",
        "Is a plane slow that made 2.3 turns in training?",
        "Only a plane without a whole turn can meet a new angle.",
        "Leave the last trained angle as it is.",
    ),
    said(
        "swapped",
        code.swapped,
        "The order of the two does not matter.",
        "Your two lists are the right ones, in the other order.",
        "Which of the two lists comes first?",
        "`slow` first, then `unseen`.",
        "Exchange them.",
        kind="form",
    ),
    said(
        "seen-for-unseen",
        code.seen_for_unseen,
        "The list has the planes that know the angle.",
        "Your `slow` is right. Your second list has the planes whose angle was seen. It should "
        "have the others.",
        "What do you return for a distance of training?",
        "At a distance of training the list is empty.",
        "Turn the comparison round.",
    ),
    said(
        "counted-from-one",
        code.counted_from_one,
        "The fastest plane is plane 1.",
        "Your planes are the right ones, counted from 1. Here planes count from 0.",
        "Which number has the first plane?",
        "The first is plane 0.",
        "Do not add 1.",
        kind="form",
    ),
    said(
        "one-too-many-and-no-wrap",
        code.one_too_many_and_no_wrap,
        "Beyond `trained` steps every slow plane is somewhere new.",
        "Two things: you count `trained` steps instead of trained − 1, and you call every "
        "slow plane beyond them unseen. Far out some have come round to an angle that was seen.",
        "How far apart are the first and the last of 9 tokens?",
        "A plane of 80 positions per turn has the same angle at distance 90 as at distance 10.",
        "Use trained − 1; then take whole turns off the angle and compare it with the arc.",
    ),
    said(
        "masks",
        code.masks,
        "True and False will do.",
        "You return masks. The task asks for two lists with the numbers of the planes.",
        "What does the example return?",
        "`nonzero` gives the places where a mask is True.",
        "Turn each mask into a list of plane numbers.",
        kind="form",
    ),
)
