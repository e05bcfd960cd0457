"""Reading: prompts that are refused before the model is called, padding, and a reader."""

import pytest
import torch

from plainformer.generation import (
    EmptyPrompt,
    PromptTooLong,
    UnknownToken,
    generate,
    growing,
    stream,
)
from plainformer.generation.reading import Reader, left_padded, read_prompts
from tests.plainformer.generation_models import talkative

SIZES = {"vocabulary": 13, "context": 24}
WRONG = [
    ([[1], []], EmptyPrompt, "prompt 1 is empty: give at least one token, or bos="),
    ([[1], [1] * 25], PromptTooLong, "prompt 1 has 25 tokens, more than the model's context of 24"),
    ([[1, 13]], UnknownToken, "prompt 0 has token 13 at place 1, outside the vocabulary of 13"),
    ([[-1]], UnknownToken, "prompt 0 has token -1 at place 0"),
    ([1, 2], ValueError, r"prompt 0 is 1: expected a sequence of whole numbers, such as prompts="),
    ([[1.5]], ValueError, r"prompt 0 is \[1.5\]"),
    ("text", ValueError, "prompt 0 is 't'"),
]


@pytest.mark.parametrize(("prompts", "error", "words"), WRONG)
def test_prompts_that_cannot_be_read_are_refused_by_number(prompts, error, words):
    with pytest.raises(error, match=words):
        read_prompts.__wrapped__(prompts, **SIZES)  # also where types are not enforced


@pytest.mark.parametrize(("prompts", "error", "words"), WRONG[:4])
def test_a_stream_refuses_them_before_its_first_token_is_asked_for(prompts, error, words):
    with pytest.raises(error, match=words):
        stream(talkative(), prompts, max_new_tokens=1)


def test_tensors_and_lists_are_read_alike():
    expected = [[3, 1], [2, 0]]
    assert read_prompts(torch.tensor(expected), **SIZES) == expected
    assert read_prompts([torch.tensor([3, 1]), (2, 0)], **SIZES) == expected


def test_a_first_token_is_put_before_every_prompt():
    model = talkative()
    made = generate(model, [[], [1, 2]], max_new_tokens=4, bos=0)
    assert made.tokens == generate(model, [[0], [0, 1, 2]], max_new_tokens=4).tokens
    with pytest.raises(PromptTooLong, match="25 tokens"):
        read_prompts([[1] * 24], **SIZES, bos=0)
    with pytest.raises(UnknownToken, match="token 13 at place 0"):
        read_prompts([[1]], **SIZES, bos=13)


def test_padding_stands_on_the_left_and_nowhere_if_all_are_equally_long():
    tokens, starts = left_padded([[1], [2, 3, 4], [5, 6]])
    assert tokens == [[1, 1, 1], [2, 3, 4], [5, 5, 6]]
    assert starts.tolist() == [2, 0, 1]
    assert left_padded([[1, 2], [3, 4]])[1] is None


@pytest.mark.parametrize("spoilt", [torch.nan, torch.inf, 1e300])
@pytest.mark.parametrize("caches", [growing, "static", None])
@pytest.mark.parametrize("attention", ["plain", "sdpa"])
def test_no_vector_of_a_token_that_is_nowhere_enters_through_padding(spoilt, caches, attention):
    model = talkative(attention=attention)
    model.embedding.weight.data[0] = spoilt  # such as an entry that was never trained
    prompts = [[1, 2, 3, 4], [5], [6, 7]]
    together = generate(model, prompts, max_new_tokens=3, caches=caches, stop=lambda new: None)
    alone = [generate(model, [p], max_new_tokens=3, caches=caches).tokens[0] for p in prompts]
    assert together.tokens == alone


def test_a_reader_that_rewinds_reads_as_if_nothing_had_been_read():
    model, text = talkative(), [[1, 2, 3, 4, 5, 6]]
    reader = Reader(model, growing, b=1, capacity=24)
    reader.ask([[1, 2, 3, 9, 9, 9, 9]])
    reader.rewind(3)
    torch.testing.assert_close(reader.ask(text, last=3), model(torch.tensor(text))[:, -3:])
    reader.rewind(99)  # nothing is there
