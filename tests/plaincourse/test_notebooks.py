"""Text to notebook: names and positions of cells, and the same bytes each time."""

import nbformat
import pytest

from plaincourse.notebooks.page import (
    PageError,
    code_blocks,
    dumps,
    is_notebook,
    load,
    read_text,
    recipe,
    write_atomically,
)
from tests.plaincourse.pages import HEADER, cell


@pytest.fixture
def page(tmp_path):
    return tmp_path / "02-small.md"


def ids(page, text):
    return [c.id for c in read_text(page, text).cells]


def test_a_cell_keeps_its_id_when_another_cell_changes(page):
    before = ids(page, HEADER + cell("a = 1") + cell("b = 2"))
    after = ids(page, HEADER + cell("a = 100") + "\nProse.\n" + cell("b = 2"))
    assert before[:2] == after[:2]
    assert before[-1] == after[-1]
    assert before[2] != after[2]


def test_equal_cells_get_ids_that_differ_and_do_not_depend_on_the_run(page):
    text = HEADER + cell("a = 1") * 3
    first, second, third = ids(page, text)[2:]
    assert (second, third) == (f"{first}-2", f"{first}-3")
    assert ids(page, text) == ids(page, text)


def test_a_cells_tags_are_part_of_what_it_is(page):
    plain, tagged = ids(page, HEADER + cell("1") + cell("1", "tags: [hide-input]"))[2:]
    assert tagged.split("-")[0] != plain


def test_code_blocks_are_where_the_code_begins(page):
    text = HEADER + cell("a = 1", "tags: [hide-input]") + cell("b = 2")
    lines = text.split("\n")
    assert [lines[block.body - 1] for block in code_blocks(text)] == ["```", "a = 1", "b = 2"]
    assert all(lines[block.fence - 1].startswith("```{code-cell}") for block in code_blocks(text))


def test_a_cell_shown_inside_a_longer_fence_is_no_cell(page):
    text = HEADER + "\n````{note}\n```{code-cell} python\nprint(1)\n```\n````\n" + cell("a = 1")
    assert len(code_blocks(text)) == 2
    assert recipe(read_text(page, text)) == ["", "a = 1"]


def test_a_fence_that_is_not_closed_is_refused(page):
    with pytest.raises(PageError, match=r"02-small\.md: 1 ```\{code-cell\} fences .* 2 cells"):
        read_text(page, HEADER + "\n```{code-cell} python\na = 1\n")


def test_a_header_that_does_not_parse_is_refused_by_name(page):
    with pytest.raises(PageError, match=r"02-small\.md: cannot be read as a MyST notebook"):
        read_text(page, HEADER.replace("  name: python3", "  name: [python3"))


def test_a_page_can_ask_for_a_gpu_and_hides_how_it_was_written(page):
    text = HEADER.replace("kernelspec:", "accelerator: GPU\ncolab: {gpuType: T4}\nkernelspec:")
    metadata = read_text(page, text).metadata
    assert metadata.accelerator == "GPU"
    assert metadata.colab == {"gpuType": "T4"}
    assert "jupytext" not in metadata
    assert "version" not in metadata.language_info


def test_the_same_notebook_gives_the_same_bytes_and_reads_back(page, tmp_path):
    notebook = read_text(page, HEADER + cell("a = 1"))
    text = dumps(notebook)
    assert text == dumps(read_text(page, HEADER + cell("a = 1")))
    assert text.startswith('{\n "cells"')
    write_atomically(tmp_path / "x.ipynb", text)
    assert dumps(load(tmp_path / "x.ipynb")) == text


def test_a_broken_notebook_is_refused_by_name(tmp_path):
    (tmp_path / "x.ipynb").write_text("{")
    with pytest.raises(PageError, match=r"x\.ipynb: no readable notebook .* Delete it and sync"):
        load(tmp_path / "x.ipynb")


def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    path = tmp_path / "x.ipynb"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(path, "half \ud800")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_only_a_header_that_names_jupytext_makes_a_notebook(page):
    page.write_text(HEADER)
    assert is_notebook(page)
    page.write_text("# Notation\n\njupytext: no\n")
    assert not is_notebook(page)
    page.write_text("---\ntitle: x\n---\n\njupytext: no\n")
    assert not is_notebook(page)


def test_notebooks_are_valid_in_the_format_they_name(page):
    nbformat.validate(read_text(page, HEADER + cell("a = 1") * 2))
