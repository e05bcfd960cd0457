"""The first cell of a notebook installs the course if it is missing, or explains how."""

import json
import re
import sys
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

import pytest

from plaincourse.notebooks import setup_cell
from plaincourse.notebooks.page import PageError, read_text, recipe
from plaincourse.settings import Settings
from tests.house.tree import ROOT
from tests.plaincourse.elsewhere import failed, kernel, printed
from tests.plaincourse.pages import HEADER, cell

UNKNOWN = Settings(owner="", name="plainformer", branch="main", site="")
KNOWN = Settings(owner="someone", name="plainformer", branch="v1", site="")
SPEC = "plainformer[notebook] @ git+https://github.com/someone/plainformer.git@v1"
WHICH = "import sys, importlib; print('plaincourse' in sys.modules, 'torch' in sys.modules)"
# The stub of pip records its arguments, and puts the course on Python's path.
PIP = """\
#!{python}
import json, os, pathlib, sys
pathlib.Path({called!r}).write_text(json.dumps(sys.argv[1:]))
if {works}:
    for name in ("plaincourse", "plainformer"):
        os.symlink(os.path.join({src!r}, name), os.path.join({site!r}, name))
else:
    sys.exit("ERROR: Could not find it")
"""


@pytest.fixture
def page(tmp_path):
    return tmp_path / "02-small.md"


@pytest.mark.parametrize("exercise", [False, True])
@pytest.mark.parametrize("settings", [KNOWN, UNKNOWN])
def test_filling_twice_is_filling_once_and_touches_nothing_else(page, settings, exercise):
    text = HEADER + "\nProse.\n" + cell("a = 1")
    once = setup_cell.fill(page, text, settings, exercise=exercise)
    assert setup_cell.fill(page, once, settings, exercise=exercise) == once
    code = setup_cell.source(settings, exercise=exercise)
    assert once.replace(f"\n{code}\n", "", 1) == text
    assert read_text(page, once).cells[1].source == code


def test_a_graded_notebook_says_in_one_sentence_which_packages_grading_has():
    said = setup_cell.source(UNKNOWN, exercise=True).replace("\n# ", " ")
    (sentence,) = re.findall(r"Grading has Python's own modules and the packages ([^.]*)\.", said)
    named = sentence.replace(" and ", ", ").split(", ")
    assert {"torch", "numpy", "matplotlib"} <= set(named)
    assert not {"jupyterlab", "transformers", "nbgrader"} & set(named)
    assert all(find_spec(name) for name in named)
    assert "Grading has" not in setup_cell.source(UNKNOWN, exercise=False)


@pytest.mark.parametrize("exercise", sorted(ROOT.glob("exercises/*/*.ipynb")), ids=lambda p: p.stem)
def test_every_release_names_the_packages_in_its_first_cell_of_code(exercise):
    cells = json.loads(exercise.read_text())["cells"]
    first = next(each for each in cells if each["cell_type"] == "code")
    assert "# Grading has Python's own modules and the packages" in "".join(first["source"])


@pytest.mark.parametrize(
    ("stated", "ends"),
    [
        (None, False),
        ([], False),
        (["torch>=2"], False),
        (["torch>=2", 'numpy>=1,<3; extra == "notebook"', "lab; extra == 'student'"], True),
        (["torch", "numpy ; extra=='notebook'", "triton; platform_system == 'Linux'"], True),
        (["torch~=2.6", "numpy", 'plain[notebook]; extra == "notebook"'], True),
    ],
)
def test_a_course_that_states_no_packages_names_none(monkeypatch, stated, ends):
    def requires(name):
        if stated is None:
            raise metadata.PackageNotFoundError(name)
        return stated

    monkeypatch.setattr(metadata, "requires", requires)
    code = setup_cell.source(UNKNOWN, exercise=True)
    assert ("packages numpy and torch.\n" in code) is ends
    assert ("Grading" in code) is ends


def test_a_comment_of_the_setup_cell_decides_no_output(page):
    text = setup_cell.fill(page, HEADER, UNKNOWN, exercise=True)
    other = text.replace("# Grading has", "# Grading had")
    assert other != text
    assert recipe(read_text(page, other)) == recipe(read_text(page, text))
    assert recipe(read_text(page, text.replace("%load_ext", "%other"))) != recipe(
        read_text(page, text)
    )


def test_another_owner_replaces_the_setup_cell(page):
    before = setup_cell.fill(page, HEADER, UNKNOWN, exercise=False)
    after = setup_cell.fill(page, before, KNOWN, exercise=False)
    assert after == setup_cell.fill(page, HEADER, KNOWN, exercise=False)
    assert recipe(read_text(page, after)) == recipe(read_text(page, before))


def test_options_between_dashes_survive_filling(page):
    text = HEADER.replace(":tags: [setup, hide-cell]", "---\ntags: [setup, hide-cell]\n---")
    filled = setup_cell.fill(page, text, KNOWN, exercise=True)
    assert "---\ntags: [setup, hide-cell]\n---\n\n# Gets the" in filled
    assert read_text(page, filled).cells[1].metadata.tags == ["setup", "hide-cell"]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (HEADER.replace("setup, ", ""), "no cell has it"),
        (HEADER + cell("1", "tags: [setup]"), r"code cells \[1, 2\] have it"),
        (HEADER.replace("setup, ", "") + cell("1", "tags: [setup]"), r"code cells \[2\] have it"),
    ],
)
def test_a_page_without_its_setup_cell_is_told_what_to_write(page, text, seen):
    with pytest.raises(PageError, match=rf"02-small\.md: .*here {seen}[\s\S]*:tags: \[setup"):
        setup_cell.fill(page, text, KNOWN, exercise=False)


class Machine:
    """A machine without the course, on which ``pip`` is a stub."""

    def __init__(self, folder, *, works=True):
        self.called, self.site, self.bin = folder / "called", folder / "site", folder / "bin"
        for each in (self.site, self.bin, folder / "empty", folder / "private"):
            each.mkdir()
        pip = PIP.format(
            python=sys.executable,
            called=str(self.called),
            works=works,
            src=str(ROOT / "src"),
            site=str(self.site),
        )
        (self.bin / "pip").write_text(pip)
        (self.bin / "pip").chmod(0o755)
        self.folder = folder

    def kernel(self, **how):
        how = {"hide": True, "PATH": str(self.bin), "PYTHONPATH": str(self.site)} | how
        return kernel(Path(sys.executable), self.folder / "empty", self.folder / "private", **how)

    @property
    def asked(self):
        """Return pip's arguments; None if it was not called."""
        return json.loads(self.called.read_text()) if self.called.exists() else None


def first(settings, *, exercise=False):
    return setup_cell.source(settings, exercise=exercise)


def test_on_colab_it_installs_this_repository_at_this_branch_and_needs_no_restart(tmp_path):
    machine = Machine(tmp_path)
    with machine.kernel(colab=True) as run:
        assert "No module" in failed(run("import plaincourse")).evalue
        assert failed(run(first(KNOWN, exercise=True))) is None
        assert machine.asked == ["install", "--quiet", SPEC]
        after = run("import plaincourse, plainformer\nprint(plaincourse.__file__)")
        assert printed(after).startswith(str(machine.site))
        machine.called.unlink()
        assert failed(run(first(KNOWN, exercise=True))) is None
        assert machine.asked is None, "what is there is not installed again"


def test_where_pip_fails_it_stops_with_the_line_to_run(tmp_path):
    machine = Machine(tmp_path, works=False)
    with machine.kernel(colab=True) as run:
        told = failed(run(first(KNOWN)))
    assert machine.asked == ["install", "--quiet", SPEC]
    assert told.evalue == f'To get the course: %pip install "{SPEC}"'


@pytest.mark.parametrize(
    ("settings", "colab", "says"),
    [
        (KNOWN, False, f'To get the course: %pip install "{SPEC}"'),
        (UNKNOWN, False, 'To get the course from its folder: %pip install "FOLDER[student]"'),
        (UNKNOWN, True, "`plaincourse configure --owner NAME`"),
    ],
)
def test_where_it_cannot_get_the_course_it_says_one_line_and_stops(tmp_path, settings, colab, says):
    machine = Machine(tmp_path)
    (tmp_path / "empty" / "plainformer").mkdir()  # a clone next to the notebook is not a package
    with machine.kernel(colab=colab) as run:
        told = failed(run(first(settings, exercise=True)))
    assert says in told.evalue
    assert machine.asked is None
    plain = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(told.traceback))
    assert len(re.findall(r"^(?:Cell|File) .*", plain, re.MULTILINE)) == 1  # only the cell


@pytest.mark.parametrize("settings", [KNOWN, UNKNOWN])
@pytest.mark.parametrize("colab", [False, True])
def test_where_the_course_is_it_does_nothing_and_imports_nothing(tmp_path, settings, colab):
    machine = Machine(tmp_path)
    with machine.kernel(colab=colab, hide=False, PYTHONPATH=str(ROOT / "src")) as run:
        assert run(first(settings)).outputs == []
        assert printed(run(WHICH)) == "False False\n"
    assert machine.asked is None


@pytest.mark.parametrize("settings", [KNOWN, UNKNOWN])
def test_it_is_short_and_narrow(settings):
    code = first(settings, exercise=True).split("\n")
    assert len(code) <= 15
    assert max(map(len, code)) <= 80
