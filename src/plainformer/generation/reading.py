"""Reading: prompts, padded on the left, and asking a model what follows, each token read once."""

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
    """Say that a prompt has no tokens, so that there is nothing to continue."""


class PromptTooLong(ValueError):  # noqa: N818
    """Say that a prompt has more tokens than the model's context."""


class UnknownToken(ValueError):  # noqa: N818
    """Say that a prompt has a token which the model's vocabulary has not."""


def read_prompts(
    prompts: Iterable[Sequence[Whole] | Tensor] | Tensor,
    *,
    vocabulary: int,
    context: int,
    bos: Whole | None = None,
) -> list[list[int]]:
    """Turn prompts into lists of tokens, and refuse those that the model cannot read.

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
    """Turn prompts into lists of tokens for a model.

    Args:
        config: the model's configuration.
        prompts: one sequence of token numbers for each; of any lengths.
        bos: a token that is put before each prompt, or None.

    Raises:
        ValueError: see :func:`read_prompts`; a message about the length names what may be longer.
    """
    context, vocabulary = config.context, config.vocabulary
    prompts = prompts if isinstance(prompts, Sized) else list(prompts)
    try:
        return read_prompts(prompts, vocabulary=vocabulary, context=context, bos=bos)
    except PromptTooLong as error:
        longest = max(map(len, prompts)) + (bos is not None)
        raise PromptTooLong(f"{error}{longer_context(config, longest)}") from None


def left_padded(sequences: Sequence[Sequence[int]]) -> tuple[list[list[int]], Tensor | None]:
    """Lay sequences side by side so that all end together.

    Args:
        sequences: at least one.

    Returns:
        The tokens, padded on the left with each sequence's own first token, so that no vector of
        another token enters, and where each sequence starts, (b,); None where all are equally long.

    >>> left_padded([[1, 2, 3], [4]])
    ([[1, 2, 3], [4, 4, 4]], tensor([0, 2]))
    """
    n = max(len(s) for s in sequences)
    starts = [n - len(s) for s in sequences]
    padded = [[s[0]] * start + list(s) for start, s in zip(starts, sequences, strict=True)]
    return padded, torch.tensor(starts, device="cpu") if any(starts) else None


@runtime_checkable
class LanguageModel(modes.Switchable, Protocol):
    """What generation asks of a model; :class:`~plainformer.models.one_stack.Decoder` is one."""

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
        """Return the parameters; the first says on which device to run."""
        ...


# From a model, the number of sequences b and the longest that they can get, in positions, to one
# cache for each layer.
MakeCaches = Callable[[LanguageModel, int, int], Sequence[LayerCache]]


def growing(model: LanguageModel, b: int, capacity: int) -> list[LayerCache]:
    """Make caches that grow with what they hold.

    Args:
        model: whose layers are counted.
        b: number of sequences; any.
        capacity: the longest they can get; any.
    """
    return [ContiguousCache() for _ in range(model.config.n_layers)]


def static(model: LanguageModel, b: int, capacity: int) -> list[LayerCache]:
    """Make caches whose memory is reserved at once, and is then written in place.

    Args:
        model: whose layers, heads, dtype and device they are for.
        b: number of sequences.
        capacity: the longest they can get.

    Cost: 2·b·g·d·``capacity`` numbers for each layer.
    """
    one = next(model.parameters())
    return caches_for(
        model.config, "static", batch=b, capacity=capacity, dtype=one.dtype, device=one.device
    )


class Reader:
    """Give a model's logits for sequences that grow, feeding it only what is new.

    Args:
        model: the model.
        caches: makes the caches; None reads everything again each time.
        b: number of sequences.
        capacity: the longest that they can get, in positions.
        starts: (b,) where each begins; what stands before is padding.
        chunk: how many tokens are read at once, at most; a prompt in which rotary angles follow the
            length of the sequence is read at once, whatever it is.

    Raises:
        ValueError: ``chunk`` is below 1, or the caches are none, or hold something already.

    Cost: a token is read once, and attention looks back from it; without caches all tokens are
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
            rows: the sequences so far, whole and of one length; they continue what was read before.
            last: after how many of them; none of these may have been read before.
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
        """Forget what was read from position ``length`` on."""
        for cache in self.caches or []:
            if cache.length > length:
                cache.truncate(length)

    def _read(self, tokens: Tensor) -> Tensor:
        return self.model.hidden(tokens, mask=self.mask, caches=self.caches, trusted=True)


def fixed_of(model: LanguageModel) -> int | None:
    """Return how many tokens can be read in any pieces; None if all that fit the context.

    Args:
        model: where :func:`~plainformer.positions.rotary.fixed_length` looks, if it has modules.
    """
    return fixed_length(model) if isinstance(model, nn.Module) else None


def caches_named(caches: MakeCaches | str | None) -> MakeCaches | None:
    """Return what makes caches, from its name or as it is given.

    Args:
        caches: "growing", "static", a function, or None for no caches.

    Raises:
        ValueError: there is no such name, or it is nothing that makes caches.
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
    """Return the caches, if they are new ones, and each layer has its own."""
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
