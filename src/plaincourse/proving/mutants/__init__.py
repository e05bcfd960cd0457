"""Mutants: small changes to right answers, each of which must cost points."""

from plaincourse.proving.mutants.hand_in import submissions
from plaincourse.proving.mutants.proof import Proof, prove

__all__ = ["Proof", "prove", "submissions"]
