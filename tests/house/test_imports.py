"""Imports go in one direction, so that the package can be read in order."""

import re
from graphlib import TopologicalSorter

import pytest

from exercise_bank import SUBJECT
from tests.house.tree import BANK, COURSE, FORMER, imports, modules, named

# Each module or package may import those on lines above its own; the modules inside a package must
# not have circular imports.
ORDER = [
    {"mask_checks", "heads", "devices", "modes", "unknown_fields", "whole_numbers", "exact"},
    {"mask_rules", "masks"},
    {"mask_tensors"},
    {"softmax", "online_softmax", "scores", "norms", "feedforward", "pooling", "words"},
    {"attention", "meter", "experts", "byte_pairs", "linear_attention"},
    {"positions"},
    {"one_page"},
    {"sdpa"},
    {"flash"},
    {"cache"},
    {"observing", "placed", "sparse"},
    {"multihead", "latent_attention"},
    {"blocks"},
    {"models"},
    {"costs"},
    {"generation", "looking"},
    {"training", "serving"},
    {"lab"},
    {"train", "generate", "serve_sim"},
    {"__main__"},
]
# The rooms of the machinery: each imports only those on lines above its own. `settings` and
# `startup` are modules in the same folder; all others there are commands, which may import all.
ROOMS = [
    {"exercise", "sandbox", "startup"},
    {"settings", "checking"},
    {"kernels"},
    {"judge", "cards"},
    {"notebooks"},
    {"grading"},
    {"feedback", "classroom", "collecting"},
    {"proving", "platforms"},
]
# Names of modules in a lower room that a room passes to another process as text: to a student's
# kernel, which must load the judge's functions before any code of the student's, and to a command.
BY_NAME = {
    ("plaincourse.proving.course", "plaincourse.autograde"),
    ("plaincourse.platforms.grade", "plaincourse.autograde"),
    ("plaincourse.kernels.shared", "plaincourse.judge.agent"),
    ("plaincourse.kernels.shared", "plaincourse.judge.preamble"),
}
ROOM_NAMES = {"plaincourse", *(f"plaincourse.{name}" for names in ROOMS for name in names)}
FLOOR = {name: i for i, names in enumerate(ROOMS) for name in names}
RANK = {f"plainformer.{name}": i for i, names in enumerate(ORDER) for name in names}


def unit(name: str) -> str:
    """Return the module or package of the course's package that contains a module."""
    return ".".join(name.split(".")[:2])


def backwards(sources: dict[str, str]) -> list[str]:
    """List the imports inside plainformer that do not go from later to earlier."""
    wrong = []
    for name, source in sources.items():
        if name == "plainformer" or name.startswith("plainformer.plotting"):
            continue
        for other in sorted(imports(source, name.rpartition(".")[0])):
            if not other.startswith(("plainformer.", "plaincourse")) or unit(other) == unit(name):
                continue
            allowed = RANK.get(unit(other), -1) < RANK[unit(name)] and not other.startswith(
                ("plainformer.plotting", "plaincourse")
            )
            if not allowed:
                wrong.append(f"{name} imports {other}")
    return wrong


@pytest.fixture(scope="module")
def sources() -> dict[str, str]:
    return {name: path.read_text("utf-8") for name, path in modules(FORMER).items()}


def test_every_module_has_a_place_in_the_order(sources: dict[str, str]) -> None:
    plotting = {n for n in sources if n.startswith("plainformer.plotting")}
    assert {unit(n) for n in set(sources) - plotting - {"plainformer"}} <= set(RANK)


def test_imports_go_from_later_to_earlier(sources: dict[str, str]) -> None:
    assert backwards(sources) == []


def test_no_package_imports_itself_in_a_circle(sources: dict[str, str]) -> None:
    graph = {
        name: {
            other
            for other in imports(source, name.rpartition(".")[0])
            if other in sources and unit(other) == unit(name) != other
        }
        for name, source in sources.items()
    }
    TopologicalSorter(graph).prepare()  # raises CycleError


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("plainformer.masks", "from plainformer import softmax"),
        ("plainformer.softmax", "from plainformer.attention import attend"),
        ("plainformer.scores", "def f():\n    import plainformer.softmax"),
        ("plainformer.masks", "from . import attention"),
        ("plainformer.attention", "from plainformer.plotting import style"),
        ("plainformer.attention", "import plaincourse.check"),
    ],
)
def test_a_planted_import_backwards_is_found(sources: dict[str, str], name: str, line: str) -> None:
    assert backwards({name: sources[name] + "\n" + line})


def test_the_package_never_imports_the_course(sources: dict[str, str]) -> None:
    for name, source in sources.items():
        found = {n for n in imports(source) if n.partition(".")[0] == "plaincourse"}
        assert not found, f"{name} imports {found}"


def of_the_subject(source: str) -> list[str]:
    """List a module's references to one course: an import of its tasks, or its package's name."""
    tasks = {name for name in imports(source) if name.partition(".")[0] == "exercise_bank"}
    return sorted(tasks) + re.findall(SUBJECT, source, re.IGNORECASE)


def test_the_machinery_knows_no_transformer() -> None:
    """Tasks and the package are found by name, so that another course can bring its own."""
    files = {str(path): path for path in [*modules(COURSE).values(), *COURSE.rglob("*.json")]}
    for name, path in files.items():
        text = path.read_text("utf-8")
        found = of_the_subject(text) if path.suffix == ".py" else re.findall(SUBJECT, text)
        assert not found, f"{name} has {found}"


@pytest.mark.parametrize(
    "line", ["from exercise_bank.ch02 import TASK", f"def f():\n    import {SUBJECT}.masks",
             f'wanted = ("numpy", "{SUBJECT}")', f"# as {SUBJECT.capitalize()} does"],
)  # fmt: skip
def test_a_planted_transformer_is_found(line: str) -> None:
    assert of_the_subject("import numpy\n" + line)


def test_a_task_imports_of_the_machinery_what_an_exercise_is_made_of() -> None:
    rooms = {"plaincourse.exercise", "plaincourse.checking", "plaincourse.judge.answers"}
    for name, path in modules(BANK).items():
        for other in imports(path.read_text("utf-8")):
            if other.partition(".")[0] == "plaincourse":
                assert other == "plaincourse.judge" or other.startswith(tuple(rooms)), name


def upwards(sources: dict[str, str]) -> list[str]:
    """List the machinery's imports, also by name, that do not go from a room to one above."""
    wrong = []
    for name, source in sources.items():
        room = name.split(".")[1] if "." in name else ""
        for other in sorted(imports(source, name.rpartition(".")[0]) | named(source)):
            if room not in FLOOR or not other.startswith("plaincourse."):
                continue
            if (name, other) in BY_NAME:
                continue
            target = other.split(".")[1]
            if target != room and FLOOR.get(target, len(ROOMS)) >= FLOOR[room]:
                wrong.append(f"{name} imports {other}")
    return wrong


@pytest.fixture(scope="module")
def machinery() -> dict[str, str]:
    return {name: path.read_text("utf-8") for name, path in modules(COURSE).items()}


def test_a_room_imports_only_rooms_above_it(machinery: dict[str, str]) -> None:
    assert {path.name for path in COURSE.iterdir() if (path / "__init__.py").exists()} <= set(FLOOR)
    assert upwards(machinery) == []
    assert all(other in named(machinery[name]) for name, other in BY_NAME)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("plaincourse.exercise.task", "from plaincourse.checking import compare"),
        ("plaincourse.checking.compare", "import plaincourse.judge.proxies"),
        ("plaincourse.kernels.server", "def f():\n    from plaincourse.judge.agent import attach"),
        ("plaincourse.cards.cards", "from plaincourse.notebooks import plain"),
        ("plaincourse.settings", "from plaincourse import lab"),
        ("plaincourse.kernels.client", 'AGENT = "plaincourse.judge.agent:attach"'),
        ("plaincourse.kernels.shared", 'MORE = ("numpy", "plaincourse.grading.grade")'),
    ],
)
def test_a_planted_import_upwards_is_found(machinery: dict[str, str], name: str, line: str) -> None:
    assert upwards({name: machinery[name] + "\n" + line})


def test_the_modules_of_the_machinery_form_no_circle(machinery: dict[str, str]) -> None:
    graph = {
        name: {
            other
            for other in imports(source, name.rpartition(".")[0])
            if other in machinery and other != name and other not in ROOM_NAMES
        }
        for name, source in machinery.items()
        if name not in ROOM_NAMES
    }
    TopologicalSorter(graph).prepare()  # raises CycleError


def test_triton_is_imported_by_its_kernel_and_its_puzzles_only(sources: dict[str, str]) -> None:
    using = [
        name
        for name, source in sources.items()
        if any(n.partition(".")[0] == "triton" for n in imports(source))
    ]
    puzzles = ["plainformer.lab.triton_interpreted", "plainformer.lab.triton_puzzles"]
    assert sorted(using) == ["plainformer.flash.kernel", *puzzles]


def test_matplotlib_is_imported_in_plotting_only(sources: dict[str, str]) -> None:
    for name, source in sources.items():
        uses = any(n.partition(".")[0] == "matplotlib" for n in imports(source))
        assert not uses or name.startswith("plainformer.plotting"), f"{name} imports matplotlib"
