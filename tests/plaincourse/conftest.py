"""A course of one page, for the tests of what works on whole courses."""

import pytest

from tests.plaincourse.pages import HEADER, PAGE, PROJECT, cell


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course of one page, in whose root we are."""
    (tmp_path / "book").mkdir()
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    monkeypatch.chdir(tmp_path)
    PAGE.write_text(HEADER + cell("a = 6") + "\nSix sevens.\n" + cell("print(a * 7)"))
    return tmp_path
