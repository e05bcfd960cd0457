"""More ways in which a test for leaks goes wrong."""

from functools import partial

from exercise_bank.ch03.mistakes import find_leak_code as code
from plaincourse.exercise import Misconception

MORE = (
    Misconception(
        name="to-the-last-digit",
        answer=code.to_the_last_digit,
        believed="An output that does not leak stays the same in every digit.",
        kind="form",
        says="Your test calls rounding a leak: it compares outputs digit by digit, or nearly "
        "so. An attention may take later values in and off again, as in the sum of all less the "
        "sum of the later ones. Then its last digits differ by rounding, and nothing leaks.",
        hints=(
            "What is (a + b) - b in floating-point numbers?",
            "By how much do the outputs differ in the attention that you accuse?",
            "Compare with a tolerance of 1e-9 or so.",
        ),
    ),
    Misconception(
        name="own-output-left-out",
        answer=code.own_output_left_out,
        believed="Only outputs before t may not see later tokens.",
        says="The tokens that you change begin two places after the last output that you compare. "
        "With other tokens after t, output t may not change either. So an attention that looks one "
        "position ahead passes your test.",
        hints=(
            "Which outputs may not depend on token t + 1?",
            "Which rows does the slice [:t] hold, and which [t + 2:]?",
            "Compare the outputs up to t, with output t itself.",
        ),
    ),
    Misconception(
        name="values-only-and-to-the-last-digit",
        answer=partial(code.look_for_leak, tensors="values", atol=0.0),
        believed="One tensor shows a leak, and an output stays the same in every digit.",
        says="Your test notices what later values do, and not what later keys do. And it calls "
        "rounding a leak: it compares outputs digit by digit, or nearly so. An attention may take "
        "later values in and off again, and then its last digits differ.",
        hints=(
            "By which two ways can a later token reach an output?",
            "What is (a + b) - b in floating-point numbers?",
            "Change later keys and later values, and compare with a tolerance of 1e-9 or so.",
        ),
    ),
)
