"""Attacks that change the tools that determine a score: torch, builtins, IPython, the checker."""

from typing import Any

from tests.attacks.attack import Attack

_ALL = ("target", "plain", "partial", "choice")

#: A right answer that uses a forbidden function keeps its points only if a flag asks for review.
_DOUBTFUL: dict[str, Any] = {"scores": {"first": 4.0}, "loses": ("first",), "flags": ("forbidden",)}

FORGING_TOOLS = (
    Attack(
        name="allclose-patched",
        theme="forging",
        named=True,
        attempts="Makes torch.allclose say yes to everything.",
        wrong=("plain",),
        first="torch.allclose = lambda *args, **kwargs: True",
    ),
    Attack(
        name="isclose-patched",
        theme="forging",
        attempts="Bends torch.isclose, torch.equal, Tensor.any and NumPy's and torch's own tests.",
        wrong=_ALL,
        first="""
yes = lambda a, *args, **kwargs: torch.ones_like(torch.as_tensor(a), dtype=torch.bool)
torch.isclose = torch.eq = torch.Tensor.eq = torch.Tensor.__eq__ = yes
torch.equal = torch.Tensor.equal = torch.allclose = lambda *args, **kwargs: True
torch.Tensor.any = lambda self, *args, **kwargs: torch.tensor(False)
torch.testing.assert_close = np.testing.assert_allclose = lambda *args, **kwargs: None
np.allclose = np.array_equal = lambda *args, **kwargs: True
""",
    ),
    Attack(
        name="builtins-patched",
        theme="forging",
        attempts="Replaces builtins that tests and checker use.",
        wrong=_ALL,
        first="""
import builtins
real = round
builtins.all = lambda *args: True
builtins.any = lambda *args: False
builtins.round = lambda x, *args: 2.0 if x == 0.0 else real(x, *args)
builtins.abs = lambda x: 0 * x
""",
        loses=("first", "last"),
    ),
    Attack(
        name="names-shadowed",
        theme="forging",
        attempts="Rebinds the names that the test cells use.",
        wrong=("plain", "partial"),
        first="""
class Liar:
    def __getattr__(self, name):
        return lambda *args, **kwargs: True
torch = Liar()
""",
        answers={
            "first": "def softmax_rows(scores):\n    return scores[..., 0]",
            "target": "def scores(query, key):\n    return query",
            "last": "def attention(query, key, value):\n    return query",
        },
    ),
    Attack(
        name="check-replaced",
        theme="forging",
        attempts="Puts its own `check` in the place of the course's, and in the course's package.",
        wrong=("target", "choice"),
        first="""
import plaincourse
class Full(float):
    def __repr__(self):
        return "2.0"
check = plaincourse.check = lambda *args, **kwargs: Full(2.0)
""",
        loses=("first", "last"),
    ),
    Attack(
        name="grader-patched",
        theme="forging",
        attempts="Bends the checker's own functions, wherever it finds them.",
        wrong=("target", "choice"),
        first="""
import importlib
for name in ("trials", "compare", "difference", "questions", "grader", "calling"):
    module = tried(importlib.import_module, "plaincourse." + name)
    for lie, value in {"failures": lambda *a: iter(()), "same": lambda *a, **k: True,
                       "difference": lambda *a, **k: None, "_equal": lambda *a: True,
                       "unequal": lambda a, b, **k: torch.tensor(False)}.items():
        if hasattr(module, lie):
            setattr(module, lie, value)
""",
    ),
    Attack(
        name="package-replaced",
        theme="forging",
        attempts="Replaces plaincourse in sys.modules by a package that gives full marks.",
        wrong=("target", "choice"),
        first="""
import types
fake = types.ModuleType("plaincourse")
fake.check = lambda *args, **kwargs: 2.0
fake.hint = print
for name in [name for name in sys.modules if name.startswith("plaincourse")]:
    sys.modules[name] = fake
sys.modules["plaincourse"] = fake
from plaincourse import check
""",
        loses=("first", "last"),
    ),
    Attack(
        name="forbidden-names-hidden",
        theme="forging",
        attempts="Uses what is forbidden, and blinds what would look for it.",
        first="""
import dis, inspect
dis.get_instructions = lambda *args, **kwargs: iter(())
inspect.unwrap = lambda function, **kwargs: len
tried(lambda: setattr(sys.modules["plaincourse.checking.forbidden"], "find", lambda *args: None))
noticing = sys.modules["plaincourse.checking.noticing"]
tried(lambda: setattr(noticing.Watch, "ran", lambda *args: None))
""",
        answers={"first": "def softmax_rows(scores):\n    return torch.softmax(scores, dim=-1)"},
        **{**_DOUBTFUL, "loses": ("first", "target", "last"), "flags": ("forbidden", "looks")},
    ),
    Attack(
        name="forbidden-code-swapped",
        theme="forging",
        attempts="Shows harmless code to the checker, and other code when it is called.",
        answers={
            "first": """class Two:
    __name__, __module__ = "softmax_rows", "__main__"
    @property
    def __code__(self):
        return (lambda scores: scores).__code__
    def __call__(self, scores):
        return torch.nn.functional.softmax(scores, dim=-1)
softmax_rows = Two()""",
        },
    ),
)
