"""Generation: what follows prompts of any lengths, one token after another or whole."""

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

    A batch gives each prompt the tokens that it would get alone. The model is asked as long as
    all it must read fits its context, so a sequence ends at most one token behind it.

    Args:
        model: predicts the next token.
        prompts: one sequence of token numbers for each; of any lengths.
        max_new_tokens: how many are added to each prompt, at most.
        sampler: how tokens are drawn; greedily when left out.
        stop: when to stop earlier, one condition or several; see
            :mod:`~plainformer.generation.stopping`. Left out, after the ``end_tokens`` of the
            model's configuration; with ``[]`` they do not count.
        bos: a token that is put before each prompt.
        caches: from the model, the number of sequences and the longest they can get, makes one
            cache for each layer; or "growing" or "static"; None reads everything again for each
            token.
        chunk: how many tokens of a prompt are read at once, at most; bounds the memory of a pass.
        drafter: guesses ahead; the tokens are distributed as without it.
        ahead: how many tokens it guesses in a round, at most.
        fast: True forces the fast path, False forbids it. It rounds a little differently, and
            packs the weights first, which pays from about 64 tokens on (250 for a model of 500 MB).
            On the CPU later calls find them packed until one has changed, and they take memory as
            long as the model lives. Left out, it is taken on the CPU if they are packed already,
            and else from 64 tokens on for weights of up to 128 MiB, where the model allows it and
            nothing else is asked for: prompts of one length, no caches, no drafter.
        weights: the type in which the fast path stores the matrices, "int8", "bfloat16",
            "float32" or "float64", which forces it; the model's own when left out.
        on_token: called with each token as it comes.

    Returns:
        The new tokens of each prompt, why each stopped, what the model gave each token, and which
        path was taken.

    Raises:
        EmptyPrompt: a prompt has no tokens, and there is no ``bos``.
        PromptTooLong: a prompt does not fit the model's context.
        UnknownToken: a prompt has a token outside the vocabulary.
        VocabularyMismatch: the drafter's vocabulary is not the model's.
        NotLean: the fast path is forced, and cannot be taken; the message says why.
        NaNLogits: the model's logits are not numbers to draw by; what was drawn before is in the
            error's ``generated``.
        ValueError: a number is outside its range, or an argument of another kind than expected; or
            there is a drafter, and rotary angles that follow the length (dynamic NTK).

    Cost: each token is read once; a step attends to all earlier positions. Prompts of unequal
    lengths are padded to the longest, and a sequence that has stopped is computed on until the
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
    before this returns. Sequences of a batch advance together; with a drafter, one after another.
    Closing the iterator early leaves the model as it was.

    Returns:
        An iterator over :class:`~plainformer.generation.stopping.Token`; its ``path`` says what
        computes them.

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
    weights: str | None
    fast: bool
    apart: bool  # rotary angles follow the length: a row must never be read again as a whole

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
    """Advance all together; where the longest fills the context, go on with the others anew."""
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
    """Draw for each sequence that has not stopped, and add what was drawn to it."""
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
