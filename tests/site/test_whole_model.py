"""The picture of the whole model: every chapter is one of its parts, and its own is marked."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.site.conftest import ROOT

CHAPTERS = {path.stem[:2]: f"book/{path.stem}" for path in (ROOT / "book").glob("[0-9]*-*.md")}


@pytest.fixture
def whole_model(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    import whole_model

    return whole_model


def test_each_chapter_is_one_part_and_all_others_are_links(whole_model):
    assert len(CHAPTERS) == 17
    for here in CHAPTERS:
        html = whole_model.picture(here, CHAPTERS)
        links = re.findall(r'<a class="whole-name" href="([^"]*)"', html)
        assert sorted(links) == sorted(set(CHAPTERS.values()) - {CHAPTERS[here]})
        marked = re.findall(r'aria-current="page">[^<]* <span class="whole-number">(..)<', html)
        assert marked == [here]
        assert html.count("whole-here") == 1


def test_a_chapter_that_was_not_built_is_no_link(whole_model):
    html = whole_model.picture("05", {"05": "x.html", "07": 'a"b.html'})
    assert re.findall(r'href="([^"]*)"', html) == ["a&quot;b.html"]


@pytest.mark.parametrize(("page", "builder", "count"), [
    ("book/05-position", "html", 1), ("book/map", "html", 0), ("book/05-position", "epub", 0),
])  # fmt: skip
def test_it_stands_under_the_title_of_a_chapter_of_the_site(whole_model, page, builder, count):
    to = SimpleNamespace(name=builder, get_relative_uri=lambda _, name: f"{Path(name).name}.html")
    app = SimpleNamespace(builder=to, env=SimpleNamespace(found_docs=set(CHAPTERS.values())))
    context = {"body": "<h1>T</h1><p>x</p><h1>U</h1>"}
    whole_model.insert(app, page, "page.html", context, None)
    assert context["body"].count("<nav") == count
    assert context["body"].startswith("<h1>T</h1><nav" if count else "<h1>T</h1><p>")
    assert context["body"].endswith("<p>x</p><h1>U</h1>")
