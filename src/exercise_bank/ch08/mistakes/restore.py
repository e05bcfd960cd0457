"""How 08.restore goes wrong."""

from exercise_bank.ch08.mistakes import restore_code as code
from exercise_bank.skills import said
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    Misconception(
        name="keeps-sentinels",
        answer=code.keeps_sentinels,
        believed="The sentinels are part of the text.",
        says="Your text still holds the sentinels. They mark places; the text had words there.",
        hints=(
            "Which tokens stood in the text before anything was cut?",
            "Yours is longer than the text by the number of spans.",
            "A sentinel is replaced, not followed.",
        ),
    ),
    Misconception(
        name="sentinels-by-number",
        answer=code.from_the_first_sentinel_on,
        believed="Sentinels are the numbers from the first one on.",
        says="You tell a sentinel by its size. Sentinels are those of the list: they may fall, "
        "leave out numbers, and be smaller than words.",
        hints=(
            "What does yours make of a word whose number is above a sentinel's?",
            "Which argument says what the sentinels are?",
            "Ask whether a token is in the list.",
        ),
        variants=(code.from_the_least_sentinel_on,),
        kind="form",
    ),
    Misconception(
        name="keeps-end",
        answer=code.keeps_end,
        believed="The end token is the last word.",
        says="Your text ends in the end token, which was added when the text was cut.",
        hints=(
            "Which tokens stood in the text before anything was cut?",
            "Look at your last token.",
            "Stop before the end, not behind it.",
        ),
        kind="form",
    ),
    Misconception(
        name="one-word-each",
        answer=code.one_word_each,
        variants=(code.last_word_each, code.last_word_each_and_filler),
        believed="A sentinel stands for one word.",
        says="You put back one word for each sentinel. A span may be longer: it goes on until "
        "the next "
        "sentinel.",
        hints=(
            "How does the target say where a span stops?",
            "Yours is right where each span is one word.",
            "Collect words until a sentinel comes.",
        ),
    ),
    Misconception(
        name="all-at-the-first",
        answer=code.all_at_the_first,
        believed="The target is one missing piece.",
        says="You put all missing words at the first sentinel. With one span that is right.",
        hints=(
            "What do the sentinels inside the target separate?",
            "The second sentinel of the source needs its own words.",
            "Keep a list for each sentinel.",
        ),
    ),
    Misconception(
        name="at-the-end",
        answer=code.at_the_end,
        believed="The missing words are appended.",
        says="You write the missing words behind the source. They belong where the sentinels "
        "stand.",
        hints=(
            "What does a sentinel in the source tell you?",
            "The words are right, their places are not.",
            "Replace each sentinel where it stands.",
        ),
    ),
    Misconception(
        name="sentinel-closes",
        answer=code.sentinel_closes,
        believed="A span is followed by its sentinel.",
        says="You take the words *before* a sentinel as its span. In the target the sentinel "
        "comes first, "
        "and the last one has nothing behind it.",
        hints=(
            "With which token does the target begin?",
            "Your spans are moved by one sentinel.",
            "A sentinel opens its span.",
        ),
    ),
    Misconception(
        name="reversed-spans",
        answer=code.reversed_spans,
        believed="The target is read from its end.",
        says="You hand the spans out in the reverse order: the last goes to the first sentinel.",
        hints=(
            "Which sentinel stands before the first span of the target?",
            "With one span yours is right.",
            "Match by name, or in the same order.",
        ),
    ),
    Misconception(
        name="filler-stays",
        answer=code.filler_stays,
        believed="Only the end token itself is no text.",
        says="You leave out the end token and go on behind it: your text ends in filler.",
        hints=(
            "What may stand behind the end?",
            "Yours is right where nothing does.",
            "At the end you stop; you do not skip.",
        ),
        kind="form",
    ),
    said(
        "by-number",
        code.by_number,
        "Sentinels are the largest numbers.",
        "You tell a sentinel by its size. `sentinels` lists them: they may be any numbers, and a "
        "word may be larger.",
        "Which of your four arguments do you use to tell a sentinel?",
        "Ask whether the token is in `sentinels`.",
        kind="form",
    ),
    said(
        "in-the-order-of-the-list",
        code.in_the_order_of_the_list,
        "The first sentinel of the list comes first in the text.",
        "You take the sentinels in the order of the list. In the text they may fall or leave "
        "numbers out.",
        "Which sentinel does the source have at this place?",
        "Look the span up by the token that you read.",
        kind="form",
    ),
    said(
        "zeros-dropped",
        code.zeros_dropped,
        "0 is filler.",
        "You drop every 0. Before the end token it is a word like any other.",
        "At which end of the source is the filler?",
        "Cut at the end token, and drop nothing else.",
        kind="form",
    ),
    said(
        "last-span-lost",
        code.last_span_lost,
        "The last sentinel of the target opens no span, and the one before closes it.",
        "Your last span is missing: you pair the sentinels of the target and stop one too early.",
        "How many spans lie between three sentinels?",
        "n sentinels have n - 1 spans between them.",
    ),
    said(
        "words-behind-lost",
        code.words_after_lost,
        "The text ends with the last span.",
        "What stands in the source behind the largest sentinel is missing. The text goes on to the "
        "end token.",
        "What stands between the last sentinel of the source and its end?",
        "Leave out the break.",
    ),
    said(
        "only-what-was-cut",
        code.target_only,
        "The target is the text.",
        "You return what was cut. The words that stayed are in the source.",
        "Which words of the example are in the source only?",
        "Go through the source, and put spans in.",
    ),
    said(
        "only-what-stayed",
        code.source_only,
        "Sentinels are dropped.",
        "You return what stayed. What was cut stands in the target, behind its sentinel.",
        "What should stand where the source has a sentinel?",
        "Put the span in its place.",
    ),
)
