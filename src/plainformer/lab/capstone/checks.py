"""Check a model: its attention is causal, and neither a cache nor a batch changes its output.

Every comparison is written so that it fails for NaN.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from plainformer.cache import LayerCache
from plainformer.generation import generate
from plainformer.models import Decoder

EXACT, LOSSY = 1e-3, 0.1  # largest and mean error that a cache may have, in nats
QUANTISED = {"int8", "fp8"}
PREFILL, CHUNK = 40, 24
MakeCaches = Callable[[int], Sequence[LayerCache]]


def causal(model: Decoder, tokens: Tensor) -> bool:
    """Return whether no position attends to a later one.

    Args:
        model: the model.
        tokens: (b, n), at least three words each.
    """
    n = tokens.shape[1]
    before = _log_probabilities(model(tokens))
    for cut in (1, n // 2, n - 1):
        changed = tokens.clone()
        changed[:, cut:] = (changed[:, cut:] + 1) % model.config.vocabulary
        after = _log_probabilities(model(changed))
        if not _close(before[:, :cut], after[:, :cut], EXACT):
            return False
    return True


def uncached(model: Decoder, documents: Tensor) -> Tensor:
    """Return the log-probability of each word after the first (b, n), without a cache.

    Args:
        model: the model.
        documents: (b, n + 1).
    """
    return _of_targets(_log_probabilities(model(documents[:, :-1])), documents)


def cached(model: Decoder, documents: Tensor, caches: Sequence[LayerCache]) -> Tensor:
    """Return the same, computed with caches: a prefill, three single steps, then chunks.

    Args:
        model: the model.
        documents: (b, n + 1).
        caches: empty caches, one for each layer, for b sequences.
    """
    inputs = documents[:, :-1]
    n = inputs.shape[1]
    ends = [PREFILL, PREFILL + 1, PREFILL + 2, PREFILL + 3]
    ends = [end for end in (*ends, *range(PREFILL + 3 + CHUNK, n, CHUNK)) if end < n] + [n]
    parts, begin = [], 0
    for end in ends:
        parts.append(model(inputs[:, begin:end], caches=caches))
        begin = end
    return _of_targets(_log_probabilities(torch.cat(parts, dim=1)), documents)


def cache_changes_nothing(without: Tensor, through: Tensor, *, kind: str) -> bool:
    """Return whether the results with a cache equal those without it.

    Args:
        without: log-probabilities from :func:`uncached`.
        through: the same from :func:`cached`.
        kind: kind of the cache. A quantised one may differ by LOSSY in the mean, others by EXACT at
            any word.
    """
    off = (without - through).abs()
    return bool(off.mean() <= LOSSY) if kind in QUANTISED else bool(off.max() <= EXACT)


def batch_changes_nothing(
    model: Decoder, prompts: Sequence[Sequence[int]], make: MakeCaches, *, new: int = 16
) -> bool:
    """Return whether prompts of unequal lengths get the same answers in a batch as alone.

    Args:
        model: the model.
        prompts: two or more.
        make: from a number of sequences to one cache per layer.
        new: number of words to generate for each.
    """

    def caches(model: object, b: int, capacity: int) -> Sequence[LayerCache]:
        return make(b)

    both = generate(model, prompts, max_new_tokens=new, caches=caches, stop=[], fast=False)
    for i, prompt in enumerate(prompts):
        one = generate(model, [prompt], max_new_tokens=new, caches=caches, stop=[], fast=False)
        if not same_choice(
            both.tokens[i], both.log_probabilities[i], one.tokens[0], one.log_probabilities[0]
        ):
            return False
    return True


def same_choice(
    tokens: Sequence[int], logs: Sequence[float], others: Sequence[int], theirs: Sequence[float]
) -> bool:
    """Return whether two greedy answers agree, up to the first tie between two words.

    Args:
        tokens: words of one answer.
        logs: their log-probabilities in the model.
        others: words of the other answer.
        theirs: their log-probabilities.
    """
    if len(tokens) != len(others) or not len(tokens):
        return False
    for a, b, log, their in zip(tokens, others, logs, theirs, strict=True):
        if not abs(log - their) <= EXACT:
            return False
        if a != b:
            return True  # a tie: after it the contexts differ
    return True


def likeliest(model: Decoder, prompt: Sequence[int], answer: Sequence[int]) -> bool:
    """Return whether each word of an answer is the most likely one in the model, up to rounding.

    Args:
        model: the model; it reads the whole answer, without a cache.
        prompt: the prompt.
        answer: the new words, at least one.
    """
    if not len(answer):
        return False
    tokens = torch.tensor([[*prompt, *answer]])
    logs = _log_probabilities(model(tokens[:, :-1]))[0, len(prompt) - 1 :]
    chosen = logs.gather(1, torch.tensor(answer)[:, None])[:, 0]
    return bool(((logs.amax(dim=1) - chosen) <= EXACT).all())


def _log_probabilities(logits: Tensor) -> Tensor:
    return logits.double().log_softmax(dim=-1)


def _of_targets(logs: Tensor, documents: Tensor) -> Tensor:
    return logs.gather(2, documents[:, 1:, None])[..., 0]


def _close(a: Tensor, b: Tensor, most: float) -> bool:
    return bool(((a - b).abs() <= most).all())
