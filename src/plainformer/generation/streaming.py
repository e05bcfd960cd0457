"""One token after another, for prompts of any lengths at once, as they are drawn."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from plainformer.generation.drafting import Drafter
from plainformer.generation.drawing import Dice
from plainformer.generation.fast import FastReader, takes_fast_path
from plainformer.generation.prompts import check_whole, left_padded, read_prompts
from plainformer.generation.reading import LanguageModel, MakeCaches, Reader, caches_named, growing
from plainformer.generation.results import Origin, Stream, Token
from plainformer.generation.sampler import Sampler, log_probabilities
from plainformer.generation.speculative import check_drafter, speculate
from plainformer.generation.stopping import Stop, conditions, why_stopped
from plainformer.models import Decoder


@dataclass
class _Sequence:
    """One prompt and what has been added to it."""

    number: int
    tokens: list[int]
    generator: torch.Generator
    new: list[int] = field(default_factory=list)
    stopped: str | None = None


@dataclass(frozen=True, kw_only=True)
class _Run:
    """What is the same for all sequences of a call."""

    model: LanguageModel
    sampler: Sampler
    stop: Sequence[Stop]
    max_new_tokens: int
    caches: MakeCaches | None
    chunk: int
    fast: bool

    def capacity(self, sequences: list[_Sequence], width: int) -> int:
        more = max(self.max_new_tokens - len(s.new) for s in sequences)
        return min(self.model.config.context, width + more)

    def fast_reader(self, sequences: list[_Sequence], width: int) -> FastReader:
        assert isinstance(self.model, Decoder)
        capacity, b = self.capacity(sequences, width), len(sequences)
        return FastReader(self.model, b=b, capacity=capacity, chunk=self.chunk)

    def reader(self, sequences: list[_Sequence], starts: Tensor | None, width: int) -> Reader:
        capacity, b = self.capacity(sequences, width), len(sequences)
        return Reader(
            self.model, self.caches, b=b, capacity=capacity, starts=starts, chunk=self.chunk
        )

    def add(self, to: _Sequence, token: int, log: float, origin: Origin) -> Token:
        to.tokens.append(token)
        to.new.append(token)
        room = self.model.config.context - len(to.tokens)
        limit = self.max_new_tokens
        to.stopped = why_stopped(to.new, self.stop, max_new_tokens=limit, room=room)
        return Token(to.number, token, log, to.stopped, origin)


def stream(
    model: LanguageModel,
    prompts: Sequence[Sequence[int] | Tensor] | Tensor,
    *,
    max_new_tokens: int,
    sampler: Sampler | None = None,
    stop: Sequence[Stop] | Stop | None = None,
    bos: int | None = None,
    caches: MakeCaches | str | None = growing,
    chunk: int = 512,
    drafter: Drafter | None = None,
    ahead: int = 4,
    fast: bool | None = None,
) -> Stream:
    """Yield the tokens that continue each prompt, as they are drawn.

    The arguments are those of :func:`~plainformer.generation.generate`, and are checked before
    this returns. Sequences of a batch advance together; with a drafter, one after another.
    Closing the iterator early leaves the model as it was.

    Args:
        model: predicts the next token.
        prompts: one sequence of token numbers for each; of any lengths.
        max_new_tokens: how many are added to each prompt, at most.
        sampler: how tokens are drawn; greedily when left out.
        stop: when to stop earlier; after the model's end tokens when left out.
        bos: a token that is put before each prompt.
        caches: makes the caches, or "growing" or "static"; None reads everything again for each
            token.
        chunk: how many tokens of a prompt are read at once, at most.
        drafter: guesses ahead; the tokens are distributed as without it.
        ahead: how many tokens it guesses in a round, at most.
        fast: True forces the fast path, False forbids it.

    Returns:
        An iterator over :class:`~plainformer.generation.results.Token`; its ``path`` says what
        computes them.

    Raises:
        ValueError: see :func:`~plainformer.generation.generate`.

    Cost: see :func:`~plainformer.generation.generate`.
    """
    if not isinstance(model, LanguageModel):
        raise ValueError(
            f"model is a {type(model).__name__}; expected a Decoder, or what has its config, rule, "
            "hidden and logits. An EncoderDecoder is asked step by step: encode, then decode"
        )
    config, caches = model.config, caches_named(caches)
    check_whole(max_new_tokens=max_new_tokens, chunk=chunk, ahead=ahead)
    if max_new_tokens < 1:
        raise ValueError(f"max_new_tokens={max_new_tokens}: expected at least 1")
    if chunk < 1:
        raise ValueError(f"chunk={chunk}: expected at least 1 token to be read at once")
    if drafter is not None:
        check_drafter(drafter, config.vocabulary, ahead)
    read = read_prompts(prompts, vocabulary=config.vocabulary, context=config.context, bos=bos)
    sampler = Sampler(temperature=0) if sampler is None else sampler
    if not isinstance(sampler, Sampler):
        raise ValueError(
            f"sampler={sampler!r}: expected a Sampler, such as Sampler(temperature=0.7)"
        )
    sequences = [
        _Sequence(i, tokens, generator)
        for i, (tokens, generator) in enumerate(
            zip(read, sampler.generators(len(read)), strict=True)
        )
    ]
    run = _Run(
        model=model,
        sampler=sampler,
        stop=conditions(stop, config.end_tokens),
        max_new_tokens=max_new_tokens,
        caches=caches,
        chunk=chunk,
        fast=takes_fast_path(
            model, read, fast=fast, caches=caches, drafter=drafter, max_new_tokens=max_new_tokens
        ),
    )
    if drafter is None:
        return Stream(_batched(run, sequences), path="lean" if run.fast else "model")
    return Stream(_speculative(run, sequences, drafter, ahead), path="model")


def _batched(run: _Run, sequences: list[_Sequence]) -> Generator[Token]:
    """Advance all together; where the longest fills the context, go on with the others anew."""
    while going := [s for s in sequences if s.stopped is None]:
        tokens, starts = left_padded([s.tokens for s in going])
        width = tokens.shape[1]
        reader = run.fast_reader(going, width) if run.fast else run.reader(going, starts, width)
        while any(s.stopped is None for s in going) and tokens.shape[1] <= run.model.config.context:
            logits = reader.ask(tokens)[:, 0]
            drawn = _draw(run, going, logits)
            yield from drawn
            latest = {token.sequence: token.token for token in drawn}
            column = torch.tensor([[latest.get(s.number, 0)] for s in going])
            tokens = torch.cat([tokens, column], dim=1)


def _draw(run: _Run, going: list[_Sequence], logits: Tensor) -> list[Token]:
    """Draw for each sequence that has not stopped, and add what was drawn to it."""
    alive = [i for i, s in enumerate(going) if s.stopped is None]
    rows, ours = logits[alive], [going[i] for i in alive]
    where = [(s.number, len(s.new)) for s in ours]
    chosen = run.sampler(rows, [s.generator for s in ours], where=where)
    given = log_probabilities(rows, chosen)
    triples = zip(ours, chosen.tolist(), given.tolist(), strict=True)
    return [run.add(s, token, log, "model") for s, token, log in triples]


def _speculative(
    run: _Run, sequences: list[_Sequence], drafter: Drafter, ahead: int
) -> Generator[Token]:
    """Finish one sequence after another, each with its own dice."""
    for s in sequences:
        made = speculate(
            run.reader([s], None, len(s.tokens)),
            s.tokens,
            drafter,
            sampler=run.sampler,
            dice=Dice(s.generator),
            limit=run.max_new_tokens,
            ahead=ahead,
            sequence=s.number,
        )
        for token, log, origin in made:
            yield run.add(s, token, log, origin)
            if s.stopped is not None:
                break
