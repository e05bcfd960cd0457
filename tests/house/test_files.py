"""Files are short, tested, and independent of a particular machine."""

import re
from pathlib import Path

import pytest

from tests.house.tree import COURSE, FORMER, ROOT, files, imports, modules

LIMITS = {
    "src/plainformer": 300,
    "src/plaincourse": 400,
    "src/exercise_bank": 400,
    "tests": 400,
    "tools": 400,
    "book/_ext": 400,
    "benchmarks": 400,
    "experiments": 300,
}
# Written in parts, so that this file does not contain the forbidden text.
FOLDERS = [rf"(?<![\w.])/{name}/" for name in ("work", "root", "tmp", "Users", r"home/\w+")]
REGISTRIES = [
    r"\.".join(name)
    for name in (
        (r"\bpypi", "org"),
        ("files", "pythonhosted", "org"),
        ("registry", "npmjs", "org"),
        ("download", "pytorch", "org"),
        ("conda", "anaconda", "org"),
    )
]
FORBIDDEN = re.compile("|".join([*FOLDERS, *REGISTRIES, re.escape(str(ROOT))]))
# Tests of paths in feedback use invented paths, and a sandbox has its own root, but they must not
# name a path of this machine.
FORBIDDEN_IN_TESTS = re.compile("|".join([*REGISTRIES, re.escape(str(ROOT))]))
BINARY = {".png", ".woff2", ".ico", ".safetensors"}


def text_files() -> list[Path]:
    return [path for path in files() if path.suffix not in BINARY]


@pytest.mark.parametrize("folder", LIMITS)
def test_python_files_are_one_idea_long(folder: str) -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines())
        for path in (ROOT / folder).rglob("*.py")
    }
    assert {name: n for name, n in lengths.items() if n > LIMITS[folder]} == {}


def mirrors(source: Path) -> list[Path]:
    """List the allowed file names for tests of one of plainformer's modules."""
    folders = source.parent.relative_to(FORMER).parts
    home = ROOT / "tests/plainformer"
    names = [
        "_".join([*folders, source.stem.strip("_")]),
        *(["_".join(folders)] if folders else []),
    ]
    return [home / f"test_{name}.py" for name in names]


def test_every_module_of_the_package_has_its_file_of_tests() -> None:
    sources = [path for path in FORMER.rglob("*.py") if path.stem != "__init__"]
    bare = [str(p.relative_to(ROOT)) for p in sources if not any(t.exists() for t in mirrors(p))]
    assert len(sources) > 5
    assert bare == []


def untested(course: dict[str, str], tests: list[str]) -> set[str]:
    """List the modules that no test imports directly or indirectly."""
    reached: set[str] = set()
    new = set().union(*(imports(source) for source in tests)) & set(course)
    while new:
        reached |= new
        used = (imports(course[name], name.rpartition(".")[0]) for name in new)
        new = set().union(*used) & set(course) - reached
    return set(course) - reached


def test_every_module_of_the_course_is_reached_by_a_test() -> None:
    course = {name: path.read_text("utf-8") for name, path in modules(COURSE).items()}
    tests = [path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py")]
    assert untested(course, tests) <= {"plaincourse", "plaincourse.grading"}
    assert untested({**course, "plaincourse.new": ""}, tests) >= {"plaincourse.new"}


def test_no_file_names_a_path_of_a_machine_or_a_package_registry() -> None:
    found = []
    for path in text_files():
        made_up = {ROOT / "tests", ROOT / "src/plaincourse/sandbox"} & set(path.parents)
        wrong = FORBIDDEN_IN_TESTS if made_up else FORBIDDEN
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
            if match := wrong.search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {match[0]}")
    assert found == []


@pytest.mark.parametrize(
    "line",
    [
        "open('/" + "tmp/x')",
        "see /" + "home/ann/course",
        '"resolved": "https://registry.' + 'npmjs.org/a"',
        "--index-url https://py" + "pi.org/simple",
    ],
)
def test_a_planted_path_or_registry_is_found(line: str) -> None:
    assert FORBIDDEN.search(line)


@pytest.mark.parametrize("line", ["book/_build/tmp/x", "a copy.of/work/y", "etc. py" + "pi"])
def test_other_paths_are_fine(line: str) -> None:
    assert not FORBIDDEN.search(line)


def test_text_ends_in_one_newline_and_holds_no_tab_or_trailing_space() -> None:
    wrong = []
    for path in text_files():
        if path.suffix in {".py", ".md", ".yml", ".toml", ".js", ".mjs", ".css"}:
            text = path.read_text("utf-8")
            spaced = "\t" in text or re.search(r" +$", text, flags=re.MULTILINE)
            if text and (spaced or not re.search(r"[^\n]\n\Z", text)):
                wrong.append(str(path.relative_to(ROOT)))
    assert wrong == []
