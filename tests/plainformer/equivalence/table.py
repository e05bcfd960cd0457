"""Measure the whole matrix, and write it as a page of the book."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.plainformer.equivalence import edges, observed
from tests.plainformer.equivalence.cells import BACKENDS, FEEDINGS, Cell, cells, undefined
from tests.plainformer.equivalence.edges import Edge
from tests.plainformer.equivalence.measure import allowed, error
from tests.plainformer.equivalence.observed import Watched

ROOT = Path(__file__).parents[3]
DATA, PAGE = ROOT / "book/data/equivalence.json", ROOT / "book/equivalence.md"
BEGIN, END = "<!-- begin equivalence -->", "<!-- end equivalence -->"


def measured(backends: Sequence[str], every: int = 1) -> dict[Cell | Edge | Watched, float]:
    """Return the error of each defined cell and edge, as a share of the allowed error."""
    chosen = [c for c in cells() if c.backend in backends and undefined(c) is None]
    shares: dict[Cell | Edge | Watched, float] = {c: error(c) / allowed(c) for c in chosen[::every]}
    at_edge = [e for e in edges.edges() if e.backend in backends and edges.undefined(e) is None]
    shares |= {edge: edges.share(edge) for edge in at_edge[::every]}
    watched = [w for w in observed.cells() if w.backend in backends and not observed.undefined(w)]
    return shares | {one: observed.share(one) for one in watched[::every]}


def data() -> dict[str, object]:
    """Return the data for the book: the number of combinations in each row, and omissions."""
    defined = [cell for cell in cells() if undefined(cell) is None]
    counts = Counter((cell.backend, cell.feeding) for cell in defined)
    reasons = Counter(why for cell in cells() if (why := undefined(cell)) is not None)
    at_edge = Counter((e.what, e.backend) for e in edges.edges() if edges.undefined(e) is None)
    watched = Counter((w.how, w.backend) for w in observed.cells() if not observed.undefined(w))
    return {
        "combinations": len(defined),
        "counts": {b: {f: counts[b, f] for f in FEEDINGS} for b in BACKENDS},
        "left out": dict(sorted(reasons.items())),
        "observed": {how: {b: watched[how, b] for b in BACKENDS} for how in observed.HOWS},
        "edges": {what: {b: at_edge[what, b] for b in BACKENDS} for what in edges.WHATS},
    }


def markdown() -> str:
    """Write the counts as tables."""
    content = data()
    counts, reasons, at_edge = content["counts"], content["left out"], content["edges"]
    assert isinstance(counts, dict)
    assert isinstance(reasons, dict)
    assert isinstance(at_edge, dict)
    watched = content["observed"]
    assert isinstance(watched, dict)
    more, seen = (sum(sum(row.values()) for row in part.values()) for part in (at_edge, watched))
    lines = [
        f"All {content['combinations']} combinations are equal, and so are {more} edge cases and "
        f"{seen} cases of observed attention.",
        "",
        f"| keys and values | {' | '.join(counts)} |",
        f"|---|{'---:|' * len(counts)}",
    ]
    for feeding in FEEDINGS:
        row = [str(counts[backend][feeding] or "–") for backend in counts]
        lines.append(f"| {feeding} | {' | '.join(row)} |")
    lines += ["", "| left out, because | combinations |", "|---|---:|"]
    lines += [f"| {why} | {count} |" for why, count in reasons.items()]
    lines += ["", f"| observed | {' | '.join(counts)} |", f"|---|{'---:|' * len(counts)}"]
    for how, row in watched.items():
        lines.append(f"| {how} | {' | '.join(str(n or '–') for n in row.values())} |")
    lines += ["", f"| edges | {' | '.join(counts)} |", f"|---|{'---:|' * len(counts)}"]
    for what, row in at_edge.items():
        lines.append(f"| {what} | {' | '.join(str(n or '–') for n in row.values())} |")
    return "\n".join(lines)


def page(text: str) -> str:
    """Return the page with the tables between its markers."""
    before, rest = text.split(BEGIN + "\n")
    return f"{before}{BEGIN}\n\n{markdown()}\n\n{END}{rest.split(END)[1]}"


def write() -> None:
    """Write the data and the page; called if every combination is equal."""
    DATA.parent.mkdir(exist_ok=True)
    DATA.write_text(json.dumps(data(), indent=1) + "\n", "utf-8")
    PAGE.write_text(page(PAGE.read_text("utf-8")), "utf-8")
