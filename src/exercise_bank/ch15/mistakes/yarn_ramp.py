"""How 15.yarn_ramp goes wrong."""

from functools import partial

from exercise_bank.ch15.mistakes import yarn_blend_code as blend
from exercise_bank.ch15.mistakes import yarn_frequencies_code as only
from exercise_bank.ch15.mistakes import yarn_ramp_code as ramp
from exercise_bank.skills import said

TURNS = "A plane makes trained / λ turns; many turns mean a fast plane, and a share of 0."
LINE = "The share is (beta_fast − turns) / (beta_fast − beta_slow), held between 0 and 1."
BLEND = "A new frequency is (1 − share) · old + share · old / factor."
SCORE = "A score is a product of a query and a key, and each of the two is multiplied."


IN_THE_SHARE = (
    said("share-turned", ramp.share_turned, "The share is the part that is kept.",
         "Your share is 1 for fast planes and 0 for slow ones. The share is the "
         "interpolated part. Slow planes need it, because else they reach angles that were never "
         "seen.",
         "Which planes have seen all angles already?", TURNS, "Subtract your share from 1."),
    said("share-turned-blend-right", blend.share_turned_blend_right,
         "The share is the part that is kept.",
         "Your frequencies are right. As the share you return how much of the old frequency is "
         "kept, which is 1 minus the share.",
         "What is the share of the fastest plane?", TURNS, "Return 1 minus your share.",
         kind="form"),
    said("wavelengths-compared", ramp.wavelengths_compared, "The betas bound wavelengths.",
         "You compare wavelengths with the betas. The betas count turns within the trained length, "
         "so that a longer training makes more planes fast; your share does not see `trained`.",
         "Does your share depend on `trained`?", TURNS, "Compare trained / wavelength."),
    said("turns-inverted", ramp.turns_inverted, "Turns are wavelength over length.",
         "You divide the wavelength by the trained length. A plane with a wavelength of 10 makes "
         "32 turns in 320 positions, not a thirty-second of one.",
         "How many waves of 10 fit into 320?", TURNS, "Turn the quotient over."),
    said("ramp-over-wavelengths", ramp.over_wavelength, "A line over wavelengths will do.",
         "Both ends of your ramp are right. For planes between beta_slow and beta_fast turns you "
         "draw a line over wavelengths. It should be a line over the number of turns, which is "
         "trained / wavelength.",
         "What is the share half way, at (beta_fast + beta_slow) / 2 turns?", LINE,
         "Compute the turns first, and the line from them."),
    said("ramp-over-logs", ramp.over_logs, "Planes lie evenly by their logarithm.",
         "Both ends of your ramp are right. For planes between beta_slow and beta_fast turns you "
         "draw a line over the logarithm of the turns, almost as the authors' code does. This task "
         "asks for a line over the turns themselves.",
         "What is the share half way, at (beta_fast + beta_slow) / 2 turns?", LINE,
         "Leave the logarithms out."),
    said("stretched-length", ramp.stretched_length, "Turns count within the new context.",
         "You count turns within trained × factor positions. What matters is which angles were "
         "seen in training; with your share planes count as faster than they were there.",
         "Over how many positions did the planes turn in training?", TURNS,
         "Leave the factor out of the turns."),
    said("slowed-turns", only.slowed_turns, "Turns are those of the slowed planes.",
         "You divide the turns by the factor: you count those of planes that are slowed already, "
         "and too many count as slow. What matters is which angles were seen in training.",
         "How fast did the planes turn in training?", TURNS, "Leave the factor out of the turns."),
    said("angles-for-turns", ramp.angles_for_turns, "Turns are angles.",
         "You count radians instead of turns: your numbers are 2π times too large, and slow planes "
         "count as fast.",
         "How many turns are 2π radians?", TURNS, "Leave 2π out of the turns."),
    said("taken-for-frequencies", ramp.taken_for_frequencies, "Planes come as frequencies.",
         "You treat the wavelengths as frequencies when you count turns. They are positions for "
         "one turn.",
         "How many waves of 10 fit into 320?", TURNS, "Divide `trained` by them."),
    said("one-position-less", ramp.one_position_less, "A text has trained − 1 steps.",
         "You count turns within trained − 1 positions. That is how far apart two tokens can be; "
         "this task counts trained / λ.",
         "What does the text call the number of turns?", TURNS, "Do not take 1 off.", kind="form"),
    said("whole-turns", ramp.whole_turns, "Turns are counted in whole ones.",
         "You round the number of turns down, so your ramp has steps. A plane can make 4.8 turns.",
         "How many turns does a wavelength of 80.5 make in 320 positions?", LINE,
         "Divide with / and round nothing."),
    said("ramp-from-zero", ramp.from_zero_turns, "The share falls from 0 turns on.",
         "Your ramp begins at 0 turns. A plane with `beta_slow` turns or fewer has share 1, and "
         "yours has less.",
         "What is your share at beta_slow turns?", LINE, "Divide by beta_fast − beta_slow."),
    said("ramp-jumps", ramp.divided_by_fast, "Below beta_slow it is 1, the line is turns/beta.",
         "Your ramp jumps at `beta_slow`: just above it your share is 1 − beta_slow / beta_fast. "
         "The line goes through 1 at beta_slow.",
         "What is your share just above beta_slow turns?", LINE, "Divide by the difference."),
    said("unclamped", ramp.unclamped, "The line needs no ends.",
         "Your line goes on beyond both ends, so fast planes get a negative share and slow ones "
         "more than 1.",
         "What is your share at 50 turns? At none?", LINE, "Clamp it."),
    said("clamped-at-0-only", ramp.clamped_below, "The share cannot be negative.",
         "Your share exceeds 1 for planes that make fewer than `beta_slow` turns.",
         "What is your share at half a turn?", LINE, "Clamp at 1 too."),
    said("clamped-at-1-only", ramp.clamped_above, "The share cannot exceed 1.",
         "Your share is negative for planes that make more than `beta_fast` turns.",
         "What is your share at 50 turns?", LINE, "Clamp at 0 too."),
    said("all-below-fast", ramp.a_step, "Every other plane is slow.",
         "Your share is 0 or 1: every plane with fewer than `beta_fast` turns is interpolated in "
         "full. Between the two betas it is a line.",
         "What is your share half way between the betas?", LINE, "Use the line."),
    said("only-below-slow", ramp.a_step_below, "Every other plane is fast.",
         "Your share is 0 or 1: planes between the two betas stay as they are. There it is a line.",
         "What is your share half way between the betas?", LINE, "Use the line."),
    said("a-step-half-way", ramp.halfway_step, "In between it tips over.",
         "Your share is 0 or 1, and tips over half way between the betas. There it is a line.",
         "What is your share just above beta_slow turns?", LINE, "Use the line."),
    said("smoothed", ramp.smoothed, "A ramp is smooth.",
         "Both ends and the middle of your ramp are right, and the rest is bent. It is straight.",
         "What is your share a quarter of the way?", LINE, "Leave the polynomial out."),
    said("betas-ignored", ramp.betas_ignored, "The betas are 32 and 1.",
         "Your share is right for betas of 32 and 1. With others it does not change.",
         "Where does your code use `beta_fast` and `beta_slow`?", LINE, "Use the arguments.",
         kind="form"),
    said("one-beta-ignored", ramp.one_beta_ignored, "Slow is one turn.",
         "With betas of 32 and 1 your share is right. With others it is not: your line has the "
         "number 1 or 32 in it where `beta_slow` or `beta_fast` belongs.",
         "Which numbers of your line are fixed?", LINE, "Use both arguments.",
         variants=tuple(
             partial(ramp.one_beta_ignored, numbers=numbers)
             for numbers in (
                 "32, , 32, beta_slow",
                 "32, , beta_fast, beta_slow",
                 ", 1, beta_fast, beta_slow",
                 ", beta_slow, beta_fast, 1",
             )
         ),
         kind="form"),
    said("by-index", ramp.by_index, "The share rises from the first plane to the last.",
         "Your share follows the index of the plane and not its wavelength.",
         "Does your share change when the wavelengths do?", TURNS, "Begin with the turns."),
    said("evenly-between", only.evenly, "In between the shares rise in equal steps.",
         "Your shares of 0 and of 1 are right. Those between rise in equal steps from one plane "
         "of the list to the next, whatever their wavelengths are.",
         "What is the share half way, at (beta_fast + beta_slow) / 2 turns?", LINE,
         "Compute each share from the turns of its plane."),
)  # fmt: skip

IN_THE_FREQUENCIES = (
    said("wavelengths-blended", blend.wavelengths_blended, "Blending either is the same.",
         "Your share is right. You blend wavelengths and take the frequency of the result. The "
         "task asks for a blend of frequencies. At shares of 0 and 1 the two agree.",
         "What is half way between 1 and 1/4, and what is 1 over half way between 1 and 4?", BLEND,
         "Take frequencies first, blend then."),
    said("wavelengths-shortened", blend.wavelengths_shortened, "Wavelengths are divided too.",
         "Your share is right. You divide wavelengths by the factor where frequencies are to be "
         "divided: your planes turn faster.",
         "How far does a slow plane turn over the new length?", BLEND,
         "Take frequencies first, and blend these."),
    said("wavelengths-returned", blend.wavelengths_returned, "Wavelengths come back as such.",
         "Your share is right. You return blended wavelengths. The task asks for frequencies, in "
         "radians per position.",
         "In which unit is the example?", BLEND, "Take 2π / wavelength, and blend that."),
    said("weights-swapped", blend.weights_swapped, "The share weighs the old frequency.",
         "Your share is right, but your two weights are exchanged: fast planes are slowed, slow "
         "ones stay as they are.",
         "What should a plane with share 0 do?", BLEND, "Exchange the two weights."),
    said("multiplied-by-factor", blend.multiplied_by_factor, "Stretching multiplies.",
         "Your share is right. Your slow planes turn `factor` times faster; they are to turn "
         "slower, so that the new length has the angles of the old.",
         "How far does a slow plane turn over the new length?", BLEND, "Divide by the factor."),
    said("without-2-pi", blend.without_two_pi, "A frequency is 1 over a wavelength.",
         "Your share is right. Your frequencies count turns per position instead of radians.",
         "How many radians is a turn?", BLEND, "Multiply by 2π."),
    said("slowed-part-only", blend.only_the_slowed_part, "The share times the slowed frequency.",
         "Your share is right. You leave out the part with the old frequency, so that fast planes "
         "do not turn at all.",
         "What is your frequency where the share is 0?", BLEND, "Add the first part."),
    said("interpolated-everywhere", blend.interpolated_everywhere, "All is divided.",
         "Your share is right, and your frequencies do not use it: all are divided by the factor, "
         "which is position interpolation.",
         "What should a plane with share 0 do?", BLEND, "Blend by the share."),
    said("geometric", blend.geometric, "Dividing by factor^share blends.",
         "Your share is right. You divide by factor^share, which is a geometric blend. The task "
         "asks for a sum with two weights.",
         "What is half way between 1 and 1/4?", BLEND, "Add the two parts."),
    said("all-or-nothing", blend.all_or_nothing, "A share above 0 means interpolated.",
         "Your share is right. Every plane with a share above 0 is divided by the whole factor.",
         "What should a plane with a share of a half do?", BLEND, "Blend by the share."),
    said("old-or-slowed", only.slow_only, "A plane is interpolated or it is not.",
         "Your share is right. Between 0 and 1 your frequencies do not follow it: each plane has "
         "its old frequency or the old one over the factor, and nothing between.",
         "What should a plane with a share of a half do?", BLEND, "Blend by the share.",
         variants=(only.from_a_half,)),
    said("written-over", only.of_frequencies(only.written_over), "The old one is still there.",
         "Your share is right. You write one part of the blend over the old frequency, and make "
         "the other part of that. If the first part is 0, your plane does not turn at all.",
         "What does your variable hold when the second part is computed?", BLEND,
         "Keep the old frequencies under a name of their own.",
         variants=(only.of_frequencies(only.slowed_part_written_over),)),
    said("slowed-first", only.of_frequencies(only.slowed_first), "First divide, then blend.",
         "Your share is right. You divide the frequencies by the factor and blend the results, "
         "so that the slowest planes are divided twice and the fast ones once.",
         "What is your result where the share is 0?", BLEND,
         "Keep the old frequencies under a name of their own."),
    said("ramp-only", only.of_frequencies(only.ramp_only), "Blending is for the ramp.",
         "Your share is right. You blend where it lies between 0 and 1, and leave planes with a "
         "share of 1 as they are. These are to be divided by the factor.",
         "What should a plane with share 1 do?", BLEND, "Use the blend for every plane."),
    said("one-quotient", only.one_quotient, "A larger share, a larger divisor.",
         "Your share is right. You divide the old frequency by one number made of share and "
         "factor. A blend is a sum: with a share of ½ and a factor of 4 it keeps 5/8 of the "
         "frequency, and you keep less.",
         "What is half way between 1 and 1/4?", BLEND, "Add the two parts.",
         variants=(only.one_quotient_above_1,)),
    said("frequencies-multiplied", only.of_frequencies(partial(only.times, power=2)),
         "The multiplier is for frequencies.",
         "Your share is right. Your frequencies are the right ones times YaRN's multiplier, or its "
         "root. It belongs to the scores and not to the frequencies.",
         "What is your result where the share is 0?", BLEND, "Leave the multiplier out of them.",
         variants=(only.of_frequencies(partial(only.times, power=1)),)),
    said("relative-frequencies", blend.divisors, "The result is the change.",
         "Your share is right. You return the factor of each frequency, without the frequency.",
         "What is your result where the share is 0?", BLEND, "Multiply by 2π / wavelength."),
    said("wavelengths-for-frequencies", blend.taken_as_frequencies,
         "The given numbers are blended.",
         "Your share is right. You blend the wavelengths as if they were frequencies: they come "
         "back shorter, where they should be turned into frequencies first.",
         "In which unit is the example?", BLEND, "Begin with 2π / wavelength."),
    said("input-overwritten", blend.in_place, "The wavelengths may be changed where they are.",
         "You write into `wavelengths`. The next who reads them finds others.",
         "Which line changes an argument?", "*= writes in place.", "Give the result a new name.",
         kind="form"),
)  # fmt: skip

IN_THE_MULTIPLIER = (
    said("multiplied-once", blend.once_only, "Scores are multiplied once.",
         "Share and frequencies are right. Your multiplier is that of a query. A key has it too.",
         "What is (2q) · (2k)?", SCORE, "Square it."),
    said("doubled", blend.doubled, "Two of them make a factor of two.",
         "Share and frequencies are right. You add where the two multiply: your scores grow even "
         "for a factor of 1.",
         "What is (3q) · (3k)?", SCORE, "Square instead of doubling."),
    said("logarithm-doubled", blend.part_doubled, "Twice 0.1 is 0.2.",
         "Share and frequencies are right. Your multiplier is 0.2 ln(factor) + 1. The square of "
         "0.1 ln(factor) + 1 has one more part, (0.1 ln(factor))².",
         "What is (1 + x)²?", SCORE, "Square the sum."),
    said("base-10", blend.base_ten, "log means base 10.",
         "Share and frequencies are right. You take the logarithm to base 10; it is the natural "
         "one.",
         "What is ln 10?", SCORE, "Use math.log.", kind="form"),
    said("base-2", blend.base_two, "log means base 2.",
         "Share and frequencies are right. You take the logarithm to base 2; it is the natural "
         "one.",
         "What is ln 2?", SCORE, "Use math.log.", kind="form"),
    said("no-logarithm", blend.without_a_log, "It is a tenth of the factor.",
         "Share and frequencies are right. Your multiplier lacks the logarithm, and is not 1 for "
         "a factor of 1.",
         "What is ln 1?", SCORE, "Use math.log(factor)."),
    said("temperature", blend.temperature, "The result is the temperature.",
         "Share and frequencies are right. You return the temperature by which scores are divided. "
         "The task asks for the number by which they are multiplied.",
         "Do longer contexts call for sharper or flatter scores?", SCORE, "Turn it over."),
    said("root", blend.root, "The square root belongs to the temperature.",
         "Share and frequencies are right. You take a root where the two multiply.",
         "What is (2q) · (2k)?", SCORE, "Square it."),
    said("fourth-power", blend.fourth_power, "Queries and keys, each squared.",
         "Share and frequencies are right. You count the multiplier four times: a score has one "
         "query and one key.",
         "What is (2q) · (2k)?", SCORE, "Square it, once."),
    said("log-of-the-length", blend.log_of_length, "It grows with the new length.",
         "Share and frequencies are right. You take the logarithm of the new length; it is that "
         "of the factor.",
         "What should it be for a factor of 1?", SCORE, "Use math.log(factor)."),
    said("log-of-one-more", only.log_of_one_more, "The 1 is inside the logarithm.",
         "Share and frequencies are right. You take ln(factor + 1); it is 0.1 · ln(factor), and 1 "
         "more.",
         "What should it be for a factor of 1?", SCORE, "Take ln(factor), and add 1 behind it.",
         variants=(only.log_of_one_more_and_1,)),
    said("multiplier-of-each-plane", only.multiplier_of_each, "The share weighs both.",
         "Share and frequencies are right. You return a multiplier for each plane, weighed by its "
         "share. A score is one number: all of its planes are multiplied alike.",
         "How many numbers is a score?", SCORE, "Leave the share out of the multiplier."),
    said("without-the-1", blend.without_the_one, "The 1 is a detail.",
         "Share and frequencies are right. Without the 1 your scores vanish for a factor of 1.",
         "What should it be for a factor of 1?", SCORE, "Add 1 before you square."),
    said("logarithm-squared", blend.squared_log, "The square is over the logarithm.",
         "Share and frequencies are right. You square the logarithm alone; the sum is squared.",
         "What is (2q) · (2k)?", SCORE, "Square the sum."),
    said("small-part-squared", blend.squared_small_part, "The square is over the small part.",
         "Share and frequencies are right. You square 0.1 ln(factor) and add 1. The square is that "
         "of the whole sum.",
         "What is (1 + x)²?", SCORE, "Square the sum."),
    said("stretched-and-once", blend.stretched_and_once, "Turns in the new length, one factor.",
         "Two things: you count turns within the new length, and your multiplier is that of a "
         "query alone.",
         "Over how many positions did the planes turn in training?", TURNS,
         "Leave the factor out of the turns, and square the multiplier."),
    said("turned-and-once", blend.share_turned_and_once, "The share is kept; one factor.",
         "Two things: your share is 1 for fast planes, and your multiplier is that of a query.",
         "Which planes have seen all angles already?", TURNS,
         "Take the share from 1, and square the multiplier."),
    said("turned-and-once-blend-right", blend.turned_and_once_blend_right,
         "The part that is kept; once.",
         "Your frequencies are right. As the share you return the part of the old frequency "
         "that is kept, and your multiplier is that of a query alone.",
         "What is the share of the fastest plane?", TURNS,
         "Return 1 minus your share, and square the multiplier."),
    said("wavelengths-and-once", blend.wavelengths_and_once, "Wavelengths blend; one factor.",
         "Your share is right. You blend wavelengths instead of frequencies, and your multiplier "
         "is that of a query alone.",
         "What is half way between 1 and 1/4?", BLEND,
         "Blend frequencies, and square the multiplier."),
)  # fmt: skip

MISCONCEPTIONS = IN_THE_SHARE + IN_THE_FREQUENCIES + IN_THE_MULTIPLIER
