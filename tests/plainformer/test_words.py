"""The splitting of a text equals GPT-2's pattern, as applied by tokenizers."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers.pre_tokenizers import ByteLevel

from plainformer.words import split_words

GPT2 = ByteLevel(add_prefix_space=False, use_regex=True)


def split_by_tokenizers(text):
    return [text[start:end] for _, (start, end) in GPT2.pre_tokenize_str(text)]


def test_every_character_that_python_knows_is_of_the_kind_that_tokenizers_sees():
    known = [c for c in map(chr, range(sys.maxunicode + 1))
             if unicodedata.category(c) not in ("Cn", "Cs")]  # fmt: skip
    assert len(known) > 280_000
    for start in range(0, len(known), 20):
        text = "".join(f"a{c}1{c}?{c} {c}" for c in known[start : start + 20])
        assert split_words(text) == split_by_tokenizers(text)


@given(st.text(alphabet="'stremvldSa é中१²_-\n\t\u00a0\u0085\u2028\x1c\u0301", max_size=30))
def test_endings_and_spaces_are_split_as_tokenizers_does(text):
    assert split_words(text) == split_by_tokenizers(text)


@given(st.text(st.characters(exclude_categories=())))
def test_the_words_joined_are_the_text(text):
    words = split_words(text)
    assert "".join(words) == text
    assert all(words)


def test_spaces_go_with_the_word_after_them():
    assert split_words("") == []
    assert split_words(" a  b\n\nc ") == [" a", " ", " b", "\n", "\n", "c", " "]
    assert split_words("it's IT'S 'tis") == ["it", "'s", " IT", "'", "S", " '", "tis"]


@pytest.mark.parametrize("given_", [b"text", None, 3, ["text"]])
def test_what_is_not_text_is_refused(given_):
    with pytest.raises(ValueError, match=f"{type(given_).__name__} is not text"):
        split_words(given_)
