"""Measure the matrix, all or a part of it; print differences; write the page of the book."""

import argparse
import os
import sys

os.environ.setdefault("TRITON_INTERPRET", "1")

from tests.plainformer.equivalence import table
from tests.plainformer.equivalence.cells import BACKENDS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.plainformer.equivalence")
    parser.add_argument("--backends", nargs="+", choices=BACKENDS, default=BACKENDS)
    parser.add_argument("--every", type=int, default=1, help="only each such combination (1)")
    parser.add_argument("--write", action="store_true", help="write the page of the book")
    options = parser.parse_args()
    shares = table.measured(options.backends, options.every)
    unequal = {cell: share for cell, share in shares.items() if not share <= 1}
    for cell, share in unequal.items():
        print(f"{share:.3g} times what is allowed: {cell}")
    print(f"{len(shares)} combinations, {len(unequal)} of them not equal")
    if options.write and not unequal:
        table.write()
    return int(bool(unequal))


if __name__ == "__main__":
    sys.exit(main())
