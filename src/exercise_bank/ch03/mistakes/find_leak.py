"""How 03.find_leak goes wrong."""

import math
from functools import partial

from exercise_bank.ch03.mistakes import find_leak_code as code
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    Misconception(
        name="values-only",
        answer=code.values_only,
        believed="A leak is a value that gets through.",
        says="Your test notices what later values do, and not what later keys do. An attention "
        "that hides after softmax passes it: later values have weight 0 there, but later keys "
        "still change the sum that all weights are divided by.",
        hints=(
            "By which two ways can a later token reach an output?",
            "Which of the three tensors do you never change?",
            "Change the keys after position t together with the values after it.",
        ),
    ),
    Misconception(
        name="keys-only",
        answer=code.keys_only,
        believed="A leak changes the weights.",
        says="An attention that adds the mean of all values to its output passes your test, "
        "and so does every leak through the values alone. Later values are to be changed "
        "too.",
        hints=(
            "By which two ways can a later token reach an output?",
            "Which of the three tensors do you never change?",
            "Change the values after position t together with the keys after it.",
        ),
    ),
    Misconception(
        name="all-outputs",
        answer=code.all_outputs,
        believed="No output may move.",
        says="Your test accuses attentions that do not leak. When a later token changes, the "
        "outputs from that token on should change with it; only those before it may not.",
        hints=(
            "When key 3 changes, which outputs of an honest attention may move?",
            "Compare only the outputs that come before the change.",
            "Compare the outputs up to position t, before the change and after it.",
        ),
    ),
    Misconception(
        name="last-token-only",
        answer=code.last_token_only,
        believed="If the last token cannot leak, none can.",
        says="An attention in which query 0 attends to key 1, and which is causal otherwise, "
        "passes your test. Changing the last token alone does not show it.",
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
        says="An attention in which the last query but one attends to the last key passes your "
        "test. Watching the first output alone does not show it.",
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
            "Change the tokens after position t, and compare the outputs up to t.",
        ),
    ),
    Misconception(
        name="too-lenient",
        answer=code.too_lenient,
        variants=(code.a_little_lenient, code.less_lenient),
        believed="A small difference is rounding.",
        says="Your test overlooks small leaks: a hidden score lowered by 14 instead of minus "
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
        says="You return False for attentions that leak and True for the others. True is to mean "
        "that the attention leaks.",
        hints=(
            "What does your function return for an attention without any mask?",
            "The function is called find_leak.",
            "Swap True and False.",
        ),
    ),
    Misconception(
        name="own-position-too",
        answer=code.own_position_too,
        variants=(
            code.own_position_changed,
            partial(code.own_position_changed, tensors="values"),
            partial(code.own_position_changed, tensors="keys"),
            *(
                partial(code.own_position_changed, how=how, atol=atol)
                for how in ("anew", "scaled", "shifted")
                for atol in (1e-10, 0.01, 0.1)
            ),
        ),
        believed="A query may not depend on its own token.",
        says="Your test accuses attentions that use no more than the own position and those "
        "before. Output t may change when token t itself changes.",
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
        says="You return True for every attention here, even for one whose outputs are all zeros.",
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
        says="An attention in which query 0 attends to the last key, and which is causal "
        "otherwise, passes your test. Changing only the token right behind each query does not "
        "show it.",
        hints=(
            "How many later keys does query 0 have? How many of them do you change?",
            "The whole future of a query is forbidden, near and far.",
            "Change all that comes after t at once.",
        ),
    ),
    Misconception(
        name="ends-only",
        answer=code.ends_only,
        believed="The first query and the last but one are enough.",
        says="An attention in which a query in the middle attends to the key after it passes your "
        "test. You watch the queries at the two ends only.",
        hints=(
            "Which queries does your test watch, and which never?",
            "Each position has a future of its own.",
            "Go through all positions t.",
        ),
    ),
    Misconception(
        name="a-constant-added",
        answer=code.constant_added,
        believed="Any change of a token will show.",
        says="A leak passes your test if the attention norms its inputs first. The norm subtracts "
        "the mean of a token's features, and with it any constant that you add to all of them.",
        hints=(
            "What does a norm over the features do to a constant that is added to all of them?",
            "The change must not be one that a norm takes back.",
            "Draw later tokens anew, or turn them round and shift them.",
        ),
    ),
    Misconception(
        name="only-scaled",
        answer=code.only_scaled,
        variants=(partial(code.only_scaled, factor=-2.0), partial(code.only_scaled, factor=0.0)),
        believed="A factor changes every token.",
        says="You multiply later tokens by a number, or set them to 0. Zeros stay zeros, and if an "
        "attention norms its inputs first, a positive factor cancels. So some leaks pass your "
        "test.",
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
        "test. One output that depends on a later token is a leak.",
        hints=(
            "In an attention that leaks in one place only, what does your test return?",
            "One leak is enough for True.",
            "Return True at the first one; False behind the loop.",
        ),
    ),
    Misconception(
        name="one-split-only",
        answer=partial(code.look_for_leak, places="half"),
        believed="What holds between the halves holds everywhere.",
        says="You split the tokens once, change those after the split and watch the outputs before "
        "it. A leak between two positions on the same side of the split passes your test.",
        hints=(
            "Which pairs (query, later key) does your test look at?",
            "Each position has a future of its own.",
            "Repeat your test for each position t, changing everything after it.",
        ),
    ),
    Misconception(
        name="some-places-and-values-only",
        answer=partial(code.look_for_leak, places="last", tensors="values"),
        variants=tuple(
            partial(code.look_for_leak, places=places, tensors="values")
            for places in ("first", "next", "ends", "half")
        ),
        believed="A leak is a value that gets through, and one place shows it.",
        says="Your test notices later values and no later keys, and those only for some pairs of a "
        "query and a later key. So it misses leaks through the keys, and leaks in one place.",
        hints=(
            "Which of the three tensors do you never change?",
            "Which pairs (query, later key) does your test look at?",
            "For each position t, change the keys after it together with the values after it.",
        ),
    ),
    Misconception(
        name="some-places-and-keys-only",
        answer=partial(code.look_for_leak, places="last", tensors="keys"),
        variants=tuple(
            partial(code.look_for_leak, places=places, tensors="keys")
            for places in ("first", "next", "ends", "half")
        ),
        believed="A leak changes the weights, and one place shows it.",
        says="Your test notices later keys and no later values, and those only for some pairs of a "
        "query and a later key. So it misses leaks through the values, and leaks in one place.",
        hints=(
            "Which of the three tensors do you never change?",
            "Which pairs (query, later key) does your test look at?",
            "For each position t, change the values after it together with the keys after it.",
        ),
    ),
    Misconception(
        name="some-places-and-no-new-tokens",
        answer=partial(code.look_for_leak, places="last", how="scaled"),
        variants=tuple(
            partial(code.look_for_leak, places=places, how=how)
            for places, how in (
                ("last", "shifted"),
                ("first", "scaled"),
                ("next", "scaled"),
                ("next", "shifted"),
                ("half", "scaled"),
                ("half", "shifted"),
            )
        ),
        believed="Any change will show, and one place is enough.",
        says="Your test tries only some pairs of a query and a later key. And it multiplies later "
        "tokens by a number, or adds a number to all their features; an attention that norms its "
        "inputs first takes that back.",
        hints=(
            "Which pairs (query, later key) does your test look at?",
            "What does a norm over the features do to a factor, and to a constant added to all?",
            "For each position t, draw everything after it anew.",
        ),
    ),
    Misconception(
        name="one-tensor-and-no-new-tokens",
        answer=partial(code.look_for_leak, tensors="values", how="scaled"),
        variants=tuple(
            partial(code.look_for_leak, tensors=tensors, how=how)
            for tensors, how in (("values", "shifted"), ("keys", "scaled"), ("keys", "shifted"))
        ),
        believed="Any change of one tensor will show.",
        says="Your test changes later keys or later values, not both. And it multiplies them by a "
        "number, or adds a number to all their features; an attention that norms its inputs first "
        "takes that back.",
        hints=(
            "By which two ways can a later token reach an output?",
            "What does a norm over the features do to a factor, and to a constant added to all?",
            "Draw later keys and later values anew.",
        ),
    ),
    Misconception(
        name="weights-above-the-diagonal",
        answer=code.weights_read,
        believed="A leak is a weight above the diagonal.",
        says="You read the weights, with an identity matrix as values, and look above the "
        "diagonal. A leak through the keys alone leaves zeros there; and if an attention changes "
        "its values first, your matrix does not hold its weights.",
        hints=(
            "What does an attention return that hides after softmax?",
            "Is the output still the weights if the values are normed first?",
            "Run the attention twice, with other keys and values after position t.",
        ),
    ),
    Misconception(
        name="one-tensor-and-too-lenient",
        answer=partial(code.look_for_leak, tensors="values", atol=0.01),
        variants=tuple(
            partial(code.look_for_leak, tensors=tensors, atol=atol)
            for tensors in ("values", "keys")
            for atol in (1e-3, 0.01, 0.1, 0.5)
            if (tensors, atol) != ("values", 0.01)
        ),
        believed="A leak moves the output a lot, and one tensor shows it.",
        says="Your test changes later keys or later values, not both. And it takes small "
        "differences for rounding, so it overlooks small leaks.",
        hints=(
            "By which two ways can a later token reach an output?",
            "How large is rounding in float64?",
            "Change later keys and later values together, and lower the tolerance to 1e-9 or so.",
        ),
    ),
    Misconception(
        name="some-places-and-too-lenient",
        answer=partial(code.look_for_leak, places="last", atol=0.01),
        variants=tuple(
            partial(code.look_for_leak, places=places, atol=atol)
            for places in ("last", "first", "next", "half")
            for atol in (0.01, 0.1)
            if (places, atol) != ("last", 0.01)
        ),
        believed="A leak moves the output a lot, and one place shows it.",
        says="Your test tries only some pairs of a query and a later key. And it takes small "
        "differences for rounding, so it overlooks small leaks.",
        hints=(
            "Which pairs (query, later key) does your test look at?",
            "How large is rounding in float64?",
            "Change everything after t, for each t, and lower the tolerance to 1e-9 or so.",
        ),
    ),
    Misconception(
        name="only-reordered",
        answer=code.only_reordered,
        variants=(partial(code.only_reordered, by=1),),
        believed="Reordered tokens are new tokens.",
        says="You put the later tokens in another order. Nothing changes where only one is left, "
        "and an average over all of them stays the same in any order. So leaks pass your test.",
        hints=(
            "What does a mean over all later tokens do if you reorder them?",
            "How do you reorder a single token?",
            "Draw later tokens anew.",
        ),
    ),
    Misconception(
        name="not-a-number",
        answer=code.not_a_number,
        variants=(partial(code.not_a_number, by=math.inf),),
        believed="A value of weight 0 cannot be seen, even nan.",
        says="You put nan or inf into later values. A weight of 0 times nan is nan, so an "
        "attention seems to leak that gives these values no weight.",
        hints=(
            "What is 0 · nan, and what is 0 · inf?",
            "Which attention gives no nan in your test?",
            "Change later tokens to other finite numbers.",
        ),
    ),
)
