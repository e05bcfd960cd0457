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
)
