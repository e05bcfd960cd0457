"""Read prompts, padded on the left, and compute logits for the next token, reading each once."""

from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from typing import Any, Protocol, runtime_checkable

import torch
from jaxtyping import Float
from torch import Tensor, nn

from plainformer import modes
from plainformer.cache import ContiguousCache, LayerCache
from plainformer.mask_rules import Rule
from plainformer.models import Config
from plainformer.models.caches import caches_for
from plainformer.models.lengths import longer_context
from plainformer.positions.rotary import fixed_length
from plainformer.whole_numbers import Whole, whole, wholes


class EmptyPrompt(ValueError):  # noqa: N818  (named after what is there)
    """A prompt has no tokens, so that there is nothing to continue."""


class PromptTooLong(ValueError):  # noqa: N818
    """A prompt has more tokens than the model's context."""


class UnknownToken(ValueError):  # noqa: N818
    """A prompt has a token that is not in the model's vocabulary."""


def read_prompts(
    prompts: Iterable[Sequence[Whole] | Tensor] | Tensor,
    *,
    vocabulary: int,
    context: int,
    bos: Whole | None = None,
) -> list[list[int]]:
    """Convert prompts to lists of tokens, and refuse those that the model cannot read.

    Args:
        prompts: one sequence of token numbers for each; of any lengths.
        vocabulary: number of tokens v.
        context: the longest sequence that the model can read, in tokens.
        bos: a token that is put before each prompt, also before an empty one.

    Raises:
        EmptyPrompt: a prompt has no tokens, and there is no ``bos``.
        PromptTooLong: a prompt does not fit the context.
        UnknownToken: a token is outside the vocabulary.
        ValueError: a prompt is not a sequence of whole numbers.

    >>> read_prompts([[3, 1], []], vocabulary=5, context=8, bos=0)
    [[0, 3, 1], [0]]
    """
    first = [] if bos is None else [whole(bos, "bos", of=" (a token), or None")]
    read = [first + _whole(i, p) for i, p in enumerate(prompts)]
    for i, tokens in enumerate(read):
        if not tokens:
            raise EmptyPrompt(
                f"prompt {i} is empty: give at least one token, or bos=, the token that begins text"
            )
        for place, token in enumerate(tokens):
            if not 0 <= token < vocabulary:
                raise UnknownToken(
                    f"prompt {i} has token {token} at place {place}, outside the vocabulary of "
                    f"{vocabulary}: is this the tokenizer that the model was trained with?"
                )
        if len(tokens) > context:
            raise PromptTooLong(
                f"prompt {i} has {len(tokens)} tokens, more than the model's context of {context}: "
                f"keep the last {context}, or fewer, to leave room for new ones"
            )
    return read


def prompts_for(config: Config, prompts: Iterable[Any], bos: Whole | None) -> list[list[int]]:
    """Convert prompts to lists of tokens for a model.

    Args:
        config: the model's configuration.
        prompts: one sequence of token numbers for each; of any lengths.
        bos: a token that is put before each prompt, or None.

    Raises:
        ValueError: see :func:`read_prompts`; a message about the length names the limit to raise.
    """
    context, vocabulary = config.context, config.vocabulary
    prompts = prompts if isinstance(prompts, Sized) else list(prompts)
    try:
        return read_prompts(prompts, vocabulary=vocabulary, context=context, bos=bos)
    except PromptTooLong as error:
        longest = max(map(len, prompts)) + (bos is not None)
        raise PromptTooLong(f"{error}{longer_context(config, longest)}") from None


def left_padded(sequences: Sequence[Sequence[int]]) -> tuple[list[list[int]], Tensor | None]:
    """Pad sequences on the left so that all end together.

    Args:
        sequences: at least one.

    Returns:
        The tokens, padded on the left with each sequence's own first token, so that no vector of
        another token is used, and the start of each sequence, (b,); None if all lengths are equal.

    >>> left_padded([[1, 2, 3], [4]])
    ([[1, 2, 3], [4, 4, 4]], tensor([0, 2]))
    """
    n = max(len(s) for s in sequences)
    starts = [n - len(s) for s in sequences]
    padded = [[s[0]] * start + list(s) for start, s in zip(starts, sequences, strict=True)]
    return padded, torch.tensor(starts, device="cpu") if any(starts) else None


@runtime_checkable
class LanguageModel(modes.Switchable, Protocol):
    """The part of :class:`~plainformer.models.one_stack.Decoder` that generation needs."""

    config: Config
    rule: Rule

    def hidden(
        self,
        tokens: Tensor,
        *,
        mask: Tensor | Rule | None = None,
        caches: Sequence[LayerCache] | None = None,
        trusted: bool = False,
    ) -> Tensor:
        """Return the last layer's output (b, q, m), as a decoder does.

        ``tokens``, ``mask``, ``caches`` and ``trusted`` are those of the decoder.
        """
        ...

    def logits(self, hidden: Tensor) -> Tensor:
        """Return the logits (b, q, v) of some positions of ``hidden``."""
        ...

    def parameters(self) -> Iterator[nn.Parameter]:
        """Return the parameters; the first one determines the device."""
        ...


# From a model, the number of sequences b and their largest length, in positions, to one cache for
# each layer.
MakeCaches = Callable[[LanguageModel, int, int], Sequence[LayerCache]]


def growing(model: LanguageModel, b: int, capacity: int) -> list[LayerCache]:
    """Make caches that grow with their content.

    Args:
        model: its number of layers is used.
        b: number of sequences; not used.
        capacity: their largest length; not used.
    """
    return [ContiguousCache() for _ in range(model.config.n_layers)]


def static(model: LanguageModel, b: int, capacity: int) -> list[LayerCache]:
    """Make caches whose memory is reserved at once, and then written in place.

    Args:
        model: its layers, heads, dtype and device are used.
        b: number of sequences.
        capacity: their largest length.

    Cost: 2·b·g·d·``capacity`` numbers for each layer.
    """
    one = next(model.parameters())
    return caches_for(
        model.config, "static", batch=b, capacity=capacity, dtype=one.dtype, device=one.device
    )


class Reader:
    """Compute a model's logits for growing sequences, reading only their new tokens.

    Args:
        model: the model.
        caches: makes the caches; None reads everything again each time.
        b: number of sequences.
        capacity: their largest length, in positions.
        starts: (b,) start of each; positions before it are padding.
        chunk: the largest number of tokens read at once; if rotary angles depend on the length of
            the sequence, a prompt is always read at once.

    Raises:
        ValueError: ``chunk`` is below 1, or the caches are not caches, or not empty.

    Cost: each token is read once, and attends to all earlier ones; without caches all tokens are
    read each time.
    """

    def __init__(
        self,
        model: LanguageModel,
        caches: MakeCaches | None,
        *,
        b: int,
        capacity: int,
        starts: Tensor | None = None,
        chunk: int = 512,
    ) -> None:
        if chunk < 1:
            raise ValueError(f"chunk={chunk}: expected at least 1 token to be read at once")
        self.model, self.chunk, self._modules = model, chunk, modes.modules_of(model)
        self.fixed = fixed_of(model)
        self.device = next(model.parameters()).device
        starts = None if starts is None else starts.to(self.device)
        self.mask = None if starts is None else model.rule.with_starts(starts)
        self.caches = None if caches is None else _empty(caches(model, b, capacity))

    def ask(self, rows: Sequence[Sequence[int]], *, last: int = 1) -> Float[Tensor, "b {last} v"]:
        """Return the logits after each of the ``last`` tokens.

        Args:
            rows: the whole sequences so far, of one length; they extend those of earlier calls.
            last: number of tokens to return logits for; none of these may have been read before.
        """
        read = self.caches[0].length if self.caches else 0
        tokens = torch.tensor([row[read:] for row in rows], device=self.device)
        with modes.evaluating(self._modules), torch.no_grad():
            whole = self.fixed is not None and len(rows[0]) > self.fixed
            while self.caches and tokens.shape[1] > max(self.chunk, last) and not whole:
                part = min(self.chunk, tokens.shape[1] - last)
                self._read(tokens[:, :part])
                tokens = tokens[:, part:]
            return self.model.logits(self._read(tokens)[:, -last:])

    def rewind(self, length: int) -> None:
        """Remove the positions from ``length`` on."""
        for cache in self.caches or []:
            if cache.length > length:
                cache.truncate(length)

    def _read(self, tokens: Tensor) -> Tensor:
        return self.model.hidden(tokens, mask=self.mask, caches=self.caches, trusted=True)


def fixed_of(model: LanguageModel) -> int | None:
    """Return how many tokens can be read in pieces of any size; None for the whole context.

    Args:
        model: passed to :func:`~plainformer.positions.rotary.fixed_length`, if it has modules.
    """
    return fixed_length(model) if isinstance(model, nn.Module) else None


def caches_named(caches: MakeCaches | str | None) -> MakeCaches | None:
    """Return the function that makes caches, from its name or as given.

    Args:
        caches: "growing", "static", a function, or None for no caches.

    Raises:
        ValueError: the name is unknown, or the object does not make caches.
    """
    if caches is None or callable(caches):
        return caches
    if isinstance(caches, str) and caches in NAMED:
        return NAMED[caches]
    raise ValueError(
        f"caches={caches!r:.80}: expected one of {sorted(NAMED)}, None to read everything again "
        "for each token, or a function from (model, number of sequences, longest length) to one "
        "new cache for each layer"
    )


NAMED: dict[str, MakeCaches] = {"growing": growing, "static": static}


def _empty(caches: Sequence[LayerCache]) -> Sequence[LayerCache]:
    """Return the caches, if they are empty, and each layer has its own."""
    if len({id(cache) for cache in caches}) < len(caches):
        raise ValueError(
            "the function caches made one cache for several layers: each needs its own, such as "
            "[ContiguousCache() for _ in model.blocks]"
        )
    if held := max((cache.length for cache in caches), default=0):
        raise ValueError(
            f"the function caches made caches that hold {held} positions already: these would be "
            "taken for the beginning of the prompt. Make new ones at each call, or truncate(0) them"
        )
    return caches


def _whole(number: int, prompt: Any) -> list[int]:
    try:
        return wholes(prompt, "prompt")
    except ValueError as error:
        raise ValueError(
            f"prompt {number} is {prompt!r:.80}: expected a sequence of whole numbers, such as "
            "prompts=[[5, 3], [8]]"
        ) from error
