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
    stop: Sequence[Stop] = (),
    bos: int | None = None,
    caches: MakeCaches | None = growing,
    chunk: int = 512,
    drafter: Drafter | None = None,
    ahead: int = 4,
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
        stop: when to stop earlier; see :mod:`~plainformer.generation.stopping`.
        bos: a token that is put before each prompt.
        caches: from the model, the number of sequences and the longest they can get, makes one
            cache for each layer; None reads everything again for each token.
        chunk: how many tokens of a prompt are read at once, at most; bounds the memory of a pass.
        drafter: guesses ahead; the tokens are distributed as without it.
        ahead: how many tokens it guesses in a round, at most.
        on_token: called with each token as it comes.

    Returns:
        The new tokens of each prompt, why each stopped, and what the model gave each token.

    Raises:
        EmptyPrompt: a prompt has no tokens, and there is no ``bos``.
        PromptTooLong: a prompt does not fit the model's context.
        UnknownToken: a prompt has a token outside the vocabulary.
        VocabularyMismatch: the drafter's vocabulary is not the model's.
        NaNLogits: the model's logits are not numbers to draw by; what was drawn before is in the
            error's ``generated``.
        ValueError: a number is outside its range.

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
    )
    try:
        for token in tokens:
            came.append(token)
            if on_token is not None:
                on_token(token)
    except NaNLogits as error:
        error.generated = collected(came, len(prompts))
        raise
    return collected(came, len(prompts))
