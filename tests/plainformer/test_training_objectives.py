"""Objectives: checked by hand, by counting, and with the library's own losses."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import GPT2Config, GPT2LMHeadModel

from plainformer.mask_rules import Rule
from plainformer.models import Config, Decoder, MaskedLanguageModel
from plainformer.training.data import Packed, Padded, Rows
from plainformer.training.losses import summed_cross_entropy
from plainformer.training.objectives import MaskedTokens, NextToken, packed
from tests.plainformer.tensors import SEEDS


def rows(*documents: list[int], width: int = 6) -> Rows:
    return Padded([torch.tensor(d).numpy() for d in documents], width).rows(range(len(documents)))


def loss_of(objective, model, example):
    logits = objective.logits(model, example)
    return summed_cross_entropy(logits, example.targets, example.weights)


def small(model, **changes):
    torch.manual_seed(0)
    config = {"vocabulary": 11, "d_model": 8, "n_layers": 2, "n_heads": 2, "context": 16} | changes
    return model(Config(**config)).double()


def test_next_token_shifts_by_one_and_counts_no_padding():
    example = NextToken().prepare(rows([5, 6, 7], [8, 9], width=4))
    assert example.inputs.tolist() == [[5, 6, 7], [8, 9, 0]]
    assert example.targets.tolist() == [[6, 7, 0], [9, 0, 0]]
    assert example.weights.tolist() == [[1, 1, 0], [1, 0, 0]]


def test_next_token_loss_is_the_librarys():
    theirs = GPT2LMHeadModel(GPT2Config(vocab_size=11, n_embd=8, n_layer=1, n_head=2)).eval()
    example = NextToken().prepare(rows([5, 6, 7, 1, 2, 9], [8, 9, 3]))
    labels = torch.tensor([[5, 6, 7, 1, 2, 9], [8, 9, 3, -100, -100, -100]])
    inputs = torch.cat([example.inputs, torch.zeros(2, 1, dtype=torch.long)], dim=1)
    inputs[0, 5] = 9
    expected = theirs(inputs, labels=labels).loss
    logits = theirs(example.inputs).logits
    ours = summed_cross_entropy(logits, example.targets, example.weights) / example.weights.sum()
    torch.testing.assert_close(ours, expected)


def test_packed_documents_are_to_the_model_as_if_alone():
    documents = [[1, 2, 3], [4, 5], [6, 7, 8, 9]]
    arrays = [torch.tensor(d).numpy() for d in documents]
    objective, model = NextToken(), small(Decoder)
    together = Packed(arrays, 10)
    assert len(together) == 1
    alone = loss_of(objective, model, objective.prepare(rows(*documents)))
    torch.testing.assert_close(
        loss_of(objective, model, objective.prepare(together.rows([0]))), alone
    )


DYNAMIC = {"rotary_scaling": "dynamic", "rotary_factor": 4.0}
PACKABLE = [
    (NextToken(), Decoder),
    (MaskedTokens(mask_token=10, vocabulary=10), MaskedLanguageModel),
]


@pytest.mark.parametrize(("objective", "kind"), PACKABLE)
@pytest.mark.parametrize("trained", [1, 2, 3])
def test_no_document_turns_by_the_length_of_another_in_its_row(objective, kind, trained):
    documents = [torch.tensor(d).numpy() for d in ([1, 2], [3, 4, 5, 6, 7, 8])]
    model = small(kind, **DYNAMIC, rotary_context=trained)
    example = objective.prepare(Packed(documents, 8).rows([0]), [(0, 0, 0)])
    with pytest.raises(ValueError, match=rf"in a document, and beyond {trained} the .* use Padded"):
        objective.logits(model, example)
    apart = objective.prepare(rows(*map(list, documents)), [(0, 0, 0), (0, 0, 1)])
    assert objective.logits(model, apart).isfinite().all()
    assert objective.logits(small(kind, **DYNAMIC, rotary_context=6), example).isfinite().all()


def test_packed_masks_and_positions_by_hand():
    mask, positions = packed(torch.tensor([[0, 0, 1, 1]]))
    assert mask[0, 0].int().tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]]
    assert positions.tolist() == [[0, 1, 0, 1]]
    assert packed(torch.tensor([[0, 0, 1, 1]]), causal=False)[0][0, 0, 0].int().tolist() == [
        1,
        1,
        0,
        0,
    ]


def test_masked_tokens_are_hidden_replaced_and_kept_in_shares_80_10_10():
    objective = MaskedTokens(mask_token=100, vocabulary=90)
    text = torch.full((1, 20_000), 95)
    example = objective.prepare(Rows(text, torch.tensor([20_000])), [(0, 0, 0)])
    chosen = example.weights[0] == 1
    assert chosen.sum() == 3000
    seen = example.inputs[0, chosen]
    shares = [(seen == 100), (seen < 90), (seen == 95)]
    for found, expected in zip(shares, (0.8, 0.1, 0.1), strict=True):
        assert abs(found.double().mean() - expected) < 0.03
    assert len(seen[seen < 90].unique()) > 70
    assert (example.inputs[0, ~chosen] == 95).all()
    assert (example.targets == text).all()


@given(lengths=st.lists(st.integers(1, 6), min_size=1, max_size=4), seed=SEEDS)
def test_masking_touches_no_padding_and_at_least_one_token(lengths, seed):
    made = rows(*[[1 + i] * n for i, n in enumerate(lengths)])
    objective = MaskedTokens(mask_token=9, vocabulary=9)
    example = objective.prepare(made, [(seed, 0, i) for i in range(len(lengths))])
    assert (example.weights.sum(1) >= 1).all()
    assert not example.weights[~made.real].any()
    assert (example.inputs[~made.real] == 0).all()


def test_noise_belongs_to_the_row_wherever_it_is_prepared():
    made, keys = rows([1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1]), [(0, 0, 4), (0, 0, 7)]
    objective = MaskedTokens(mask_token=9, vocabulary=9, share=0.5)
    both = objective.prepare(made, keys)
    second = objective.prepare(rows([6, 5, 4, 3, 2, 1]), keys[1:])
    assert torch.equal(both.inputs[1], second.inputs[0])
    assert not torch.equal(both.weights[0], both.weights[1])


def test_kept_tokens_are_never_chosen():
    objective = MaskedTokens(mask_token=9, vocabulary=9, share=0.9, kept=(1, 2))
    example = objective.prepare(rows([1, 3, 4, 5, 6, 2]), [(0, 0, 0)])
    assert example.weights[0].tolist()[::5] == [0, 0]
    nothing = objective.prepare(rows([1, 2]), [(0, 0, 0)])
    assert not nothing.weights.any()


@pytest.mark.parametrize("pack", [False, True])
def test_padding_changes_no_masked_loss(pack):
    model = small(MaskedLanguageModel)
    objective = MaskedTokens(mask_token=10, vocabulary=10, share=0.5)
    arrays = [torch.tensor([1, 2, 3, 4]).numpy()]
    losses = []
    for width in (4, 9):
        made = (Packed if pack else Padded)(arrays, width, padding=7).rows([0])
        losses.append(loss_of(objective, model, objective.prepare(made, [(0, 0, 0)])))
    if not pack:  # in a packed row, padding may not be chosen either
        torch.testing.assert_close(*losses)
    assert isinstance(objective.prepare(rows([1]), [(0,)]).mask, Rule)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_share_of_nothing_or_all_is_refused(share):
    with pytest.raises(ValueError, match="share="):
        MaskedTokens(mask_token=0, vocabulary=3, share=share)
