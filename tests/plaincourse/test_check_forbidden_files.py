"""A student's own file may use any name; library functions that it imports are still found."""

import importlib
import sys
from types import ModuleType

import pytest

from plaincourse.checking.forbidden import find, is_students

FORBID = ("softmax", "cross_entropy", "optim", "numpy", "scaled_dot_product_attention")
HAND = "    e = (x - x.max()).exp()\n    return e / e.sum()\n"
FILES = {
    "optim_": "rate = 0.1\ndef adam(x):\n    return x - rate\n",
    "losses_": f"def cross_entropy(x):\n{HAND}",
    "weightmaths": f"def softmax(x):\n{HAND}",
    "ready": "import torch\nfrom torch import softmax\nimport torch.nn.functional as F\n"
    "def weights(x):\n    return torch.softmax(x, -1)\n"
    "class Layer:\n    def forward(self, x):\n        return torch.softmax(x, -1)\n",
    "inner": "import ready\nimport weightmaths\n",
}
THEIRS = {
    "a function of a file": "import losses_ as L\ndef f(x):\n    return L.cross_entropy(x)",
    "a function from a file": "from weightmaths import softmax\ndef f(x):\n    return softmax(x)",
    "another name for it": "from weightmaths import softmax as s\ndef f(x):\n    return s(x)",
    "a file called so": "import optim_ as optim\ndef f(x):\n    return optim.adam(x)",
    "a file in a file": "import inner\ndef f(x):\n    return inner.weightmaths.softmax(x)",
    "what a file does not use": "import ready\ndef f(x):\n    return x",
    "settings": "from types import SimpleNamespace\noptim = SimpleNamespace(b1=0.9)\n"
    "def f(x):\n    return optim.b1 * x",
    "a dictionary": "softmax = {'a': 1}\ndef f(x):\n    return softmax['a'] * x",
    "a field of a tuple": "from collections import namedtuple\n"
    "Step = namedtuple('Step', 'scores softmax')\n"
    "def f(x):\n    return Step(x, x).softmax",
    "a field of a class": "from dataclasses import dataclass\n@dataclass\nclass Step:\n"
    "    softmax: float = 0.0\ndef f(x):\n    return Step(x).softmax",
}
FOUND = {
    "a function of a file": ("import ready\ndef f(x):\n    return ready.weights(x)", "softmax"),
    "a function from a file": (
        "from ready import weights\ndef f(x):\n    return weights(x)",
        "softmax",
    ),
    "a class of a file": (
        "from ready import Layer\ndef f(x):\n    return Layer().forward(x)",
        "softmax",
    ),
    "what a file hands on": ("import ready\ndef f(x):\n    return ready.softmax(x, -1)", "softmax"),
    "a library that a file hands on": (
        "import ready\ndef f(x):\n    return ready.F.scaled_dot_product_attention(x, x, x)",
        "scaled_dot_product_attention",
    ),
    "a file in a file": ("import inner\ndef f(x):\n    return inner.ready.weights(x)", "softmax"),
    "a dictionary of them": (
        "import torch\nuse = {'a': torch.softmax}\ndef f(x):\n    return use['a'](x, -1)",
        "softmax",
    ),
}


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    for name, text in FILES.items():
        (tmp_path / f"{name}.py").write_text(text)
        sys.modules.pop(name, None)
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    is_students.cache_clear()
    yield
    for name in (*FILES, "notebook_of_one"):
        sys.modules.pop(name, None)
    is_students.cache_clear()


def answer(source):
    notebook = sys.modules["notebook_of_one"] = ModuleType("notebook_of_one")
    exec(source, vars(notebook))
    return notebook.f


@pytest.mark.parametrize("what", THEIRS)
def test_what_a_student_wrote_may_have_any_name(what):
    assert find(answer(THEIRS[what]), FORBID) is None


@pytest.mark.parametrize("what", FOUND)
def test_a_file_hides_nothing(what):
    source, name = FOUND[what]
    assert find(answer(source), FORBID) == name


def test_the_course_and_what_is_installed_are_no_students():
    import numpy
    import torch

    import plainformer

    for module in (numpy, torch, plainformer, pytest, sys.modules["json"]):
        assert not is_students(module.__name__)
    import weightmaths

    assert is_students(weightmaths.__name__)
