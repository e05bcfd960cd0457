"""How 03.find_leak goes wrong."""

from exercise_bank.ch03.mistakes import find_leak_code as code
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
        says="An attention that adds the mean of all values to its output passes your test, "
        "and so does every leak through the values alone. Later values are to be changed "
        "too.",
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
        says="Your test accuses honest attentions: all those that look at anything. When a "
        "later token changes, the outputs from that token on *should* move; only those "
        "before it may not.",
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
        says="An attention in which query 0 sees key 1, and which is causal otherwise, passes "
        "your test. Changing the last token alone does not show it.",
        hints=(
            "Which pairs (query, later key) does your test look at?",
            "Each key after the first has earlier queries.",
            "Repeat your test for each position t, changing everything after it.",
        ),
    ),
    Misconception(
        name="first-output-only",
        answer=code.first_output_only,
        variants=(code.first_output_by_gradients,),
        believed="If the first query cannot look ahead, none can.",
        says="An attention in which the last query but one sees the last key passes your test. "
        "Watching the first output alone does not show it.",
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
        says="Your test accuses honest attentions. The last output may depend on all tokens "
        "before it: that is the past, not the future.",
        hints=(
            "Which outputs may not depend on token 3?",
            "Change something late, watch something early.",
            "Change [t + 1:], compare [: t + 1].",
        ),
    ),
    Misconception(
        name="too-lenient",
        answer=code.too_lenient,
        variants=(code.a_little_lenient, code.less_lenient),
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
        says="Your test accuses honest attentions that see no more than their own position and "
        "before. Output t may move when token t itself changes.",
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
        says="You answer True to every attention here, also to one that looks at nothing.",
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
        says="An attention in which query 0 sees the last key, and which is causal otherwise, "
        "passes your test. Changing only the token right behind each query does not show "
        "it.",
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
        says="An attention in which a query in the middle sees the key behind it passes your "
        "test; leaks at the two ends do not.",
        hints=(
            "Which queries does your test watch, and which never?",
            "Each position has a future of its own.",
            "Go through all positions t.",
        ),
    ),
    Misconception(
        name="a-constant-added",
        kind="form",
        answer=code.constant_added,
        believed="Any change of a token will show.",
        says="An attention that norms its inputs first passes your test. A constant added to "
        "all features of a token is taken away there, before anything is compared.",
        hints=(
            "What does a norm over the features do to a constant that is added to all of them?",
            "The change must not be one that a norm takes back.",
            "Draw later tokens anew, or turn them round and shift them.",
        ),
    ),
    Misconception(
        name="only-scaled",
        kind="form",
        answer=code.only_scaled,
        believed="Twice as much is a change.",
        says="An attention that leaks passes your test where later tokens are zeros. "
        "Multiplied, or set to zero, they are what they were.",
        hints=(
            "What is -2 times a token of zeros?",
            "Not every token is changed by a factor.",
            "Draw later tokens anew, or add something too.",
        ),
    ),
    Misconception(
        name="queries-changed",
        answer=code.queries_changed,
        believed="Later queries must not matter.",
        says="Your test finds no leak in any of these. A leak comes through later keys or "
        "values; changed queries alone do not show it.",
        hints=(
            "What does output t bring back, and from where?",
            "A leak comes through later keys or values.",
            "Change keys and values behind t.",
        ),
    ),
    Misconception(
        name="every-position-must-leak",
        answer=code.sums_compared,
        believed="A leak shows at every position.",
        says="An attention that leaks in one place only, and is clean elsewhere, passes your "
        "test. One output that depends on what comes later is a leak.",
        hints=(
            "In an attention that leaks in one place only, what does your test say?",
            "One leak is enough for True.",
            "Return True at the first one; False behind the loop.",
        ),
    ),
)
