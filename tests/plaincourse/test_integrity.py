"""A notebook that inspects the caller is flagged; one that changes the watch earns nothing."""

import os
import socket
import subprocess
import sys
from code import InteractiveInterpreter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jupytext
import pytest

from plaincourse.checking.cells import checked
from plaincourse.checking.grader import grade
from plaincourse.exercise import Exercise
from plaincourse.exercise.bank import chapter
from plaincourse.judge.agent import Agent
from plaincourse.judge.channel import Channel
from plaincourse.judge.integrity import CHANGED
from plaincourse.judge.judge import Judge
from plaincourse.judge.loading import unnamed
from plaincourse.judge.session import Session
from tests.plaincourse.split_students import DISGUISED, child, student

SOLUTIONS = sorted((Path(__file__).parents[2] / "solutions").iterdir())
# The last chapter's work is measured, so no answer is called.
FOLDERS = [
    *SOLUTIONS[:3],
    *(pytest.param(each, marks=pytest.mark.slow) for each in SOLUTIONS[3:-1]),
]

_START = f"""{DISGUISED}
import gc, sys, types
from plaincourse.checking import effects, noticing
from plaincourse.judge import calls
def blind(self, run, types, args=(), kwargs=None): return run(*args, **(kwargs or {{}}))
class instead:
    def __init__(self, owner, name, value): self.all = owner, name, value
    def __enter__(self):
        owner, name, value = self.all
        self.before = vars(owner)[name] if isinstance(owner, type) else getattr(owner, name)
        setattr(owner, name, value)
    def __exit__(self, *_): setattr(*self.all[:2], self.before)
"""
_PUT = "def answer(scores):\n    with instead({}): return softly(scores)"
#: Ways to disable the watch temporarily or permanently.
CHANGES = {
    "no watch": _PUT.format("noticing, '_now', None"),
    "a method of the watch": _PUT.format("noticing.Watch, 'ran', lambda *args: None"),
    "the frames of the watch": _PUT.format("noticing.Watch, '_around', lambda *args: (False, [])"),
    "the mode": _PUT.format("noticing._Operations, '__torch_dispatch__', blind"),
    "names of effects": _PUT.format("effects.Effects, 'named', lambda *args: ''"),
    "what this watch is": "def answer(scores):\n"
        "    noticing._now.__class__ = type('Other', (noticing.Watch,), {'ran': lambda *_: None})\n"
        "    return softly(scores)",
    "what was seen": "def answer(scores):\n    found = softly(scores)\n"
        "    noticing._now.state['seen'] = ''\n    return found",
    "where to stop looking": "def answer(scores):\n"
        "    noticing._now.state['base'] = sys._getframe()\n    return softly(scores)",
    "the code of the watch": """
def answer(scores):
    code = noticing.Watch.ran.__code__
    noticing.Watch.ran.__code__ = (lambda self, operation, given: None).__code__
    found = softly(scores)
    noticing.Watch.ran.__code__ = code
    return found""",
}  # fmt: skip
#: Ways to write to the watch's data, which Python refuses.
REFUSED = {
    "the effects of this watch": _PUT.format("noticing._now, 'effects', effects.effects_of()"),
    "all that this watch has": "def answer(scores):\n"
        "    noticing._now.__dict__ = {**vars(noticing._now), 'effects': effects.effects_of()}\n"
        "    return softly(scores)",
    "names of these effects": _PUT.format("noticing._now.effects, 'done', lambda *args: ''"),
    "what its names mean": "def answer(scores):\n    noticing._now.effects.means.clear()\n"
        "    return softly(scores)",
    "whose its code is": "def answer(scores):\n"
        "    noticing._now.boxes[id(answer.__code__)] = 1\n    return softly(scores)",
}  # fmt: skip
#: Replacements in a cell after the machinery is loaded.
BEFORE = {
    "a method": "noticing.Watch.ran = lambda *args: None",
    "a function of a module": "calls.watched = noticing.watched = None",
    "a table": "import re; effects.DONE_BY['softmax'] = re.compile('zz')",
    "defaults": "noticing.watched.__wrapped__.__kwdefaults__ = {'alone': False}",
}
#: Ways to inspect the caller, and the messages about them.
LOOKS = {
    "sys._getframe()": "sys._getframe",
    "answer.__code__": "__code__ of a function",
    "gc.get_objects()": "gc.get_objects",
    "gc.get_referrers(answer)": "gc.get_referrers",
    "types.FunctionType((lambda: 1).__code__, {})": "function.__new__",
    "exec('1')": "exec",
    "sys.settrace(lambda *args: None); sys.settrace(None)": "sys.settrace",
    "sys.setprofile(lambda *args: None)": "sys.setprofile",
    "sys.addaudithook(lambda *args: None)": "sys.addaudithook",
}


@pytest.mark.parametrize("how", CHANGES)
def test_who_blinds_the_watch_for_a_moment_earns_nothing(how: str) -> None:
    with student(_START + CHANGES[how]) as session:
        report = grade("02.softmax_rows", session.names(["answer"])["answer"], seed=5)
        assert report.score == 0
        assert "is not allowed here" in report.headline
        assert CHANGED in session.notes or session.seen or "softmax" in report.headline


@pytest.mark.parametrize("how", REFUSED)
def test_what_the_watch_knows_cannot_be_written_into(how: str) -> None:
    with student(_START + REFUSED[how]) as session:
        report = grade("02.softmax_rows", session.names(["answer"])["answer"], seed=5)
        assert report.score == 0
        assert "Error" in report.text()


@pytest.mark.parametrize("how", BEFORE)
def test_who_replaces_parts_of_it_earns_nothing(how: str) -> None:
    source = (
        f"{_START}\ndef spoil():\n    {BEFORE[how]}\ndef answer(scores): return rightly(scores)"
    )
    with student(source) as session:
        names = session.names(["answer", "spoil"])
        names["spoil"]()
        report = grade("02.softmax_rows", names["answer"], seed=5)
        assert report.score == 0
        assert CHANGED in session.notes


@pytest.mark.parametrize("what", LOOKS)
def test_a_look_behind_the_call_is_told_and_costs_nothing(what: str) -> None:
    source = f"{_START}\ndef answer(scores):\n    {what}\n    return rightly(scores)"
    with student(source) as session:
        report = grade("02.softmax_rows", session.names(["answer"])["answer"], seed=5)
        assert report.score == report.points, (report.text(), session.notes)
        assert LOOKS[what] in session.notes


@pytest.mark.parametrize(
    "what",
    [
        "import cProfile; p = cProfile.Profile(); p.enable(); p.disable()",
        "import pdb; p = pdb.Pdb(); p.reset(); sys.settrace(p.trace_dispatch); sys.settrace(None)",
        "import trace; trace.Trace(count=1, trace=0).runfunc(len, [])",
        "sys.settrace(None)",
    ],
)
def test_a_debugger_or_a_profiler_is_no_look(what: str) -> None:
    source = f"{_START}\ndef answer(scores):\n    {what}\n    return rightly(scores)"
    with student(source) as session:
        report = grade("02.softmax_rows", session.names(["answer"])["answer"], seed=5)
        assert report.score == report.points, report.text()
        assert session.notes == []


@pytest.mark.parametrize("left", ["open(__file__)", "socket.socket()"])
@pytest.mark.parametrize("ways", ["ignore", "always", "default"])
def test_a_warning_that_falls_into_the_machinery_is_no_change(left: str, ways: str) -> None:
    # The collector closes a cycle's open files anywhere, and Python's warning registry is there.
    source = f"""{_START}
import socket, warnings
warnings.simplefilter({ways!r})
gc.set_threshold(20)
def answer(scores):
    kept = [{left.replace("__file__", repr(__file__))}]
    kept.append(kept)
    del kept
    return rightly(scores)"""
    with student(source) as session:
        report = grade("02.softmax_rows", session.names(["answer"])["answer"], seed=5)
        assert report.score == report.points, report.text()
        assert session.notes == []


def test_no_memory_is_read_that_was_given_back() -> None:
    # One kernel in a thousand crashed at start. This setting overwrites freed memory.
    source = "from plaincourse.judge.integrity import Integrity; assert not Integrity().changed()"
    freed = {**os.environ, "PYTHONMALLOC": "debug"}
    subprocess.run([sys.executable, "-c", source], env=freed, check=True)


def test_what_libraries_do_for_a_notebook_is_no_look() -> None:
    source = """
import dataclasses, collections, enum, inspect, timeit, typing, functools
def libraries():
    @dataclasses.dataclass
    class Point: x: int = 3
    Row = collections.namedtuple("Row", "a b")
    Colour = enum.Enum("Colour", "red blue")
    class Both(typing.NamedTuple): a: int = 1
    inspect.signature(answer); inspect.getsource(collections.namedtuple)
    timeit.timeit("1 + 1", number=1)
    repr(Point()), Row(1, 2), Colour.red, Both()
    functools.wraps(answer)(lambda: 1)
    layer = torch.nn.Linear(2, 2); layer(torch.ones(2))
    import fractions, ctypes, unittest.mock
done = []
def answer(scores):
    if not done:
        done.append(libraries())
    return rightly(scores)"""
    with student(_START + source) as session:
        report = grade("02.softmax_rows", session.names(["answer"])["answer"], seed=5)
        assert report.score == report.points, report.text()
        assert session.notes == []


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name[:2])
def test_no_solution_looks_behind_a_call(folder: Path) -> None:
    number = folder.name[:2]
    cells = jupytext.read(folder / f"{folder.name}.md").cells
    sources = [
        compile(cell.source, f"cell-{place}", "exec")
        for place, cell in enumerate(cells)
        if cell.cell_type == "code"
        and "setup" not in cell.metadata.get("tags", [])
        and not cell.metadata.get("nbgrader", {}).get("grade")
    ]

    def body(sock: socket.socket) -> None:
        shell = InteractiveInterpreter({"__name__": "__main__"})
        agent = Agent(sock, shell.locals)
        for source in sources:
            shell.runcode(source)
        agent.run()

    task = next(each for each in chapter(number) if isinstance(each, Exercise))
    answer = next(
        function for cell in cells for id, function in checked(cell.source).items() if id == task.id
    )
    with child(body) as sock:
        session = Session(Channel(sock), seconds=30.0)
        report = grade(task, session.names([answer])[answer], seed=5)
        assert session.notes == []
        assert "not allowed" not in report.headline


_GONE = """
for _name in [each for each in sys.modules if each.startswith(("plainformer", "exercise_bank"))]:
    del sys.modules[_name]
PLAIN, MODULE = "plain" + "former", hidden("cGxhaW5mb3JtZXIubWFza3M=")
"""
#: Ways for a notebook's own code to load a package without its name in the text.
LOADS = {
    "import_module": "import importlib; importlib.import_module(MODULE)",
    "__import__": "__import__(MODULE)",
    "a statement in a text": "exec('import ' + PLAIN)",
    "pydoc": "import pydoc; pydoc.locate(MODULE)",
    "pkgutil": "import pkgutil; pkgutil.resolve_name(MODULE)",
    "runpy": "import runpy, warnings; warnings.simplefilter('ignore')\n"
    "    runpy.run_module(MODULE)",
    "a thread": "import importlib, threading\n    t = threading.Thread(target="
    "importlib.import_module, args=[MODULE])\n    t.start(); t.join()",
    "a loader": "from importlib import util\n    spec = util.find_spec(MODULE)\n"
    "    spec.loader.exec_module(util.module_from_spec(spec))",
    "and it is taken out": "__import__(MODULE); sys.modules.pop(PLAIN)",
    "a file that is read": "from importlib import util\n"
    "    with open(util.find_spec(MODULE).origin) as file: file.read()",
    "a file and pathlib": "from importlib import util; from pathlib import Path\n"
    "    Path(util.find_spec(MODULE).origin).read_text()",
}


@pytest.mark.parametrize("how", LOADS)
def test_a_package_that_a_notebook_loads_is_noticed(how: str) -> None:
    source = f"{_START}\n{_GONE}\ndef load():\n    {LOADS[how]}"
    with student(source) as session:
        session.names(["load"])["load"]()
        session.names([])
        session.settle()
        assert session.loads == ["plainformer"]
        assert unnamed(session.loads, [source.replace("plainformer", "")]) == ["plainformer"]


@pytest.mark.parametrize(
    "what",
    [
        "import numpy, torch, einops, jaxtyping, beartype, tqdm, matplotlib.pyplot, safetensors",
        "import plaincourse, json, fractions, unittest.mock, torch.fft",
        "import exercise_bank.ch02.scores; assert 'plainformer' in sys.modules",
    ],
)
def test_what_a_library_loads_is_not_the_notebooks_doing(what: str) -> None:
    source = f"{_START}\n{_GONE}\ndef load():\n    {what}"
    with student(source) as session:
        session.names(["load"])["load"]()
        session.settle()
        assert session.loads == []


@pytest.mark.parametrize(
    ("cell", "named"),
    [
        ("import plainformer", True),
        ("%matplotlib inline\nimport numpy as np, plainformer.masks as m", True),
        ("try: from plainformer.masks import causal\nexcept ImportError: pass", True),
        ("importlib.import_module('plainformer.plans')", True),
        ('p = __import__("plainformer")', True),
        ("x = 1  # import plainformer", False),
        ('%pip install "plainformer[student] @ git+https://example.org/plainformer"', False),
        ("importlib.import_module('plain' + 'former.plans')", False),
        ("from math import sqrt\nplainformers = 1", False),
    ],
)
def test_a_package_is_named_by_an_import_or_a_text(cell: str, named: bool) -> None:
    assert unnamed(["plainformer"], ["def (", cell]) == ([] if named else ["plainformer"])


def test_a_package_that_no_cell_names_is_flagged_once() -> None:
    judge: Any = Judge(SimpleNamespace())
    judge._session = SimpleNamespace(loads=["plainformer"])
    assert judge._loads("a", ["import plainformer"]) == []
    (flag,) = judge._loads("b", ["PLAIN = 'plain' + 'former'"])
    assert (flag["cell"], flag["kind"]) == ("b", "forbidden")
    assert "loads or reads `plainformer` without naming it" in flag["why"]
    assert judge._loads("c", ["PLAIN = 'plain' + 'former'"]) == []


def _looked(*notes: str) -> str:
    judge: Any = Judge(SimpleNamespace())
    judge._session = SimpleNamespace(notes=[*notes])
    return " ".join(each["why"] for each in judge._looks("a"))


@pytest.mark.parametrize("notes", [("exec",), ("compile",), ("compile", "exec")])
def test_text_that_is_run_as_code_is_no_look_at_how_a_notebook_is_graded(
    notes: tuple[str, ...],
) -> None:
    said = _looked(*notes)
    assert "runs text as code" in said
    assert "how it is graded" not in said


def test_a_look_and_a_text_that_is_run_are_both_told() -> None:
    said = _looked("exec", "gc.get_objects")
    assert "can show how it is graded: gc.get_objects." in said
    assert "runs text as code" in said
    assert "watches its answers: a part of it" in _looked(CHANGED, "compile")


def test_text_that_is_run_is_told_once() -> None:
    judge: Any = Judge(SimpleNamespace())
    judge._session = SimpleNamespace(notes=["compile"])
    assert len(judge._looks("a")) == 1
    judge._session.notes.append("exec")
    assert judge._looks("b") == []
