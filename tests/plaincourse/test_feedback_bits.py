"""A report can reveal only the requirements that fail on hidden inputs; these bits are counted."""

import builtins
import math
import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from plaincourse import check
from plaincourse.checking.mistake import known_error
from plaincourse.checking.trials import draw
from plaincourse.exercise.report import Line, Report
from plaincourse.judge.judge import _KINDS, MOST_BITS, Judge, told_bits
from plaincourse.judge.keeping import keeps
from tests.plaincourse.tasks import TASK, doubled, flat, in_place, only_first, shift, to_columns

SEED = 2**64 + 4_711
VISIBLE = [trial.inputs["x"] for trial in draw(TASK, None)]


def seen(x: Tensor) -> bool:
    """Return whether an input is visible to the student."""
    return any(x.shape == each.shape and torch.equal(x, each) for each in VISIBLE)


def speaking(say: Callable[[Tensor, Tensor], Any], known: Any = shift) -> Callable[..., Any]:
    """Make an answer that returns ``say`` on hidden inputs with several rows."""

    def answer(x: Tensor, by: Tensor) -> Any:
        return known(x, by) if seen(x) or len(x) == 1 else say(x, by)

    return answer


def raises(kind: type[Exception]) -> Callable[[Tensor, Tensor], Any]:
    def raising(x: Tensor, by: Tensor) -> Any:
        raise kind(str(x.tolist()))

    return raising


def prints(x: Tensor, by: Tensor) -> Tensor:
    print(x.tolist())
    return x


SAY = [
    to_columns,
    doubled,
    flat,
    only_first,
    prints,
    in_place,
    raises(ValueError),
    raises(KeyError),
    lambda x, by: x.sum(),
    lambda x, by: str(x.tolist()),
    lambda x, by: torch.zeros(1).expand(int(1000 * x.abs().sum()), 1),
    lambda x, by: doubled(x, by) if x.sum() > 0 else only_first(x, by),
]


@pytest.mark.parametrize("known", [shift, doubled, only_first, in_place])
def test_a_report_says_the_same_however_hidden_inputs_are_failed(known: Any) -> None:
    """Its text comes from the visible inputs; an answer cannot choose it by a hidden one."""
    ways = [say for say in SAY if say is not known]
    reports = [check(TASK, speaking(say, known), seed=SEED) for say in ways]
    assert len({report._repr_html_() for report in reports}) == 1
    assert len({report.text() for report in reports}) == 1
    alone = check(TASK, known)
    if alone.score < TASK.points:
        assert reports[0].diagnosis == alone.diagnosis
        assert (reports[0].matched, reports[0].example) == (alone.matched, alone.example)


def test_who_tries_to_say_a_seed_says_no_more_than_which_requirements_fail() -> None:
    """Such an answer would leak 6 bits on 64 seeds; three requirements leak fewer."""

    def spelling(x: Tensor, by: Tensor) -> Tensor:
        bits = int(1e6 * x.abs().sum())
        wrong = [shift, doubled, to_columns, only_first][bits % 4]
        return shift(x, by) if seen(x) else wrong(x, by) + bits // 4 % 2

    pages, patterns, bits = set(), set(), 0.0
    for seed in range(SEED, SEED + 64):
        report = check(TASK, spelling, seed=seed)
        pages.add(report._repr_html_())
        patterns.add(tuple(line.met for line in report.rungs))
        bits = max(bits, told_bits([check(TASK, shift), report]))
        assert str(seed) not in report.text() + report._repr_html_()
    assert len(pages) == len(patterns) <= 2 ** len(TASK.rungs)
    assert bits <= math.log2(4 * 3)


def report(id: str, *met: bool) -> Report:
    lines = tuple(Line(name=f"{i}", points=1.0, earned=float(each)) for i, each in enumerate(met))
    return Report(
        id=id, title=id, score=float(sum(met)), points=float(len(met)), headline="", rungs=lines
    )


@pytest.mark.parametrize("rungs", [1, 3, 6, 10])
def test_the_bits_are_enough_to_tell_apart_all_that_can_fail(rungs: int) -> None:
    """A code with these lengths exists, because they satisfy Kraft's inequality."""
    patterns = [[bool(i >> k & 1) for k in range(rungs)] for i in range(2**rungs)]
    visible = report("a", *[True] * rungs)
    lengths = [told_bits([visible, report("a", *each)]) for each in patterns]
    assert sum(2**-each for each in lengths if each) <= 1
    assert told_bits([visible, visible]) == 0


def test_a_submission_that_tells_8_bits_is_flagged_once() -> None:
    judge = Judge(None)  # type: ignore[arg-type]
    honest = [report("a", True, True, True), report("a", True, True, False)]
    assert judge._tells("a", honest, []) == []
    assert judge._tells("b", [replace(each, id="b") for each in honest[:1]], []) == []
    flags: list[dict[str, str]] = []
    for number in range(4):
        random.seed(number)
        met = [random.random() < 0.5 for _ in range(6)]
        flags += judge._tells(f"c{number}", [report("c", *[True] * 6), report("c", *met)], [])
    assert [each["kind"] for each in flags] == ["tells"]
    assert judge._bits >= MOST_BITS
    assert "could tell" in flags[0]["why"]


KEEPS = {
    "a list": "kept = []\ndef f(x):\n    kept.append(float(x[0]))",
    "a word global": "def f(x):\n    global last\n    last = x",
    "an item": "seen = {}\ndef f(x):\n    seen['x'] = x",
    "an attribute of the function": "def f(x):\n    f.last = x.sum()",
    "a sum": "def f(x):\n    f.count += 1",
    "an attribute of a module": "import torch\ndef f(x):\n    torch.last = x",
    "an attribute of a type": "def f(x):\n    type(x).last = x.sum()",
    "a default": "def f(x, kept=[]):\n    return x",
    "a class": "class F:\n    kept = {}\n    def forward(self, x):\n        self.kept['x'] = x",
    "a closure": "def made():\n    kept = []\n    def f(x):\n        kept.append(x)\n"
    "    return f\nf = made()",
    "a lambda": "kept = []\nf = lambda x: (kept.append(x), x)[1]",
    "a tensor": "import torch\nkept = torch.zeros(3)\ndef f(x):\n    kept.copy_(x)",
    "a part of a tensor": "import torch\nkept = torch.zeros(3)\ndef f(x):\n    kept[0].fill_(x[0])",
    "a seed": "import torch\ndef f(x):\n    torch.manual_seed(int(x[0]))",
    "a setting of Python": "import gc\ndef f(x):\n    gc.set_threshold(int(x[0]))",
    "a setting of a library": "import numpy as np\ndef f(x):\n"
    "    np.set_printoptions(precision=int(x[0]))",
    "a setting of the system": "import os\ndef f(x):\n    os.umask(int(x[0]))",
    "an iterator": "steps = iter(range(9))\ndef f(x):\n    next(steps)",
    "a file": "def f(x):\n    open('kept', 'w').write(str(x))",
    "text that is run": "def f(x):\n    exec('kept = x', globals())",
    "results of a function": "from functools import lru_cache\n@lru_cache(maxsize=None)\n"
    "def f(n):\n    return n",
    "all results": "import functools\ndef f(x):\n    @functools.cache\n    def g(n):\n"
    "        return n\n    return g(x)",
    "a function made at once": "import functools\ndef f(n):\n    return functools.lru_cache(g)(n)",
    "the name of a thread": "import threading\ndef f(x):\n"
    "    threading.Thread(target=wait, name=str(x), daemon=True).start()",
    "what a thread is asked": "from threading import current_thread as now\ndef f(x):\n"
    "    now().name = str(x)",
    "a limit of a library": "import csv\ndef f(x):\n    csv.field_size_limit(int(x[0]))",
    "what a library has cached": "import re\ndef f(x):\n    re.sub(str(x), '', '')\n"
    "    return len(re._cache)",
    "a module of one's own": "import mine\ndef f(x):\n    mine.put(x)",
    "the rubbish": "import gc\ndef f(x):\n    gc.freeze()",
    "an operation of a library": "import torch\ndef f(x):\n"
    "    torch.library.define(f'a::b{int(x[0])}', '() -> ()')",
    "a switch of a library": "import torch\ndef f(x):\n"
    "    torch.use_deterministic_algorithms(bool(x[0]))",
    "another switch of a library": "import torch\ndef f(x):\n"
    "    torch.backends.cuda.enable_flash_sdp(bool(x[0]))",
    "a list of a library": "import torch\ndef f(x):\n"
    "    torch.serialization.add_safe_globals([type(str(x), (), {})])",
    "a type that is registered": "import collections\nclass T: pass\ndef f(x):\n"
    "    collections.abc.Sized.register(T)",
    "a file of an array": "def f(x):\n    x.numpy().tofile('kept')",
    "a file of arrays": "import numpy as np\ndef f(x):\n    np.savez('kept', x)",
    "a file in memory": "import numpy as np\ndef f(x):\n"
    "    np.memmap('kept', mode='w+', shape=3)[:] = x",
    "a picture": "import matplotlib.pyplot as plt\ndef f(x):\n    plt.savefig(str(x))",
    "a style of pictures": "import matplotlib.pyplot as plt\ndef f(x):\n    plt.style.use(str(x))",
    "any memory": "from numpy.lib.stride_tricks import as_strided\ndef f(x):\n"
    "    as_strided(x, (9999,), (8,))[-1] = x[0]",
    "any memory, by its long name": "import numpy as np\ndef f(x):\n"
    "    np.lib.stride_tricks.as_strided(x, (9999,), (8,))[-1] = x[0]",
    "an output": "import torch\nkept = torch.zeros(3)\ndef f(x):\n    torch.add(x, 1, out=kept)",
    "a copy into an array": "import numpy as np\nkept = np.zeros(3)\ndef f(x):\n"
    "    np.copyto(kept, x)",
    "a sum into an array": "import numpy as np\nkept = np.zeros(3)\ndef f(x):\n"
    "    np.add.at(kept, 0, x[0])",
    "a heap": "from heapq import heappush\nkept = []\ndef f(x):\n    heappush(kept, x)",
    "an operator": "import operator\nkept = [0]\ndef f(x):\n    operator.setitem(kept, 0, x)",
    "a method that is handed on": "kept = []\ndef f(x):\n    list(map(kept.append, x))",
    "a method by its inner name": "kept = [0]\ndef f(x):\n    kept.__setitem__(0, x)",
    "weights": "net = make()\ndef f(x):\n    net.load_state_dict({'w': x})",
    "a gradient": "kept = ones(3)\ndef f(x):\n    (kept * x).sum().backward()\n"
    "    return kept.grad",
    "a buffer": "net = make()\ndef f(x):\n    net.register_buffer('kept', x)",
    "a generator's place": "import numpy as np\nrng = np.random.default_rng(0)\ndef f(x):\n"
    "    return rng.integers(9)",
    "a generator that is handed over": "import torch\ng = torch.Generator()\ndef f(x):\n"
    "    return torch.rand(3, generator=g)",
    "a place in a row": "steps = (n for n in range(9))\ndef f(x):\n    for n in steps:\n"
    "        return n",
    "a place in a count": "import itertools\nsteps = itertools.count()\ndef f(x):\n"
    "    return [n for n, _ in zip(steps, x)]",
    "an inner setting": "import torch\ndef f(x):\n    torch._C._set_grad_enabled(bool(x[0]))",
    "an inner operation in place": "import torch\nkept = torch.zeros(3)\ndef f(x):\n"
    "    torch._foreach_add_([kept], x)",
    "an environment": "import os\ndef f(x):\n    os.environ['x'] = str(x)",
}
KEEPS_NOT = {
    "a list of its own": "def f(x):\n    out = []\n    out.append(x)\n    return out",
    "a list that an inner function fills": "def f(x):\n    out = []\n    def visit(row):\n"
    "        out.append(row)\n    visit(x)\n    return out",
    "a count that an inner function moves": "def f(x):\n    n = 0\n    def more():\n"
    "        nonlocal n\n        n += 1\n    more()\n    return n",
    "a generator of its own": "import torch\ndef f(x):\n    g = torch.Generator().manual_seed(0)\n"
    "    return torch.randn(3, generator=g)",
    "a copy": "def f(x):\n    out = x.clone()\n    out.view(-1)[0] = 1\n    return out.mul_(2)",
    "text, and calculation": "import re, math, torch.nn.functional as F\ndef f(x):\n"
    "    return F.relu(x) * math.sqrt(2) if re.match('a', 'b') else x",
    "parts of a function": "import functools\ndef f(x):\n    g = functools.partial(max, 1)\n"
    "    return functools.reduce(g, x)",
    "a module of that name": "def f(x, os, cache):\n    return os.path(x) + cache(x)",
    "an argument": "def f(cache, x):\n    cache.append(x)\n    return cache",
    "a module": "class F:\n    def __init__(self, n):\n        setattr(self, 'n', n)\n"
    "        self.cache = []\n    def forward(self, x):\n        self.cache.append(x)",
    "a library": "import numpy as np\ndef f(x):\n    return np.setdiff1d(np.sort(x), np.add(x, 1))",
    "a type with an underscore": "import numpy as np\nfrom numpy import str_\ndef g(x):\n"
    "    return 'a'\n"
    "NAMES = ['a']\ndef f(x):\n    return np.str_(g(x)), np.bool_(NAMES[0]), str_(NAMES[0])",
    "a mesh": "import numpy as np\nROWS = [0]\ndef f(x):\n    return x[np.ix_(ROWS, ROWS)]",
    "an operation with an underscore": "import torch\nBASE = torch.ones(3)\ndef f(x):\n"
    "    return torch._neg_view(x), torch._softmax(BASE, 0, False), torch._shape_as_tensor(x)",
    "constants": "import torch\nbase = torch.arange(3.0)\nwords = ['a', 'b']\ndef f(x):\n"
    "    for word in words:\n        x = x + torch.outer(base.to(x.dtype), x)\n"
    "    return base.float(), words.index('a')",
    "gradients that are on": "import torch\ndef f(x):\n    with torch.enable_grad():\n"
    "        y = x.clone().requires_grad_()\n        y.sum().backward()\n    return y.grad",
    "a view": "import torch\ndef f(x):\n"
    "    return x.as_strided((2,), (1,)), torch.as_strided(x, (2,), (1,))",
    "an output of its own": "import numpy as np, heapq\ndef f(x):\n    out = np.zeros(3)\n"
    "    np.add(x, 1, out=out)\n    np.fill_diagonal(out, 1)\n    heap = []\n"
    "    heapq.heappush(heap, 1)\n    return out",
    "a function of that name": "def wrap(x):\n    return x\ndef put(a, b):\n    return b\n"
    "data = [1]\ndef f(x):\n    return wrap(put(data, x))",
    "a layer of its own": "from torch import nn\ndef f(x):\n    net = nn.Linear(3, 3).eval()\n"
    "    net.load_state_dict({})\n    net.register_buffer('a', x)\n    return net(x)",
    "the first of several": "def f(x):\n    return next((i for i in x if i), None)",
    "a cell that fills a list": "kept = []\nkept.append(3)\nf = 3",
    "a sum of many terms": "def f(x):\n    return " + " + ".join(["x"] * 5000),
    "no Python": "def f(x:",
}


@pytest.mark.parametrize("what", KEEPS)
def test_a_function_that_keeps_something_is_found(what: str) -> None:
    line = keeps(["import math", KEEPS[what]])
    assert line in [each.strip() for each in KEEPS[what].splitlines()]


@pytest.mark.parametrize("what", KEEPS_NOT)
def test_what_ends_with_its_call_is_not_kept(what: str) -> None:
    assert keeps(["import math", KEEPS_NOT[what]]) == ""


def failing(number: int) -> list[Report]:
    """Return the reports on an answer that already fails on visible inputs."""
    each = replace(report(TASK.id, True, False, number % 2 > 0), title=f"{number}")
    return [each, each]


@pytest.mark.parametrize(
    ("code", "flags"), [(KEEPS["a list"], 1), (KEEPS_NOT["a list of its own"], 0)]
)
def test_mistakes_on_visible_inputs_count_where_an_answer_may_have_kept_hidden_ones(
    code: str, flags: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plaincourse.judge.judge.load", lambda id: TASK)
    judge = Judge(None)  # type: ignore[arg-type]
    first = judge._tells("first", failing(0), [code])
    assert first == [], "before the first test nobody has met a hidden input"
    told = [flag for n in range(1, 4) for flag in judge._tells(f"c{n}", failing(n), [code])]
    assert [each["kind"] for each in told] == ["tells"] * flags
    assert all("kept.append" in each["why"] for each in told)


def test_errors_are_named_by_few_words() -> None:
    kinds = [kind for kind in vars(builtins).values() if isinstance(kind, type)]
    errors = [kind for kind in kinds if issubclass(kind, Exception)]
    assert len(errors) > 60
    assert len({known_error(each.__name__) for each in errors}) <= 20 <= _KINDS / 1.5


@pytest.mark.parametrize(
    "answer", [lambda a, b: a + b, lambda x: x, lambda x, by, more: x, lambda x, how: x]
)
def test_other_parameters_are_told_without_a_word_of_the_answers(answer: Any) -> None:
    """A graded page names only the required parameters, since the answer's own may be any text."""
    report = check(TASK, answer)
    assert "it is called with (x, by)" in report.diagnosis[0]
    assert "our function has other parameters than it is called with: (x, by)" in report.instead
    assert "more" not in report.instead
    assert "how" not in report.instead


def test_an_error_of_right_parameters_is_told_as_one() -> None:
    assert "parameters" not in check(TASK, raises(ValueError)).instead
