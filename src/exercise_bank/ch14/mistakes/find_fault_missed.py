"""Faults that an answer to 14.find_fault may miss, and the inputs that reveal each of them."""

from exercise_bank.naming import Fault

FAULTS = (
    Fault(
        name="bonus row",
        box="the sampler that draws the token after the last guess from the wrong row",
        shows="The tokens before it are right. It is right itself if the last two rows of p are "
        "equal.",
        hints=(
            "Which tokens of a round do you look at, and how do the rows of your p differ?",
            "Let p have the rows (1, 0) and (0, 1), and look at the last place.",
        ),
        kind="idea",
    ),
    Fault(
        name="keeps all",
        box="the sampler that keeps every guess",
        shows="Its tokens are distributed as q, so it is right only if q equals p.",
        hints=(
            "How far apart are your p and q?",
            "Ask with p = (1, 0) and q = (0, 1): which token comes?",
        ),
        instead=("none", "other draft"),
        kind="idea",
    ),
    Fault(
        name="not clipped",
        box="the sampler that replaces a refused guess by a draw from |p − q|",
        shows="A replacement should come from the tokens to which p gives more than q. This "
        "sampler brings the others, too.",
        hints=(
            "For p = (1, 0) and q = (0, 1), what is |p − q|, divided by its sum?",
            "Ask for that pair, and look at the share of token 1.",
        ),
        instead=("none", "from p"),
        kind="idea",
    ),
    Fault(
        name="from p",
        box="the sampler that replaces a refused guess by a draw from p",
        shows="A replacement should come from the tokens to which p gives more than q. This "
        "sampler brings a token too often if q gives it more than p does.",
        hints=(
            "For p = (0.5, 0.5) and q = (1, 0), how often does this sampler give token 0?",
            "Ask for that pair. A certain q shows no other draft.",
        ),
        instead=("none", "not clipped"),
        kind="idea",
    ),
    Fault(
        name="by p alone",
        box="the sampler that accepts a guess with probability p",
        shows="It is right if q is certain, because p/q is then p. Otherwise tokens that the draft "
        "prefers come too seldom.",
        hints=(
            "For which of your q does p/q differ from p?",
            "Ask with p = (0.5, 0.5) and q = (0.8, 0.2).",
        ),
        instead=("none", "other draft"),
        kind="idea",
    ),
    Fault(
        name="other draft",
        box="the sampler whose guesses come from a sharper draft",
        shows="It is right if all tokens of q are equally likely, or one of them is certain, "
        "because q squared, divided by its sum, is then q.",
        hints=(
            "For q = (0.5, 0.5), what is q squared, divided by its sum?",
            "Ask with p = (0.5, 0.5) and q = (0.8, 0.2).",
        ),
        instead=("none", "from p"),
        kind="idea",
    ),
)
