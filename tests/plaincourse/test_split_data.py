"""The results a task needs from a student's code are fetched once, as data, and only these used."""

import sys
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from plaincourse.checking.grader import grade
from plaincourse.checking.remote import is_remote
from plaincourse.exercise import Exercise, Inputs, Rung
from plaincourse.exercise.bank import load
from plaincourse.judge import answers
from plaincourse.judge.agent import Agent
from plaincourse.judge.channel import Channel
from plaincourse.judge.session import Session
from tests.plaincourse.split_students import child, student

SOURCE = """
import torch
from fractions import Fraction
from decimal import Decimal
from torch import nn

# p01, p03: an object that claims to be a tensor's subclass of torch.nn
class Parameter:
    pass
Parameter.__module__, Parameter.__qualname__ = "torch.nn.parameter", "Parameter"

def fold_gain(gain, shift, weight, bias):
    return weight, Parameter()

# m20: operands that compute inside the instructor's product
class Operand:
    def __init__(self, value): self.value = value
    def __rmatmul__(self, other): return other @ self.value
    def __radd__(self, other): return other + self.value
    mT = property(lambda self: self)
    dtype, shape = torch.float64, torch.Size([1])
    def __torch_function__(self, *args, **kwargs): return self.value
    def __array__(self, *args, **kwargs): return self.value.numpy()
def lazily(gain, shift, weight, bias):
    return Operand((weight * gain).mT), Operand(bias + weight @ shift)

# n03: another number at each look
NUMBERS = iter([4, 6, 6, 5, 4, 8, 6, 4, 6, 5, 4, 8] * 1000)
class TwoFaced:
    def __float__(self): return float(next(NUMBERS))
    def __repr__(self): return "4.0"
answer_output_shape = tuple(TwoFaced() for _ in range(6))
halves = (Fraction(1, 2), Decimal("0.5"))

# p04: asks what it is subtracted from
HEARD = []
class Ear:
    def _hear(self, other): HEARD.append(other); return torch.zeros(1)
    __sub__ = __rsub__ = __lt__ = __gt__ = __add__ = __eq__ = _hear
    __hash__ = None
    shape, dtype, ndim = torch.Size([1, 1]), torch.float64, 2
    def __getattr__(self, name): return lambda *args, **kwargs: HEARD.append(args) or self
def scores(query, key): return Ear()
def listens(x): return Ear()
def heard(): return len(HEARD)

# m04, p02, m03: objects handed to a function of the tests'
class Tracer:
    SEEN = []
    def __getattr__(self, name): Tracer.SEEN.append(name); return Tracer()
    def __matmul__(self, other): Tracer.SEEN.append("matmul"); return self
    def __len__(self): Tracer.SEEN.append("len"); return 3
Parameter.__getattr__ = lambda self, name: Tracer.SEEN.append(name)
def traces(box):
    try:
        box(Tracer())
        return "let through"
    except TypeError as error:
        return str(error)
def spoofs(box):
    try:
        box(Parameter(), [Parameter()])
        return "let through"
    except TypeError as error:
        return str(error)
def seen(): return [name for name in Tracer.SEEN if name != "__torch_function__"]

class Loud:
    @property
    def __class__(self): raise ZeroDivisionError("looked at")
def loud_into(parts): parts.append(Loud())
def objects(): return [Tracer(), {"a": TwoFaced()}, nn.Linear(1, 1), len]
def object_into(parts): parts.append(Parameter())

class Net(nn.Module):
    def __init__(self, m): super().__init__(); self.layer = nn.Linear(m, 1)
    def forward(self, x): return Parameter()
"""


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with student(SOURCE) as given:
        yield given


def of(session: Session, name: str) -> Any:
    return session.names([name])[name]


def task(law: Any = None, **more: Any) -> Exercise:
    """Return a task whose answer doubles a tensor."""
    draw = lambda g: [{"x": torch.ones(2)}]  # noqa: E731
    rung = Rung(name="all", points=2.0, draw=draw, law=law, compare=law is None)
    fields = {"level": "easy", "minutes": 1, "concepts": (), "misconceptions": (), **more}
    return Exercise(
        id="99.double", title="Double", reference=lambda x: 2 * x, rungs=(rung,),
        alternatives=(), hints=("look again",), **fields,
    )  # fmt: skip


def test_what_a_function_returns_is_data_or_inert(session: Session) -> None:
    with session.scope(of(session, "objects"), 5.0):
        tracer, inner, module, function = of(session, "objects")()
    for each in (tracer, inner["a"], module, function):
        assert not is_remote(each)
        assert not isinstance(each, nn.Module)
        with pytest.raises((TypeError, AttributeError)):
            each.mT  # noqa: B018
        with pytest.raises(TypeError):
            torch.zeros(2) + each
        with pytest.raises(TypeError):
            each()
    assert (type(tracer).__name__, repr(inner["a"])) == ("Tracer", "4.0")
    assert repr(module) == "Linear(in_features=1, out_features=1, bias=True)"
    assert (callable(function), function.__name__) == (True, "len")


def test_what_is_written_into_an_argument_is_data_too(session: Session) -> None:
    parts: list[Any] = [1]
    with session.scope(None, 5.0):
        of(session, "object_into")(parts)
    assert len(parts) == 2
    assert not is_remote(parts[1])


def test_an_object_that_raises_when_it_is_looked_at_ends_one_call(session: Session) -> None:
    with session.scope(None, 5.0), pytest.raises(ZeroDivisionError):
        of(session, "loud_into")([1])
    assert of(session, "heard")() == 0
    assert not session.gone


@pytest.mark.parametrize("name", ["fold_gain", "lazily"])
def test_an_operand_that_is_no_data_earns_nothing_and_harms_nobody(
    session: Session, name: str
) -> None:
    assert grade("06.fold_gain", of(session, name), seed=3).score == 0
    assert of(session, "heard")() == 0, "the student's side still answers"


def test_a_claimed_type_that_is_no_module_is_not_believed(session: Session) -> None:
    with session.scope(None, 5.0):
        spoof = session.kept(of(session, "Parameter"))
    assert is_remote(spoof)
    assert not isinstance(spoof, (Tensor, nn.Parameter))
    assert type(spoof).__name__ == "Parameter"
    with pytest.raises(TypeError):
        torch.zeros(2) + spoof


def test_a_module_that_returns_an_object_returns_no_tensor(session: Session) -> None:
    def observe(answer: Any, inputs: Inputs) -> Any:
        module = answers.whole(answer, 2)
        assert isinstance(module, nn.Module) or not is_remote(module)
        return module(inputs["x"]) if is_remote(module) else 2 * inputs["x"]

    report = grade(task(call=observe), of(session, "Net"))
    assert report.score == 0
    assert "returns a Parameter" in " ".join(report.diagnosis)


def test_an_answer_to_a_question_is_read_once(session: Session) -> None:
    for seed in (None, 5):
        report = grade("02.output_shape", of(session, "answer_output_shape"), seed=seed)
        assert report.score == 0


def test_numbers_of_the_standard_library_are_numbers(session: Session) -> None:
    assert of(session, "halves") == (0.5, 0.5)


def test_a_law_is_given_data_and_says_nothing_to_the_student(session: Session) -> None:
    def law(inputs: Inputs, output: Any) -> str | None:
        return "they differ" if ((output - 2 * inputs["x"]).abs() > 0.1).any() else None

    assert grade(task(law), of(session, "listens")).score == 0
    assert grade("02.scores", of(session, "scores"), seed=3).score == 0
    assert of(session, "heard")() == 0


@pytest.mark.parametrize("name", ["traces", "spoofs"])
def test_a_function_of_the_tests_takes_data_only(session: Session, name: str) -> None:
    def box(*args: Any) -> Any:
        return args[0] @ args[0]

    with session.scope(None, 5.0):
        said = of(session, name)(box)
    assert "takes data" in said
    assert "Tracer" in said or "Parameter" in said
    assert of(session, "seen")() == []
    assert not session.gone


def test_the_one_task_that_needs_a_module_still_gets_it(session: Session) -> None:
    right = load("02.SelfAttention")
    assert isinstance(right, Exercise)
    answer = next(each.answer for each in right.alternatives)
    with student("", answer=answer) as other:
        assert grade(right, other.names(["answer"])["answer"], seed=3).score == right.points


@pytest.mark.skipif(sys.platform == "win32", reason="a student's process is a fork")
def test_a_side_that_sends_objects_unasked_gets_inert_ones() -> None:
    about = {"type": "Parameter", "call": True, "kinds": [["torch.nn.parameter", "Parameter"]]}

    def body(sock: Any) -> None:
        channel = Channel(sock)
        while True:
            question, _, _ = channel.receive()
            channel.send({"to": question["id"], "said": [], "ok": ["@obj", 3, about]}, [])

    with child(body) as sock:
        session = Session(Channel(sock), seconds=5.0)
        function = session.ask("get", 1, "f")
        assert is_remote(function)
        with session.scope(function, 5.0):
            came = function()
        assert not is_remote(came)
        assert not isinstance(came, nn.Parameter)


PATCHED = """
import torch
from torch import nn
from plaincourse.judge import agent, answers
answers.HELPERS["owned"] = lambda module, paths: [4, 4, 4, 0]
agent.OPERATIONS["help"] = lambda agent, name, *args: [4, 4, 4, 0]
"""
MADE_UP = """
import torch
from torch import nn
from plaincourse.judge import answers
right = torch.nn.functional.scaled_dot_product_attention

class SelfAttention(nn.Module):
    def __init__(self, m, d, e):
        super().__init__()
        self.odd = nn.Parameter(torch.zeros(1))
    def forward(self, x):
        query, key, value = (x @ self.held[n].mT for n in ("query", "key", "value"))
        weights = (query @ key.mT / query.shape[-1] ** 0.5).softmax(-1)
        return weights @ value + 0 * self.odd

def place(module, weights, rest=0.5):
    module.double()
    module.held = dict(weights)
    return [name + ".weight" for name in weights]

answers.HELPERS.update(
    place=place, owned=lambda module, paths: [v.numel() for v in module.held.values()] + [0],
    _fresh=lambda *args: None,
    _collected=lambda module, paths: [torch.ones_like(v) for v in module.held.values()],
)
"""


def test_what_a_notebook_writes_over_helpers_is_not_what_the_tests_use() -> None:
    def body(sock: Any) -> None:
        namespace: dict[str, Any] = {"__name__": "__main__", "module": nn.Linear(2, 2)}
        agent = Agent(sock, namespace)
        exec(PATCHED, namespace)
        agent.run()

    with child(body) as sock:
        session = Session(Channel(sock), seconds=5.0)
        assert answers.owned(of(session, "module"), ["weight"]) == [4, 2]


def test_gradients_that_are_made_up_are_not_the_slope_of_the_output() -> None:
    with student(MADE_UP) as session:
        report = grade("02.SelfAttention", of(session, "SelfAttention"), seed=3)
    rungs = {line.name: line.met for line in report.rungs}
    assert rungs["any batch axes, at awkward sizes"], "what it computes is right"
    assert not rungs["gradients reach all three projections"]
