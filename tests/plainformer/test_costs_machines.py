"""Published machines have rooflines with the ridges in the book."""

from itertools import pairwise

from plainformer.costs import MACHINES


def test_published_machines_have_their_ridges():
    ridges = {name: round(by_size[2].ridge) for name, by_size in MACHINES.items()}
    assert ridges == {"H100": 295, "A100": 153, "TPU v5e": 240}
    for by_size in MACHINES.values():  # half the bytes, at least twice the arithmetic
        peaks = [by_size[size].flops_per_second for size in sorted(by_size)]
        assert all(fine >= 2 * coarse for fine, coarse in pairwise(peaks))
