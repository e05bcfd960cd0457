"""How 15.ntk_base goes wrong if the new base is very large."""

from functools import partial

from exercise_bank.ch15.mistakes import ntk_base_code as code
from exercise_bank.skills import said

LARGE = (
    said(
        "base-in-float32",
        code.base_in_float32,
        "A tensor holds any number.",
        "Your base is right. But a base above 3.4e38 is inf in float32, and then all your divisors "
        "but the first are inf or nan.",
        "Print torch.tensor(1e40).",
        "The divisors themselves are far smaller than the base.",
        "Compute with the factor, or in float64.",
        variants=(partial(code.base_in_float32, over=False),),
        kind="form",
    ),
    said(
        "new-base-in-float32",
        code.new_base_in_float32,
        "float32 is enough for a base.",
        "Where the new base is below 3.4e38 you are right. Beyond that it is inf: you compute it "
        "in float32.",
        "Print torch.tensor(10.0) ** 40.",
        "A number of Python is a float64.",
        "Compute the new base without tensors, or in float64; and the divisors with the factor.",
        variants=(
            partial(code.new_base_in_float32, divisors=True),
            partial(code.new_base_in_float32, divisors=True, over=False),
        ),
        kind="corner",
    ),
)
