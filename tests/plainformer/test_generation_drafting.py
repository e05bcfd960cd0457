"""Drafters: what they guess, and from what they say they drew it."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer.generation import ModelDrafter, PromptLookup, Sampler
from plainformer.generation.drawing import Dice, generators_of
from tests.plainformer.generation_models import talkative

SAMPLER = Sampler(temperature=0.7, top_k=5)


def dice(seed=0):
    return Dice(generators_of(seed, 1)[0])


@settings(max_examples=6)
@given(texts=st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=12), min_size=1, max_size=4))
def test_a_drafter_that_has_read_other_texts_draws_what_a_fresh_one_does(texts):
    model = talkative(1)
    used = ModelDrafter(model)
    for i, text in enumerate(texts):
        ours = used.propose(text, 3, sampler=SAMPLER, dice=dice(i))
        for caches in (None, used.caches):
            fresh = ModelDrafter(model, caches=caches)
            theirs = fresh.propose(text, 3, sampler=SAMPLER, dice=dice(i))
            assert ours.tokens == theirs.tokens
            torch.testing.assert_close(ours.probabilities, theirs.probabilities)


def test_each_guess_was_drawn_from_what_the_drafter_says():
    model = talkative(1)
    draft = ModelDrafter(model).propose([1, 2], 4, sampler=SAMPLER, dice=dice())
    logits = model(torch.tensor([[1, 2, *draft.tokens]]))[0, 1:-1]
    torch.testing.assert_close(draft.probabilities, SAMPLER.probabilities(logits))


def test_a_drafter_reads_only_what_is_new():
    model, read = talkative(1), []
    model.embedding.register_forward_hook(lambda _m, args, _o: read.append(args[0].shape[1]))
    drafter = ModelDrafter(model)
    draft = drafter.propose([1, 2, 3], 3, sampler=SAMPLER, dice=dice())
    assert read == [3, 1, 1]
    other = (draft.tokens[1] + 1) % 13  # the second guess was refused
    drafter.propose([1, 2, 3, draft.tokens[0], other], 2, sampler=SAMPLER, dice=dice())
    assert read[3:] == [1, 1]


def test_a_drafter_stops_guessing_where_its_context_ends():
    drafter = ModelDrafter(talkative(1, context=4))
    lengths = [
        len(drafter.propose([1] * n, 3, sampler=SAMPLER, dice=dice()).tokens) for n in (1, 3, 4, 5)
    ]
    assert lengths == [3, 2, 1, 0]


def test_a_drafter_that_failed_starts_afresh():
    model = talkative(1)
    drafter, fresh = ModelDrafter(model), ModelDrafter(model)
    drafter.propose([1, 2, 3, 4], 2, sampler=SAMPLER, dice=dice())

    def fail(*_):
        raise KeyboardInterrupt

    handle = model.blocks[1].register_forward_hook(fail)  # the first layer's cache is ahead
    with pytest.raises(KeyboardInterrupt):
        drafter.propose([1, 2, 7, 7], 2, sampler=SAMPLER, dice=dice())
    handle.remove()
    ours = drafter.propose([1, 2, 3, 4, 5], 2, sampler=SAMPLER, dice=dice())
    theirs = fresh.propose([1, 2, 3, 4, 5], 2, sampler=SAMPLER, dice=dice())
    torch.testing.assert_close(ours.probabilities, theirs.probabilities)


@pytest.mark.parametrize(
    ("text", "count", "guessed"),
    [
        ([1, 2, 3, 4, 1, 2, 3], 2, [4, 1]),  # what followed 1 2 3
        ([1, 2, 3, 9, 2, 3, 8, 1, 2, 3], 1, [9]),  # a longer run wins over a later one
        ([7, 1, 7, 2, 7], 2, [2, 7]),  # of equal ones the latest
        ([5, 5], 3, [5]),
        ([1, 2, 3], 2, []),
        ([1], 2, []),
    ],
)
def test_lookup_guesses_what_followed_the_latest_tokens_before(text, count, guessed):
    draft = PromptLookup().propose(text, count, sampler=SAMPLER, dice=dice())
    assert (draft.tokens, draft.probabilities) == (guessed, None)


def test_a_lookup_of_nothing_is_refused():
    with pytest.raises(ValueError, match="longest=0: expected at least 1 token"):
        PromptLookup(0)
