"""Comparisons of trainings, run once for several seeds; the book plots what they wrote."""
