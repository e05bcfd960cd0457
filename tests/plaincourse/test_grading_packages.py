"""A package or device that only the student's machine has does not silently cost points."""

import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_output

from plaincourse.grading.jobs import status
from plaincourse.grading.mend import KEY, Mended, mend, mend_folder
from plaincourse.grading.packages import ON_PAGE, failures
from tests.plaincourse.test_grading_mend import PATHS, SOURCE, TEST

ANSWER = SOURCE.answer_of(TEST)


def work(*, above: str = "", in_imports: str = "", in_answer: str = "") -> nbformat.NotebookNode:
    """Return the exercise with a student's lines before cells."""
    notebook = nbformat.read(PATHS[0], as_version=4)
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        if "import torch" in cell.source and name is None and in_imports:
            cell.source, in_imports = f"{in_imports}\n{cell.source}", ""
        if ANSWER is not None and name == ANSWER.name and in_answer:
            cell.source = (
                f"{in_answer}\ndef blend(query, key, value, temperature):\n    return value"
            )
    if above:
        notebook.cells.insert(1, new_code_cell(above, id="own"))
    return notebook


def mended(**lines: str) -> Mended:
    return mend(nbformat.writes(work(**lines)).encode(), SOURCE)


def packages(made: Mended) -> list[str]:
    return [flag["why"].split("`")[1] for flag in made.flags if flag["kind"] == "package"]


def code(made: Mended) -> str:
    return "\n".join(cell.source for cell in made.notebook.cells if cell.cell_type == "code")


@pytest.mark.parametrize(
    ("line", "package", "left"),
    [
        ("import nosuchframe as nf", "nosuchframe", "pass"),
        ("from nosuchframe.models import Model", "nosuchframe", "pass"),
        ("import math, nosuchframe", "nosuchframe", "import math"),
        ("import nosuchframe; x = 1", "nosuchframe", "pass; x = 1"),
        ("from nosuchframe import (\n    one,\n    two,\n)", "nosuchframe", "pass"),
        ("if True:\n    import nosuchframe", "nosuchframe", "    pass"),
        ("%matplotlib inline\nimport nosuchframe", "nosuchframe", "pass"),
        ("try:\n    import nosuchframe\nexcept KeyError:\n    pass", "nosuchframe", "    pass"),
    ],
)
@pytest.mark.parametrize("where", ["above", "in_imports", "in_answer"])
def test_an_import_that_would_fail_is_left_out_and_told(
    line: str, package: str, left: str, where: str
) -> None:
    made = mended(**{where: line})
    assert packages(made) == [package]
    assert any(f"`{package}`" in note for note in made.notes)
    assert status(made.flags) == "flagged"
    assert f"{left}" in code(made)
    for cell in made.notebook.cells:
        if cell.cell_type == "code" and "%" not in cell.source:
            compile(cell.source, "cell", "exec")
    assert "import torch" in code(made)


INSTALLS = {
    "a magic": "!pip install -q nosuchframe\n    from nosuchframe import summary",
    "another magic": "%pip install nosuchframe\n    import nosuchframe",
    "a process": "subprocess.run(['pip'])\n    import nosuchframe",
    "another name": "import nosuchframe.v1 as nosuchframe",
    "a block": "if True:\n        import torch\n        import nosuchframe",
}


@pytest.mark.parametrize("kind", ["", " ImportError", " (KeyError, ModuleNotFoundError)"])
@pytest.mark.parametrize("how", INSTALLS)
def test_an_import_is_left_out_and_told_that_is_tried_again_after_an_installation(
    how: str, kind: str
) -> None:
    made = mended(above=f"try:\n    import nosuchframe\nexcept{kind}:\n    {INSTALLS[how]}\nx = 1")
    assert packages(made) == ["nosuchframe"]
    assert any("`nosuchframe`" in note for note in made.notebook.metadata[KEY]["mended"])
    lines = [each.strip() for each in code(made).split("\n") if "import nosuchframe" in each]
    assert lines[0] == "import nosuchframe"  # the first try, which is caught
    assert all(each.startswith("pass") for each in lines[1:])


@pytest.mark.parametrize(
    "line",
    [
        "import torch, numpy, math, json",
        "try:\n    import torch\nexcept ImportError:\n    import nosuchframe",
        "try:\n    import nosuchframe\nexcept ImportError:\n    import torch",
        "from plaincourse import check",
        "try:\n    import nosuchframe\nexcept ImportError:\n    nosuchframe = None",
        "try:\n    import nosuchframe\nexcept (KeyError, ModuleNotFoundError):\n    pass",
        "try:\n    import nosuchframe\nexcept:\n    pass",
        "# import nosuchframe",
        "def plot():\n    import nosuchframe",
        "from . import nosuchframe",
        "text = 'import nosuchframe'",
        "import nosuchframe as (",
    ],
)
def test_what_does_not_fail_is_left_as_it_is(line: str) -> None:
    made = mended(above=line)
    assert packages(made) == []
    assert line in code(made)


@pytest.mark.parametrize("name", ["helper.py", "helper/__init__.py", "src/helper.py"])
def test_a_module_that_was_handed_in_is_there(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text("")
    nbformat.write(work(above="import helper"), tmp_path / f"{SOURCE.notebook}.ipynb")
    made = mend_folder(tmp_path, {SOURCE.notebook: SOURCE})[SOURCE.notebook]
    assert packages(made) == []


@pytest.mark.parametrize(
    "writes",
    [
        "%%writefile answers.py\ndef blend(*a): return a",
        "from pathlib import Path\nPath('answers.py').write_text('x = 1')",
        "with open('./answers.py', 'w') as file:\n    file.write('x = 1')",
        "!echo 'x = 1' > answers.py",
    ],
)
def test_a_module_that_the_notebook_writes_is_no_package(writes: str) -> None:
    notebook = work(in_answer="from answers import x")
    notebook.cells.insert(1, new_code_cell(writes, id="writes"))
    made = mend(nbformat.writes(notebook).encode(), SOURCE)
    assert packages(made) == []
    assert "from answers import x" in code(made)
    error = new_output(
        "error", ename="ModuleNotFoundError", evalue="No module named 'answers'", traceback=[]
    )
    ran = [new_code_cell(writes), new_code_cell("from answers import x", outputs=[error])]
    (kind, said, _), *rest = failures(ran, [])
    assert (kind, rest) == ("package", [])
    assert "that the notebook itself is to write" in said


def test_locked_cells_are_the_courses() -> None:
    notebook = work()
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == TEST.name:
            cell.source = f"import nosuchframe\n{cell.source}"
    assert packages(mend(nbformat.writes(notebook).encode(), SOURCE)) == []


def ran(*outputs: Any) -> list[Any]:
    return [new_code_cell("x", outputs=list(outputs), id="x")]


def error(name: str, said: str) -> Any:
    return new_output("error", ename=name, evalue=said, traceback=[])


def report(said: str) -> Any:
    return new_output("execute_result", {"text/html": f"<p>{said}</p>", "text/plain": "0"})


DEVICES = [
    error("AssertionError", "Torch not compiled with CUDA enabled"),
    error("RuntimeError", "Found no NVIDIA driver on your system. Please check"),
    error("RuntimeError", "PyTorch is not linked with support for mps devices"),
    error("RuntimeError", "No CUDA GPUs are available"),
    report("it raised AssertionError: Torch not compiled with CUDA enabled"),
    error("RuntimeError", "Attempting to deserialize object on a CUDA device but torch.cuda"),
]


def test_each_device_that_lacks_is_named_and_the_page_quotes_none() -> None:
    ((_, said, why),) = failures(ran(*DEVICES[:3]), [])
    assert [each in why for each in ("CUDA", "NVIDIA", "mps")] == [True] * 3
    assert "mps" in said
    assert "there is a CPU and no GPU" in ON_PAGE["device"]
    assert "is_available" in ON_PAGE["device"]


@pytest.mark.parametrize("name", ["CellTimeoutError", "OutputFlood"])
def test_a_cell_that_the_grader_stopped_is_named(name: str) -> None:
    cell = new_code_cell("while True:\n    show()", outputs=[error(name, "The cell was stopped")])
    ((kind, said, why),) = failures([cell], [])
    assert (kind, status([{"kind": kind}])) == ("slow", "graded")
    assert all("`while True:`" in each for each in (said, why))
    assert "was stopped when this notebook was graded" in ON_PAGE[kind]
    cell.metadata["nbgrader"] = {"grade": True, "solution": False}
    assert not [*failures([cell], [])], "a test says it itself"


@pytest.mark.parametrize("output", DEVICES)
def test_a_device_that_lacks_is_named(output: Any) -> None:
    ((kind, said, why),) = failures(ran(output), [])
    assert kind == "device"
    assert "cuda.is_available" in said
    assert "Choose" not in why, "the instructor chooses no device"
    assert status([{"kind": kind}]) == "flagged"


@pytest.mark.parametrize(
    "output",
    [
        error("ModuleNotFoundError", "No module named 'nosuchframe'"),
        error("ModuleNotFoundError", "No module named 'nosuchframe.models'"),
        report("it raised ModuleNotFoundError: No module named &#x27;nosuchframe&#x27;"),
        error("ImportError", "cannot import name 'nosuchframe' from 'torch' (/x/torch.py)"),
    ],
)
def test_a_package_that_a_cell_failed_for_is_named(output: Any) -> None:
    ((kind, said, why),) = failures(ran(output), [])
    assert kind == "package"
    assert "`nosuchframe`" in said
    assert "your instructor" not in why
    assert list(failures(ran(error("KeyError", "'x'")), [])) == []


OWN = ["my_norms", "helpers", "utils_week3"]


@pytest.mark.parametrize("own", OWN)
@pytest.mark.parametrize("line", ["from {} import centre", "import {}", "from {}.parts import a"])
def test_a_file_of_ones_own_that_was_not_handed_in_is_asked_for(own: str, line: str) -> None:
    made = mended(in_answer=line.format(own))
    (flag,) = (flag for flag in made.flags if flag["kind"] == "package")
    (note,) = (note for note in made.notes if f"`{own}`" in note)
    assert f"holds no file `{own}.py`" in note
    assert "hand it in with the notebook" in note
    assert "Ask the student for the file" in flag["why"]
    assert f"# left out when it was graded: {line.format(own)}" in code(made)
    output = error("ModuleNotFoundError", f"No module named '{own}'")
    ((_, said, why),) = failures(ran(output), [])
    assert f"holds no file `{own}.py`" in said
    assert "Ask the student for the file" in why


@pytest.mark.parametrize("package", ["jax", "wandb", "memory_profiler"])
def test_a_package_that_students_know_is_no_file(package: str) -> None:
    output = error("ModuleNotFoundError", f"No module named '{package}'")
    ((_, said, why),) = failures(ran(output), [])
    assert f"The package `{package}` is not installed" in said
    assert "ask your instructor" in said
    assert "If students may use it, install it" in why
    assert "instructor" not in why


NOT_HERE = "(/usr/lib/python3.11/itertools.py)"


@pytest.mark.parametrize(
    "output",
    [
        error("ImportError", f"cannot import name 'newest' from 'itertools' {NOT_HERE}"),
        error("ImportError", f"cannot import name 'newest' from 'collections.abc' {NOT_HERE}"),
        report(
            "it raised ImportError: cannot import name &#x27;newest&#x27; from &#x27;typing&#x27;"
        ),
    ],
)
def test_what_only_a_newer_python_has_names_the_python_that_grades(output: Any) -> None:
    ((kind, said, _),) = failures(ran(output), [])
    assert kind == "package"
    assert f"`newest` is not in Python {sys.version_info[0]}.{sys.version_info[1]}" in said


def test_what_was_told_already_is_not_told_again() -> None:
    output = error("ModuleNotFoundError", "No module named 'nosuchframe'")
    assert list(failures(ran(output), ["Cell 3 imports `nosuchframe`, which"])) == []
