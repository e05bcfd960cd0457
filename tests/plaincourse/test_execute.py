"""Running a page: the settings of its kernel, and text that must not be published."""

import re

import pytest

from plaincourse import settings
from plaincourse.notebooks import execute, pairs, setup_cell, sync
from tests.plaincourse.pages import HEADER, NOTEBOOK, PAGE, cell, printed, refusal, state


def test_a_cell_that_raises_is_named_with_its_line_and_nothing_is_written(course, capsys):
    bad = "def half(n):\n    return n / 0\n\n\nhalf(3)"
    PAGE.write_text(HEADER + cell("a = 6") + cell(bad, "tags: [hide-input]"))
    before = state()
    said = refusal(capsys, PAGE)
    filled = setup_cell.fill(PAGE, PAGE.read_text(), settings.load(), exercise=False)
    line = filled.split("\n").index("half(3)") + 1
    assert f"error: book/02-small.md:{line}: cell 4 fails at `half(3)`" in said
    assert "ZeroDivisionError: division by zero" in said
    assert len(said.strip().split("\n")) == 3, "short"
    assert state() == before


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def (", "SyntaxError"),
        ("import os; os._exit(1)", "it killed its kernel"),
        ("import sys\nprint('careful', file=sys.stderr)", "writes to stderr.*\n    careful"),
        ("import warnings\nwarnings.warn('old')", "writes to stderr"),
    ],
)
def test_a_cell_that_breaks_off_or_warns_is_refused(course, capsys, code, said):
    PAGE.write_text(HEADER + cell(code))
    message = refusal(capsys, PAGE)
    assert re.search(rf"book/02-small\.md:\d+: cell 3 [\s\S]*{said}", message), message
    assert not NOTEBOOK.exists()


def test_a_cell_that_does_not_end_is_stopped(course):
    text = HEADER + cell("while True: pass")
    with pytest.raises(pairs.PageError, match=r"cell 3 fails at `while True: pass`\n.*too long"):
        execute.run(pairs.read_text(PAGE, text), PAGE, text, seconds=1)


def test_kernels_get_one_thread_one_hash_seed_the_cpu_and_inline_figures(course, monkeypatch):
    monkeypatch.setenv("PLAINFORMER_DEVICE", "cuda")
    monkeypatch.setenv("MPLBACKEND", "agg")
    names = ["OMP_NUM_THREADS", "PYTHONHASHSEED", "PLAINFORMER_DEVICE", "MPLBACKEND"]
    PAGE.write_text(HEADER + cell(f"import os\nprint(*[os.environ[n] for n in {names}])"))
    assert sync.main([str(PAGE)]) == 0
    assert printed() == ["1 0 cpu module://matplotlib_inline.backend_inline\n"]


def test_a_page_becomes_a_notebook_with_what_it_printed(course):
    assert sync.main([str(PAGE)]) == 0
    assert printed() == ["42\n"]
    first = NOTEBOOK.read_bytes()
    assert sync.main([str(PAGE), "--force"]) == 0
    assert NOTEBOOK.read_bytes() == first, "a second run on the same machine leaves a diff"
    assert sync.main([str(PAGE), "--check"]) == 0
