"""Span corruption: the paper's own example, the reconstruction of the text, the loss."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import T5Config, T5ForConditionalGeneration

from plainformer.models import Config, EncoderDecoder
from plainformer.training.data import Packed, Padded, Rows
from plainformer.training.losses import summed_cross_entropy
from plainformer.training.spans import SpanCorruption
from tests.plainformer.tensors import SEEDS

SPANS = SpanCorruption(sentinels=tuple(range(100, 120)), end=1, padding=0)


def test_the_papers_figure_2():
    thank, you, for_, inviting, me, to, your, party, last, week = range(10, 20)
    text = [thank, you, for_, inviting, me, to, your, party, last, week]
    source, target = SPANS.apart(text, [(2, 4), (8, 9)])
    assert source == [thank, you, 100, me, to, your, party, 101, week, 1]
    assert target == [100, for_, inviting, 101, last, 102, 1]


@given(
    length=st.integers(2, 60),
    seed=SEEDS,
    share=st.sampled_from([0.15, 0.5, 0.9]),
    span=st.sampled_from([1.0, 3.0, 8.0]),
)
def test_spans_are_apart_and_the_text_can_be_put_together_again(length, seed, share, span):
    objective = SpanCorruption(
        sentinels=tuple(range(100, 140)), end=1, padding=0, share=share, span=span
    )
    spans = objective.spans(length, np.random.default_rng(seed))
    ends = [0, *[edge for pair in spans for edge in pair]]
    assert ends == sorted(set(ends)), "a span is empty, or touches another"
    assert ends[-1] <= length
    assert sum(b - a for a, b in spans) == min(max(round(length * share), 1), length - 1)
    text = list(range(10, 10 + length))
    source, target = objective.apart(text, spans)
    pieces = {}
    for token in target[:-1]:
        if token >= 100:
            pieces[token] = []
            last = token
        else:
            pieces[last].append(token)
    again = [t for token in source[:-1] for t in pieces.get(token, [token])]
    assert again == text


def test_spans_have_the_mean_length_that_was_asked_for():
    spans = SPANS.spans(120, np.random.default_rng(0))
    assert len(spans) == 6
    lengths = [
        b - a for seed in range(200) for a, b in SPANS.spans(120, np.random.default_rng(seed))
    ]
    assert np.mean(lengths) == 3
    assert max(lengths) > 6


def test_the_loss_is_the_librarys():
    torch.manual_seed(0)
    theirs = T5ForConditionalGeneration(
        T5Config(
            vocab_size=121,
            d_model=8,
            d_kv=4,
            d_ff=16,
            num_layers=1,
            num_heads=2,
            decoder_start_token_id=0,
        )
    ).eval()
    made = Padded([np.arange(10, 30), np.arange(30, 37)], 20).rows([0, 1])
    example = SPANS.prepare(made, [(0, 0, 0), (0, 0, 1)])
    seen = torch.arange(example.source.shape[1]) < example.source_mask.lengths[:, None]
    out = theirs(
        input_ids=example.source,
        attention_mask=seen.long(),
        labels=example.targets.masked_fill(example.weights == 0, -100),
    )
    logits = theirs(
        input_ids=example.source, attention_mask=seen.long(), decoder_input_ids=example.inputs
    ).logits
    mean = summed_cross_entropy(logits, example.targets, example.weights) / example.weights.sum()
    torch.testing.assert_close(mean, out.loss)
    assert (example.weights.sum(1) == (example.targets > 0).sum(1)).all()


def test_padding_changes_no_loss():
    torch.manual_seed(0)
    model = EncoderDecoder(Config(vocabulary=121, d_model=8, n_layers=1, n_heads=2)).double()
    texts = [np.arange(10, 18), np.arange(30, 60)]
    keys = [(0, 0, 0), (0, 0, 1)]

    def loss(made: Rows, keys):
        example = SPANS.prepare(made, keys)
        return summed_cross_entropy(
            SPANS.logits(model, example), example.targets, example.weights
        ).double()

    both = loss(Padded(texts, 40).rows([0, 1]), keys)
    alone = [loss(Padded([t], len(t)).rows([0]), [k]) for t, k in zip(texts, keys, strict=True)]
    torch.testing.assert_close(both, sum(alone))


def test_one_token_is_left_alone():
    example = SPANS.prepare(Padded([np.array([9])], 1).rows([0]), [(0,)])
    assert example.source.tolist() == [[9, 1]]
    assert example.targets.tolist() == [[100, 1]]
    assert example.inputs.tolist() == [[0, 100]]


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="two sentinels or more, all tokens different"):
        SpanCorruption(sentinels=(1, 2), end=2, padding=0)
    with pytest.raises(ValueError, match=r"span=0\.5"):
        SpanCorruption(sentinels=(3, 4), end=2, padding=0, span=0.5)
    with pytest.raises(ValueError, match="pad instead"):
        SPANS.prepare(Packed([np.arange(3)], 4).rows([0]), [(0,)])
