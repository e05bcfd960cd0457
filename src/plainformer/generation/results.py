"""What generation gives: tokens one by one, or all of them at its end."""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

# Who chose a token: the model; a draft that the model accepted; or the model, in place of a draft
# that it refused.
Origin = Literal["model", "draft", "correction"]
# What computes tokens: the model itself, or a lean decoder made of it.
Path = Literal["model", "lean"]


class Token(NamedTuple):
    """Hold one new token, as :func:`~plainformer.generation.streaming.stream` yields it.

    Attributes:
        sequence: which prompt it continues, from 0.
        token: its number.
        log_probability: what the model gave it, before temperature and the other steps; in nats.
        stopped: why the sequence ends with it; None where it goes on.
        origin: who chose it.
    """

    sequence: int
    token: int
    log_probability: float
    stopped: str | None
    origin: Origin


@dataclass(frozen=True, kw_only=True)
class Generated:
    """Hold what was generated for each prompt; the prompts are not repeated.

    Args:
        tokens: the new tokens of each sequence, those that made it stop included.
        stopped: why each stopped: "token", "sequence", "length" (as many as were asked for),
            "context" (the model's context is full), what a condition of one's own said, or None
            where generation was cut short.
        log_probabilities: what the model gave each token, in nats, before the sampler's steps.
        accepted: how many drafted tokens the model accepted.
        refused: how many it refused; those drafted behind a refused one were not judged.
        path: what computed them: "lean", a decoder packed for speed, or "model", the model itself.
    """

    tokens: list[list[int]]
    stopped: list[str | None]
    log_probabilities: list[list[float]] = field(repr=False)
    accepted: int = 0
    refused: int = 0
    path: Path = "model"

    @property
    def acceptance(self) -> float | None:
        """The share of judged drafts that were accepted; None where none was judged."""
        judged = self.accepted + self.refused
        return self.accepted / judged if judged else None


class Stream(Iterator[Token]):
    """Yield tokens as they are drawn.

    Args:
        tokens: draws them.
        path: what computes them: "lean", a decoder packed for speed, or "model", the model itself.
    """

    def __init__(self, tokens: Generator[Token], *, path: Path) -> None:
        self._tokens, self.path = tokens, path

    def __next__(self) -> Token:
        return next(self._tokens)

    def close(self) -> None:
        """End early; the model is left as it was."""
        self._tokens.close()


def collected(tokens: Iterable[Token], count: int, *, path: Path = "model") -> Generated:
    """Sort streamed tokens by their sequences.

    Args:
        tokens: as they came.
        count: how many sequences there are.
        path: what computed them.

    >>> one = Token(0, 7, -0.5, "length", "model")
    >>> collected([one], 1)
    Generated(tokens=[[7]], stopped=['length'], accepted=0, refused=0, path='model')
    """
    new: list[list[int]] = [[] for _ in range(count)]
    logs: list[list[float]] = [[] for _ in range(count)]
    stopped: list[str | None] = [None] * count
    origins = {"model": 0, "draft": 0, "correction": 0}
    for token in tokens:
        new[token.sequence].append(token.token)
        logs[token.sequence].append(token.log_probability)
        stopped[token.sequence] = token.stopped
        origins[token.origin] += 1
    return Generated(
        tokens=new,
        stopped=stopped,
        log_probabilities=logs,
        accepted=origins["draft"],
        refused=origins["correction"],
        path=path,
    )
