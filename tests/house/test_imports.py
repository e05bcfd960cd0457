"""Imports go one way, so that the package can be read in an order."""

from graphlib import TopologicalSorter

import pytest

from tests.house.tree import BANK, COURSE, FORMER, imports, modules

# Each module or package may import those on lines above its own; inside a package, the modules
# form no circle.
ORDER = [
    {"mask_rules", "mask_checks", "heads", "devices"},
    {"masks"},
    {"softmax", "online_softmax", "scores", "norms", "feedforward", "pooling"},
    {"attention", "meter"},
    {"positions"},
    {"one_page"},
    {"sdpa"},
    {"flash"},
    {"cache"},
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
RANK = {f"plainformer.{name}": i for i, names in enumerate(ORDER) for name in names}


def unit(name: str) -> str:
    """Name the module or package of the course's package that a module belongs to."""
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


def test_the_machinery_imports_neither_the_tasks_nor_the_package() -> None:
    """Tasks are found by name, so that another course can bring its own."""
    for name, path in modules(COURSE).items():
        found = {n.partition(".")[0] for n in imports(path.read_text("utf-8"))}
        assert not found & {"exercise_bank", *({"plainformer"} - allowed(name))}, name


def allowed(name: str) -> set[str]:
    # What it says of a machine goes into a report about the package.
    return {"plainformer"} if name == "plaincourse.doctor" else set()


def test_a_task_imports_of_the_machinery_what_an_exercise_is_made_of() -> None:
    rooms = {"plaincourse.exercise", "plaincourse.checking", "plaincourse.judge.answers"}
    for name, path in modules(BANK).items():
        for other in imports(path.read_text("utf-8")):
            if other.partition(".")[0] == "plaincourse":
                assert other == "plaincourse.judge" or other.startswith(tuple(rooms)), name


def test_triton_is_imported_in_one_file(sources: dict[str, str]) -> None:
    using = [
        name
        for name, source in sources.items()
        if any(n.partition(".")[0] == "triton" for n in imports(source))
    ]
    assert using == ["plainformer.flash.kernel"]


def test_matplotlib_is_imported_in_plotting_only(sources: dict[str, str]) -> None:
    for name, source in sources.items():
        uses = any(n.partition(".")[0] == "matplotlib" for n in imports(source))
        assert not uses or name.startswith("plainformer.plotting"), f"{name} imports matplotlib"
