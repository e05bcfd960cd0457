"""Forbidden functions in an answer are found in every disguise, without false alarms."""

import functools
import inspect

import numpy
import numpy as aliased
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention as sdpa

from plaincourse import check
from plaincourse.checking.forbidden import find
from tests.plaincourse.split_students import student
from tests.plaincourse.tasks import TASK, shift

FORBID = ("scaled_dot_product_attention", "MultiheadAttention", "numpy", "softmax", "backward")


def attribute(x):
    return F.scaled_dot_product_attention(x, x, x)


def under_another_name(x):
    return sdpa(x, x, x)


def module_under_another_name(x):
    return aliased.exp(x)


def inside(x):
    def helper():
        return F.scaled_dot_product_attention(x, x, x)

    return helper()


def in_a_comprehension(x):
    return [F.scaled_dot_product_attention(y, y, y) for y in x]


def imported_inside(x):
    from torch.nn.functional import scaled_dot_product_attention

    return scaled_dot_product_attention(x, x, x)


def package_imported_inside(x):
    import numpy.linalg

    return numpy.linalg.norm(x)


def by_text(x):
    return getattr(F, "scaled_dot_product_attention")(x, x, x)  # noqa: B009


def through_a_helper(x):
    return attribute(x)


def through_a_default_name(x):
    return through_a_helper(x)


class InAMethod(nn.Module):
    def forward(self, x):
        return attribute(x)


class InInit(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(4, 1)


class Inherited(InInit):
    pass


class Derived(nn.MultiheadAttention):
    pass


@functools.wraps(attribute)
def wrapped(x):
    return attribute(x)


def over(function):
    return lambda x: function(x)


closed_over = over(F.scaled_dot_product_attention)


@pytest.mark.parametrize(
    "answer",
    [
        attribute, under_another_name, module_under_another_name, inside, in_a_comprehension,
        imported_inside, package_imported_inside, by_text, through_a_helper, through_a_default_name,
        InAMethod, InInit, Inherited, Derived, wrapped, closed_over, over(attribute), sdpa,
        nn.MultiheadAttention, functools.partial(sdpa, is_causal=True), numpy.exp, torch.softmax,
    ],
)  # fmt: skip
def test_it_is_found(answer):
    assert find(answer, FORBID) in FORBID


def softmax(x: Tensor) -> Tensor:
    """A student's own."""
    return x.exp() / x.exp().sum(-1, keepdim=True)


def uses_their_own(x):
    return softmax(x)


def only_talks_about_it(x):
    """Do not use softmax or numpy here."""
    return x


def local_of_that_name(x):
    softmax = x.exp()
    return softmax / softmax.sum()


class Plain(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(2, 2)


class Centred:
    """A step by hand: forward keeps what backward needs."""

    def forward(self, x):
        self.kept = x.mean(-1, keepdim=True)
        return x - self.kept

    def backward(self, grad):
        return grad - grad.mean(-1, keepdim=True)

    def softmax(self, x):
        return softmax(x)


def by_hand(x, grad):
    step = Centred()
    step.forward(x)
    return step.backward(grad) + step.softmax(x)


def by_a_class_within(x):
    class Rows:
        def softmax(self):
            return x.exp() / x.exp().sum(-1, keepdim=True)

    return Rows().softmax()


METHODS = [Centred().backward, by_hand, by_a_class_within]


@pytest.mark.parametrize(
    "answer",
    [softmax, uses_their_own, only_talks_about_it, local_of_that_name, Plain, torch.exp, *METHODS],
)
def test_a_name_of_the_students_own_is_theirs(answer):
    assert find(answer, FORBID) is None


def test_a_method_of_that_name_hides_no_other() -> None:
    class Decoy:
        def softmax(self):
            return 0

    def rows(scores):
        Decoy().softmax()
        return scores.softmax(-1)

    assert check("02.softmax_rows", rows).headline == "`softmax` is not allowed here."

    class Step:
        def backward(self):
            return 0

    def derived(x, gain, grad):
        Step().backward()
        x = x.clone().requires_grad_()
        gain = gain.clone().requires_grad_()
        centred = x - x.mean(-1, keepdim=True)
        (centred / centred.square().mean(-1, keepdim=True).sqrt() * gain).backward(grad)
        return x.grad, gain.grad

    report = check("06.layer_norm_backward", derived)
    assert "is not allowed here" in report.headline, report.text()


def test_an_answer_that_uses_it_earns_nothing_and_is_told_why():
    def cheats(x, by):
        return torch.addmm(shift(x, by), x, x.T @ x, alpha=0)

    report = check(TASK, cheats)
    assert report.score == 0
    assert report.headline == "`addmm` is not allowed here."
    assert "without `addmm`" in report.diagnosis[0]


def no_mode(x):
    with torch._C._DisableTorchDispatch():
        return torch.exp(x)


def no_mode_by_text(x):
    with getattr(torch._C, "_Disable" + "TorchDispatch")():
        return getattr(x, "soft" + "max")(-1)


def past_a_key(x):
    return torch.ops.aten.exp.default.redispatch(x)


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (no_mode, "_DisableTorchDispatch"),
        (no_mode_by_text, "softmax"),
        (past_a_key, "redispatch"),
    ],
)
def test_of_a_name_and_a_way_past_the_watch_the_one_that_stands_there_is_told(answer, name):
    report = check("02.softmax_rows", answer)
    assert report.score == 0
    assert report.headline == f"`{name}` is not allowed here."
    said = report.diagnosis[0]
    assert f"Your code names or holds `{name}`" in said or f"without `{name}`" in said
    assert ("cannot see" in said) == (name != "softmax")
    assert "scaled_dot" not in said
    with student(inspect.getsource(answer), torch=torch) as session:
        there = session.names([answer.__name__])[answer.__name__]
        assert check("02.softmax_rows", there).text() == report.text()


@pytest.mark.parametrize(
    ("other", "answer"),
    [
        ("flex_attention", lambda q, k, v: torch.nn.attention.flex_attention(q, k, v)),
        ("varlen_attn", lambda q, k, v: torch.nn.attention.varlen.varlen_attn(q, k, v)),
    ],
)
def test_who_wrote_another_name_finds_it_in_what_is_told(other, answer):
    said = check("02.attention", answer).diagnosis[0]
    assert "without `scaled_dot_product_attention`" in said
    assert "by this name or another one (" in said
    assert f"`{other}`" in said


def test_a_text_that_reaches_nothing_is_a_text():
    def labelled(x):
        """Not softmax, nor scaled_dot_product_attention."""
        parts = {"softmax": x, "scaled_dot_product_attention": x}
        return parts["softmax"]

    assert find(labelled, ("softmax", "scaled_dot_product_attention")) is None
