"""The command line ``python -m plainformer.lab.capstone NAME``."""

import argparse
import json
import sys
from collections.abc import Sequence

import torch

from plainformer.lab.capstone.measuring import PARTS, measure
from plainformer.lab.capstone.worked import HOME, WORKED


def main(arguments: Sequence[str] | None = None) -> int:
    """Make a worked capstone and print what it is worth.

    Args:
        arguments: those of the process when left out.
    """
    parser = argparse.ArgumentParser(prog="python -m plainformer.lab.capstone", description=__doc__)
    parser.add_argument("name", choices=sorted(WORKED))
    parser.add_argument("--seed", type=int, default=0, help="of the language; default 0")
    parser.add_argument("--record", action="store_true", help="keep what was measured")
    args = parser.parse_args(arguments)
    torch.set_num_threads(1)
    worked = WORKED[args.name]
    found = measure(worked.entry(args.seed), seed=args.seed)
    print(f"{args.name}: wants {worked.wants}; gave up {worked.gave_up}")
    for part, points in PARTS.items():
        print(f"  {found.parts[part]:3g} of {points:g}  {part}")
    print("  " + ", ".join(f"{name} {value:g}" for name, value in found.facts.items()))
    if found.refused:
        print(f"  {found.refused}")
    if args.record:
        HOME.mkdir(parents=True, exist_ok=True)
        row = {
            "command": f"python -m plainformer.lab.capstone {args.name} --record",
            "torch": torch.__version__,
            "seed": args.seed,
            "score": found.score,
            "parts": found.parts,
            "facts": found.facts,
        }
        (HOME / f"{args.name}.json").write_text(json.dumps(row, indent=1) + "\n", "utf-8")
    return 1 if found.refused else 0


if __name__ == "__main__":
    sys.exit(main())
