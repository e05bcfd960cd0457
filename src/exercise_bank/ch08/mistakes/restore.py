"""How 08.restore goes wrong."""

from exercise_bank.ch08.mistakes import restore_code as code
from exercise_bank.skills import said
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    Misconception(
        name="keeps-sentinels",
        answer=code.keeps_sentinels,
        believed="The sentinels are part of the text.",
        says="Your text still holds the sentinels. They only mark the places of words that were "
        "cut.",
        hints=(
            "Which tokens were in the text before anything was cut?",
            "Your text is too long by the number of spans.",
            "A sentinel is replaced, not followed.",
        ),
    ),
    Misconception(
        name="sentinels-by-number",
        answer=code.from_the_first_sentinel_on,
        believed="Sentinels are the numbers from the first one on.",
        says="You recognise a sentinel by its size. `sentinels` lists them: they may fall, have "
        "gaps, and be smaller than words.",
        hints=(
            "What does your function do with a word whose number is larger than a sentinel's?",
            "Which argument lists the sentinels?",
            "Test whether a token is in the list.",
        ),
        variants=(code.from_the_least_sentinel_on, code.from_the_least_sentinel_on_and_filler),
    ),
    Misconception(
        name="up-to-the-neighbour",
        answer=code.up_to_the_neighbour,
        believed="The text uses the sentinels in the order of the list.",
        says="You end a span at the sentinel that is next in the list `sentinels`. The text may "
        "use the sentinels in another order, and leave some out: a span ends at the next sentinel "
        "of the target, whichever that is.",
        hints=(
            "Which sentinel comes after the first one in `target`, and which in `sentinels`?",
            "Read the target from left to right: where does a span end?",
            "Collect words until the next token that is in `sentinels`.",
        ),
    ),
    Misconception(
        name="keeps-end",
        answer=code.keeps_end,
        believed="The end token is the last word.",
        says="Your text ends in the end token, which was added when the text was cut.",
        hints=(
            "Which tokens were in the text before anything was cut?",
            "Look at your last token.",
            "Stop before the end token, not after it.",
        ),
        kind="form",
    ),
    Misconception(
        name="one-word-each",
        answer=code.one_word_each,
        variants=(code.last_word_each, code.last_word_each_and_filler),
        believed="A sentinel replaces one word.",
        says="You put back one word for each sentinel. A span may be longer: it ends at the next "
        "sentinel of the target.",
        hints=(
            "What ends a span in the target?",
            "Your text is right if each span has one word.",
            "Collect words until the next sentinel.",
        ),
    ),
    Misconception(
        name="all-at-the-first",
        answer=code.all_at_the_first,
        believed="The target is a single missing span.",
        says="You put all missing words at the first sentinel, which is right only if there is a "
        "single span.",
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
        says="You write the missing words after the source. They belong in the places of the "
        "sentinels.",
        hints=(
            "What does a sentinel in the source mark?",
            "The words are right, but their places are not.",
            "Replace each sentinel by its words.",
        ),
    ),
    Misconception(
        name="sentinel-closes",
        answer=code.sentinel_closes,
        believed="A span is followed by its sentinel.",
        says="You take the words *before* a sentinel as its span. In the target a sentinel comes "
        "before its span, and the last one has no span.",
        hints=(
            "With which token does the target begin?",
            "Your spans are shifted by one sentinel.",
            "A sentinel opens its span.",
        ),
    ),
    Misconception(
        name="reversed-spans",
        answer=code.reversed_spans,
        believed="The target is read from its end.",
        says="You put the spans back in the reverse order: the last one in place of the first "
        "sentinel.",
        hints=(
            "Which sentinel comes before the first span of the target?",
            "With one span your text is right.",
            "Match the spans by their sentinels, or keep the order of the target.",
        ),
    ),
    Misconception(
        name="filler-stays",
        answer=code.filler_stays,
        believed="Only the end token itself is not text.",
        says="You skip the end token and continue with the filler after it, so your text ends in "
        "filler.",
        hints=(
            "What may follow the end token?",
            "Your text is right if no filler does.",
            "Stop at the end token instead of skipping it.",
        ),
        kind="form",
    ),
    said(
        "by-number",
        code.by_number,
        "Sentinels are the largest numbers.",
        "You recognise a sentinel by its size. `sentinels` lists them: they may be any numbers, "
        "and a word may be larger.",
        "Which of your four arguments do you use to recognise a sentinel?",
        "Test whether the token is in `sentinels`.",
    ),
    said(
        "in-the-order-of-the-list",
        code.in_the_order_of_the_list,
        "The first sentinel of the list comes first in the text.",
        "You take the sentinels in the order of the list, or of their numbers. In the text they "
        "may fall or have gaps.",
        "Which sentinel is at this place in the source?",
        "Look the span up by the token that you read.",
        variants=(
            code.in_the_order_of_numbers,
            code.between_neighbours_of_the_list,
            code.spans_in_the_order_of_the_list,
        ),
    ),
    said(
        "in-the-order-of-the-list-and-filler-stays",
        code.spans_in_the_order_of_the_list_and_filler,
        "The first sentinel of the list comes first in the text, and filler is text.",
        "You take the sentinels in the order of the list. In source and target they may come in "
        "another order. And you skip the end token and continue with the filler after it.",
        "Which sentinel is at this place in the target, and what follows the end token?",
        "Name a span by the token that you read, and stop at the end token.",
        variants=(code.in_the_order_of_the_list_and_filler,),
    ),
    said(
        "next-in-the-list-ends",
        code.next_in_the_list_ends,
        "The sentinels come in the order of the list.",
        "You end a span at the sentinel that follows its own in number or in the list. A span ends "
        "at the next sentinel in the target, whichever that is. If it is not the sentinel that you "
        "expect, your span ends too early, too late or not at all.",
        "Which token ends the first span of the target, if its sentinels are 98, 97, 96?",
        "Read the target token by token until one of `sentinels` comes.",
        variants=(
            code.next_number_ends,
            code.next_in_the_list_or_nothing,
            code.next_in_the_round_ends,
        ),
    ),
    said(
        "zeros-dropped",
        code.zeros_dropped,
        "0 is filler.",
        "You drop every 0. Before the end token, 0 is an ordinary word.",
        "At which end of the source is the filler?",
        "Cut at the end token, and do not drop anything else.",
        kind="form",
    ),
    said(
        "last-span-lost",
        code.last_span_lost,
        "The last sentinel of the target opens no span, and the one before closes it.",
        "Your last span is missing. The last sentinel of the target has no span, and ends the one "
        "before it.",
        "How many spans are between three sentinels?",
        "n sentinels have n - 1 spans between them.",
    ),
    said(
        "words-behind-lost",
        code.words_after_lost,
        "The text ends with the last span.",
        "The words of the source after its largest sentinel are missing. The text continues to the "
        "end token.",
        "What is between the last sentinel of the source and its end?",
        "Go on after the last span, to the end token.",
    ),
    said(
        "only-what-was-cut",
        code.target_only,
        "The target is the text.",
        "You return only the words that were cut. The words that stayed are in the source.",
        "Which words of the example are only in the source?",
        "Go through the source, and put spans in.",
    ),
    said(
        "only-what-stayed",
        code.source_only,
        "Sentinels are dropped.",
        "You return only the words that stayed. The words that were cut are in the "
        "target, after their sentinels.",
        "What should replace a sentinel of the source?",
        "Put the span in its place.",
    ),
)
