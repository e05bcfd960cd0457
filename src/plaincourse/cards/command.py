"""``plaincourse cards``: check the question cards of the course, or export them to Anki."""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from plaincourse.cards import concepts
from plaincourse.cards.cards import Card, CardError, load_all, uncovered
from plaincourse.exercise.course import distribution
from plaincourse.settings import SettingsError, root


def add_parser(sub: Any) -> None:
    """Add the command ``cards``."""
    parser = sub.add_parser(
        "cards",
        description=__doc__,
    )
    what = parser.add_mutually_exclusive_group(required=True)
    deck = Path(f"{distribution()}-cards.apkg")
    what.add_argument(
        "--anki",
        nargs="?",
        const=deck,
        metavar="OUT.apkg",
        type=Path,
        help=f"write all cards as a deck; without a name to {deck}, here",
    )
    what.add_argument("--check", action="store_true", help="check all cards and their concepts")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        1 if a card cannot be used, a concept has no card, or nothing could be written; else 0.
    """
    try:
        home = root()
        decks = load_all(home / "book" / "cards")
        if args.check:
            return _check(decks, home)
        from plaincourse.cards.anki import write  # its dependencies may not be installed

        write(decks, args.anki, when=time.time())
    except ModuleNotFoundError as error:
        problem = f"this needs {error.name}: python -m pip install '{distribution()}[book]'"
    except (CardError, SettingsError, OSError) as error:
        problem = str(error)
    else:
        count = sum(map(len, decks.values()))
        print(f"{args.anki}: {count} cards of chapters {', '.join(decks)}. In Anki: File, Import.")
        return 0
    print(f"error: {problem}", file=sys.stderr)
    return 1


def _check(decks: dict[str, list[Card]], home: Path) -> int:
    graph = concepts.load(home / "book" / "concepts.yml")
    problems = []
    for chapter, cards in decks.items():
        for card in cards:
            for name in card.concepts:
                if name not in graph:
                    problems.append(f"{card.id}: concept {name!r} is not in book/concepts.yml.")
                elif graph[name].chapter > chapter:
                    problems.append(f"{card.id}: {name} is of chapter {graph[name].chapter}.")
        taught = [name for name, concept in graph.items() if concept.chapter == chapter]
        problems += [f"chapter {chapter}: no card for {name}." for name in uncovered(cards, taught)]
        print(f"chapter {chapter}: {len(cards)} cards, {len(taught)} concepts")
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    return 1 if problems else 0
