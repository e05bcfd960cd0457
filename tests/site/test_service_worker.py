"""The list of the book's files has all that pages use, and changes with each of them."""

import hashlib

import pytest
from tests.site.conftest import ROOT

FILES = {
    "index.html": '<link href="_static/a.css?v=1"><a href="b/c%20d.html#x"> <a href="x.ipynb">'
    '<script src="_static/s.js?v=2"></script><a href="https://example.org/_static/no.css">',
    "404.html": '<img src="_static/only.svg">',
    "b/c d.html": '<img src="../_images/π [1].svg"><script>["../_static/f.woff2", ]</script>',
    "x.ipynb": "{}",
    "index.html.md": "# Start",
    "_sources/index.md": "# Start",
    "_static/a.css": 'p { background: url("bg.png") } i { background: url(data:image/png;x) }',
    "_static/bg.png": "bg",
    "_static/f.woff2": "font",
    "_static/no.css": "",
    "_static/only.svg": "<svg/>",
    "_static/s.js": 'load("_static/late.js?v=3"); load("_static/none.js")',
    "_static/late.js": "late()",
    "_static/macros.html": "",
    "_images/π [1].svg": "<svg/>",
}
BOOK = {
    "index.html", "b/c%20d.html", "_static/a.css?v=1", "_static/bg.png", "_static/f.woff2",
    "_static/s.js?v=2", "_static/late.js?v=3", "_images/π [1].svg",
}  # fmt: skip


@pytest.fixture
def offline(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    import offline

    return offline


@pytest.fixture
def site(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_the_list_has_pages_and_what_they_use_at_the_addresses_at_which_they_ask(offline, site):
    assert set(offline.files(site)) == BOOK


def test_each_file_has_its_digest_and_size_and_the_release_changes_with_any_of_them(offline, site):
    before = offline.listing(site)
    rows = {address: (digest, size) for address, digest, size in before["files"]}
    assert rows["_static/late.js?v=3"] == (hashlib.sha256(b"late()").hexdigest()[:12], 6)
    assert offline.listing(site) == before
    (site / "b" / "c d.html").write_text(FILES["b/c d.html"] + " ", "utf-8")
    assert offline.listing(site)["release"] != before["release"]


def test_the_edition_tells_the_size_here_and_on_the_way(offline, site):
    (site / "_static" / "late.js").write_text("late();" * 1000)
    about = offline.edition(site, offline.listing(site), "<p>Not kept</p>")
    assert about["total"] > 7000 > about["packed"] > 0


def test_a_script_has_the_digests_of_the_files_that_it_loads(offline, site):
    import digests

    names = {"_static/late.js": "abc", "_static/none.js": ""}
    text = digests.dated_script(
        FILES["_static/s.js"], site, lambda path: names[path.relative_to(site).as_posix()]
    )
    assert text == 'load("_static/late.js?v=abc"); load("_static/none.js")'
