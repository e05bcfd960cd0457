"""The notebook states a check's conditions: forbidden functions, types, mutable arguments."""

import re

import pytest

from plaincourse.exercise import Exercise, Question, bank
from tests.book.committed import ROOT
from tests.exercises.test_graders import PROJECTS

PAGES = {path.name[:2]: path.read_text("utf-8") for path in sorted(ROOT.glob("solutions/*/*.md"))}
#: Names that cover others with the same effect.
KIN = {
    "softmax": ["log_softmax", "Softmax", "softmin", "Softmin", "distributions"],
    "autograd": ["backward", "grad", "jacobian", "vjp", "jacrev", "jacfwd", "func", "requires_grad",
                 "requires_grad_", "gradient"],
    "differentiation": ["autograd", "backward", "grad", "jacobian", "vjp"],
    "cross_entropy": ["nll_loss", "log_softmax"],
    "layer_norm": ["LayerNorm", "native_layer_norm"],
    "MultiheadAttention": ["multi_head_attention_forward"],
    "optim": ["adamw", "_single_tensor_adamw"],
    "plainformer": ["Additive", "GatedFeedForward"],
    "__code__": ["__name__", "getsource"],
    "PyTorch": ["torch"],
    "anything that calls them": ["scaled_dot_product_attention", "MultiheadAttention"],
    "`torch`": ["scaled_dot_product_attention", "MultiheadAttention"],
}  # fmt: skip
TASKS = [task for chapter in PAGES for task in bank.chapter(chapter) if isinstance(task, Exercise)]


def prompt(task: Exercise | Question) -> str:
    """Return the section of a task, and the text before the first section."""
    page = PAGES[task.id.partition(".")[0]]
    at = page.index(f'check("{task.id}"')
    heading = r"\n### (?!BEGIN|END)" if task.extra else r"\n## "
    *_, start = (found.start() for found in re.finditer(heading, page[:at]))
    return page[: page.index("\n## ")] + page[start:at]


def stated(name: str, text: str) -> bool:
    words = [name, *(kin for kin, names in KIN.items() if name in names)]
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) for word in words)


def test_there_are_tasks_of_every_chapter():
    assert {task.id[:2] for task in TASKS} == set(PAGES) - PROJECTS


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_what_is_not_allowed_is_said(task):
    assert [name for name in task.forbid if not stated(name, prompt(task))] == []


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.id)
def test_a_type_that_is_asked_for_is_said(task):
    if any(rung.dtype for rung in task.rungs):
        assert re.search(
            r"dtype|float32|number type", re.split(r"\n###? ", prompt(task), maxsplit=1)[1]
        )


@pytest.mark.parametrize("chapter", PAGES)
def test_that_arguments_stay_and_how_long_a_call_may_take_is_said(chapter):
    intro = PAGES[chapter][: PAGES[chapter].index("\n## ")]
    intro = " ".join(intro.split())
    assert "leaves its arguments as they are" in intro
    assert "five seconds" in intro
    # A box that is asked often may take longer; none is stopped before the time that is promised.
    assert {task.seconds for task in TASKS if task.id.startswith(chapter)} <= {5.0, 10.0}
