"""Speculative sampling: its fully enumerated distribution is the model's; drafters."""

from collections import Counter
from itertools import product

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from plainformer.generation import (
    ModelDrafter,
    NaNLogits,
    PromptLookup,
    Sampler,
    VocabularyMismatch,
    generate,
    growing,
    speculative,
    static,
    stream,
)
from plainformer.generation.drawing import Dice, generators_of
from plainformer.generation.reading import Reader
from plainformer.generation.speculative import acceptance, residual, speculate
from plainformer.looking import ablated
from tests.plainformer.generation_models import Table, exact_distribution, talkative
from tests.plainformer.tensors import normal

SAMPLERS = [Sampler(), Sampler(temperature=0.6, top_p=0.8), Sampler(top_k=2)]
PROMPT = [0, 1, 0]
SAMPLER = Sampler(temperature=0.7, top_k=5)


def joint(model, sampler, count):
    """Return the probability of each continuation, from the model's own distributions."""
    law = Counter()
    for new in product(range(model.config.vocabulary), repeat=count):
        texts = torch.tensor([[*PROMPT, *new]])
        logits = model.logits(model.hidden(texts))[0, len(PROMPT) - 1 : -1]
        p = sampler.probabilities(logits.detach())
        law[new] = float(p.gather(-1, torch.tensor(new)[:, None]).prod())
    return law


def enumerated(model, drafter, sampler, count, ahead, caches=None):
    """Return the probability of each continuation of speculation, over all paths."""

    def run(dice):
        reader = Reader(model, caches, b=1, capacity=model.config.context)
        made = speculate(
            reader, PROMPT, drafter(), sampler=sampler, dice=dice, limit=count, ahead=ahead
        )
        return tuple(token for token, *_ in made)

    return exact_distribution(run)


def distance(one, other):
    return max(abs(one[key] - other[key]) for key in {*one, *other})


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("ahead", [1, 2, 3])
def test_the_distribution_is_exactly_that_of_plain_sampling(sampler, ahead):
    model, small = Table(1), Table(2)
    law = enumerated(model, lambda: ModelDrafter(small, caches=None), sampler, 3, ahead)
    assert abs(sum(law.values()) - 1) < 1e-12
    assert distance(law, joint(model, sampler, 3)) < 1e-12


@pytest.mark.parametrize("ahead", [1, 3])
def test_with_guesses_from_the_text_it_is_too(ahead):
    model, sampler = Table(3), Sampler()
    law = enumerated(model, PromptLookup, sampler, 3, ahead)
    assert distance(law, joint(model, sampler, 3)) < 1e-12


def test_with_caches_that_are_rewound_it_is_too():
    sizes = {"vocabulary": 3, "d_model": 4, "n_heads": 2, "n_kv_heads": 1, "context": 8}
    model, small = talkative(1, **sizes), talkative(2, **{**sizes, "n_layers": 1})
    sampler, drafter = Sampler(), ModelDrafter(small)  # one drafter for all paths: it rewinds
    law = enumerated(model, lambda: drafter, sampler, 3, 2, growing)
    assert distance(law, joint(model, sampler, 3)) < 1e-12


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("residual", lambda p, q: p),
        ("acceptance", lambda p, q, token: float(p[token])),
        ("acceptance", lambda p, q, token: 1.0),
    ],
)
def test_a_wrong_rule_would_be_seen(monkeypatch, name, wrong):
    monkeypatch.setattr(speculative, name, wrong)
    model, sampler = Table(1), Sampler()
    law = enumerated(model, lambda: ModelDrafter(Table(2), caches=None), sampler, 2, 2)
    assert distance(law, joint(model, sampler, 2)) > 0.01


def test_acceptance_and_residual_together_give_back_p():
    p, q = normal(2, 9, seed=0).softmax(-1)
    accepted = torch.tensor([acceptance(p, q, x) for x in range(9)], dtype=torch.float64)
    refused = (q * (1 - accepted)).sum()
    torch.testing.assert_close(q * accepted + refused * residual(p, q), p)
    assert torch.equal(residual(p, p), p)


@pytest.mark.parametrize("ahead", [1, 4, 9])
@pytest.mark.parametrize("caches", [growing, static, None])
def test_greedy_speculation_gives_the_tokens_of_plain_greedy(ahead, caches):
    model, prompts = talkative(1, context=24), [[1, 2, 3, 1, 2], [4], [5] * 20]
    plain = generate(model, prompts, max_new_tokens=12)
    for drafter in (ModelDrafter(talkative(2)), ModelDrafter(model), PromptLookup()):
        made = generate(
            model, prompts, max_new_tokens=12, drafter=drafter, ahead=ahead, caches=caches
        )
        assert (made.tokens, made.stopped) == (plain.tokens, plain.stopped)
        for ours, theirs in zip(made.log_probabilities, plain.log_probabilities, strict=True):
            assert ours == pytest.approx(theirs)


def test_a_drafter_that_is_the_model_is_always_right_and_saves_passes():
    model, passes = talkative(1, context=64), []
    drafter = ModelDrafter(talkative(1, context=64))
    model.output.register_forward_hook(lambda *_: passes.append(1))
    made = generate(model, [[1]], max_new_tokens=20, drafter=drafter, sampler=Sampler(seed=0))
    assert (made.accepted, made.refused, made.acceptance) == (16, 0, 1.0)
    assert len(passes) == 4  # each gave four guesses and its own token


def test_the_share_of_accepted_guesses_is_reported():
    model, drafter = talkative(1, context=64), ModelDrafter(talkative(2, context=64))
    seen = []
    made = generate(
        model,
        [[1], [2]],
        max_new_tokens=30,
        drafter=drafter,
        sampler=Sampler(seed=0),
        on_token=seen.append,
    )
    counts = Counter(token.origin for token in seen)
    assert made.accepted == counts["draft"] > 0
    assert made.refused == counts["correction"] > 0
    assert made.acceptance == counts["draft"] / (counts["draft"] + counts["correction"])


def test_stop_conditions_hold_in_the_middle_of_a_round():
    model = talkative(1, context=64)
    options = {"max_new_tokens": 20, "drafter": ModelDrafter(talkative(1, context=64))}
    for length in range(1, 8):
        stop = [lambda new, length=length: "enough" if len(new) == length else None]
        made = generate(model, [[1]], stop=stop, **options)
        assert (len(made.tokens[0]), made.stopped) == (length, ["enough"])


def test_nan_behind_a_refused_guess_is_nobodys_business():
    model = talkative(1)
    plain = generate(model, [[1, 2, 1]], max_new_tokens=4).tokens[0]
    wrong = next(t for t in range(13) if t != plain[0])

    class Wrong(PromptLookup):
        def propose(self, tokens, count, *, sampler, dice):
            draft = super().propose([wrong] * 5, count, sampler=sampler, dice=dice)
            return draft if len(tokens) == 3 else draft._replace(tokens=[])

    def spoil(_module, args, logits):
        logits[:, 1:] = torch.nan
        return logits

    model.output.register_forward_hook(spoil)
    made = generate(model, [[1, 2, 1]], max_new_tokens=4, drafter=Wrong(), caches=None)
    assert made.tokens[0][:1] == plain[:1]


def test_nan_logits_of_the_model_or_of_the_drafter_are_named():
    model, broken = talkative(1), talkative(2)
    broken.output.weight.data[3] = torch.nan
    with pytest.raises(NaNLogits, match="sequence 0 at step 0"):
        generate(broken, [[1]], max_new_tokens=2, drafter=ModelDrafter(model))
    with pytest.raises(NaNLogits, match="hold NaN"):
        generate(model, [[1]], max_new_tokens=2, drafter=ModelDrafter(broken))


def test_a_drafter_that_cannot_guess_for_the_model_is_refused_at_once():
    with pytest.raises(VocabularyMismatch, match=r"knows 7 tokens, the model 13: .* padded"):
        stream(
            talkative(),
            [[1]],
            max_new_tokens=2,
            drafter=ModelDrafter(talkative(vocabulary=7)),
        )
    with pytest.raises(ValueError, match="ahead=0: expected at least 1"):
        stream(talkative(), [[1]], max_new_tokens=2, drafter=PromptLookup(), ahead=0)


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


class Interrupted(Sampler):
    """A sampler that is interrupted by Ctrl-C during its choice."""

    def probabilities(self, *given, **more):
        raise KeyboardInterrupt


@pytest.mark.parametrize("where", ["model", "sampler"])
def test_a_drafter_that_failed_starts_afresh(where):
    model = talkative(1)
    drafter, fresh = ModelDrafter(model), ModelDrafter(model)
    drafter.propose([1, 2, 3, 4], 2, sampler=SAMPLER, dice=dice())

    def fail(*_):
        raise KeyboardInterrupt

    if where == "model":  # the first layer's cache is ahead
        handle = model.blocks[1].register_forward_hook(fail)
    sampler = SAMPLER if where == "model" else Interrupted(temperature=0.7)
    with pytest.raises(KeyboardInterrupt):
        drafter.propose([1, 2, 7, 7], 2, sampler=sampler, dice=dice())
    if where == "model":
        handle.remove()
    ours = drafter.propose([1, 2, 3, 4, 5], 2, sampler=SAMPLER, dice=dice())
    theirs = fresh.propose([1, 2, 3, 4, 5], 2, sampler=SAMPLER, dice=dice())
    torch.testing.assert_close(ours.probabilities, theirs.probabilities)


def test_a_drafter_reads_again_what_a_head_is_silenced_for():
    model = talkative(1)
    drafter = ModelDrafter(model)
    drafter.propose([1, 2, 3, 4], 2, sampler=SAMPLER, dice=dice())
    with ablated(model, [(0, 0)]):
        ours = drafter.propose([1, 2, 3, 4, 5], 2, sampler=SAMPLER, dice=dice())
        theirs = ModelDrafter(model).propose([1, 2, 3, 4, 5], 2, sampler=SAMPLER, dice=dice())
    torch.testing.assert_close(ours.probabilities, theirs.probabilities)


@pytest.mark.parametrize(
    ("text", "count", "guessed"),
    [
        ([1, 2, 3, 4, 1, 2, 3], 2, [4, 1]),  # the tokens after 1 2 3
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
