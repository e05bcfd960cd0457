"""How 03.find_leak goes wrong."""

from plaincourse.bank.ch03.mistakes import find_leak_code as code
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    Misconception(
        name="values-only",
        answer=code.values_only,
        believed="A leak is a value that gets through.",
        says="Your test notices what later values do, and not what later keys do. An attention "
        "that hides after softmax passes it: later values have weight 0 there, but later *keys* "
        "still change the sum that everything is divided by.",
        hints=(
            "By which two ways can a later token reach an output?",
            "Which of the three tensors do you never change?",
            "Change key[t + 1:] together with value[t + 1:].",
        ),
    ),
    Misconception(
        name="keys-only",
        answer=code.keys_only,
        believed="Who does not change the weights does not leak.",
        says="You change later keys and leave the values alone. An attention that adds the mean of "
        "all values to its output passes your test.",
        hints=(
            "By which two ways can a later token reach an output?",
            "Which of the three tensors do you never change?",
            "Change value[t + 1:] together with key[t + 1:].",
        ),
    ),
    Misconception(
        name="all-outputs",
        answer=code.all_outputs,
        believed="No output may move.",
        says="You compare all outputs. When a later token changes, the outputs from that token on "
        "*should* move: your test accuses every attention, the honest ones too.",
        hints=(
            "When key 3 changes, which outputs of an honest attention may move?",
            "Compare only the outputs that come before the change.",
            "Compare after[: t + 1] with before[: t + 1].",
        ),
    ),
    Misconception(
        name="last-token-only",
        answer=code.last_token_only,
        believed="If the last token cannot leak, none can.",
        says="You change the last token only. An attention in which query 0 sees key 1, and which "
        "is causal otherwise, passes your test.",
        hints=(
            "Which pairs (query, later key) does your test look at?",
            "Each key after the first has earlier queries.",
            "Repeat your test for each position t, changing everything after it.",
        ),
    ),
    Misconception(
        name="first-output-only",
        answer=code.first_output_only,
        believed="If the first query cannot look ahead, none can.",
        says="You watch the first output only. An attention in which the last query but one sees "
        "the last key passes your test.",
        hints=(
            "Which pairs (query, later key) does your test look at?",
            "Each query but the last has later keys.",
            "Repeat your test for each position t, watching the outputs up to it.",
        ),
    ),
    Misconception(
        name="last-output-only",
        answer=code.last_output_only,
        believed="A leak shows in the last output.",
        says="You change earlier tokens and watch the last output. It may depend on all of them: "
        "your test asks about the past, not about the future.",
        hints=(
            "Which outputs may not depend on token 3?",
            "Change something late, watch something early.",
            "Change [t + 1:], compare [: t + 1].",
        ),
    ),
    Misconception(
        name="too-lenient",
        answer=code.too_lenient,
        believed="A small difference is rounding.",
        says="Your test overlooks small leaks: a hidden score lowered by 12 instead of minus "
        "infinity moves the outputs by less than your tolerance. A model trained long enough finds "
        "such a leak.",
        hints=(
            "How large is rounding in float64?",
            "An honest attention moves by exactly 0 here, because the weights are exactly 0.",
            "Lower the tolerance to 1e-9 or so.",
        ),
    ),
    Misconception(
        name="turned-round",
        answer=code.turned_round,
        believed="True means that the attention passed.",
        says="Your test finds the leaks and answers the wrong way round: True should mean 'it "
        "leaks'.",
        hints=(
            "What does your function return for an attention without any mask?",
            "The function is called find_leak.",
            "Swap True and False.",
        ),
    ),
    Misconception(
        name="own-position-too",
        answer=code.own_position_too,
        believed="A query may not depend on its own token.",
        says="You also change token t itself and expect output t to stay. A query may see its own "
        "position: your test accuses honest attentions.",
        hints=(
            "May output 2 depend on key 2?",
            "Where does the part that you change begin?",
            "Begin the change at t + 1.",
        ),
    ),
    Misconception(
        name="always-true",
        answer=code.always_true,
        believed="Every attention leaks somewhere.",
        says="You answer True whatever you are given, also for an attention that looks at nothing.",
        hints=(
            "What does your function return for an attention whose outputs are all zeros?",
            "Does your answer depend on what the attention returns?",
            "Compare two runs of the attention that differ only in the future.",
        ),
    ),
    Misconception(
        name="next-token-only",
        answer=code.next_token_only,
        believed="A leak is a look at the next token.",
        says="For each query you change the token right behind it, and no other. An attention in "
        "which query 0 sees the last key, and which is causal otherwise, passes your test.",
        hints=(
            "How many later keys does query 0 have? How many of them do you change?",
            "The whole future of a query is forbidden, near and far.",
            "Change all that comes after t at once.",
        ),
    ),
    Misconception(
        name="ends-only",
        answer=code.ends_only,
        believed="The first query and the last but one stand for all.",
        says="You test two positions, at the two ends. An attention in which a query in the middle "
        "sees the key behind it passes your test.",
        hints=(
            "Which queries does your test watch, and which never?",
            "Each position has a future of its own.",
            "Go through all positions t.",
        ),
    ),
)
