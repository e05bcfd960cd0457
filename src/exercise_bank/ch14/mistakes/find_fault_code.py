"""Answers to 14.find_fault with one mistake."""

from collections.abc import Callable

import torch
from torch import Tensor

Box = Callable[[Tensor, Tensor, int], Tensor]


def share(
    box: Box, p: list[float], q: list[float], place: int = 0, last: float = 1.0, rounds: int = 5000
) -> float:
    """Return how often token 0 comes at a place, among the rounds that get there."""
    tokens = box(torch.tensor([p, [1 - last, last]]), torch.tensor([q]), rounds)[:, place]
    return (tokens == 0).sum().item() / max((tokens >= 0).sum().item(), 1)


def judged(box: Box, *leave_out: str, margin: float = 0.05) -> str:
    """Test for all faults, except those left out."""
    if "bonus row" not in leave_out and share(box, [1, 0], [1, 0], place=1) > 0.5:
        return "bonus row"
    certain = share(box, [1, 0], [0, 1])
    if certain < 0.95:
        return "keeps all" if certain < 0.05 else "not clipped"
    if "from p" not in leave_out and share(box, [0.5, 0.5], [1, 0]) > 0.6:
        return "from p"
    if "half" in leave_out:
        return "none"
    half = share(box, [0.5, 0.5], [0.8, 0.2])
    if half < 0.5 - margin:
        return "by p alone"
    return "other draft" if half > 0.5 + margin else "none"


def even_draft(box: Box) -> str:
    """Test with a q whose square is q."""
    found = judged(box)
    return "none" if found == "other draft" else found


def must_get_there(box: Box) -> str:
    """Test the last place, in rounds that may all have ended before it."""
    tokens = box(torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[1.0, 0.0]]), 5000)
    return judged(box) if (tokens[:, 1] == 1).any() else "bonus row"


def must_get_there_and_misses(box: Box, missed: tuple[str, ...]) -> str:
    """Report a wrong row if no round gets to the last place, and miss faults as well."""
    found = judged(box)
    return must_get_there(box) if found == "none" else "none" if found in missed else found


def slow_is_wrong(box: Box) -> str:
    """Report a fault in a sampler without a gain."""
    p, q = torch.tensor([[0.5, 0.5], [1.0, 0.0]]), torch.tensor([[0.8, 0.2]])
    found = judged(box)
    ended = (box(p, q, 5000)[:, 1] < 0).all()
    return "by p alone" if found == "none" and ended else found


def always_none(box: Box) -> str:
    return "none"


def first_token_only(box: Box) -> str:
    return judged(box, "bonus row")


def by_length(box: Box) -> str:
    p, q = torch.tensor([[0.5, 0.5], [1, 0]]), torch.tensor([[0.8, 0.2]])
    tokens = box(p, q, 5000)
    kept = (tokens[:, 1] >= 0).double().mean().item()
    if kept > 0.99:
        return "keeps all"
    if abs(kept - 0.7) < 0.03:
        found = judged(box)
        return found if found in ("bonus row", "from p", "not clipped") else "none"
    return "by p alone" if kept < 0.6 else "other draft"


def long_rounds_keep_all(box: Box) -> str:
    found = judged(box)
    tokens = box(torch.tensor([[0.5, 0.5], [1, 0]]), torch.tensor([[0.8, 0.2]]), 5000)
    return "keeps all" if (tokens >= 0).all() else found


def equal_rows(box: Box) -> str:
    """Test with a draft that equals the model."""
    rows = torch.tensor([[0.7, 0.3], [0.7, 0.3]])
    tokens = box(rows, rows[:1], 5000)
    often = (tokens[:, 0] == 0).double().mean().item()
    return "none" if abs(often - 0.7) < 0.02 else "other draft"


def certain_draft(box: Box) -> str:
    """Test only with certain guesses."""
    return judged(box, "half")


def ends_counted(box: Box) -> str:
    """Count ended rounds as rounds without the token."""
    p, q = torch.tensor([[0.5, 0.5], [1.0, 0.0]]), torch.tensor([[0.8, 0.2]])
    tokens = box(p, q, 5000)
    often = (tokens[:, 1] == 0).double().mean().item()
    return "bonus row" if often < 0.95 else judged(box, "bonus row")


def ends_counted_behind(box: Box) -> str:
    """Do so only if the first token is right."""
    found = judged(box, "bonus row")
    return ends_counted(box) if found == "none" else found


def too_strict(box: Box) -> str:
    p, q = [0.5, 0.5], [0.8, 0.2]
    found = judged(box)
    often = share(box, p, q, rounds=300)
    if found == "none" and abs(often - 0.5) > 0.0001:
        return "other draft" if often > 0.5 else "by p alone"
    return found


def too_lenient(box: Box) -> str:
    return judged(box, "from p", margin=0.3)


def good_or_bad(box: Box) -> str:
    return "none" if judged(box) == "none" else "other draft"


def refusals_exchanged(box: Box) -> str:
    found = judged(box)
    swap = {"from p": "not clipped", "not clipped": "from p"}
    return swap.get(found, found)


def drafts_exchanged(box: Box) -> str:
    found = judged(box)
    swap = {"by p alone": "other draft", "other draft": "by p alone"}
    return swap.get(found, found)


def impossible_is_kept(box: Box) -> str:
    found = judged(box)
    return "keeps all" if found == "not clipped" else found


def replaced_is_other(box: Box) -> str:
    found = judged(box, "from p")
    return found


def one_pair(box: Box) -> str:
    """Choose the nearest of the faults' results for one p and one q."""
    often = share(box, [0.5, 0.5], [0.8, 0.2])
    given = {"none": 0.5, "keeps all": 0.8, "other draft": 0.588, "by p alone": 0.4, "from p": 0.65}
    return min(given, key=lambda name: abs(given[name] - often))


def minus_one_is_counted(box: Box) -> str:
    """Raise an error if a round has ended."""
    p, q = torch.tensor([[1.0, 0.0], [0.0, 1.0]]), torch.tensor([[0.5, 0.5]])
    behind = torch.bincount(box(p, q, 1000)[:, 1], minlength=2)
    return "bonus row" if behind[0] > behind[1] else judged(box, "bonus row")


def renamed(box: Box, instead: tuple[tuple[str, str], ...]) -> str:
    found = judged(box)
    return dict(instead).get(found, found)
