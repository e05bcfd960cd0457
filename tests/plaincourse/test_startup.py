"""The first set-up of a process: commands on PATH, no unused grammars, any kind of terminal."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
BARE = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8"}
#: A command that prints three lines, a bar, a name and an error, and exits with 3.
SAYS = """
import sys, types
from plaincourse import cli
module = types.ModuleType("plaincourse.doctor")
def add_parser(sub):
    def run(args):
        print("points |▁▂▃▄▅▆▇█| “29” …", "Zoë Лев 李娜", flush=True)
        print("error: Łukasz \\udce9", file=sys.stderr, flush=True)
        for _ in range(20000):
            print("x" * 20)
        print("done")
        return 3
    sub.add_parser("doctor").set_defaults(run=run)
module.add_parser = add_parser
sys.modules["plaincourse.doctor"] = module
sys.exit(cli.main(["doctor"]))
"""


def say(encoding: str, **more: object) -> "subprocess.CompletedProcess[bytes]":
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    command = [sys.executable, "-c", SAYS]
    more = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
    return subprocess.run(command, env=environment, check=False, **more)


@pytest.mark.parametrize(
    "encoding", ["latin-1", "ascii", "cp1252", "cp437", "koi8-r", "utf-8", "utf-16", "ascii:strict"]
)
def test_a_terminal_of_any_encoding_gets_all_lines_and_the_exit_code(encoding: str) -> None:
    done = say(encoding)
    assert done.returncode == 3, done.stderr
    codec = encoding.partition(":")[0]
    first, *_, last = done.stdout.decode(codec).splitlines()
    assert first.startswith("points |")
    assert last == "done"
    assert "Łukasz" in done.stderr.decode(codec) or "\\u0141ukasz" in done.stderr.decode(codec)


def test_what_an_encoding_lacks_is_written_in_signs_that_it_has() -> None:
    said = say("ascii").stdout.decode("ascii").splitlines()[0]
    assert said == 'points |_.:-=+*#| "29" ... Zo\\xeb \\u041b\\u0435\\u0432 \\u674e\\u5a1c'


@pytest.mark.parametrize("which", ["stdout", "stderr", "both"])
def test_a_command_whose_reader_is_gone_ends_as_it_would_have(which: str) -> None:
    end, broken = os.pipe()
    os.close(end)
    streams = {"stdout": broken, "stderr": broken}
    done = say("utf-8", **({which: broken} if which != "both" else streams))
    os.close(broken)
    assert done.returncode == 3, done.stderr
    assert b"Traceback" not in (done.stderr or b"")
    assert b"BrokenPipe" not in (done.stderr or b"")


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_command_without_standard_files_ends_as_it_would_have(
    closed: str, tmp_path: Path
) -> None:
    script = tmp_path / "say.py"
    script.write_text(SAYS, "utf-8")
    line = f"'{sys.executable}' '{script}' {closed}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, check=False)
    assert done.returncode == 3, done.stderr


def test_a_disk_that_is_full_is_no_reader_that_is_gone() -> None:
    with Path("/dev/full").open("wb") as full:
        done = say("utf-8", stdout=full)
    assert done.returncode != 3
    assert b"No space left" in done.stderr


def found(environment: dict[str, str]) -> str:
    code = (
        "import shutil; from plaincourse.startup import put_commands_on_path as put; put(); put(); "
        "import os; print(shutil.which('alembic')); print(os.environ['PATH'])"
    )
    command = [sys.executable, "-c", code]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.parametrize(
    "path", ["/usr/bin:/bin", "", None, f"/usr/bin:{BIN}", "/usr/bin:/usr/bin:/a b"]
)
def test_the_interpreters_own_commands_come_first_on_path(path: str | None) -> None:
    environment = {} if path is None else {"PATH": path}
    which, folders = found(environment).splitlines()
    assert Path(which).parent in {BIN, Path(sysconfig.get_path("scripts"))}
    first, *rest = folders.split(":")
    assert first == str(BIN)
    kept = [each for each in (os.defpath if path is None else path).split(":") if each != str(BIN)]
    assert rest == list(dict.fromkeys(kept))


@pytest.mark.parametrize("command", ["generate_assignment", "db upgrade", "db student list"])
def test_nbgrader_works_in_an_environment_that_is_not_activated(
    command: str, tmp_path: Path
) -> None:
    (tmp_path / "nbgrader_config.py").write_text((ROOT / "nbgrader_config.py").read_text("utf-8"))
    words = [str(BIN / "nbgrader"), *command.split()]
    environment = {**BARE, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "src")}
    if command == "generate_assignment":
        name = "01-attention-as-soft-retrieval"
        source = tmp_path / "solutions" / name
        source.mkdir(parents=True)
        text = (ROOT / "solutions" / name / f"{name}.ipynb").read_bytes()
        (source / f"{name}.ipynb").write_bytes(text)
        words += [name]
    done = subprocess.run(
        words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "gradebook.db").exists()


@pytest.mark.parametrize(
    "module",
    ["plaincourse.feedback", "plaincourse.notebooks.pairs", "plaincourse.grading.run", "nbformat"],
)
def test_no_process_of_the_course_compiles_the_grammar_of_addresses(module: str) -> None:
    code = (
        f"import sys, plaincourse, {module}; "
        "print(sys.modules['rfc3987_syntax'], 'lark' in sys.modules)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "None False\n"


def test_the_tests_themselves_do_without_it() -> None:
    assert sys.modules["rfc3987_syntax"] is None


def test_one_module_says_so() -> None:
    files = [*(ROOT / "src").rglob("*.py"), ROOT / "nbgrader_config.py"]
    naming = [path.name for path in files if '"rfc3987_syntax"' in path.read_text("utf-8")]
    assert naming == ["startup.py"]
