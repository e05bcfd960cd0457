"""What is asked of a server, what it answers, and what it keeps of each request meanwhile."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from torch import Generator

from plainformer.cache import PageTable
from plainformer.generation import Sampler
from plainformer.generation.stopping import Stop


@dataclass(frozen=True, kw_only=True)
class Request:
    """Ask for what follows a prompt.

    Args:
        prompt: its tokens, at least one.
        max_new_tokens: how many tokens are wanted at most, at least one.
        sampler: draws the tokens; always the likeliest one when left out.
        stop: conditions that end the answer early.

    Raises:
        ValueError: the prompt is empty, or no token is asked for.
    """

    prompt: Sequence[int]
    max_new_tokens: int
    sampler: Sampler = field(default_factory=lambda: Sampler(temperature=0.0))
    stop: Sequence[Stop] = ()

    def __post_init__(self) -> None:
        if not len(self.prompt) or self.max_new_tokens < 1:
            raise ValueError(
                f"a prompt of {len(self.prompt)} tokens, max_new_tokens={self.max_new_tokens}: "
                "expected at least one of each"
            )

    @property
    def longest(self) -> int:
        """How many positions must be kept at most: the last token is never read."""
        return len(self.prompt) + self.max_new_tokens - 1


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Give what was generated for a request.

    Args:
        tokens: the new tokens, those that ended the answer included.
        stopped: why it ended: "token", "sequence", "length", or what a condition said.
        preempted: how often the request lost its pages and was read again.
        reused: positions whose keys and values were found in the prefix cache, at first.
    """

    tokens: list[int]
    stopped: str
    preempted: int
    reused: int


@dataclass(eq=False)
class Running:
    """What the server keeps of a request until it is answered.

    Args:
        number: the request's number, in the order of arrival.
        request: what was asked.
        tokens: the prompt and what was generated so far.
        table: the pages where the keys and values of its first positions are.
        generator: where its draws come from.
        preempted: how often it lost its pages.
        reused: positions found in the prefix cache when it was first admitted; None before.
    """

    number: int
    request: Request
    tokens: list[int]
    table: PageTable
    generator: Generator | None = None
    preempted: int = 0
    reused: int | None = None

    @property
    def new(self) -> list[int]:
        """The tokens generated so far."""
        return self.tokens[len(self.request.prompt) :]

    @property
    def missing(self) -> int:
        """How many positions must be computed before the next token can be drawn."""
        return len(self.tokens) - self.table.length
