"""A memory game: read cards with a label and a digit, then recall the digits of given labels.

A recurrent network reads the cards. The function with which it recalls is an argument: the last
state alone, or all states, by attention.
"""

from collections.abc import Callable, Iterator, Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from plainformer.attention import attend

LABELS, DIGITS = 16, 10

Recall = Callable[[Tensor, Tensor], Tensor]


def draw(n: int, games: int = 64) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Draw games of n cards.

    Args:
        n: cards in each game, at most sixteen, because no label occurs twice.
        games: number of games.

    Returns:
        Labels and digits in the order of reading; the labels again, shuffled, as questions; and
        their digits. Each of shape (games, n).

    >>> labels, digits, asked, wanted = draw(4, games=2)
    >>> bool((labels.sort().values == asked.sort().values).all())
    True
    """
    labels = torch.rand(games, LABELS).argsort(dim=1)[:, :n]
    digits = torch.randint(DIGITS, (games, n))
    order = torch.rand(games, n).argsort(dim=1)
    return labels, digits, labels.gather(1, order), digits.gather(1, order)


def last_state(
    query: Float[Tensor, "games q d"], states: Float[Tensor, "games k d"]
) -> Float[Tensor, "games q d"]:
    """Recall the last state, whatever the query.

    Cost: none; the state is not copied.
    """
    return states[:, -1:].expand_as(query)


def look_back(
    query: Float[Tensor, "games q d"], states: Float[Tensor, "games k d"]
) -> Float[Tensor, "games q d"]:
    """Recall a weighted average of all states, by attention.

    Cost: games·q·k·2d multiplications.
    """
    return attend(query, states, states)


class Reader(nn.Module):
    """Read cards with a recurrent network, and answer from its states with ``recall``.

    Args:
        width: width of the hidden state, and of everything else.
        recall: :func:`last_state` or :func:`look_back`; neither has parameters.

    Cost: 6·width² multiplications for each card, 2·width² and a recall for each question.
    """

    def __init__(self, *, width: int, recall: Recall) -> None:
        super().__init__()
        self.recall = recall
        self.label = nn.Embedding(LABELS, width)
        self.digit = nn.Embedding(DIGITS, width)
        self.asked = nn.Embedding(LABELS, width)
        self.read = nn.GRU(width, width, batch_first=True)
        self.say = nn.Sequential(nn.Linear(2 * width, width), nn.ReLU(), nn.Linear(width, DIGITS))

    def states(
        self, labels: Int[Tensor, "games k"], digits: Int[Tensor, "games k"]
    ) -> Float[Tensor, "games k d"]:
        """Return the hidden state after each card.

        Args:
            labels: labels of the cards, in the order of reading.
            digits: digits of the cards.
        """
        states: Tensor = self.read(self.label(labels) + self.digit(digits))[0]
        return states

    def forward(
        self,
        labels: Int[Tensor, "games k"],
        digits: Int[Tensor, "games k"],
        asked: Int[Tensor, "games q"],
    ) -> Float[Tensor, "games q digits"]:
        """Return a logit for each digit and each label asked.

        Args:
            labels: labels of the cards, in the order of reading.
            digits: digits of the cards.
            asked: the labels in the questions.
        """
        query = self.asked(asked)
        memory = self.recall(query, self.states(labels, digits))
        logits: Tensor = self.say(torch.cat([query, memory], dim=-1))
        return logits


def practise(reader: Reader, *, checks: Sequence[int]) -> Iterator[int]:
    """Train on games of one to eight cards, with pauses for measurements.

    Args:
        reader: the reader, changed in place.
        checks: numbers of steps after which to pause, in increasing order.

    Yields:
        Each number in ``checks``, after that number of steps.
    """
    optimiser = torch.optim.Adam(reader.parameters(), lr=0.01, fused=True)
    for step in range(checks[-1]):
        *seen, wanted = draw((1, 2, 3, 4, 6, 8)[step % 6])
        loss = nn.functional.cross_entropy(reader(*seen).mT, wanted)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
        if step + 1 in checks:
            yield step + 1


@torch.no_grad()
def share_right(reader: Reader, n: int, *, games: int = 500) -> float:
    """Return the fraction of digits recalled correctly after n cards; guessing gives 0.1.

    Args:
        reader: the reader.
        n: cards in a game, at most sixteen.
        games: number of games.
    """
    *seen, wanted = draw(n, games)
    right: Tensor = reader(*seen).argmax(dim=-1) == wanted
    return right.double().mean().item()
