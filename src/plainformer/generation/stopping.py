"""The results of generation, token by token or all at the end, and the reasons why it stops."""

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from plainformer.whole_numbers import Whole, whole, wholes

# The origin of a token: the model; a guess that the model accepted; or the model, in place of a
# guess that it refused.
Origin = Literal["model", "draft", "correction"]
# The path that computes tokens: the model itself, or a lean decoder made from it.
Path = Literal["model", "lean"]
# From the new tokens of one sequence, the latest last, to the reason to stop there, or None to
# continue. Any function can be used; its result becomes the reason. The tokens that made it stop
# are part of the result.
Stop = Callable[[Sequence[int]], str | None]


class Token(NamedTuple):
    """One new token, as yielded by :func:`~plainformer.generation.generate.stream`.

    Attributes:
        sequence: index of its prompt, from 0.
        token: its number.
        log_probability: its log-probability in the model, before temperature and the other steps;
            in nats.
        stopped: why the sequence ends with it; None if it continues.
        origin: who chose it: "model", "draft" or "correction" (in place of a refused guess).
    """

    sequence: int
    token: int
    log_probability: float
    stopped: str | None
    origin: Origin


@dataclass(frozen=True, kw_only=True)
class Generated:
    """The generated tokens of each prompt, without the prompts.

    Args:
        tokens: the new tokens of each sequence, including those that made it stop.
        stopped: why each stopped: "token", "sequence", "length" (the number asked for), "context"
            (the model's context is full), the reason that a custom condition returned, or None if
            generation was interrupted.
        log_probabilities: log-probability of each token in the model, in nats, before the sampler's
            steps.
        accepted: number of drafted tokens that the model accepted.
        refused: number that it refused; those drafted after a refused one were not judged.
        path: the path that computed them: "lean", a decoder packed for speed, or "model", the model
            itself.
    """

    tokens: list[list[int]]
    stopped: list[str | None]
    log_probabilities: list[list[float]] = field(repr=False)
    accepted: int = 0
    refused: int = 0
    path: Path = "model"

    @property
    def acceptance(self) -> float | None:
        """The fraction of judged drafts that were accepted; None if none was judged."""
        judged = self.accepted + self.refused
        return self.accepted / judged if judged else None


class Stream(Iterator[Token]):
    """Yield tokens as they are drawn; after an error, or Ctrl-C, further calls raise an error.

    Args:
        tokens: draws them.
        path: the path that computes them: "lean", a decoder packed for speed, or "model", the model
            itself.
    """

    def __init__(self, tokens: Generator[Token], *, path: Path) -> None:
        self._tokens, self.path, self._broken = tokens, path, False

    def __next__(self) -> Token:
        if self._broken:
            raise RuntimeError(
                "an error interrupted this stream, and tokens are missing: call stream() again, "
                "with the prompts and the tokens that came before it"
            )
        try:
            return next(self._tokens)
        except StopIteration:
            raise
        except BaseException:
            self._broken = True
            raise

    def close(self) -> None:
        """End early; the model is unchanged."""
        self._tokens.close()


def collected(tokens: Iterable[Token], count: int, *, path: Path = "model") -> Generated:
    """Group streamed tokens by their sequences.

    Args:
        tokens: in the order in which they were drawn.
        count: number of sequences.
        path: the path that computed them.

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


class EndToken:
    """Stop after one of these tokens, with the reason "token".

    Args:
        tokens: end-of-sequence tokens.

    Raises:
        ValueError: no token is given, or an argument is not a token number.

    >>> EndToken(2, 3)([7, 3]), EndToken(2, 3)([3, 7])
    ('token', None)
    """

    def __init__(self, *tokens: Whole) -> None:
        if not tokens:
            raise ValueError("EndToken(): expected at least one token")
        try:
            self.tokens = frozenset(whole(token, "token") for token in tokens)
        except ValueError as error:
            raise ValueError(
                f"EndToken({', '.join(map(repr, tokens))}): expected token numbers, such as "
                "EndToken(2, 3)"
            ) from error

    def __call__(self, new: Sequence[int]) -> str | None:
        """Return "token" if the last of ``new`` is an end token."""
        return "token" if new and new[-1] in self.tokens else None


class StopSequence:
    """Stop after one of these runs of tokens, with the reason "sequence".

    Args:
        sequences: runs of tokens; each matches at the end of the new tokens. The prompt is not
            searched.

    Raises:
        ValueError: no run is given, or one is empty, text, or not a run of token numbers.

    >>> StopSequence([1, 2])([7, 1, 2]), StopSequence([1, 2])([2])
    ('sequence', None)
    """

    def __init__(self, *sequences: Sequence[Whole] | str) -> None:
        for run in sequences:
            if isinstance(run, str):
                raise ValueError(
                    f"StopSequence({run!r}): expected runs of token numbers, as the model's "
                    "tokenizer gives them; for a model of bytes "
                    f"StopSequence({list(run.encode())})"
                )
        try:
            self.sequences = tuple(wholes(run, "run") for run in sequences)
        except ValueError as error:
            raise ValueError(
                f"StopSequence({', '.join(map(repr, sequences))}): expected runs of token numbers, "
                "such as StopSequence([1, 2])"
            ) from error
        if not sequences or not all(self.sequences):
            raise ValueError(f"StopSequence{sequences}: expected runs of at least one token each")

    def __call__(self, new: Sequence[int]) -> str | None:
        """Return "sequence" if ``new`` ends with one of the runs."""
        ends = any(list(new[-len(run) :]) == run for run in self.sequences)
        return "sequence" if ends else None


def conditions(stop: Sequence[Stop] | Stop | None, end_tokens: Sequence[int]) -> list[Stop]:
    """Return the given conditions as a list.

    Args:
        stop: conditions, or a single one; None for the model's own end tokens.
        end_tokens: the model's.

    Raises:
        ValueError: one is text, or not callable.

    >>> [condition([2]) for condition in conditions(None, [2])]
    ['token']
    """
    if stop is None:
        return [EndToken(*end_tokens)] if end_tokens else []
    several = [stop] if callable(stop) else stop if isinstance(stop, list | tuple) else [stop]
    for one in several:
        if not callable(one) or isinstance(one, type):
            what = f"stop={stop!r}" if not callable(one) else f"stop: {one.__name__} is a class"
            raise ValueError(
                f"{what}: expected conditions, such as stop=[EndToken(2), "
                "StopSequence([13, 10])], or functions from the new tokens to a reason or None; "
                "for text, its tokens: for a model of bytes StopSequence(list(text.encode()))"
            )
    return list(several)


def why_stopped(
    new: Sequence[int], stop: Sequence[Stop], *, max_new_tokens: int, room: int
) -> str | None:
    """Return why a sequence stops here, or None if it continues.

    Args:
        new: the new tokens of the sequence.
        stop: conditions, checked first and in their order.
        max_new_tokens: at this number, the reason is "length".
        room: number of free positions in the context; below 0, the last token can no longer be
            read, and the reason is "context".

    Raises:
        ValueError: a condition returns something other than text or None.

    >>> why_stopped([5, 2], [EndToken(2)], max_new_tokens=2, room=9)
    'token'
    """
    for condition in stop:
        reason: object = condition(new)
        if isinstance(reason, str):
            return reason
        if reason is not None:
            raise ValueError(
                f"the condition {condition!r} returned {reason!r}: expected a reason, such as "
                "'end', or None to go on"
            )
    if len(new) >= max_new_tokens:
        return "length"
    return "context" if room < 0 else None
