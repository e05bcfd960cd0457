"""How 14.find_fault goes wrong."""

from functools import partial

from exercise_bank.ch14.mistakes import find_fault_code as code
from exercise_bank.ch14.mistakes.find_fault_missed import FAULTS
from exercise_bank.naming import unrecognised
from exercise_bank.skills import said

MISCONCEPTIONS = (
    said(
        "always-none",
        code.always_none,
        "What gives tokens is sound.",
        'You say "none" of every sampler that was tried. A test that never rejects proves nothing.',
        "Which p and q would a sampler that keeps every guess get wrong?",
        "Compare how often a token comes with p.",
        "Ask with p = (1, 0) and q = (0, 1), and look at the first tokens.",
    ),
    said(
        "first-token-only",
        code.first_token_only,
        "If the first token is right, all are.",
        'You say "none" of the sampler that draws its bonus from the wrong row. The first token of '
        "its rounds is right, and where all rows of p are equal, so are the others.",
        "Which tokens of a round does your test look at, and how do the rows of your p differ?",
        "The bonus token comes behind the last guess.",
        "Let p have (1, 0) in one row and (0, 1) in the next, and look at the last place of the "
        "rounds that get there.",
    ),
    said(
        "by-length",
        code.by_length,
        "A sound sampler keeps the number of guesses that the formula gives.",
        "You judge by the length of the rounds. A sampler may be exact and give one token a "
        "round, or none of the draft's: that is slow, and not wrong.",
        "Which of your tests looks at *which* tokens come?",
        "Exact means: distributed as p.",
        "Compare shares of tokens.",
    ),
    said(
        "long-rounds",
        code.long_rounds_keep_all,
        "Who never refuses keeps all.",
        'You say "keeps all" of a sampler whose rounds are all of full length. Its tokens are '
        "distributed as p all the same.",
        "Could rounds be long because the tokens were never the draft's?",
        "Exact means: distributed as p.",
        "Look at the tokens: with p = (1, 0) and q = (0, 1), which one comes?",
    ),
    said(
        "draft-equals-model",
        code.equal_rows,
        "Any p and q will do.",
        'You say "none" of nearly all, as if you ask with equal p and q. Where the two are equal, '
        "nearly every sampler is right: nothing has to be refused.",
        "How many guesses are refused when p and q are equal?",
        "A test has to be able to reject.",
        "Let p and q be far apart.",
    ),
    said(
        "certain-drafts-only",
        code.certain_draft,
        "Certain guesses show everything.",
        'You say "none" of two samplers that are right as long as the draft is certain: with a '
        "certain q, p/q is p, and a sharper draft is the same draft.",
        "For q = (1, 0): what is p/q at the guess, and what does q squared give?",
        "Some faults show only where q has several tokens.",
        "Ask with p = (0.5, 0.5) and q = (0.8, 0.2) as well.",
    ),
    said(
        "ends-counted",
        code.ends_counted,
        "Every round has every place.",
        'You say "bonus row" of samplers whose bonus is right. Perhaps you divide by all rounds, '
        "also by those that ended before that place.",
        "Which number is at a place that a round does not reach?",
        "A round without that place says nothing about it.",
        "Divide by the rounds that get there.",
        variants=(code.ends_counted_behind,),
    ),
    said(
        "no-margin",
        code.too_strict,
        "Shares of draws equal probabilities.",
        "You name exact samplers as wrong. Of 300 draws a share is off by about 0.03, and of "
        "5,000 by 0.007: no share is hit exactly.",
        "How far from 5,000 heads do 10,000 throws of a coin fall?",
        "The spread of a share is about √(p(1 - p)/rounds).",
        "Draw many rounds, and allow for five times the spread.",
    ),
    said(
        "wide-margin",
        code.too_lenient,
        "A share that is roughly right is right.",
        'You say "none" of samplers whose shares are 0.1 or 0.2 off for some p and q. Either your '
        "margin is wider than that, or you ask only with p and q for which these samplers are "
        "right, such as two that have no token in common.",
        "How far from 0.5 do 5,000 draws fall, by chance? And which of your p and q share a token?",
        "The spread of a share is about √(p(1 - p)/rounds).",
        "Allow for five times the spread, not more.",
    ),
    said(
        "one-name-for-all",
        code.good_or_bad,
        "Every fault is the draft's.",
        'You find which samplers are exact, and say "other draft" of all others.',
        "For which p and q do two of the faults differ?",
        "Compute the result of each fault for your p and q.",
        "Choose p and q so that they give different shares.",
    ),
    said(
        "replacements-exchanged",
        code.refusals_exchanged,
        "Tokens that come too often come from p.",
        'You exchange "from p" and "not clipped". Where p has a token with probability 0, a draw '
        "from p never brings it, and the absolute difference does.",
        "For p = (1, 0) and q = (0, 1), what are p and |p - q|?",
        "Only one of the two can bring a token that p does not have.",
        "Exchange the two names.",
    ),
    said(
        "not-clipped-called-from-p",
        partial(code.renamed, instead=(("not clipped", "from p"),)),
        "What replaces a guess wrongly is p.",
        'You say "from p" of the sampler that replaces a refused guess by a draw from |p − q|. '
        "With p = (0.5, 0.5) the two give the same shares. With p = (1, 0) and q = (0, 1) only "
        "|p − q| brings token 1.",
        "For your p and q, what are p and |p − q|, divided by its sum?",
        "Only one of the two can bring a token that p does not have.",
        "Ask with p = (1, 0) and q = (0, 1) before you ask with another pair.",
    ),
    said(
        "drafts-exchanged",
        code.drafts_exchanged,
        "A draft that is too sharp loses its likeliest token.",
        'You exchange "by p alone" and "other draft". A sharper draft brings its likeliest token '
        "too often; a guess that is kept with p instead of p/q comes too seldom.",
        "Compute both for p = (0.5, 0.5) and q = (0.8, 0.2).",
        "One gives 0.59 for token 0, one 0.4.",
        "Exchange the two names.",
    ),
    said(
        "impossible-is-kept",
        code.impossible_is_kept,
        "An impossible token was kept.",
        'You say "keeps all" of a sampler that refuses rightly and replaces wrongly: with the '
        "absolute difference an impossible token comes in half of the rounds, not in all.",
        "For p = (1, 0) and q = (0, 1): how often does token 1 come in each of the two?",
        "Some is not all.",
        "Look at the share, not only at whether it is 0.",
    ),
    said(
        "replacement-untested",
        code.replaced_is_other,
        "What shows as a surplus is the draft's.",
        'You find five faults, and name "from p" as another. A replacement from p and a sharper '
        "draft both bring the draft's favourite too often; a certain draft distinguishes them.",
        "For p = (0.5, 0.5) and q = (1, 0): what does each of the two give?",
        "A certain draft cannot be sharpened.",
        "Ask with a certain q before you ask with another.",
    ),
    said(
        "one-pair-only",
        code.one_pair,
        "One p and one q distinguish all faults.",
        'With p = (0.5, 0.5) and q = (0.8, 0.2) the share is 0.65 for both "from p" and "not '
        'clipped", and "bonus row" does not show in the first token.',
        "What does each fault give for your p and q? Do two of them agree?",
        "No single pair of two tokens distinguishes all faults by the first token.",
        "Ask with p = (1, 0) and q = (0, 1) as well, and look behind the last guess.",
    ),
    said(
        "minus-one-is-no-token",
        code.minus_one_is_counted,
        "Every round has every place.",
        "Your function fails on samplers that end a round: -1 is not a token, and functions such "
        "as `bincount` and `one_hot` take no negative numbers.",
        "Which number is at a place that a round does not reach?",
        "A round without that place says nothing about it.",
        "Keep only the tokens from 0 on.",
    ),
    said(
        "even-draft",
        code.even_draft,
        "Any q that differs from p will do.",
        'You say "none" of the sampler that guesses from a sharper draft. If the tokens of q are '
        "all equally likely, or one of them is certain, the sharper draft is q itself and shows "
        "nothing. With most other q its tokens do not follow p.",
        "For q = (0.5, 0.5), what is q squared, divided by its sum?",
        "A sharper draft shows only where q prefers something.",
        "Ask with p = (0.5, 0.5) and q = (0.8, 0.2).",
    ),
    said(
        "must-get-there",
        code.must_get_there,
        "Every sampler gets to the last place.",
        'You say "bonus row" of an exact sampler whose rounds all end before the last place: of '
        "no draws at all nothing can be said.",
        "How many rounds got to the place that you judge?",
        "A round without that place says nothing about it.",
        "Judge the last place only where some rounds get there.",
    ),
    said(
        "must-get-there-and-another",
        partial(code.must_get_there_and_misses, missed=("bonus row", "other draft")),
        "Every sampler gets to the last place, and one pair of p and q shows all.",
        'There are at least two mistakes. One is that you say "bonus row" of an exact sampler '
        "whose rounds all end before the last place: without any draws there is no evidence. "
        "Correct this first, and check again.",
        "How many rounds got to the place that you judge?",
        "A round without that place says nothing about it.",
        "Judge the last place only where some rounds get there.",
        variants=tuple(
            partial(code.must_get_there_and_misses, missed=missed)
            for missed in (("bonus row",), ("other draft",), ("by p alone", "other draft"))
        ),
    ),
    said(
        "slow-is-wrong",
        code.slow_is_wrong,
        "A sampler that keeps fewer guesses than it could is wrong.",
        'You say "by p alone" of an exact sampler that keeps few guesses. The number of guesses '
        "that are kept decides about time; a fault changes the distribution.",
        "Is the first token of these rounds distributed as row 0 of p?",
        "The lengths of the rounds do not test the tokens.",
        "Compare the shares of tokens alone.",
    ),
    *unrecognised(
        lambda instead: partial(code.renamed, instead=instead),
        FAULTS,
        both=1,
        many=2,
        known=(
            (("bonus row", "none"),),
            (("bonus row", "none"), ("not clipped", "from p")),
            (("not clipped", "from p"), ("from p", "not clipped")),
            (("not clipped", "from p"),),
            (("by p alone", "none"), ("other draft", "none")),
            (("from p", "none"), ("by p alone", "none"), ("other draft", "none")),
            (("other draft", "none"),),
        ),
    ),
)
