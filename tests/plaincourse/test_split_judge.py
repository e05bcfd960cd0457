"""A test cell has the same output through the judge as in the student's own kernel."""

import copy
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat import NotebookNode

from plaincourse.exercise.bank import load
from plaincourse.judge.preamble import before
from tests.plaincourse.split_notebooks import answer, graded, notebook, plain, shown, written

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox is Linux's")

PREAMBLE = [
    plain("%load_ext jaxtyping\nimport numpy as np\nimport pytest\nimport torch\nbase = 10"),
    plain("from plaincourse import check\ndef expected(x):\n    return base * x"),
    plain("def around(x):\n    return softmax(x) + 1\nprint(softmax(torch.ones(2)))"),
]
ANSWERS = {
    "softmax": "import math\ndef softmax(x):\n    return x.exp() / x.exp().sum()",
    "steps": "def steps(n):\n    for i in range(n):\n        yield i",
    "refuse": "def refuse(x):\n    raise ValueError(f'not {x}')",
    "values": "values = {'a': [1, 2.5], 'b': torch.arange(3)}\nletter = 'C'",
    "counter": "class Counter:\n    def __init__(self): self.n = 0\n"
    "    def __enter__(self): self.n += 1; return self\n    def __exit__(self, *_): self.n = 9",
    "scores": "def scores(query, key):\n    return key @ query.mT",
}
TESTS = {
    "allclose": "assert torch.allclose(softmax(torch.zeros(2)), torch.tensor([0.5, 0.5]))\n'two'",
    "wrong": "assert torch.allclose(softmax(torch.zeros(2)), torch.ones(2)), 'not one'",
    "numpy": "np.testing.assert_allclose(softmax(torch.zeros(4)), 0.25)\nnp.pi",
    "helper": "assert expected(2) == 20\nassert around(torch.zeros(1)) == 2\nprint('fine')",
    "raises": "with pytest.raises(ValueError, match='not 3'):\n    refuse(3)\n'raised'",
    "except": "try:\n    refuse(1)\nexcept ValueError as error:\n    print(error)",
    "uncaught": "refuse(2)",
    "generator": "assert list(steps(3)) == [0, 1, 2]\nsum(steps(4))",
    "data": "assert values['a'] == [1, 2.5] and values['b'].tolist() == [0, 1, 2]\nletter",
    "with": "with Counter() as c:\n    assert c.n == 1\nassert c.n == 9\nkept = c",
    "earlier": "assert kept.n == 9\nlen('abc')",
    "missing": "assert nowhere == 1",
    "syntax": "assert (",
    "stderr": "import sys\nprint('one'); print('two', file=sys.stderr)",
    "display": "display(3)\n{'x': 1};",
    "check": 'check("02.scores", scores)\ncheck("02.scores", scores, seed=5)',
    "magic": "%time 1 + 1\nNone",
}


def cells(tests: dict[str, str]) -> list[NotebookNode]:
    """Return the instructor's notebook."""
    given = [answer(f"{name}-answer", source) for name, source in ANSWERS.items()]
    return [*PREAMBLE, *given, *(graded(name, source) for name, source in tests.items())]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any], Any]:
    """Run the notebook in one process and in two; return cells by name, and the records."""
    from plaincourse.judge.execute import SplitExecute

    folder = tmp_path_factory.mktemp("course")
    source = written(folder / "hw.ipynb", *cells(TESTS))
    found, records = [], []
    for split in (False, True):
        run = SplitExecute(source_notebook=str(source), split=split, timeout=20)
        given = copy.deepcopy(notebook(*cells(TESTS)))
        done, resources = run.preprocess(given, {"metadata": {"path": str(folder)}})
        found.append(
            {c.metadata.nbgrader.grade_id: c for c in done.cells if "nbgrader" in c.metadata}
        )
        records.append(resources["plaincourse"])
    return found[0], found[1], records


@pytest.mark.parametrize("name", [name for name in TESTS if name not in {"magic", "syntax"}])
def test_a_test_cell_shows_the_same_in_one_process_and_in_two(both: Any, name: str) -> None:
    here, there, _ = both
    assert shown(there[name]) == shown(here[name])
    assert [_form(each) for each in there[name].outputs] == [
        _form(each) for each in here[name].outputs
    ]
    assert there[name].execution_count == here[name].execution_count


def test_a_cell_with_a_magic_or_no_syntax_is_run_as_a_kernel_runs_it(both: Any) -> None:
    _, there, _ = both
    assert "Wall time" in shown(there["magic"])
    assert shown(there["syntax"]).startswith("SyntaxError")


def _form(output: NotebookNode) -> Any:
    kinds = sorted(output.get("data", {}))
    return output.output_type, kinds, output.get("execution_count"), output.get("name")


def test_passes_are_confirmed_in_two_processes_and_not_in_one(both: Any) -> None:
    here, there = both[2]
    assert [here["flags"], there["flags"]] == [[], []], "that all ran in one is told once"
    assert not any(here["cells"][name]["confirmed"] for name in TESTS)
    assert all(there["cells"][name]["confirmed"] for name in TESTS)


def test_what_a_check_found_is_recorded(both: Any) -> None:
    cell = both[2][1]["cells"]["check"]
    assert [each["id"] for each in cell["reports"]] == ["02.scores", "02.scores"]
    assert cell["matched"] is not None
    points = load("02.scores").rungs[0].points
    assert cell["rungs"][0][1:] == [points, points]


def test_the_preamble_keeps_what_it_can_and_leaves_the_rest_to_the_student() -> None:
    known = before(notebook(*cells(TESTS)))
    assert known.theirs >= {"softmax", "values", "Counter"}
    assert {"np", "torch", "expected", "around", "math"} <= known.shell.user_ns.keys()
    assert "softmax" not in known.shell.user_ns
    assert known.failed == ["def around(x):"]
    assert known.wanted("softmax(np.ones(2)); sum([mine])") == ["mine", "softmax"]


def test_the_instructor_says_which_tests_need_one_process(tmp_path: Path) -> None:
    from plaincourse.judge.plan import declare

    source = tmp_path / "source.ipynb"
    nbformat.write(notebook(graded("a", "x", one_process="It times."), graded("b", "x")), source)
    handed_in = notebook(graded("a", "x"), graded("b", "x", one_process="please"))
    declare(handed_in, source)
    said = [cell.metadata.get("plaincourse") for cell in handed_in.cells]
    assert said == [{"one_process": "It times."}, None]


def test_one_process_is_data_of_a_cell_and_flags_what_comes_after(tmp_path: Path) -> None:
    from plaincourse.judge.plan import Plan

    tests = [
        graded("a", "assert True"),
        graded("b", "assert True", one_process="It times the answer."),
        graded("c", "assert True"),
    ]
    plan = Plan.of(notebook(*tests), split=True)
    assert plan.judged == {0, 2}
    assert list(plan.unconfirmed) == [1, 2]
    assert "It times the answer." in plan.unconfirmed[2]
    assert Plan.of(notebook(*tests), split=False).unconfirmed == {}
