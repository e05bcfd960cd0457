"""``plaincourse reseed``: draw new hidden seeds, for the next term.

It rewrites ``seed=NUMBER`` between ``### BEGIN HIDDEN TESTS`` and ``### END HIDDEN TESTS`` in the
texts of ``solutions/``, and nothing else. A seed has 64 random bits, so it cannot be found by
trial. Afterwards run ``plaincourse sync``, and update the gradebook with ``nbgrader
generate_assignment``.
"""

import argparse
import secrets
import sys
from pathlib import Path
from typing import Any

from plaincourse.exercise.seeds import BITS, SEED, reseeded


def add_parser(sub: Any) -> None:
    """Add the command ``reseed``."""
    parser = sub.add_parser(
        "reseed",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "assignments", metavar="ASSIGNMENT", nargs="*", help="such as 03-masks; all if left out"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command in the course's folder.

    Returns:
        0, or 1 if an assignment does not exist; in that case nothing is changed.
    """
    names = args.assignments or sorted(path.name for path in Path("solutions").glob("*"))
    texts = [Path("solutions", name, f"{name}.md") for name in names]
    missing = [path for path in texts if not path.is_file()]
    if missing or not texts:
        what = ", ".join(map(str, missing)) or "solutions/"
        print(f"error: {what} is not here: run this in the course's folder", file=sys.stderr)
        return 1
    taken = {int(found) for path in texts for found in SEED.findall(path.read_text("utf-8"))}

    def draw(_: int) -> int:
        while (number := (1 << BITS) + secrets.randbits(BITS)) in taken:
            pass
        taken.add(number)
        return number

    for path in texts:
        text, count = reseeded(path.read_text(encoding="utf-8"), draw)
        path.write_text(text, encoding="utf-8")
        print(f"{path}: {count} {'seed' if count == 1 else 'seeds'}")
    print(
        "Now run plaincourse sync, and nbgrader generate_assignment NAME --force for each of them."
    )
    return 0
