"""Question 15.dilution: a score that sufficed among 65 keys, among 4,097."""

import math

from exercise_bank.skills import said
from plaincourse.exercise import Alternative, Question

GAP = math.log(4 * 64)
SCALED = math.exp(GAP * math.log(4097) / math.log(65))
A, B, C = 1 / 17, 1.75, round(SCALED / (SCALED + 4096), 4)

SHARE = "The weight of the key is e^gap / (e^gap + number of others)."
ODDS = "A weight of 0.8 is odds of 4 to 1: e^gap = 4 × number of others."


FIRST = (
    said("weight-over-64", (0.0125, B, C), "64 times the keys, a 64th of the weight.",
         "Your A is about 0.8/64. With 64 times the number of others the sum of exponentials is "
         "less than 64 times as large, because e^gap is a large part of it.",
         "What is e^gap, and what is the sum of all the others?", SHARE),
    said("sum-without-the-key", (0.0625, B, C), "The sum is that of the others.",
         "In A you divide e^gap by the 4,096 others alone; the key itself is "
         "part of the sum.",
         "Over which keys does softmax sum?", SHARE),
    said("no-dilution", (0.8, B, C), "The same scores give the same weights.",
         "A cannot stay at 0.8: the numerator is the same, and the sum has "
         "4,032 terms more.",
         "What is the sum of the others now, relative to e^gap?", SHARE),
    said("uniform", (1 / 4097, B, C), "All keys get alike in the end.",
         "A is as small as under equal scores; this key still lies above the "
         "others by its gap.",
         "How many times more than another key does it get?", SHARE),
    said("odds-for-weight", (0.0625, 2.0, C), "Odds and weight are one.",
         "C is right. A is the odds of the key, 256 to 4,096, and B compares logarithms of numbers "
         "of keys. Ask for weights: 0.8 are odds of 4 to 1.",
         "How many to one are the odds of 0.8?", ODDS, SHARE),
    said("gap-for-weight", (5.5452, B, C), "The gap is the weight.",
         "A is the gap, ln 256. The question asks for a weight, which is between 0 and 1.",
         "Which weight does this gap give among 4,096 others?", SHARE),
    said("the-lost-weight", (16 / 17, B, C), "The weight is that of the others.",
         "A is the weight of all other keys together.",
         "Whose weight is asked for?", SHARE),
)  # fmt: skip
SECOND = (
    said("ratio-of-logs", (A, 1.9926, C), "Logit scaling gives the number that 0.8 needs.",
         "B is the number of logit scaling, ln 4,097 / ln 65. It does not make the weight 0.8.",
         "Which gap has odds of 4 to 1 against 4,096 others?", ODDS),
    said("ratio-of-logs-of-others", (A, 2.0, C), "Gaps grow as the logarithm of the others.",
         "B is ln 4,096 / ln 64. The gap has a part that does not grow: the "
         "ln 4 that makes the weight 0.8.",
         "Which gap has odds of 4 to 1 against 64 others? Against 4,096?", ODDS),
    said("gap-of-a-half", (A, 1.5, C), "The key has to match the others.",
         "With B the key gets a weight of ½: e^gap is then 4,096, as large as "
         "the sum of the others.",
         "How many to one are the odds of 0.8?", ODDS),
    said("ratio-of-keys", (A, 64.0, C), "64 times the keys need 64 times the score.",
         "B is far too large. Scores are exponents, so 64 times the odds need a gap that is "
         "larger by ln 64.",
         "By how much must the gap grow?", ODDS),
    said("ratio-of-keys-seen", (A, 63.0308, C), "63 times the keys need 63 times the score.",
         "B is far too large. Scores are exponents, so 64 times the odds need a gap that is "
         "larger by ln 64.",
         "By how much must the gap grow?", ODDS),
    said("added-not-multiplied", (A, 4.1589, C), "The gap grows by ln 64.",
         "B is the number that has to be *added* to the gap. The question asks by what number "
         "scores are multiplied.",
         "What is the new gap over the old one?", ODDS),
    said("the-gap-itself", (A, 9.7041, C), "The question asks for the gap.",
         "B is the gap that is needed. The question asks by what number scores are multiplied to "
         "get there.",
         "What is it over the old gap?", ODDS),
    said("growth-alone", (A, 0.75, C), "The question asks by how much more.",
         "B is the gain of the scores, 75%. The question asks for the number by which they are "
         "multiplied.",
         "What would B be if no change were needed?", ODDS),
    said("old-over-new", (A, 0.5714, C), "The old gap over the new one.",
         "B is turned over: it would shrink the scores.",
         "Does the key need a larger gap or a smaller one?", ODDS),
    said("weights-in-proportion", (A, 13.6, C), "0.8 is 13.6 times the weight that is left.",
         "B is the number that turns the weight 1/17 into 0.8. The question multiplies the scores, "
         "which are exponents.",
         "Which gap gives odds of 4 to 1?", ODDS),
    said("root-of-the-ratio", (A, 8.0, C), "Scores grow with the root.",
         "B is √64. Nothing here grows with a root: the gap is a logarithm of "
         "odds.",
         "Which gap gives odds of 4 to 1?", ODDS),
)  # fmt: skip
THIRD = (
    said("scaling-restores", (A, B, 0.8), "Logit scaling keeps the weight.",
         "C would be 0.8 if the scaling were by what 0.8 needs. It is by more, and the "
         "weight becomes larger than it was.",
         "What is ln 4,097 / ln 65?", SHARE),
    said("logs-of-others", (A, B, 16 / 17), "The logarithm is that of the others.",
         "In C you take ln 4,096 / ln 64, which is 2. The task takes the number "
         "of all keys.",
         "What is ln 4,097 / ln 65?", SHARE),
    said("weight-multiplied", (A, B, 0.1172), "The weight is multiplied.",
         "In C you multiply the weight of A. Logit scaling multiplies scores, "
         "before the softmax.",
         "What is the gap after the scaling?", SHARE),
    said("trained-weight-multiplied", (A, B, 1.5941), "The weight of training is multiplied.",
         "In C you multiply 0.8, and get a weight above 1. Logit scaling "
         "multiplies scores, before the softmax.",
         "What is the gap after the scaling?", SHARE),
    said("exponential-multiplied", (A, B, 0.1107), "e^gap is multiplied.",
         "In C you multiply e^gap. Logit scaling multiplies the score, which is an exponent, so "
         "e^gap is raised to a power.",
         "What is the gap after the scaling?", SHARE),
    said("multiplier-for-weight", (A, B, 1.9926), "The question asks for the scaling.",
         "C is the multiplier of logit scaling. The question asks for the resulting weight, which "
         "is between 0 and 1.",
         "What is the gap after the scaling?", SHARE),
    said("log-n-alone", (A, B, 1.0), "Scores are multiplied by ln n.",
         "In C your weight is nearly 1: the gap grew by far more than ln 4,097 / ln 65. It does "
         "so, for example, if the scores are multiplied by ln 4,097 alone.",
         "What would become of a text of the trained length?", SHARE),
    said("scaled-down", (A, B, 0.0039), "More keys, smaller scores.",
         "In C you divide the scores by the quotient of the logarithms.",
         "Does a longer text need a larger gap or a smaller one?", SHARE),
    said("the-lost-weight-in-c", (A, B, 0.0611), "The weight is that of the others.",
         "C is the weight of all other keys together.",
         "Whose weight is asked for?", SHARE),
    said("weight-of-a", (A, B, A), "A factor on all scores changes no weight.",
         "C cannot equal A: a factor on all scores is a factor on the gap.",
         "What is the gap after the scaling?", SHARE),
)  # fmt: skip
SEVERAL = (
    said("no-dilution-at-all", (0.8, 1.0, 0.999), "The same scores give the same weights.",
         "You let the others stay 64. The numerator of the softmax is the same in the longer "
         "text, and its sum has 4,032 terms more.",
         "What is the sum of the others now, relative to e^gap?", SHARE, ODDS),
    said("weight-for-gap", (0.0005, 12.1301, 0.0012), "A weight of 0.8 is a gap of 0.8.",
         "You take the gap to be 0.8. That is the weight; the gap follows from it.",
         "Which gap gives a weight of 0.8 among 64 others?", ODDS, SHARE),
    said("key-counted-twice", (0.0597, 1.7452, 0.9406), "There are 65 others.",
         "You count 65 and 4,097 other keys. The key that matters is one of those seen, so there "
         "are 64 and 4,096 others.",
         "How many keys are seen, and how many of them are others?", ODDS, SHARE,
         variants=((A, 1.7452, C), (0.0597, 1.7452, 0.9389))),
    said("gap-without-the-others", (0.001, 7.0, 0.0039), "A weight of 0.8 is a gap of ln 4.",
         "You take the gap to be ln 4. With that the key lies above *one* other by odds of 4 to 1; "
         "it has to outweigh 64 of them together.",
         "Which weight does a gap of ln 4 give among 64 others?", ODDS, SHARE,
         variants=((0.001, 7.0, C), (0.001, B, 0.0039))),
    said("odds-turned-over", (0.0039, 2.5, 0.0577), "The others have 4 times the key.",
         "You take e^gap to be a quarter of the number of others, 16. That is a weight of 0.2: the "
         "odds of 0.8 are 4 to 1 for the key.",
         "Which weight does e^gap = 16 give among 64 others?", ODDS, SHARE,
         variants=((0.0039, 2.5, C),)),
    said("weight-for-odds", (0.0123, 2.0568, 0.3833), "A weight of 0.8 is odds of 0.8.",
         "You take e^gap to be 0.8 times the number of others. The weight is a share of the whole "
         "sum, with the key's own part in it.",
         "Which weight does e^gap = 0.8 · 64 give among 64 others?", ODDS, SHARE,
         variants=((0.0123, 2.0568, C),)),
    said("in-percent", (5.8824, B, 93.89), "Weights are percentages.",
         "A and C are in percent. Weights are shares: all together are 1.",
         "What do the weights of a softmax add up to?", SHARE),
    said("scaling-is-what-is-needed", (A, 1.9926, 0.8), "Logit scaling keeps the weight.",
         "A is right. B is ln 4,097 / ln 65, the factor of logit scaling. It does not make the "
         "weight 0.8, as your C says, but another. Compute B from the gap that 0.8 needs, and C "
         "from the gap that logit scaling gives.",
         "Which gap has odds of 4 to 1 against 4,096 others?", ODDS, SHARE),
    said("scaling-is-exactly-2", (A, 2.0, 0.8), "Logit scaling keeps the weight.",
         "A is right. B is ln 4,096 / ln 64. That does not make the weight 0.8, as your C says, "
         "but another. Compute B from the gap that 0.8 needs, and C from the gap that logit "
         "scaling gives.",
         "Which gap has odds of 4 to 1 against 4,096 others?", ODDS, SHARE),
)  # fmt: skip

TASK = Question(
    id="15.dilution",
    title="Among many more",
    level="medium",
    minutes=7,
    concepts=("softmax-dilution", "logit-scaling"),
    points=3.0,
    answer=(round(A, 4), B, C),
    alternatives=(
        Alternative(
            name="with more digits",
            answer=(A, math.log(4 * 4096) / GAP, SCALED / (SCALED + 4096)),
        ),
        Alternative(name="a list", answer=[0.059, 1.75, 0.939]),
        Alternative(name="by softmax over all keys", answer=(256 / 4352, 14 / 8, 0.9389)),
    ),
    misconceptions=FIRST + SECOND + THIRD + SEVERAL,
    letters="ABC",
    tolerance=8e-4,
    hints=(
        "Let the others have a score of 0. What is the weight of a key with score `gap`?",
        ODDS,
        "A keeps the gap and changes the number of others. B keeps the odds. C multiplies the gap.",
    ),
)  # fmt: skip
