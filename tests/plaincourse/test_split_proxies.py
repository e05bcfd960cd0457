"""Tests can use a student's objects like objects of this process, or get advice."""

import copy
import inspect
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from plaincourse.checking.remote import is_remote
from plaincourse.judge import answers
from plaincourse.judge.faults import ProxyError
from plaincourse.judge.session import Session
from tests.plaincourse.split_objects import SOURCE
from tests.plaincourse.split_students import student


@pytest.fixture(scope="module")
def session() -> Iterator[Session]:
    with student(SOURCE) as given:
        yield given


@pytest.fixture
def theirs(session: Session) -> Any:
    """Return the student's names as attributes."""

    class Names:
        def __getattr__(self, name: str) -> Any:
            return session.names([name])[name]

    return Names()


def test_variables_are_plain_data(theirs: Any) -> None:
    assert (theirs.factor, theirs.words) == (3, ["a", "b"])
    assert type(theirs.table) is dict
    assert torch.equal(theirs.table["x"], torch.ones(2))


def test_functions_are_called_with_data_and_return_data(theirs: Any) -> None:
    assert theirs.double(4, by=3) == 12
    np.testing.assert_allclose(theirs.double(np.ones(2)), [2, 2])
    large = torch.arange(1 << 18, dtype=torch.float64)
    assert torch.equal(theirs.double(large), 2 * large)
    assert theirs.double.__name__ == "double"
    assert list(inspect.signature(theirs.double).parameters) == ["x", "by"]


def test_what_a_call_writes_into_its_arguments_is_written_here(theirs: Any) -> None:
    x, parts = torch.zeros(2), [{"k": 1}, 2]
    first = parts[0]
    theirs.spoils(x, parts)
    assert x.tolist() == [1, 1]
    assert parts == [{"k": 5}, 2, 4]
    assert first == {"k": 5}


def test_objects_have_attributes_methods_items_and_arithmetic(theirs: Any) -> None:
    one, two = theirs.Counter(1), theirs.Counter(2)
    assert (one.size, one.up().start, len(one), two[3], 4 in two) == (7, 2, 2, 30, True)
    assert (repr(one + two), one < theirs.Counter(9), bool(one)) == ("Counter(4)", True, True)
    one.start = 40
    assert one.start == 40
    assert isinstance(one, theirs.Counter)
    assert not isinstance(3, theirs.Counter)
    assert type(one).__name__ == "Counter"
    assert repr(copy.deepcopy(one)) == "Counter(40)"
    with pytest.raises(AttributeError, match="nothing"):
        one.nothing  # noqa: B018


def test_generators_are_iterated_and_taken_from(theirs: Any) -> None:
    assert list(theirs.count(3)) == [0, 1, 2]
    numbers = theirs.count(10)
    assert (next(numbers), answers.take(numbers, 3)) == (0, [1, 2, 3])


def test_context_managers_are_entered_and_left(theirs: Any) -> None:
    counter = theirs.Counter(1)
    with counter as inside:
        assert inside.start == 100
        raise RuntimeError("the student's __exit__ says that this is fine")
    assert counter.start == 0


@pytest.mark.parametrize("kind", [ValueError, KeyError, NotImplementedError, SystemExit])
def test_exceptions_keep_their_type_and_message(theirs: Any, kind: type[BaseException]) -> None:
    with pytest.raises(BaseException, match="the word is") as caught:
        theirs.fails(kind)
    assert type(caught.value) is kind


def test_a_students_own_exception_is_one_of_its_nearest_known_base(theirs: Any) -> None:
    with pytest.raises(ValueError, match="mine") as caught:
        theirs.fails(None)
    assert type(caught.value).__name__ == "Wrong"
    assert answers.raises(ValueError, theirs.fails, None) == "mine"


def test_what_is_printed_there_is_printed_here(
    theirs: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.warns(UserWarning, match="careful"):
        theirs.loud()
    assert capsys.readouterr() == ("out\n", "err\n")


def test_equality_is_identity_and_says_so(theirs: Any) -> None:
    one, two = theirs.Counter(1), theirs.Counter(2)
    assert one == one.up()
    assert one != 1
    with pytest.warns(UserWarning, match="answers.equal"):
        assert one != two
    assert answers.equal(one, two)


def test_a_function_of_the_tests_can_be_handed_over(theirs: Any) -> None:
    assert theirs.apply(lambda x: 3 * x, 5) == 16
    with pytest.raises(ZeroDivisionError):
        theirs.apply(lambda x: x / 0, 1)


def test_what_a_function_of_the_tests_writes_into_its_arguments_is_written_there(
    theirs: Any,
) -> None:
    def write(x: torch.Tensor, parts: list[list[int]]) -> None:
        x += 1
        parts[0].append(2)

    x, parts = theirs.lets_write(write)
    assert x.tolist() == [1, 1]
    assert parts == [[1, 2]]


def test_an_object_of_the_tests_cannot_and_the_error_names_the_helper(theirs: Any) -> None:
    with pytest.raises(ProxyError, match=r"answers.made\(kind"):
        theirs.apply(theirs.double, nn.Linear(1, 1))
    linear = answers.made(theirs.double, nn.Linear, 1, 1)
    assert theirs.apply(linear, torch.zeros(1)).shape == (1,)


def test_a_proxy_cannot_be_pickled(theirs: Any) -> None:
    with pytest.raises(ProxyError, match="pickled"):
        pickle.dumps(theirs.double)


def test_modules_take_parameters_and_give_gradients(theirs: Any) -> None:
    net, here = theirs.Net(), nn.Linear(2, 1, bias=False)
    assert isinstance(net, nn.Module)
    assert isinstance(net.layer, nn.Linear)
    assert issubclass(theirs.Net, nn.Module)
    answers.set_parameters(net, {"layer.weight": torch.tensor([[2.0, 3.0]])})
    answers.set_parameters(here, {"weight": torch.tensor([[2.0, 3.0]])})
    assert answers.parameters(net)["layer.weight"].tolist() == [[2, 3]]
    assert answers.owned(net, ["layer.weight"]) == [2, 0]
    x = torch.tensor([1.0, 4.0], requires_grad=True)
    loss = net(x).square().sum()
    [there] = answers.gradients(net, loss, ["layer.weight"])
    assert x.grad is not None
    given = x.grad.clone()
    [expected] = answers.gradients(here, here(x).square().sum(), ["weight"])
    assert torch.equal(there, expected)
    assert torch.equal(given, 2 * 14 * torch.tensor([2.0, 3.0]))
    with pytest.raises(KeyError, match="no parameter 'bias'"):
        answers.set_parameters(net, {"bias": torch.ones(1)})


def test_changes_and_whole_objects_are_told(theirs: Any) -> None:
    x = torch.zeros(1)
    result, after = answers.changes(theirs.spoils, x, [{}])
    assert (result, after[0].tolist(), x.tolist()) == (None, [1], [0])
    assert is_remote(answers.whole(theirs.double, "a"))


def test_an_endless_call_ends_and_the_student_can_be_asked_again(
    session: Session, theirs: Any
) -> None:
    forever = theirs.forever
    session.begin(0.3)
    with pytest.raises(TimeoutError, match="took too long"):
        forever()
    session.settle()
    assert theirs.factor == 3
