"""A closed box can be used like a function: copied, called from threads, and differentiated.

Unsupported uses are refused with the same message at home and in the grading of a class.
"""

from types import FunctionType
from typing import Any

import pytest

from plaincourse.checking.grader import grade
from tests.plaincourse.split_students import student

TASK = "02.name_the_mistake"
#: A right answer from outputs alone would need the whole task; these call the box, return "right".
USES = {
    "a copy": "import copy\nbox = copy.copy(attention)\nbox(q, k, v)",
    "a deep copy": "import copy\nbox = copy.deepcopy([attention])[0]\nbox(q, k, v)",
    "its gradient": "q = q.clone().requires_grad_()\nattention(q, k, v).sum().backward()\n"
    "assert q.grad is not None",
    "a gradient that is asked for": "q = q.clone().requires_grad_()\n"
    "torch.autograd.grad(attention(q, k, v).sum(), q)",
    "a Jacobian": "torch.autograd.functional.jacobian(lambda x: attention(x, k, v), q)",
    "a thread": "import threading\nt = threading.Thread(target=attention, args=(q, k, v))\n"
    "t.start()\nt.join()",
    "several threads": "from concurrent.futures import ThreadPoolExecutor\n"
    "with ThreadPoolExecutor(4) as pool:\n"
    "    outputs = list(pool.map(lambda x: attention(x, k, v), [q * n for n in range(8)]))\n"
    "assert all(torch.equal(out, attention(q * n, k, v)) for n, out in enumerate(outputs))",
}
REFUSED = {
    "vmap": "torch.vmap(lambda x: attention(x, k, v))(torch.stack([q, q]))",
    "jacrev": "torch.func.jacrev(lambda x: attention(x, k, v))(q)",
}


def source(use: str) -> str:
    body = "\n    ".join(use.splitlines())
    return (
        "import torch\n"
        "def answer(attention):\n"
        "    q, k, v = torch.ones(2, 4), torch.ones(3, 4), torch.ones(3, 6)\n"
        f"    {body}\n    return 'right'\n"
    )


def at_home(use: str) -> Any:
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(source(use), space)
    assert isinstance(space["answer"], FunctionType)
    return grade(TASK, space["answer"], seed=5)


def in_a_class(use: str) -> Any:
    with student(source(use)) as session:
        return grade(TASK, session.names(["answer"])["answer"], seed=5)


@pytest.mark.parametrize("graded", [at_home, in_a_class])
@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_a_box_is_used_as_a_function_is(use: str, graded: Any) -> None:
    plain, report = graded("pass"), graded(use)
    assert report.text() == plain.text()


@pytest.mark.parametrize("graded", [at_home, in_a_class])
@pytest.mark.parametrize("use", REFUSED.values(), ids=REFUSED)
def test_what_a_box_cannot_do_is_said(use: str, graded: Any) -> None:
    assert "torch.vmap" in graded(use).diagnosis[0]
    assert "each input" in graded(use).diagnosis[0]
