"""The names that a cell binds and reads, and forbidden functions, are found in its text."""

import pytest

from plaincourse.checking.cells import checked
from plaincourse.judge.source_names import (
    bound,
    definitions,
    imported,
    imported_by,
    importing,
    read,
    suspect,
)

CELL = """
import numpy as np, os.path
from math import sqrt as root
a, (b, *c) = 1, (2, 3)
for d in range(3): e: int = d
with open("x") as f: g = [h for h in f if (k := h)]
def m(x, y=root):
    global n
    n = p + x
    return lambda: q
class R(S): t = u
"""


def test_what_a_cell_binds_and_reads_is_found() -> None:
    assert bound(CELL) == set("a b c d e f g k m n R".split()) | {"np", "os", "root"}
    assert read(CELL) >= set("p q S u root open range d f".split())
    assert not read(CELL) & set("x y h t".split())


def test_a_cell_without_syntax_binds_and_reads_nothing() -> None:
    assert bound("def (") == read("def (") == set()
    assert checked("def (") == {}
    assert imported("def (") == []


def test_definitions_and_imports_can_be_run_alone() -> None:
    assert imported(CELL) == ["import numpy as np, os.path", "from math import sqrt as root"]
    assert [each.split("\n")[0][:7] for each in definitions(CELL)][2:] == ["def m(x", "class R"]


def test_what_is_checked_is_found() -> None:
    assert checked('check("02.scores", scores)\ncheck("02.scores", scores, seed=3)') == {
        "02.scores": "scores"
    }


FORBID = ("softmax", "torch", "plainformer")


@pytest.mark.parametrize(
    "code",
    [
        "def f(x): return x.softmax(-1)",
        "from torch.nn.functional import softmax as mine\ndef f(x): return mine(x)",
        "import plainformer as p\ndef f(x): return p.attend(x)",
        "def helper(x): return x.softmax()\ndef f(x): return helper(x)",
        "def f(x):\n    import torch\n    return torch.exp(x)",
        "def f(x): return getattr(x, 'softmax')(-1)",
        "class f(Base):\n    def forward(self, x): return x.softmax(-1)",
        "f = lambda x: x.softmax(-1)",
    ],
)
def test_a_forbidden_name_in_the_text_of_an_answer_is_suspect(code: str) -> None:
    assert suspect(["print(", code], "f", FORBID) in FORBID


@pytest.mark.parametrize(
    "code",
    [
        "from transformers.models.bloom import build as b\ntable = {n: b(n) for n in range(9)}\n"
        "def f(n): return table[n]",
        "import transformers.models as m\ndef f(n): return m.bloom(n)",
        "def helper(n):\n    from transformers import bloom\n    return bloom(n)\n"
        "def f(n): return helper(n)",
    ],
)
def test_an_import_that_an_answer_reaches_is_suspect_and_no_attribute_is(code: str) -> None:
    word = importing("transformers")
    assert suspect([code], "f", [word]) == word
    assert imported_by(word) == "transformers"
    own = "class f(Module):\n    def __init__(self): self.transformers = ['transformers']"
    assert suspect([own, "import transformers"], "f", [word]) is None


@pytest.mark.parametrize(
    "code",
    [
        "def f(x):\n    '''softmax'''\n    return x.exp()",
        "from torch import Tensor\ndef f(x: Tensor) -> Tensor: return x.exp()",
        "def other(x): return x.softmax()\ndef f(x): return x.exp()",
        "def scores(x): return x.softmax()\ndef f(x):\n    scores = x.exp()\n    return scores / 2",
        "def softmax(x): return x.exp()\ndef f(x): return softmax(x)",
    ],
)
def test_a_name_that_the_answer_does_not_use_is_not(code: str) -> None:
    assert suspect([code], "f", FORBID) is None
