"""requirements.lock is exact, complete, and independent of a particular machine."""

import importlib
import re
import tomllib
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.house.tree import ROOT

LOCK = (ROOT / "requirements.lock").read_text("utf-8")
PINS = dict(re.findall(r"^([a-z0-9.-]+)==([^\s;]+)", LOCK, flags=re.MULTILINE))


@pytest.fixture
def lock(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module("lock")


def test_every_line_pins_one_version_and_nothing_else():
    for line in LOCK.splitlines():
        assert re.fullmatch(r"#.*|[a-z0-9.-]+==[0-9][0-9a-z.]*( ; [^#/]+)?  # via [^/:]+", line), (
            line
        )


def test_it_holds_every_package_that_the_course_asks_for_in_a_version_that_fits():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    asked = [Requirement(text) for texts in [project["dependencies"], *extras] for text in texts]
    asked = [requirement for requirement in asked if requirement.name != project["name"]]
    assert len(asked) > 20
    for requirement in asked:
        pinned = PINS.get(canonicalize_name(requirement.name))
        assert pinned is not None, requirement
        assert requirement.specifier.contains(pinned, prereleases=True), requirement


def test_what_a_machine_adds_is_cut_off(lock):
    compiled = (
        "# made by a tool\n"
        "--index-url https://example.org/simple\n"
        "numpy==2.0            # via plainformer (pyproject.toml), torch\n"
        "nvidia-cublas==13.1   # via torch\n"
        "soupsieve==2.8  # via -c tools/constraints.txt, beautifulsoup4\n"
        "torch==2.13.0+cpu     # via plainformer (pyproject.toml)\n"
    )
    with pytest.raises(SystemExit, match="pins no version: '--index-url"):
        lock.clean(compiled, "plainformer")
    cleaned = lock.clean(re.sub("--index.*\n", "", compiled), "plainformer")
    assert cleaned.removeprefix(lock.HEADER) == (
        "numpy==2.0  # via this course, torch\n"
        "soupsieve==2.8  # via beautifulsoup4\n"
        "torch==2.13.0  # via this course\n"
    )
    assert LOCK.startswith(lock.HEADER)


@pytest.mark.parametrize(
    "line", ["numpy>=2", "numpy @ https://example.org/n.whl", "-e .", "numpy==2 --hash=sha256:0"]
)
def test_a_line_that_pins_no_version_is_refused(lock, line):
    with pytest.raises(SystemExit, match="pins no version"):
        lock.clean(line + "\n", "plainformer")


def test_cleaning_twice_changes_nothing(lock):
    assert lock.clean(LOCK, "plainformer") == LOCK
