"""Generation: what follows each prompt, whole."""

from collections.abc import Callable, Sequence

from torch import Tensor

from plainformer.generation.drafting import Drafter
from plainformer.generation.reading import LanguageModel, MakeCaches, growing
from plainformer.generation.results import Generated, Token, collected
from plainformer.generation.sampler import NaNLogits, Sampler
from plainformer.generation.stopping import Stop
from plainformer.generation.streaming import stream


def generate(
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
        fast: True forces the fast path, False forbids it. It packs the weights first, which pays
            from about 64 tokens on, and rounds a little differently. Left out, it is taken on the
            CPU for as many, where the model allows it and nothing else is asked for: prompts of
            one length, no caches, no drafter.
        on_token: called with each token as it comes.

    Returns:
        The new tokens of each prompt, why each stopped, what the model gave each token, and which
        path was taken.

    Raises:
        EmptyPrompt: a prompt has no tokens, and there is no ``bos``.
        PromptTooLong: a prompt does not fit the model's context.
        UnknownToken: a prompt has a token outside the vocabulary.
        VocabularyMismatch: the drafter's vocabulary is not the model's.
        NotLean: ``fast=True``, and the fast path cannot be taken; the message says why.
        NaNLogits: the model's logits are not numbers to draw by; what was drawn before is in the
            error's ``generated``.
        ValueError: a number is outside its range, or an argument of another kind than expected.

    Cost: each token is read once; a step attends to all earlier positions. Prompts of unequal
    lengths are padded to the longest, and a sequence that has stopped is computed on until the
    last of its batch has.
    """
    came: list[Token] = []
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
