"""Tolerances for comparing numbers: one table for all tasks, by the kind of number."""

from typing import NamedTuple


class Precision(NamedTuple):
    """Tolerance within which two numbers count as equal.

    Attributes:
        rtol: the tolerance relative to the right number.
        atol: the absolute tolerance, which is added.
        of: the numbers that it applies to, as students and instructors read it.
    """

    rtol: float
    atol: float
    of: str


EXACT = Precision(0.0, 0.0, "bits, where the task is about bits")
COUNTED = Precision(1e-6, 1e-12, "counts, and quotients of counts, in Python's own numbers")
FINE = Precision(1e-5, 1e-8, "weights, slopes and other numbers that may be tiny")
USUAL = Precision(1e-5, 5e-6, "whatever is computed in a few steps")
SUMMED = Precision(1e-4, 1e-5, "norms, losses, projections and other long sums")
SOLVED = Precision(1e-3, 2e-4, "solutions of systems of equations")
#: In the order of the table in the guide.
TABLE = (EXACT, COUNTED, FINE, USUAL, SUMMED, SOLVED)
