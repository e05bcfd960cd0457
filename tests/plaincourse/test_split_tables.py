"""An answer with a table of results is flagged, and code that only calculates is not."""

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
