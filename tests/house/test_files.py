"""A file is one idea: short, tested, and of no particular machine."""

import re
from pathlib import Path

import pytest

from tests.house.tree import COURSE, FORMER, ROOT, files

LIMIT = 200
# Written apart, so that this file does not hold what it forbids.
MACHINE = [f"/{name}/" for name in ("work", "root", "tmp", "Users")] + [r"/home/\w+", r"[A-Z]:\\\w"]
REGISTRIES = [
    ".".join(name)
    for name in (
        (r"\bpypi", "org"),
        ("files", "pythonhosted", "org"),
        ("registry", "npmjs", "org"),
        ("download", "pytorch", "org"),
        ("conda", "anaconda", "org"),
    )
]
FORBIDDEN = re.compile(
    "|".join(rf"(?<![\w.]){p}" if p[0] == "/" else p for p in MACHINE + REGISTRIES)
)
BINARY = {".png", ".woff2", ".ico"}


def text_files() -> list[Path]:
    return [path for path in files() if path.suffix not in BINARY]


@pytest.mark.parametrize("folder", ["src", "tests", "tools", "book/_ext", "benchmarks"])
def test_python_files_have_at_most_200_lines(folder: str) -> None:
    lengths = {
        str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines())
        for path in (ROOT / folder).rglob("*.py")
    }
    assert {name: n for name, n in lengths.items() if n > LIMIT} == {}


def mirrors(source: Path) -> list[Path]:
    """List the names under which a module's tests may stand."""
    package, *folders = source.parent.relative_to(ROOT / "src").parts
    home = ROOT / "tests" / package
    whole = ["_".join(folders)] if folders else []
    flat = ["_".join([*folders, source.stem]), *whole]
    return [
        home.joinpath(*folders, f"test_{source.stem}.py"),
        *(home / f"test_{name}.py" for name in flat),
    ]


def test_every_module_has_a_file_of_tests() -> None:
    sources = [
        path
        for package in (FORMER, COURSE)
        for path in package.rglob("*.py")
        # What the bank holds is proven in tests/exercises, all of it by the same tests.
        if path.stem != "__init__" and COURSE / "bank" not in path.parents
    ]
    bare = [str(p.relative_to(ROOT)) for p in sources if not any(t.exists() for t in mirrors(p))]
    assert len(sources) > 10
    assert bare == []


def test_no_file_names_a_path_of_a_machine_or_a_package_registry() -> None:
    found = []
    for path in text_files():
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
            if match := FORBIDDEN.search(line):
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
