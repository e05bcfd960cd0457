"""Is the model what it says? It looks back only, its cache changes nothing, nor does its batch.

Every comparison is written so that NaN fails it.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from plainformer.cache import LayerCache
from plainformer.generation import generate
from plainformer.models import Decoder

EXACT, LOSSY = 1e-3, 0.1  # nats that a cache may move a log-probability: at most, and in the mean
QUANTISED = {"int8", "fp8"}
PREFILL, CHUNK = 40, 24
MakeCaches = Callable[[int], Sequence[LayerCache]]


def causal(model: Decoder, tokens: Tensor) -> bool:
    """Return whether no position sees a later one.

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
    """Return the log-probability of each word after the first (b, n), all read at once.

    Args:
        model: the model.
        documents: (b, n + 1).
    """
    return _of_targets(_log_probabilities(model(documents[:, :-1])), documents)


def cached(model: Decoder, documents: Tensor, caches: Sequence[LayerCache]) -> Tensor:
    """Return the same, read through caches: a prefill, three single steps, then chunks.

    Args:
        model: the model.
        documents: (b, n + 1).
        caches: empty, one for each layer, for b sequences.
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
    """Return whether a cache gives what is computed without it.

    Args:
        without: log-probabilities by :func:`uncached`.
        through: the same by :func:`cached`.
        kind: of the cache. A quantised one may be off by LOSSY in the mean, others by EXACT at any
            word.
    """
    off = (without - through).abs()
    return bool(off.mean() <= LOSSY) if kind in QUANTISED else bool(off.max() <= EXACT)


def batch_changes_nothing(
    model: Decoder, prompts: Sequence[Sequence[int]], make: MakeCaches, *, new: int = 16
) -> bool:
    """Return whether prompts of unequal lengths get together what each of them gets alone.

    Args:
        model: the model.
        prompts: two or more.
        make: from a number of sequences to a cache for each layer.
        new: words that each is continued by.
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
    """Return whether two greedy answers agree, up to where the model likes two words as well.

    Args:
        tokens: of one answer.
        logs: what the model gave each of them.
        others: of the other answer.
        theirs: what the model gave these.
    """
    if len(tokens) != len(others) or not len(tokens):
        return False
    for a, b, log, their in zip(tokens, others, logs, theirs, strict=True):
        if not abs(log - their) <= EXACT:
            return False
        if a != b:
            return True  # a tie: from here on they read different texts
    return True


def likeliest(model: Decoder, prompt: Sequence[int], answer: Sequence[int]) -> bool:
    """Return whether each word of an answer is one that the model likes best, to rounding.

    Args:
        model: the model, which reads all at once, without a cache.
        prompt: what was asked.
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
