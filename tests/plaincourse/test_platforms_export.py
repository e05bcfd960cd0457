"""An exported grader runs where a platform puts it, and gives the points of ``autograde``."""

import json
import os
import sys
import zipfile
from pathlib import Path

import jsonschema
import nbformat
import pytest

from plaincourse.platforms import command, grade
from plaincourse.sandbox import CONSENT
from tests.plaincourse import autograde_course as tiny
from tests.plaincourse import platform_folders as platforms
from tests.plaincourse import platform_schemas as schemas


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny course, whose release is up to date."""
    return tiny.make(tmp_path_factory.mktemp("platforms") / "a course")


@pytest.fixture(scope="module")
def archive(course: Path) -> Path:
    """Its grader for Gradescope."""
    out = course.parent / "auto grader.zip"
    said = platforms.export(course, "gradescope", "week", out)
    assert "points by tests: 10" in said
    assert "why (8 points)" in said
    return out


def test_an_archive_has_scripts_that_run_at_its_root_and_is_small(archive: Path) -> None:
    assert archive.stat().st_size < command.LARGEST
    with zipfile.ZipFile(archive) as zipped:
        modes = {each.filename: each.external_attr >> 16 for each in zipped.infolist()}
        settings = json.loads(zipped.read(grade.SETTINGS))
    assert modes["setup.sh"] & modes["run_autograder"] & 0o111
    assert settings["assignment"] == tiny.NAME
    assert settings["by_hand"] == ["why"]
    assert not [name for name in modes if "__pycache__" in name or name.endswith(".md")]


def test_gradescope_s_container_grades_a_renamed_notebook(archive: Path, tmp_path: Path) -> None:
    container = platforms.Gradescope(tmp_path / "auto grader", archive)
    assert (container.root / "source" / "interpreter").read_text().strip()
    assert (container.root / "source" / "course").stat().st_mode & 0o077 == 0
    course = archive.parent / "a course"
    private = [str(container.root / name) for name in ("results", "source/course")]
    assert all(map(os.path.exists, private))
    spy = f"\nimport os\nassert not any(map(os.path.exists, {private}))"
    wrong = "def square(x):\n    return 2 * x"
    files = {}
    for name, answer in (("one", tiny.RIGHT + spy), ("two", wrong)):
        released = nbformat.read(course / "release" / tiny.NAME / f"{name}.ipynb", as_version=4)
        released.cells[0].source = answer
        files[f"{name} (1).ipynb"] = nbformat.writes(released).encode()
    results = container.grade(files)
    jsonschema.validate(results, schemas.GRADESCOPE)
    assert [test.get("score") for test in results["tests"]] == [2, 1.5, None, 0, 1.5, None]
    assert results["score"] == 5.0
    assert "square(-2)" not in json.dumps(results)
    assert "sandbox: " in container.printed


def test_a_grading_that_takes_too_long_is_ended(archive: Path, tmp_path: Path) -> None:
    platforms.unpack(archive, tmp_path)
    (tmp_path / "submission").mkdir()
    settings = grade.Settings(form="gradescope", assignment=tiny.NAME, seconds=grade.SPARE)
    outcome = grade.grade(tmp_path, tmp_path / "submission", settings)
    assert not outcome.ran
    assert "longer than the 0.5 minutes" in outcome.notes[0]


def test_a_container_in_which_nothing_runs_still_gives_results(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    made = command.scripts.for_gradescope(index="")
    for name in ("run_autograder", "failed.json"):
        (tmp_path / "source" / name).write_text(made[name])
    (tmp_path / "source" / "run_autograder").chmod(0o755)
    platforms.run(tmp_path / "source" / "run_autograder", tmp_path)
    found = platforms.read(tmp_path / "results" / "results.json")
    assert "could not start" in found["output"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gradescope", "nothing"], "'nothing' is not an assignment; expected one of week-1"),
        (["gradescope", "week-1", "--minutes=50"], "gradescope allows 3 to 40"),
        (["prairielearn", "week-1", "--minutes=11"], "prairielearn allows 3 to 10"),
        (["gradescope", "week-1", "--torch-index=a'b"], "is not an address"),
        (["gradescope", "week-1", "--allow-unsandboxed=yes"], "expected the words"),
    ],
)
def test_bad_words_are_refused_by_name(
    course: Path, words: list[str], said: str, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    from plaincourse import cli

    monkeypatch.chdir(course)
    with pytest.raises(SystemExit) as stopped:
        sys.exit(cli.main(["export", *words]))
    assert stopped.value.code in (1, 2)
    assert said in capsys.readouterr().err


@pytest.mark.slow
def test_prairielearn_s_job_grades_and_an_unreadable_file_costs_no_attempt(
    course: Path, tmp_path: Path
) -> None:
    platforms.export(course, "prairielearn", "week-1", tmp_path / "q.zip", "--image=me/course:1")
    platforms.unpack(tmp_path / "q.zip", tmp_path / "questions")
    question = tmp_path / "questions" / tiny.NAME
    info = platforms.read(question / "info.json")
    jsonschema.validate(info, schemas.QUESTION)
    assert info["externalGradingOptions"]["entrypoint"] == "/grade/tests/run.sh"
    job = tmp_path / "grade"
    (question / "tests").rename(job.with_name("tests"))
    job.mkdir()
    job.with_name("tests").rename(job / "tests")
    platforms.fill(job / "student", {"one.ipynb": b"{", "two.ipynb": b""})
    platforms.run(job / "tests" / "run.sh", job)
    results = platforms.read(job / "results" / "results.json")
    jsonschema.validate(results, schemas.PRAIRIELEARN)
    assert results["gradable"] is False
    assert "could not be read" in results["format_errors"][0]


@pytest.mark.slow
def test_classroom_50_s_runner_gets_results_and_no_module_of_the_student_s(
    course: Path, tmp_path: Path
) -> None:
    platforms.export(course, "classroom50", "week-1", tmp_path / "c.zip")
    platforms.unpack(tmp_path / "c.zip", tmp_path / "bundle")
    checkout = tmp_path / "checkout"
    trap = b"raise SystemExit('a module of the student was imported')"
    files = {f"{name}.py": trap for name in ("json", "plaincourse", "nbgrader", "torch")}
    released = (course / "release" / tiny.NAME / "one.ipynb").read_text("utf-8")
    answered = released.replace("raise NotImplementedError()", "def square(x): return x * x")
    assert answered != released
    platforms.fill(checkout, {**files, "one.ipynb": answered.encode()})
    printed = platforms.run(tmp_path / "bundle" / "autograder.py", tmp_path, checkout)
    results = platforms.read(checkout / "result.json")
    jsonschema.validate(results, schemas.CLASSROOM50)
    assert (results["score"], results["max-score"]) == (350, 1000)
    assert "sandbox" not in printed
    assert "test_square" in (checkout / "release-body.md").read_text("utf-8")


@pytest.mark.slow
def test_without_a_sandbox_nothing_runs_unless_the_words_were_given(
    archive: Path, tmp_path: Path
) -> None:
    container = platforms.Gradescope(tmp_path / "autograder", archive)
    source = container.root / "source"
    with (source / "packages/plaincourse/sandbox/entrance.py").open("a") as file:
        file.write("\n\ndef attempt(level):\n    return 'this platform refuses it'\n")
    released = archive.parent / "a course" / "release" / tiny.NAME / "one.ipynb"
    given = released.read_text("utf-8")
    answered = given.replace("raise NotImplementedError()", "def square(x): return x * x")
    files = {"one.ipynb": answered.encode()}
    refused = container.grade(files)
    jsonschema.validate(refused, schemas.GRADESCOPE)
    assert (refused["score"], refused["tests"]) == (0, [])
    assert "could not run here" in refused["output"]
    assert "sandbox: none" in container.printed
    assert "this platform refuses it" in container.printed
    settings = platforms.read(source / grade.SETTINGS)
    (source / grade.SETTINGS).write_text(json.dumps({**settings, "unsandboxed": CONSENT}))
    allowed = container.grade(files)
    assert allowed["score"] == 3.5
    assert allowed["extra_data"]["sandbox"] == "none"
    assert "unsandboxed" in allowed["extra_data"]["flags"]
