"""Losses of a model without some of its heads, in closed boxes for 09.backup."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any
from weakref import WeakKeyDictionary

from torch import Generator

from exercise_bank.arguments import wholes
from exercise_bank.closing import closed
from exercise_bank.draws import some

Loss = Callable[[Sequence[int]], float]
Pair = tuple[int, int]
#: The least and the greatest individual effect of the pair's heads, in hundredths of a nat.
OWN = {
    "little": ((6, 9), (6, 9)),
    "some": ((20, 30), (20, 30)),
    "much": ((87, 100), (87, 100)),
    "one": ((5, 7), (210, 240)),
}
_INSIDE: WeakKeyDictionary[Loss, "Circuit"] = WeakKeyDictionary()


@dataclass(frozen=True, kw_only=True)
class Circuit:
    """Effects of a model's heads on its loss.

    Attributes:
        base: the loss of the whole model.
        alone: the rise of the loss without each head, whatever else is silenced.
        pair: the two heads that can replace each other.
        shared: the rise without both, beyond the two single rises.
        chain: heads that are all necessary.
        links: the rise without one or more of the chain.
        reader: the only head that reads the pair's output; without it, the pair has no effect.
        crumbs: small further effects, one for each pair of heads.
    """

    base: float
    alone: tuple[float, ...]
    pair: Pair
    shared: float
    chain: tuple[int, ...] = ()
    links: float = 0.0
    reader: int | None = None
    crumbs: tuple[float, ...] = ()

    def __call__(self, silenced: Sequence[int]) -> float:
        """Return the loss without these heads."""
        gone = set(silenced)
        loss = self.base + sum(self.alone[head] for head in gone)
        pairs = combinations(range(len(self.alone)), 2)
        loss += sum(
            crumb for pair, crumb in zip(pairs, self.crumbs, strict=True) if gone >= {*pair}
        )
        if gone & set(self.chain):
            loss += self.links
        if gone >= {*self.pair} or self.reader in gone:
            loss += self.shared
        return round(loss, 6)


def drawn(
    g: Generator,
    heads: int,
    pair: Pair,
    *,
    needed: int = 0,
    useful: int = 0,
    own: str = "little",
    chain: int = 0,
    reader: bool = False,
    stir: Pair | None = None,
) -> dict[str, Any]:
    """Draw the inputs of an answer: a closed box, and the number of heads.

    Args:
        g: the generator.
        heads: number of heads.
        pair: the two that can replace each other.
        needed: number of other heads that are needed alone.
        useful: number of other heads of some use alone, two of them of more than the pair shares.
        own: size of the pair's individual effects: "little", "some", "much", or "one" of them more
            than they share.
        chain: number of other heads in a chain.
        reader: whether a single other head reads the pair's output.
        stir: two idle heads whose small effects, each within 0.1, add up to more than that.
    """
    others = [head for head in range(heads) if head not in (*pair, *(stir or ()))]
    order = [
        others.pop(some(g, 0, len(others) - 1)) for _ in range(needed + useful + chain + reader)
    ]
    alone = [_amount(g, 3, 5) for _ in range(heads)]
    for head in order[:needed]:
        alone[head] = _amount(g, 380, 480)
    for head in order[needed : needed + useful]:
        alone[head] = _amount(g, 93, 98) if own == "some" else _amount(g, 75, 85)
    for head, work in zip(pair, OWN[own], strict=True):
        alone[head] = _amount(g, *work)
    crumbs = {each: _crumb(g) for each in combinations(range(heads), 2)}
    if stir:
        alone[stir[0]] = alone[stir[1]] = -0.02
        crumbs[stir] = _amount(g, 12, 13)
    circuit = Circuit(
        base=_amount(g, 300, 360),
        alone=tuple(alone),
        pair=pair,
        shared=_amount(g, 95, 120),
        chain=tuple(order[needed + useful :][:chain]),
        links=_amount(g, 140, 180) if chain else 0.0,
        reader=order[-1] if reader else None,
        crumbs=tuple(crumbs.values()),
    )
    return {"loss": shut(circuit), "heads": heads}


def _crumb(g: Generator) -> float:
    """Draw a small effect of either sign, never 0."""
    return (some(g, -50, 50) or 7) / 1e4


def _amount(g: Generator, low: int, high: int) -> float:
    """Draw an amount in nats with four digits, between bounds in hundredths."""
    return some(g, 100 * low, 100 * high) / 1e4


def shut(circuit: Circuit) -> Loss:
    """Close a circuit, so that it returns only a loss."""
    heads = len(circuit.alone)

    def taken(silenced: Any) -> tuple[list[int]]:
        listed = sorted(silenced) if isinstance(silenced, (set, frozenset)) else silenced
        return (wholes("silenced", listed, 0, heads - 1),)

    loss: Loss = closed(circuit, taken, name="loss")
    _INSIDE[loss] = circuit
    return loss


def told(loss: Loss) -> str:
    """Describe the heads in a closed box."""
    circuit = _INSIDE[loss]
    said = [f"heads {_and(circuit.pair)} can replace each other"]
    own = [head for head in circuit.pair if circuit.alone[head] > 0.15]
    if own:
        said.append(f"{'both do' if len(own) > 1 else f'head {own[0]} does'} other work besides")
    if circuit.reader is not None:
        said.append(f"head {circuit.reader} reads from both")
    if circuit.chain:
        said.append(f"heads {_and(circuit.chain)} are links of one chain")
    gone = {*circuit.pair, *circuit.chain, circuit.reader}
    needed = [head for head, rise in enumerate(circuit.alone) if rise > 0.5 and head not in gone]
    if needed:
        plural = "s" if len(needed) > 1 else ""
        said.append(f"head{plural} {_and(needed)} {'are' if plural else 'is'} needed alone")
    return ", ".join(said)


def _and(heads: Sequence[int]) -> str:
    *first, last = map(str, sorted(heads))
    return f"{', '.join(first)} and {last}" if first else last
