"""The address of a style sheet or a script changes with the file, and no other address changes."""

import hashlib
from types import SimpleNamespace

import pytest
from sphinx.errors import ExtensionError
from tests.site.conftest import ROOT

SHEET = '<link rel="stylesheet" href="{up}_static/a.css{mark}" />'
PAGE = (
    SHEET + '<script src="{up}_static/b/c.js{mark}" defer></script>'
    '<img src="{up}_static/logo.svg"><a href="{up}_static/none.css">x</a>'
    '<a href="https://example.org/_static/a.css">y</a>'
)


@pytest.fixture
def digests(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    import digests

    return digests


def site(folder):
    (folder / "_static" / "b").mkdir(parents=True)
    (folder / "book").mkdir()
    (folder / "_static" / "a.css").write_text("a {}")
    (folder / "_static" / "b" / "c.js").write_text("c()")
    for page, up in (("index.html", ""), ("book/01.html", "../")):
        (folder / page).write_text(PAGE.format(up=up, mark="?v=old" if up else ""))
    return SimpleNamespace(builder=SimpleNamespace(format="html", name="html"), outdir=folder)


def mark(text):
    return f"?v={hashlib.sha256(text.encode()).hexdigest()[:12]}"


def expected(up, css="a {}"):
    page = PAGE.format(up=up, mark="|")
    return page.replace("a.css|", f"a.css{mark(css)}").replace("c.js|", f"c.js{mark('c()')}")


def test_addresses_have_the_digests_of_the_files_as_they_are_at_the_end(digests, tmp_path):
    app = site(tmp_path)
    digests.write(app, None)
    assert (tmp_path / "index.html").read_text() == expected("")
    assert (tmp_path / "book/01.html").read_text() == expected("../")


def test_a_changed_file_has_another_address_on_pages_that_are_not_written_again(digests, tmp_path):
    app = site(tmp_path)
    digests.write(app, None)
    (tmp_path / "_static" / "a.css").write_text("a { color: red }")
    digests.write(app, None)
    assert (tmp_path / "book/01.html").read_text() == expected("../", "a { color: red }")


def test_a_build_that_failed_is_left_alone(digests, tmp_path):
    app = site(tmp_path)
    digests.write(app, ValueError("failed"))
    assert "?v=old" in (tmp_path / "book/01.html").read_text()


def test_scripts_that_load_others_in_a_chain_have_final_digests_and_a_circle_is_refused(
    digests, tmp_path
):
    app, static = site(tmp_path), tmp_path / "_static"
    (static / "a.js").write_text('load("_static/b.js")')
    (static / "b.js").write_text('load("_static/b/c.js")')
    digests.write(app, None)
    b = f'load("_static/b/c.js{mark("c()")}")'
    assert (static / "b.js").read_text() == b
    assert (static / "a.js").read_text() == f'load("_static/b.js{mark(b)}")'
    (static / "b/c.js").write_text('load("_static/a.js")')
    with pytest.raises(ExtensionError, match="circle"):
        digests.write(app, None)
