"""Question 14.speedup: the gain from a draft model, by hand.

The guesses are accepted with 0.40 + 0.15 + 0.15 + 0.05 = 0.75. With n guesses a round gives (1 -
0.75 ** (n + 1)) / 0.25 tokens in 20 + 2n ms, while the model alone takes 16 ms per token.
"""

from exercise_bank.skills import said
from plaincourse.exercise import Alternative, Question

TOKENS = 2.734375
SPEEDUP = TOKENS * 16 / 26


TASK = Question(
    id="14.speedup",
    title="Is the draft worth it?",
    level="medium",
    minutes=7,
    concepts=("speculative-decoding",),
    points=4.0,
    answer=(0.75, TOKENS, SPEEDUP, 5),
    tolerance=0.006,
    misconceptions=(
        said(
            "product-of-shares",
            (0.315, (1 - 0.315**4) / 0.685, (1 - 0.315**4) / 0.685 * 16 / 26, 1),
            "A guess is accepted if both models draw the same token.",
            "Your 0.315 is the probability that two independent draws agree. A guess is accepted "
            "much more often than that: always, where the model gives it at least as much as the "
            "draft.",
            "With which probability is guess A accepted, and with which guess B?",
            "Sum q(x) · min(1, p(x)/q(x)) over the tokens.",
            variants=((0.315, TOKENS, SPEEDUP, 5),),
        ),
        said(
            "refused-for-accepted",
            (0.25, (1 - 0.25**4) / 0.75, (1 - 0.25**4) / 0.75 * 16 / 26, 1),
            "The accepted share is the distance between the two.",
            "Your 0.25 is how often a guess is refused: half of the sum of the differences.",
            "Two equal distributions: how often is a guess accepted, and what is your formula's "
            "value?",
            "The accepted share is the overlap, the sum of the smaller of the two.",
            variants=((0.25, TOKENS, SPEEDUP, 5),),
        ),
        said(
            "mean-ratio",
            (0.831818, 3.099293, 3.099293 * 16 / 26, 7),
            "All tokens are guessed equally often.",
            "Your first number is a mean of the four probabilities of acceptance, plain or weighed "
            "with p. It is the draft that guesses: a token that it guesses more often has more "
            "weight.",
            "How often is D guessed?",
            "Weigh each min(1, p(x)/q(x)) with q(x).",
            variants=((0.831818, TOKENS, SPEEDUP, 5),),
        ),
        said(
            "whole-distance",
            (0.5, 1.875, 1.875 * 16 / 26, 2),
            "What differs is refused.",
            "Your 0.5 is 1 minus the sum of the differences. That counts each difference twice, "
            "because the surplus of one token is missing from others.",
            "Two models without a token in common: how often is a guess accepted, and what is your "
            "formula's value?",
            "Half of the sum is refused.",
            variants=((0.5, TOKENS, SPEEDUP, 5),),
        ),
        said(
            "favourite-alone",
            (0.4 / 0.55, 2.640872, 2.640872 * 16 / 26, 4),
            "The draft guesses its likeliest token.",
            "Your first number is how often guess A is accepted. Guesses are drawn from q, so B, C "
            "and D are guessed too.",
            "How often is each of the four tokens guessed?",
            "Weigh each min(1, p(x)/q(x)) with q(x), and sum.",
            variants=((0.4 / 0.55, TOKENS, SPEEDUP, 5),),
        ),
        said(
            "sure-ones-alone",
            (0.2, 1.248, 1.248 * 16 / 26, 1),
            "A guess is accepted if p(x) is at least q(x).",
            "Your 0.2 is how often B or D is guessed, which are always accepted. A and C are "
            "accepted too, only not always.",
            "How often is a guess of A accepted?",
            "Where p is below q, it is accepted with p/q: 0.40 of A and 0.15 of C remain.",
            variants=((0.2, TOKENS, SPEEDUP, 5),),
        ),
        said(
            "all-or-none",
            (0.75, 2.265625, 2.265625 * 16 / 26, 2),
            "Either all guesses count or none.",
            "The acceptance is right. Your 2.27 is 1 + 3 · 0.75³: you count guesses only where all "
            "three are accepted.",
            "The first two guesses are accepted, the third is not. How many tokens are there?",
            "One token at least, another if the first guess is accepted, and so on.",
            variants=((0.75, 2.265625, SPEEDUP, 5),),
        ),
        said(
            "time-saved",
            (0.75, TOKENS, 1 - 1 / SPEEDUP, 5),
            "The time that is saved is the speed-up.",
            "Your third number is the share of the time that is saved. Half the time saved means "
            "twice as fast.",
            "How long does a token take with the draft, and how long without?",
            "Divide the time without by the time with.",
        ),
        said(
            "bonus-forgotten",
            (0.75, 1.734375, 1.734375 * 16 / 26, 6),
            "A round gives the guesses that were accepted.",
            "The acceptance is right. Your tokens are the accepted guesses alone: each round also "
            "has one token of the model's own, in place of the refused guess or behind the last.",
            "All guesses are refused. How many tokens does the round give?",
            "Add one token to each round.",
            variants=((0.75, 1.734375, SPEEDUP, 5),),
        ),
        said(
            "one-power-short",
            (0.75, 2.3125, 2.3125 * 16 / 26, 6),
            "With n guesses the sum has n terms.",
            "The acceptance is right. Your number of tokens is that of two guesses: the sum "
            "1 + 0.75 + 0.75² lacks a term.",
            "What is the largest number of tokens that a round with three guesses gives?",
            "Up to four: the sum has four terms.",
            variants=((0.75, 2.3125, SPEEDUP, 5),),
        ),
        said(
            "no-end-at-a-refusal",
            (0.75, 3.25, 3.25 * 16 / 26, 8),
            "Each guess is accepted for itself.",
            "The acceptance is right. Your 3.25 is 1 + 3 · 0.75: it counts guesses that come "
            "behind a refused one.",
            "The first guess is refused, the second would be accepted. How many tokens are there?",
            "The second guess counts only if the first was accepted: 0.75².",
            variants=((0.75, 3.25, SPEEDUP, 5),),
        ),
        said(
            "accepted-times-guesses",
            (0.75, 2.25, 2.25 * 16 / 26, 8),
            "Three quarters of the guesses come.",
            "The acceptance is right. Your 2.25 is 3 · 0.75: it counts guesses that come behind "
            "a refused one, and leaves out the token of the model's own.",
            "All guesses are refused. How many tokens does the round give?",
            "One token at least, another if the first guess is accepted, and so on.",
            variants=((0.75, 2.25, SPEEDUP, 5),),
        ),
        said(
            "rounds-without-end",
            (0.75, 4, 4 * 16 / 26, 8),
            "Tokens come until one is refused.",
            "The acceptance is right. Your 1/(1 - 0.75) = 4 tokens would come if guesses went on "
            "until one is refused; here a round ends after three.",
            "How many tokens does a round give in which all three guesses are accepted?",
            "The sum 1 + 0.75 + 0.75² + … ends with the fourth term.",
            variants=((0.75, 4, SPEEDUP, 5),),
        ),
        said(
            "one-guess-more-paid",
            (0.75, TOKENS, TOKENS * 16 / 28, 5),
            "The draft guesses all tokens of a round.",
            "Your first two numbers are right, and so is the last. You pay for four guesses: the "
            "last token of a round is the model's own, and costs the draft nothing.",
            "How many tokens does the draft guess in a round?",
            "A round of three guesses takes 20 + 6 ms.",
        ),
        said(
            "each-guess-checked-alone",
            (0.75, TOKENS, TOKENS * 16 / 66, 1),
            "Each guess takes a check.",
            "Your first two numbers are right. You pay for three checks of 20 ms; one pass checks "
            "all guesses of a round.",
            "What would speculative sampling gain if each guess were checked by itself?",
            "A round of three guesses takes 20 + 6 ms.",
        ),
        said(
            "a-step-of-its-own",
            (0.75, TOKENS, TOKENS * 16 / 42, 6),
            "The model's own token takes one more step.",
            "Your first two numbers are right. You pay 16 ms more in each round: the last token "
            "of a round comes from the pass that checks, which gives a row for it as well.",
            "How many rows of logits does a pass over three guesses give?",
            "A round of three guesses takes 20 + 6 ms.",
        ),
        said(
            "three-tokens-a-round",
            (0.75, TOKENS, 3 * 16 / 26, 5),
            "A round of three guesses gives three tokens.",
            "Your first two numbers are right, and so is the last. In the third you count three "
            "tokens in a round; the second number is their mean.",
            "How many tokens does a round give on average?",
            "Multiply 16 / 26 by your second number.",
        ),
        said(
            "tokens-per-millisecond",
            (0.75, TOKENS, TOKENS / 26, 5),
            "Speed is tokens per time.",
            "Your first two numbers are right, and so is the last. Your third is the speed itself, "
            "in tokens per millisecond. How many times faster is asked for.",
            "How many tokens a millisecond does the model alone give?",
            "Divide by 1/16.",
        ),
        said(
            "draft-is-free",
            (0.75, TOKENS, TOKENS * 16 / 20, 8),
            "A small model costs nothing.",
            "Your first two numbers are right. Your time of a round is the check alone; the "
            "guesses take 2 ms each, in sequence.",
            "How long does the draft take for three guesses?",
            "A round takes 20 ms and 2 ms for each guess.",
        ),
        said(
            "draft-is-free-best-as-asked",
            (0.75, TOKENS, TOKENS * 16 / 20, 5),
            "A small model costs nothing.",
            "Your first two numbers and the last are right. In the third, the time of a round is "
            "the check alone; the guesses take 2 ms each.",
            "How long does the draft take for three guesses?",
            "A round of three guesses takes 26 ms.",
        ),
        said(
            "one-guess-paid",
            (0.75, TOKENS, TOKENS * 16 / 22, 8),
            "The draft guesses all at once.",
            "Your first two numbers are right. You pay for one guess; the draft generates them "
            "in sequence.",
            "Can the draft make its second guess before it knows its first?",
            "Three guesses take 6 ms.",
        ),
        said(
            "tokens-are-the-speedup",
            (0.75, TOKENS, TOKENS, 8),
            "The speed-up is the number of tokens.",
            "Your first two numbers are right. The third would hold if a round took as long as one "
            "step of the model: it takes 26 ms in place of 16.",
            "How long does a round of three guesses take?",
            "Compare the tokens per millisecond.",
        ),
        said(
            "check-is-a-step",
            (0.75, TOKENS, TOKENS * 16 / 22, 4),
            "To check takes as long as a step.",
            "Your first two numbers are right. You count 16 ms and the guesses for a round. The "
            "pass that verifies takes 20 ms.",
            "How many positions does the model read in the pass that checks?",
            "A round of three guesses takes 20 + 6 ms.",
        ),
        said(
            "compared-with-the-check",
            (0.75, TOKENS, TOKENS * 20 / 26, 5),
            "Without a draft a step takes as long as the check.",
            "Your first two numbers are right, and so is the last. Without the draft a step takes "
            "16 ms, not the 20 of a check.",
            "How many tokens does the model alone give in 26 ms?",
            "Divide by 26 / 16.",
        ),
        said(
            "upside-down",
            (0.75, TOKENS, 1 / SPEEDUP, 5),
            "The ratio of the times, whichever way.",
            "Your third number is the inverse: the share of the time that is left. Above 1 means "
            "faster.",
            "How long does a token take with the draft, and how long without?",
            "Divide the time without by the time with.",
        ),
        said(
            "round-of-22-ms",
            (0.75, TOKENS, TOKENS * 16 / 22, 5),
            "A round takes 22 ms.",
            "Your first two numbers and the last are right. In the third, a round takes 22 ms: "
            "either you pay for one guess of three, or the pass that verifies takes 16 ms instead "
            "of 20.",
            "How long do three guesses take, and how long does their check?",
            "A round of three guesses takes 20 + 6 ms.",
        ),
        said(
            "round-against-step",
            (0.75, TOKENS, 26 / 16, 5),
            "Faster is the ratio of the two times.",
            "Your first two numbers and the last are right. Your third compares the times of a "
            "round and of a step of the model alone; a round also gives more tokens.",
            "How many tokens does a round give on average?",
            "Divide your second number by 26 / 16.",
            variants=((0.75, TOKENS, 16 / 26, 5),),
        ),
        said(
            "gain-alone",
            (0.75, TOKENS, SPEEDUP - 1, 5),
            "How many times faster is the gain.",
            "Your first two numbers and the last are right. Your third is the gain, 1 less than "
            "how many times faster: equal speeds are 1 times as fast.",
            "How many times faster is a model than itself?",
            "Add 1.",
        ),
        said(
            "another-best",
            (0.75, TOKENS, SPEEDUP, 7),
            "The best number can be guessed.",
            "Your first three numbers are right. Five guesses are the best: 1.754 against 1.694 "
            "for seven, 1.542 for two and 1.273 for one.",
            "What is the speed-up with 4, 5 and 6 guesses?",
            "Go on as long as the speed-up grows.",
            variants=((0.75, TOKENS, SPEEDUP, 2), (0.75, TOKENS, SPEEDUP, 1)),
        ),
        said(
            "as-many-as-may-be",
            (0.75, TOKENS, SPEEDUP, 8),
            "More guesses, more tokens.",
            "Your first three numbers are right. With eight guesses the last ones are seldom "
            "reached, and each costs 2 ms.",
            "What does the eighth guess add to the tokens of a round?",
            "Compute the speed-up for 4, 5 and 6 guesses.",
        ),
        said(
            "three-as-given",
            (0.75, TOKENS, SPEEDUP, 3),
            "The given number is the best.",
            "Your first three numbers are right. A fourth guess adds 0.75⁴ = 0.316 tokens for "
            "2 ms, 0.158 a millisecond; the round so far gives 0.105 a millisecond.",
            "What is the speed-up with four guesses?",
            "Go on as long as the speed-up grows.",
        ),
        said(
            "stopped-at-four",
            (0.75, TOKENS, SPEEDUP, 4),
            "Four is nearly the best.",
            "Your first three numbers are right. Five guesses are a little better than four: 1.754 "
            "against 1.743.",
            "What does the fifth guess add, in tokens and in milliseconds?",
            "It adds 0.237 tokens for 2 ms: 0.119 a millisecond, more than the round has on "
            "average.",
        ),
        said(
            "one-too-many",
            (0.75, TOKENS, SPEEDUP, 6),
            "The best is behind the turn.",
            "Your first three numbers are right. Six guesses are worse than five: 1.733 against "
            "1.754.",
            "What is the speed-up with five guesses?",
            "The sixth adds 0.178 tokens for 2 ms, less than the round has on average.",
        ),
    ),
    alternatives=(
        Alternative(name="rounded", answer=(0.75, 2.73, 1.68, 5)),
        Alternative(
            name="from the refused share",
            answer=(1 - 0.25, (1 - 0.75**4) / 0.25, (1 - 0.75**4) / 0.25 / (26 / 16), 5),
        ),
        Alternative(
            name="as a sum",
            answer=(
                0.4 + 0.15 + 0.15 + 0.05,
                1 + 0.75 + 0.75**2 + 0.75**3,
                (1 + 0.75 + 0.75**2 + 0.75**3) / (20 + 3 * 2) * 16,
                5.0,
            ),
        ),
    ),
    parts={
        "the probability of being accepted": (0,),
        "tokens in a round": (1,),
        "how many times faster": (2,),
        "how many times faster, and the best number of guesses": (2, 3),
    },
    hints=(
        "How likely is it that a guess of A is drawn and accepted? Sum that over the four tokens.",
        "A round of three guesses gives one token at least, two if the first guess is accepted, "
        "and so on. What is the chance of each more?",
        "Divide the tokens of a round by 20 + 2n ms, and compare with one token in 16 ms. Do so "
        "for n from 3 to 8.",
    ),
)
