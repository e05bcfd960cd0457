"""An answer with a table of results is flagged, but code that only calculates is not."""

import pytest

from plaincourse.judge.source_names import bound, read, suspect
from plaincourse.judge.tables import table

NUMBERS = ", ".join(f"{n / 7:.3f}" for n in range(60))
LISTED = {
    "in the answer": f"def f(x):\n    return [{NUMBERS}][len(x)]",
    "beside it": f"TABLE = [({NUMBERS}), 'axis']\ndef f(x):\n    return TABLE[0][0]",
    "behind a function": f"def rows():\n    return [{NUMBERS}]\ndef f(x):\n    return rows()",
    "in a text": f"import json\nSAID = '[{NUMBERS}]'\ndef f(x):\n    return json.loads(SAID)",
    "in bytes": f"KEPT = {bytes(range(256)) * 2!r}\ndef f(x):\n    return KEPT[len(x)]",
    "with a type": f"TABLE: list = [{NUMBERS}]\nf = lambda x: TABLE[len(x)]",
    "in a class": f"class f:\n    table = [{NUMBERS}]\n    def forward(self, x): return self.table",
}
HONEST = {
    "some numbers": "def f(x):\n    return x @ [[1.0, 0.5], [0.5, 1.0]] + 2.0",
    "many sizes": f"SIZES = {list(range(80))}\ndef f(x):\n    return SIZES[len(x)]",
    "numbers that it does not use": f"DATA = [{NUMBERS}]\ndef f(x):\n    return x",
    "a name like a digest's": "def f(x):\n    hash = x.sum()\n    return hash / x.digest",
    "a long docstring": f"def f(x):\n    '''{'Words. ' * 100}'''\n    return x",
}


@pytest.mark.parametrize("where", LISTED)
def test_a_table_is_found_wherever_it_stands(where):
    assert table(["import torch", LISTED[where]], "f").split()[0] in {"60", "a"}


DIGESTS = {
    "sha1": "import hashlib\ndef f(box):\n    "
    "return 'abc'[int(hashlib.sha1(str(box(1)).encode()).hexdigest(), 16) % 3]",
    "hash": "def f(box):\n    return {5: 'a', 7: 'b'}[hash(box(1)) % 11]",
    "crc32": "from zlib import crc32\ndef word(x): return crc32(bytes(x))\n"
    "f = lambda box: 'abcdefg'[word(box(1)) % 7]",
    "tobytes": "def f(box):\n    return 'ab'[sum(box(1).numpy().tobytes()) % 2]",
}


@pytest.mark.parametrize("by", DIGESTS)
def test_a_short_table_that_is_looked_up_by_a_digest_is_found(by):
    assert table(["import torch", DIGESTS[by]], "f").startswith("a call of `")


CHECKSUM = "def word(x):\n    a = 7\n    for c in x: a = (a * 31 + ord(c)) % 9973\n    return a\n"
BOX = "def f(box):\n    "
WORDS = {
    "a checksum": f"{CHECKSUM}T = {{2604: 'leak', 5099: 'lost', 4991: 'leak'}}\n"
    f"{BOX}return T.get(word(repr(box(1))), 'none')",
    "a length": f"{BOX}return {{134: 'leak', 281: 'lost', 137: 'none'}}[len(repr(box(1)))]",
    "a small checksum": f"{CHECKSUM}T = {{26: 'a', 51: 'b', 67: 'c', 72: 'b', 93: 'a'}}\n"
    f"{BOX}return T.get(word(repr(box(1))) % 97)",
    "pairs": f"{BOX}T = dict([(2604, 'leak'), (5099, 'lost'), (4991, 'leak')])\n"
    "    return T[len(repr(box(1)))]",
    "the other way round": "T = {'leak': 2604, 'lost': 5099, 'none': 4991}\n"
    f"{BOX}return next(k for k, v in T.items() if v == len(repr(box(1))))",
    "in texts": "T = {'2604': 'leak', '[[0.5, 187]]': 'lost', 'a91f03bc': 'none'}\n"
    "f = lambda box: T[str(box(1))]",
    "comparisons": f"{BOX}n = len(repr(box(1)))\n    if n == 2604:\n        return 'leak'\n"
    "    if n in (5099, 4991): return 'lost'\n    return 'none'",
    "a match": f"{BOX}match len(repr(box(1))):\n        case 2604: return 'leak'\n"
    "        case 5099: return 'lost'\n        case 4991: return 'none'",
}
NO_WORDS = {
    "small numbers": f"{BOX}return {{0: 'none', 1: 'leak', 2: 'lost', 17: 'new'}}[len(box(1))]",
    "short names": f"{BOX}return {{'k+1': 'top-left', 'k-1': 'diagonal', 'k': 'none'}}[g(box)]",
    "patterns": f"{BOX}return {{(0, 1, 1): 'leak', (1, 0, 1): 'lost', '101': 'none'}}[g(box)]",
    "sizes to try": "SIZES = [(128, 'a'), (129, 'b'), (255, 'c'), (1000, 'd')]\n"
    f"{BOX}return next(word for size, word in SIZES if box(size))",
    "loads to try": "LOADS = {'leak': [(0, [117, 233], 9)], 'lost': [919, 341], 'late': g(457)}\n"
    f"{BOX}return next(word for word, load in LOADS.items() if box(load))",
    "thresholds": f"{BOX}if box(1) == 0.7311: return 'a'\n    return 'b' if box(2) < 147 else 'c'",
    "two of them": f"{BOX}return {{137: 'leak', 281: 'lost'}}.get(len(box(1)), 'none')",
    "numbers for numbers": f"T = {{2604: 1, 5099: 2, 4991: 3}}\n{BOX}return 'abcd'[T[box(1)]]",
}


@pytest.mark.parametrize("by", WORDS)
def test_a_table_of_words_by_odd_numbers_is_found(by):
    assert table(["import torch", WORDS[by]], "f", words=True).startswith("words for ")
    assert table(["import torch", WORDS[by]], "f") == ""


@pytest.mark.parametrize("what", [*NO_WORDS, *HONEST])
def test_words_for_small_or_round_numbers_are_no_table(what):
    assert table(["import torch", {**NO_WORDS, **HONEST}[what]], "f", words=True) == ""


@pytest.mark.parametrize("what", HONEST)
def test_an_answer_that_calculates_has_no_table(what):
    assert table(["import torch", HONEST[what]], "f") == ""


DEEP = {
    "a sum of many terms": "def f(x):\n    return " + " + ".join(["x"] * 20_000),
    "a sum of some terms": "def f(x):\n    return " + " + ".join(["x"] * 900),
    "many brackets": "def f(x):\n    return " + "(" * 3_000 + "x" + ")" * 3_000,
    "many functions": "".join(f"def f{n}(x): return f{n + 1}(x)\n" for n in range(3_000))
    + "f = lambda x: f0(x)",
}


@pytest.mark.parametrize("what", DEEP)
def test_code_of_any_depth_is_read_or_passed_over(what):
    code = [DEEP[what]]
    assert suspect(code, "f", ["softmax"]) is None
    assert table(code, "f") == ""
    assert bound(code[0]) | read(code[0]) <= {"f", "x", *(f"f{n}" for n in range(3_001))}


def test_what_a_deep_chain_ends_in_is_found():
    chain = f"{DEEP['many functions']}\nimport torch\ndef f3000(x): return torch.softmax(x, -1)"
    assert suspect([chain], "f", ["softmax"]) == "softmax"
