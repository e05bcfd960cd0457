"""A reader's own copy of the course is made once and kept up to date, without losing changes."""

import argparse
import errno
import json
import os
import re
import shutil
import sys
from importlib.metadata import PackagePath
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat import v4

from plaincourse import lab
from plaincourse.exercise.course import rules_for_assistants
from plaincourse.notebooks.page import PageError, dumps
from plaincourse.settings import SettingsError
from tests.plaincourse.pages import PROJECT

ROOT = Path(__file__).parents[2]
READ = "book/01-looking.ipynb"
GRADED = "exercises/01-looking/01-looking.ipynb"
CHAPTERS = """\
- part: Attention
  chapters:
    - {id: "01", slug: looking, title: Looking up}
    - {id: "02", slug: planned, title: Not written}
- part: Later
  chapters:
    - {id: "03", slug: later, title: Nothing yet}
"""


def write(path, *texts):
    path.parent.mkdir(parents=True, exist_ok=True)
    notebook = v4.new_notebook(
        cells=[v4.new_markdown_cell(text, id=f"c{i}") for i, text in enumerate(texts)]
    )
    notebook.metadata = {"language_info": {"name": "python"}}
    path.write_text(dumps(notebook))


@pytest.fixture
def course(tmp_path):
    """A course of one chapter with a graded notebook, a picture and a package."""
    root = tmp_path / "course"
    write(root / READ, "# Looking up")
    write(root / GRADED, "# Graded\n\nIt has two tasks: 7 points,\nabout 15 minutes.")
    for name in (
        "src/plainformer/masks.py",
        "src/plainformer/__pycache__/masks.pyc",
        "book/_static/a.svg",
        "book/notation.md",
        "book/equivalence.md",
        "book/map.md",
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    (root / "book/chapters.yml").write_text(CHAPTERS)
    (root / "pyproject.toml").write_text(PROJECT)
    (root / "tools/lab").mkdir(parents=True)
    (root / "tools/lab/custom.css").write_text("p {}\n")
    return root


@pytest.fixture
def work(course):
    return course / "work"


def did(course):
    """Return what happened to each notebook."""
    copies = lab.follow(course, course / "work")
    return {copy.name: (copy.did, copy.newer) for copy in copies if copy.name != lab.RULES}


def sources(path):
    return [cell.source for cell in nbformat.read(path, as_version=4).cells]


def test_every_notebook_is_copied_once(course, work):
    assert did(course) == {READ: ("copied", False), GRADED: ("copied", False)}
    assert did(course) == {READ: ("unchanged", False), GRADED: ("unchanged", False)}
    assert sources(work / READ) == ["# Looking up"]


def test_the_rules_for_an_assistant_follow_the_course_until_the_reader_changes_them(course, work):
    lab.follow(course, work)
    rules = work / lab.RULES
    assert rules.read_text() == rules_for_assistants().read_text()
    assert "Do not write an answer to a graded task" in rules.read_text()
    rules.write_text("My own.\n")
    assert lab.Copy(lab.RULES, "yours") in lab.follow(course, work)
    assert rules.read_text() == "My own.\n"


def test_a_copy_names_this_python_and_is_otherwise_the_same(course, work):
    lab.follow(course, work)
    original, copy = (nbformat.read(root / READ, as_version=4) for root in (course, work))
    assert copy.metadata.language_info.pop("version") == sys.version.split()[0]
    assert copy == original


def test_a_copy_that_nobody_changed_follows_the_course(course, work):
    lab.follow(course, work)
    write(course / READ, "# Looking up", "More.")
    assert did(course)[READ] == ("updated", False)
    assert sources(work / READ) == ["# Looking up", "More."]


def test_a_copy_that_its_reader_changed_stays_theirs_and_hears_of_a_newer_one(course, work):
    lab.follow(course, work)
    write(work / READ, "# Looking up", "My own thoughts.")
    assert did(course)[READ] == ("yours", False)
    for _ in range(2):
        write(course / READ, "# Looking up", "More.")
        assert did(course)[READ] == ("yours", True)
        assert sources(work / READ) == ["# Looking up", "My own thoughts."]


def test_renaming_or_deleting_a_copy_takes_the_new_one(course, work):
    lab.follow(course, work)
    write(work / READ, "Mine.")
    write(course / READ, "New.")
    lab.follow(course, work)
    (work / READ).rename(work / "book/mine.ipynb")
    assert did(course)[READ] == ("copied", False)
    assert sources(work / READ) == ["New."]
    assert sources(work / "book/mine.ipynb") == ["Mine."]
    write(course / READ, "Newer.")
    assert did(course)[READ] == ("updated", False)


def test_another_python_renews_an_untouched_copy_and_makes_no_newer_one(course, work, monkeypatch):
    lab.follow(course, work)
    write(work / GRADED, "Mine.")
    monkeypatch.setattr(sys, "version", "3.99.1 (main)")
    assert did(course) == {READ: ("updated", False), GRADED: ("yours", False)}
    assert nbformat.read(work / READ, as_version=4).metadata.language_info.version == "3.99.1"


def test_without_its_record_a_copy_that_differs_is_the_readers(course, work):
    lab.follow(course, work)
    write(work / READ, "Mine.")
    (work / lab.RECORD).unlink()
    assert did(course) == {READ: ("yours", True), GRADED: ("unchanged", False)}
    write(course / GRADED, "New.")
    assert did(course)[GRADED] == ("updated", False)


@pytest.mark.parametrize("text", ["{", "[]", '{"book/x.ipynb": {}}', '{"book/x.ipynb": 3}'])
def test_a_record_that_cannot_be_read_stops_before_anything_is_written(course, work, text):
    lab.follow(course, work)
    (work / lab.RECORD).write_text(text)
    write(course / READ, "New.")
    with pytest.raises(PageError, match=r"copied\.json: cannot be read .* Delete it, and every"):
        lab.follow(course, work)
    assert sources(work / READ) == ["# Looking up"]


def test_what_notebooks_link_to_is_there_and_is_the_courses_own(course, work):
    lab.follow(course, work)
    for name in ("src/plainformer/masks.py", "book/_static/a.svg", "book/notation.md"):
        assert (work / name).samefile(course / name)
        assert not (work / name).parent.samefile((course / name).parent)
    assert not (work / "src/plainformer/__pycache__").exists()
    assert not (work / "book/map.md").exists()


def test_a_link_to_a_course_that_was_moved_is_mended_and_a_readers_file_is_not_replaced(
    course, work
):
    lab.follow(course, work)
    (work / "book/notation.md").unlink()
    (work / "book/notation.md").write_text("mine")
    (work / "book/_static/a.svg").unlink()
    (work / "book/_static/a.svg").symlink_to("nowhere")
    lab.follow(course, work)
    assert (work / "book/notation.md").read_text() == "mine"
    assert (work / "book/_static/a.svg").read_text() == "book/_static/a.svg"


def test_the_start_page_links_to_every_notebook_and_to_nothing_else(course, work):
    page = lab.start_page(course, lab.follow(course, work))
    assert f"| 01 | [Looking up]({READ}) | [7 points, about 15 minutes]({GRADED}) |" in page
    assert re.findall(r"\]\(([^)]+)\)", page) == [READ, GRADED]
    assert "**Attention**" in page
    assert "Later" not in page
    assert "newer version" not in page


def test_the_start_page_names_what_is_newer_and_how_to_take_it(course, work):
    lab.follow(course, work)
    write(work / GRADED, "Mine.")
    write(course / GRADED, "# Graded", "New.")
    page = lab.start_page(course, lab.follow(course, work))
    assert f"- [Looking up: graded]({GRADED})" in page
    assert "rename your copy and run `make lab` again" in page
    assert f"[exercises]({GRADED})" in page
    (course / "pyproject.toml").unlink()
    page = lab.start_page(course, lab.follow(course, work))
    assert "rename your copy and run `plaincourse lab` again" in page


def test_the_start_page_tells_one_way_to_hand_in_and_where_the_gate_is(course, work, monkeypatch):
    for site in ("<https://example.org/c/>", "`make serve` shows it"):
        monkeypatch.setattr(lab, "site", lambda site=site: site)
        page = " ".join(lab.start_page(course, lab.follow(course, work)).split())
        assert f"at the end of its page on the course's site: {site}." in page
        assert "run its last cell, `hand_in(…)`" in page
        assert "`total()`" in page
        assert "*cards*" in page
        assert "Validate" not in page


@pytest.fixture
def installed(course, tmp_path, monkeypatch):
    """The course as pip installs it, with graded notebooks in one folder and without a clone."""
    share = tmp_path / "venv/share/plainformer"
    shutil.copytree(course / "book", share / "book")
    shutil.copytree(course / "tools", share / "tools")
    (share / "exercises").mkdir()
    shutil.copy(course / GRADED, share / "exercises")
    listed = [PackagePath("plaincourse/lab.py"), PackagePath("../share/plainformer", lab.CHAPTERS)]
    for each in listed:
        each.dist = SimpleNamespace(locate_file=lambda path: tmp_path / "venv/lib" / path)
    monkeypatch.setattr(lab.metadata, "files", lambda name: listed)
    (tmp_path / "venv/lib").mkdir()
    (tmp_path / "home").mkdir()
    monkeypatch.chdir(tmp_path / "home")
    return share


def test_outside_a_clone_the_installed_notebooks_are_copied_to_where_the_command_runs(
    installed, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(os, "execve", lambda *words: None)
    work = tmp_path / "home/work"
    for where, did in (
        ("home", "2 copied"),
        ("home", "2 unchanged"),
        ("home/work/book", "2 unchanged"),
    ):
        monkeypatch.chdir(tmp_path / where)
        assert lab.run(argparse.Namespace(options=[])) is None
        assert capsys.readouterr().out == f"Your notebooks are in {work}: {did}.\n"
    assert sources(work / READ) == ["# Looking up"]
    assert sources(work / GRADED)[0].startswith("# Graded")
    assert (work / "src/plainformer/masks.py").is_file()
    page = (work / lab.START).read_text()
    assert re.findall(r"\]\(([^)]+)\)", page) == [READ, GRADED]
    assert "run `plaincourse lab`" in page
    assert not (tmp_path / "home/work/work").exists()


def test_inside_a_clone_the_clones_own_notebooks_are_taken(installed, course, monkeypatch):
    assert lab.places()[0] == installed
    monkeypatch.chdir(course / "book")
    assert lab.places() == (course, course / "work")


def test_an_installation_without_notebooks_says_where_to_run_the_command(installed, monkeypatch):
    for listed in ([], None, [PackagePath("plaincourse/lab.py")]):
        monkeypatch.setattr(lab.metadata, "files", lambda name, listed=listed: listed)
        with pytest.raises(SettingsError, match="not inside the course"):
            lab.places()


def test_a_copy_whose_original_is_gone_is_kept_and_named(course, work):
    lab.follow(course, work)
    write(work / READ, "# Looking up", "mine")
    (course / READ).rename(course / "book/01-seeing.ipynb")
    found = lab.follow(course, work)
    assert lab.Copy(READ, "left") in found
    assert (work / READ).read_text().count("mine")
    page = lab.start_page(course, found)
    assert "**No longer in the course**" in page
    assert f"- [{READ}]({READ})" in page
    (work / READ).unlink()
    assert "No longer" not in lab.start_page(course, lab.follow(course, work))


def test_a_chapter_without_a_graded_notebook_has_an_empty_place(course, work):
    (course / GRADED).unlink()
    page = lab.start_page(course, lab.follow(course, work))
    assert f"| 01 | [Looking up]({READ}) |  |" in page


def test_the_command_writes_the_page_and_becomes_jupyterlab(course, work, monkeypatch, capsys):
    became = []

    def execve(program, words, environment):
        became.append((Path.cwd(), words, environment))

    monkeypatch.setattr(os, "execve", execve)
    monkeypatch.chdir(course / "book")
    top = argparse.ArgumentParser()
    lab.add_parser(top.add_subparsers())
    args = top.parse_args(["lab", "--", "--no-browser", "--port=9999"])
    args.run(args)
    assert capsys.readouterr().out == "Your notebooks are in work/: 2 copied.\n"
    assert (work / lab.START).read_text().startswith("# Start here\n")
    [(folder, words, environment)] = became
    style = Path(environment["JUPYTER_CONFIG_DIR"], "custom/custom.css")
    assert style.read_text() == "p {}\n"
    assert style.is_relative_to(work)
    assert folder == work
    assert words[1:3] == ["-m", "jupyterlab"]
    assert words[-2:] == ["--no-browser", "--port=9999"]
    assert f"--ServerApp.root_dir={work}" in words


def test_what_stands_in_the_way_is_said(course, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert lab.run(argparse.Namespace(options=[])) == 1
    assert "not inside the course" in capsys.readouterr().err
    monkeypatch.chdir(course)
    (course / "work").write_text("a file")
    assert lab.run(argparse.Namespace(options=[])) == 1
    assert "work: expected the folder of your notebooks" in capsys.readouterr().err
    (course / "work").unlink()
    (course / "work").symlink_to(tmp_path / "a folder that is gone")
    assert lab.run(argparse.Namespace(options=[])) == 1
    assert "Rename it." in capsys.readouterr().err
    monkeypatch.setattr(lab.importlib.util, "find_spec", lambda name: None)
    assert lab.run(argparse.Namespace(options=[])) == 1
    assert "JupyterLab is not installed. Run `make lab`" in capsys.readouterr().err


LINK = re.compile(r"\]\(([^)\s]+)\)|<(?:img|a)\b[^>]*?\b(?:src|href)=[\"']([^\"']+)[\"']")


def relative_links(path):
    """List the links in a notebook's Markdown, except to other sites and within itself."""
    text = "\n".join(
        c.source for c in nbformat.read(path, as_version=4).cells if c.cell_type == "markdown"
    )
    text = re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)
    found = ["".join(pair).partition("#")[0] for pair in LINK.findall(text)]
    return [link for link in found if re.search(r"[./]", link) and not re.match(r"\w+:", link)]


def test_links_of_the_courses_notebooks_lead_somewhere_in_a_readers_folder(tmp_path):
    lab.follow(ROOT, tmp_path / "work")
    dead = []
    for name in lab.notebooks(ROOT):
        copy = tmp_path / "work" / name
        dead += [(name, link) for link in relative_links(copy) if not (copy.parent / link).exists()]
    assert dead == []
    recorded = json.loads((tmp_path / "work" / lab.RECORD).read_text()).keys()
    assert recorded == {*lab.notebooks(ROOT), lab.RULES}


def test_a_dead_link_would_be_found(tmp_path):
    write(
        tmp_path / "x.ipynb",
        "[a](../src/b.py#L3) ![c](_static/d.svg) <img src='e.png'> [f](#g) `[h](i.j)`",
    )
    assert relative_links(tmp_path / "x.ipynb") == ["../src/b.py", "_static/d.svg", "e.png"]


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP, errno.EACCES])
def test_a_disk_without_links_gets_copies_that_follow_the_course(course, monkeypatch, number):
    def refuse(*given, **more):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "symlink", refuse)
    lab.follow(course, course / lab.WORK)
    source, copy = course / "book/notation.md", course / lab.WORK / "book/notation.md"
    assert not copy.is_symlink()
    assert copy.read_bytes() == source.read_bytes()
    source.write_text("another notation")
    later = source.stat().st_mtime + 10
    os.utime(source, (later, later))
    lab.follow(course, course / lab.WORK)
    assert copy.read_text() == "another notation"
    lab.follow(course, course / lab.WORK)
