"""Generation: continue prompts of any lengths, as a stream of tokens or all at once."""

from collections.abc import Callable, Generator, Iterable, Sequence, Sized
from dataclasses import dataclass, field

import torch
from torch import Tensor

from plainformer.generation.drafting import Drafter, check_drafter
from plainformer.generation.drawing import Dice, NaNLogits, log_probabilities
from plainformer.generation.fast import ENOUGH_TOKENS, KEPT, FastReader, takes_fast_path
from plainformer.generation.reading import (
    LanguageModel,
    MakeCaches,
    Reader,
    caches_named,
    fixed_of,
    growing,
    left_padded,
    prompts_for,
)
from plainformer.generation.sampling import Sampler, sampler_or_greedy
from plainformer.generation.speculative import speculate
from plainformer.generation.stopping import (
    Generated,
    Origin,
    Stop,
    Stream,
    Token,
    collected,
    conditions,
    why_stopped,
)
from plainformer.models import Decoder
from plainformer.whole_numbers import Whole, whole


def generate(
    model: LanguageModel,
    prompts: Iterable[Sequence[Whole] | Tensor] | Tensor,
    *,
    max_new_tokens: Whole,
    sampler: Sampler | None = None,
    stop: Sequence[Stop] | Stop | None = None,
    bos: Whole | None = None,
    caches: MakeCaches | str | None = growing,
    chunk: Whole = 512,
    drafter: Drafter | None = None,
    ahead: Whole = 4,
    fast: bool | None = None,
    weights: str | None = None,
    on_token: Callable[[Token], object] | None = None,
) -> Generated:
    """Continue each prompt.

    A batch gives each prompt the tokens that it would get alone. The model is called as long as its
    whole input fits its context, so a sequence can exceed it by one token.

    Args:
        model: predicts the next token.
        prompts: one sequence of token numbers for each; of any lengths.
        max_new_tokens: the largest number of tokens to add to each prompt.
        sampler: draws the tokens; greedy when left out.
        stop: when to stop earlier, one condition or several; see
            :mod:`~plainformer.generation.stopping`. Left out, generation stops after the
            ``end_tokens`` of the model's configuration; with ``[]`` they are ignored.
        bos: a token that is put before each prompt.
        caches: a function from the model, the number of sequences and their largest length to one
            cache per layer; or "growing" or "static"; None reads everything again for each token.
        chunk: the largest number of tokens of a prompt that are read at once; bounds the memory of
            a pass.
        drafter: guesses the next tokens; the distribution of the tokens does not change.
        ahead: the largest number of tokens that it guesses in a round.
        fast: True forces the fast path, False forbids it. It rounds slightly differently, and packs
            the weights first, which pays off from about 64 tokens on (250 for a model of 500 MB).
            On the CPU later calls reuse them until a weight has changed, and they take memory as
            long as the model lives. Left out, it is used on the CPU if they are packed already, and
            otherwise from 64 tokens on for weights of up to 128 MiB, if the model allows it and the
            call has prompts of one length, no caches and no drafter.
        weights: the dtype in which the fast path stores the matrices, "int8", "bfloat16", "float32"
            or "float64", which forces it; the model's own when left out.
        on_token: called with each token as it is drawn.

    Returns:
        The new tokens of each prompt, why each stopped, their log-probabilities, and which path was
        used.

    Raises:
        EmptyPrompt: a prompt has no tokens, and there is no ``bos``.
        PromptTooLong: a prompt does not fit the model's context.
        UnknownToken: a prompt has a token outside the vocabulary.
        VocabularyMismatch: the drafter's vocabulary is not the model's.
        NotLean: the fast path is forced, and cannot be used; the message names the reason.
        NaNLogits: the model's logits allow no draw; the tokens drawn before are in the error's
            ``generated``.
        ValueError: a number is outside its range, or an argument has the wrong type; or there is a
            drafter, and rotary angles depend on the length (dynamic NTK).

    Cost: each token is read once; a step attends to all earlier positions. Prompts of unequal
    lengths are padded to the longest, and a sequence that has stopped is still computed until the
    last of its batch has.
    """
    came: list[Token] = []
    prompts = prompts if isinstance(prompts, Sized) else list(prompts)
    tokens = stream(
        model,
        prompts,
        max_new_tokens=max_new_tokens,
        sampler=sampler,
        stop=stop,
        bos=bos,
        caches=caches,
        chunk=chunk,
        drafter=drafter,
        ahead=ahead,
        fast=fast,
        weights=weights,
    )
    try:
        for token in tokens:
            came.append(token)
            if on_token is not None:
                on_token(token)
    except NaNLogits as error:
        error.generated = collected(came, len(prompts), path=tokens.path)
        raise
    return collected(came, len(prompts), path=tokens.path)


def stream(
    model: LanguageModel,
    prompts: Iterable[Sequence[Whole] | Tensor] | Tensor,
    *,
    max_new_tokens: Whole,
    sampler: Sampler | None = None,
    stop: Sequence[Stop] | Stop | None = None,
    bos: Whole | None = None,
    caches: MakeCaches | str | None = growing,
    chunk: Whole = 512,
    drafter: Drafter | None = None,
    ahead: Whole = 4,
    fast: bool | None = None,
    weights: str | None = None,
) -> Stream:
    """Yield the tokens that continue each prompt, as they are drawn.

    ``prompts``, ``max_new_tokens``, ``sampler``, ``stop``, ``bos``, ``caches``, ``chunk``,
    ``drafter``, ``ahead``, ``fast`` and ``weights`` are those of :func:`generate`, and are checked
    before this returns. Sequences of a batch advance together; with a drafter, they are finished in
    turn. Closing the iterator early leaves the model unchanged.

    Returns:
        An iterator over :class:`~plainformer.generation.stopping.Token`; its ``path`` names the
        path that computes them.

    Raises:
        ValueError: see :func:`generate`.
    """
    if not isinstance(model, LanguageModel):
        raise ValueError(
            f"model is a {type(model).__name__}; expected a Decoder, or what has its config, rule, "
            "hidden and logits. An EncoderDecoder is asked step by step: encode, then decode"
        )
    config, caches = model.config, caches_named(caches)
    max_new_tokens = whole(max_new_tokens, "max_new_tokens", least=1)
    chunk, ahead = whole(chunk, "chunk", least=1), whole(ahead, "ahead", least=1)
    read = prompts_for(config, prompts, bos)
    fixed, longest = fixed_of(model), max(map(len, read), default=0) + max_new_tokens
    if drafter is not None:
        check_drafter(drafter, config.vocabulary, ahead, longest=longest, fixed=fixed)
    sampler = sampler_or_greedy(sampler)
    pairs = zip(read, sampler.generators(len(read)), strict=True)
    sequences = [_Sequence(i, tokens, generator) for i, (tokens, generator) in enumerate(pairs)]
    if fast is False and weights is not None:
        raise ValueError(f"weights={weights!r} are the fast path's, and fast=False forbids it")
    few = fast is None and weights is None and max_new_tokens < ENOUGH_TOKENS and model not in KEPT
    run = _Run(
        model=model,
        sampler=sampler,
        stop=conditions(stop, config.end_tokens),
        max_new_tokens=max_new_tokens,
        caches=caches,
        chunk=chunk,
        weights=weights,
        apart=fixed is not None and longest > config.context,
        fast=not (fast is False or few)
        and takes_fast_path(
            model,
            read,
            max_new_tokens=max_new_tokens,
            fast=fast,
            weights=weights,
            caches=caches,
            drafter=drafter,
        ),
    )
    if drafter is None:
        return Stream(_batched(run, sequences), path="lean" if run.fast else "model")
    return Stream(_speculative(run, sequences, drafter, ahead), path="model")


@dataclass
class _Sequence:
    """One prompt and the tokens added to it."""

    number: int
    tokens: list[int]
    generator: torch.Generator
    new: list[int] = field(default_factory=list)
    stopped: str | None = None


@dataclass(frozen=True, kw_only=True)
class _Run:
    """The arguments that all sequences of a call share."""

    model: LanguageModel
    sampler: Sampler
    stop: Sequence[Stop]
    max_new_tokens: int
    caches: MakeCaches | None
    chunk: int
    weights: str | None
    fast: bool
    apart: bool  # rotary angles depend on the length, so a row must never be read again as a whole

    def capacity(self, sequences: list[_Sequence], width: int) -> int:
        more = max(self.max_new_tokens - len(s.new) for s in sequences)
        return min(self.model.config.context, width + more)

    def fast_reader(self, sequences: list[_Sequence], width: int) -> FastReader:
        assert isinstance(self.model, Decoder)
        capacity, b = self.capacity(sequences, width), len(sequences)
        return FastReader(
            self.model, b=b, capacity=capacity, chunk=self.chunk, weights=self.weights
        )

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


def _batched(run: _Run, sequences: list[_Sequence]) -> Generator[Token]:
    """Extend all sequences together; if the longest fills the context, restart with the others."""
    while going := [s for s in sequences if s.stopped is None][: 1 if run.apart else None]:
        rows, starts = left_padded([s.tokens for s in going])
        width = len(rows[0])
        reader = run.fast_reader(going, width) if run.fast else run.reader(going, starts, width)
        while any(s.stopped is None for s in going) and len(rows[0]) <= run.model.config.context:
            drawn = _draw(run, going, reader.ask(rows)[:, 0])
            yield from drawn
            latest = {token.sequence: token.token for token in drawn}
            for s, row in zip(going, rows, strict=True):
                row.append(latest.get(s.number, 0))


def _draw(run: _Run, going: list[_Sequence], logits: Tensor) -> list[Token]:
    """Draw a token for each sequence that has not stopped, and append it."""
    alive = [i for i, s in enumerate(going) if s.stopped is None]
    rows = logits if len(alive) == len(going) else logits[alive]
    ours = [going[i] for i in alive]
    where = [(s.number, len(s.new)) for s in ours]
    chosen = run.sampler(rows, [s.generator for s in ours], where=where)
    given = log_probabilities(rows, chosen)
    triples = zip(ours, chosen.tolist(), given.tolist(), strict=True)
    return [run.add(s, token, log, "model") for s, token, log in triples]


def _speculative(
    run: _Run, sequences: list[_Sequence], drafter: Drafter, ahead: int
) -> Generator[Token]:
    """Finish the sequences in turn, each with its own dice."""
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
