"""Byte-pair encoding: lossless, and equal to tokenizers with the same merges and in training."""

import json
import os
import random
import time
import unicodedata
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import ByteLevelBPETokenizer

from plainformer.byte_pairs import ORDER, BytePairs, train
from plainformer.words import split_words

BOOK = Path(__file__).parents[2] / "book"
TEXT = "".join(path.read_text("utf-8") for path in sorted(BOOK.glob("0[1-4]-*.md")))
PAIRS = train(TEXT, 1_000)
STRANGE = (
    "Ünïcödé ΑΩ русский العربية עברית हिन्दी ไทย 日本語 한국어"
    " ½²Ⅷ१ e\u0301 \u200b\ufeff\0\x1c\x85\u2028"
    "👩\U0001f3fd\u200d🚀🏳\ufe0f\u200d🌈"
)


def learn_with_tokenizers(folder, text, vocabulary, least):
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    theirs = ByteLevelBPETokenizer(add_prefix_space=False)
    theirs.train_from_iterator(
        [text], vocab_size=vocabulary, min_frequency=least, show_progress=False
    )
    theirs.save_model(str(folder))
    return BytePairs.load(folder)


def read_with_tokenizers(folder, pairs):
    pairs.save(folder)
    return ByteLevelBPETokenizer.from_file(
        str(folder / "vocab.json"), str(folder / "merges.txt"), add_prefix_space=False
    )


def draw_strings(number, seed):
    """Draw strings from the characters of the book, of many scripts, and of all of Unicode."""
    draw = random.Random(seed)
    known = [c for c in map(chr, range(0x110000)) if unicodedata.category(c) not in ("Cn", "Cs")]
    alphabets = (TEXT[:20_000], STRANGE + " '\n", "ab '", known)
    return ["".join(draw.choices(draw.choice(alphabets), k=draw.randrange(60)))
            for _ in range(number)]  # fmt: skip


def test_ten_thousand_strings_have_the_ids_that_tokenizers_gives(tmp_path):
    theirs = read_with_tokenizers(tmp_path, PAIRS)
    real = sorted(set(TEXT.splitlines(keepends=True)))
    strings = [*real, *draw_strings(10_000, seed=0), TEXT, STRANGE, ""]
    assert len(real) > 2_000
    for text, expected in zip(strings, theirs.encode_batch(strings), strict=True):
        assert PAIRS.encode(text) == expected.ids, text
        assert PAIRS.decode(expected.ids) == text


def test_any_ids_decode_to_what_tokenizers_gives_even_inside_a_character(tmp_path):
    theirs = read_with_tokenizers(tmp_path, PAIRS)
    draw = random.Random(1)
    for _ in range(2_000):
        ids = draw.choices(range(len(PAIRS.ids)), k=draw.randrange(12))
        assert PAIRS.decode(ids) == theirs.decode(ids)


def test_training_on_the_book_gives_the_merges_and_ids_of_tokenizers(tmp_path):
    theirs = learn_with_tokenizers(tmp_path, TEXT, 1_000, 2)
    assert (PAIRS.merges, PAIRS.ids) == (theirs.merges, theirs.ids)


def test_training_on_texts_full_of_ties_gives_the_merges_of_tokenizers(tmp_path):
    draw = random.Random(2)
    for _ in range(300):
        alphabet = draw.choice(["ab c'é\n", "aab", "abc", "abcd ef"])
        text = "".join(draw.choices(alphabet, k=draw.randrange(300)))
        vocabulary, least = draw.choice([260, 300, 400]), draw.choice([1, 2])
        theirs = learn_with_tokenizers(tmp_path, text, vocabulary, least)
        ours = train(text, vocabulary, least=least)
        assert (ours.merges, ours.ids) == (theirs.merges, theirs.ids), text


@given(st.text(alphabet="ab c", max_size=40), st.integers(256, 280))
def test_each_merge_is_the_most_frequent_pair_counted_anew(text, vocabulary):
    words = [[bytes([b]) for b in word.encode()] for word in split_words(text)]
    ids = train("", 256).ids
    for pair in train(text, vocabulary).merges:
        counts = Counter(two for word in words for two in pairwise(word))
        best = min(counts, key=lambda two: (-counts[two], ids[two[0]], ids[two[1]]))
        assert best == pair
        assert counts[pair] >= 2
        ids.setdefault(b"".join(pair), len(ids))
        for word in words:
            for i in range(len(word) - 1):
                if i < len(word) - 1 and (word[i], word[i + 1]) == pair:
                    word[i : i + 2] = [b"".join(pair)]


@given(st.text())
def test_a_text_comes_back(text):
    assert PAIRS.decode(PAIRS.encode(text)) == text


@given(st.binary())
def test_bytes_come_back(data):
    assert PAIRS.decode_bytes(PAIRS.encode_bytes(data)) == data


@pytest.mark.parametrize("pairs", [PAIRS, BytePairs([])], ids=["trained", "bytes"])
def test_every_byte_and_every_two_bytes_come_back(pairs):
    for high in range(256):
        data = b"".join(bytes([high, low]) for low in range(256))
        assert pairs.decode_bytes(pairs.encode_bytes(data)) == data
        assert pairs.decode_bytes(pairs.encode_bytes(bytes([high]))) == bytes([high])


@given(st.text())
def test_the_bytes_of_a_text_have_the_ids_of_the_text(text):
    assert PAIRS.encode_bytes(text.encode()) == PAIRS.encode(text)


def test_bytes_are_numbered_as_in_the_files_of_gpt_2():
    ids = train("", 1_000).ids
    assert len(ids) == 256
    assert [ids[bytes([b])] for b in b"!~\xa1\xff\x00 \xad"] == [0, 93, 94, 187, 188, 220, 255]
    assert sorted(ORDER) == list(range(256))


def test_saved_files_look_like_those_of_gpt_2_and_load_the_same(tmp_path):
    train("the then the", 258).save(tmp_path)
    assert (tmp_path / "merges.txt").read_text("utf-8") == "#version: 0.2\nh e\nt he\n"
    vocabulary = json.loads((tmp_path / "vocab.json").read_text("utf-8"))
    assert list(vocabulary.items())[255:] == [("Ń", 255), ("he", 256), ("the", 257)]
    PAIRS.save(tmp_path)
    loaded = BytePairs.load(tmp_path)
    assert (loaded.merges, loaded.ids) == (PAIRS.merges, PAIRS.ids)


def test_a_further_token_is_decoded_and_never_encoded(tmp_path):
    mark = {b"<|endoftext|>": 1_000}
    BytePairs(PAIRS.merges, PAIRS.ids | mark).save(tmp_path)
    pairs = BytePairs.load(tmp_path)
    assert pairs.decode([1_000]) == "<|endoftext|>"
    assert 1_000 not in pairs.encode("<|endoftext|>")


@pytest.mark.parametrize("text", ["ab" * 50_000, "a" * 100_000, " " * 100_000, TEXT[:100_000]])
def test_a_hundred_thousand_bytes_are_encoded_in_seconds(text):
    pairs = train(text[:2_000] + text, 300)
    start = time.process_time()
    ids = pairs.encode(text)
    assert time.process_time() - start < 10
    assert pairs.decode(ids) == text


def test_a_lone_surrogate_is_refused_by_name():
    for call in (PAIRS.encode, lambda text: train(text, 300)):
        with pytest.raises(ValueError, match=r"lone surrogate '\\ud83d'"):
            call("rocket \ud83d")


def test_what_is_not_text_is_refused():
    for call in (PAIRS.encode, lambda text: train(text, 300)):
        with pytest.raises(ValueError, match="bytes is not text"):
            call(b"text")


@pytest.mark.parametrize("ids", [[1_000], [3, -1], [10**9]])
def test_an_unknown_id_is_refused_by_name(ids):
    for decode in (PAIRS.decode, PAIRS.decode_bytes):
        with pytest.raises(ValueError, match=f"unknown id {ids[-1]}: expected ids of 1000 tokens"):
            decode(ids)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("text", 255), "vocabulary=255"),
        (("text", 300, 0), "least=0"),
    ],
)
def test_a_training_that_cannot_be_is_refused(arguments, message):
    text, vocabulary, *least = arguments
    with pytest.raises(ValueError, match=message):
        train(text, vocabulary, **({"least": least[0]} if least else {}))


@pytest.mark.parametrize(
    ("merges", "ids", "message"),
    [
        ([(b"a", b"bc")], None, r"merge 0 has the part b'bc'"),
        ([(b"ab", b"c"), (b"a", b"b")], None, r"merge 0 has the part b'ab'"),
        ([(b"", b"c")], None, r"merge 0 has the part b''"),
        ([(b"a", b"b"), (b"a", b"b")], None, "listed twice"),
        ([(b"a", b"b")], train("", 256).ids, r"b'ab' has no id"),
        ([], train("", 256).ids | {b"ab": 7}, "two tokens have the id 7"),
    ],
)
def test_merges_and_ids_that_do_not_fit_are_refused(merges, ids, message):
    with pytest.raises(ValueError, match=message):
        BytePairs(merges, ids)


@pytest.mark.parametrize(
    ("line", "token", "number", "message"),
    [
        ("a b c", "ab", 256, "merges.txt has 'a b c'"),
        ("ab", "ab", 256, "merges.txt has 'ab'"),
        ("a 中", "ab", 256, "'中', which stands for no byte"),
        ("a b", "a b", 256, "' ', which stands for no byte"),
        ("a b", "ab", 2.5, "ab=2.5"),
        ("a b", "ab", -1, "ab=-1"),
    ],
)
def test_files_that_are_not_of_this_form_are_refused(tmp_path, line, token, number, message):
    BytePairs([]).save(tmp_path)
    (tmp_path / "merges.txt").write_text(f"#version: 0.2\n{line}\n", "utf-8")
    vocabulary = json.loads((tmp_path / "vocab.json").read_text("utf-8")) | {token: number}
    (tmp_path / "vocab.json").write_text(json.dumps(vocabulary), "utf-8")
    with pytest.raises(ValueError, match=message):
        BytePairs.load(tmp_path)
