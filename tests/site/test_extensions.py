"""The Sphinx extensions of the book, on projects of a page or two."""

import re
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image
from sphinx.errors import ExtensionError
from tests.site.conftest import ROOT


def text(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", "", html).split())


def test_an_equation_links_to_each_of_its_functions(built):
    links = re.findall(r'<p class="in-code">.*?</p>', built.page("02-first"), re.DOTALL)
    assert [text(link) for link in links] == ["in code: attend()", "in code: attend(), padding()"]
    assert 'href="api.html#tiny.padding"' in links[1]


def test_a_function_links_back_to_every_equation_on_every_page(built):
    lines = re.findall(r'<p class="implements">.*?</p>', built.page("api"), re.DOTALL)
    assert [text(line) for line in lines] == [
        "Implements equation (2.1) of First; equation (2.2) of First; equation (3.1) of Second.",
        "Implements equation (2.2) of First.",
    ]
    assert 'href="03-second.html#equation-eq-three"' in lines[0]
    assert 'id="equation-eq-three"' in built.page("03-second")


def test_numbers_begin_with_the_number_of_the_chapter(built):
    page = built.page("02-first")
    assert re.findall(r'class="eqno">\((.*?)\)', page) == ["2.1", "2.2"]
    assert "See (2.2)." in text(page)


def test_a_page_that_is_no_chapter_counts_from_one(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    import numbering

    figures = {
        "book/02-x": {"figure": {"a": (7,), "b": (8,)}},
        "book/bench": {"figure": {"c": (31,)}},
    }
    env = SimpleNamespace(toc_fignumbers=figures)
    assert numbering.by_chapter(None, env) == ["book/02-x", "book/bench"]
    assert figures["book/02-x"]["figure"] == {"a": (2, 1), "b": (2, 2)}
    assert figures["book/bench"]["figure"] == {"c": (1,)}
    assert numbering.by_chapter(None, env) == []


def test_a_chapters_title_carries_its_number_and_a_sentence_does_not(built):
    first, index = built.page("02-first"), built.page("index")
    assert text(re.search(r"<h1>(.*?)<a", first)[1]) == "02 · First"
    assert "<title>02 · First" in first
    assert re.search(r'href="02-first.html">(<span class="chapter-number">)?02 · ', index)
    assert 'rel="next" title="03 · Second"' in first
    assert "Sentences say First." in text(first)
    assert text(re.search(r"<h1>(.*?)<a", built.page("api"))[1]) == "API"


def test_rows_of_a_table_with_an_empty_corner_have_heads(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    import theme_fixes

    corner = "<table><thead><tr><th><p></p></th><th>a</th></tr></thead><tbody>"
    context = {"body": f"{corner}<tr><td>x</td><td>1</td></tr></tbody></table>"}
    theme_fixes.valid_html(None, "page", "", context, None)
    assert "<tr><td></td><th>a</th></tr>" in context["body"]
    assert '<tr><th scope="row">x</th><td>1</td></tr>' in context["body"]
    formula = '<span class="math">Q<span>2</span></span>'
    for cell in "", formula:  # axe reports both as a header without text
        gap = {"body": f"{corner}<tr><td><p>{cell}</p></td><td>1</td></tr></tbody></table>"}
        theme_fixes.valid_html(None, "page", "", gap, None)
        assert f"<tr><td><p>{cell}</p></td><td>1</td></tr>" in gap["body"]
    said = {"body": f"{corner}<tr><td><p>{formula} and {formula}</p></td></tr></tbody></table>"}
    theme_fixes.valid_html(None, "page", "", said, None)
    assert f'<th scope="row"><p>{formula} and {formula}</p></th>' in said["body"]
    plain = {"body": "<table><thead><tr><th>b</th></tr></thead><tbody><tr><td>y</td></tr></tbody>"}
    before = plain["body"]
    theme_fixes.valid_html(None, "page", "", plain, None)
    assert plain["body"] == before


SOURCES = """
@article{one, author={Brown, Tom B. and others}, title={One}, journal={J}, year={2020}}
@article{two, author={Roy, Ann and Ba, Jo and others}, title={Two}, journal={J}, year={2021}}
@article{both, author={Lin, Eva and Ode, Max}, title={Both}, journal={J}, year={2022}}
@article{many, author={Fox, A and Elk, B and Ant, C}, title={Many}, journal={J}, year={2023}}
"""


def test_others_of_the_source_are_et_al_in_the_text_and_in_the_list(project):
    (project.folder / "r.bib").write_text(SOURCES)
    extensions = '"numbering", "sphinxcontrib.bibtex", "citations"'
    project.change("conf.py", '"numbering"', extensions)
    styles = 'bibtex_reference_style = bibtex_default_style = "course"'
    project.change("conf.py", "numfig", f'{styles}\nbibtex_bibfiles = ["r.bib"]\nnumfig')
    cites = " ".join(
        f"{{cite:t}}`{key}` {{cite:p}}`{key}`;" for key in ("one", "two", "both", "many")
    )
    project.change("02-first.md", "Sentences", f"{cites}\n\n```{{bibliography}}\n```\n\nSentences")
    assert project.build() == ""
    page = text(project.page("02-first"))
    assert "others" not in page
    for said in ("Brown et al. [2020]", "[Brown et al., 2020]", "Roy et al. [2021]",
                 "Fox et al. [2023]", "Lin and Ode [2022]", "Tom B. Brown et al. One.",
                 "Ann Roy, Jo Ba, et al. Two.", "Eva Lin and Max Ode. Both.",
                 "A Fox, B Elk, and C Ant. Many."):  # fmt: skip
        assert said in page


def test_what_goes_deeper_is_folded_under_its_heading_and_keeps_its_numbers(project):
    more = "(sec-roots)=\n## Deeper: roots\n\n"
    more += "```{equation} eq-root\n:code: tiny.attend\nr = z\n```\n\n"
    more += "### Square\n\nSee {eq}`eq-root`.\n\n## Next\n\nGo to {ref}`sec-roots`."
    project.change("02-first.md", "Sentences", f"{more}\n\nSentences")
    assert project.build() == project.build("text") == ""
    page = project.page("02-first")
    [folded] = re.findall(r'<section class="deeper".*?</details></section>', page, re.DOTALL)
    head, _, body = folded.partition("</summary>")
    assert re.search(r'"sec-roots"></span>\s*<details><summary><h2>Deeper: roots<a', head)
    assert "<h3>Square" in body
    assert "(2.3)" in body
    assert "<h2>Next" in page.partition(folded)[2]
    assert "Go to Deeper: roots." in text(page)
    told = (project.folder / "out" / "text" / "02-first.txt").read_text()
    assert "Deeper: roots" in told
    assert "<" not in told


def test_a_signature_stands_as_in_the_source(built):
    page = text(built.page("api")).replace("&quot;", '"').replace("&#39;", "'")
    assert 'Bool[Tensor, "b 1 {k}"]' in page


def test_fields_of_a_docstring_keep_their_words(built):
    page = text(built.page("api"))
    assert "Returns: A tensor of that shape: one row each." in page
    assert "Cost: q times k multiplications." in page
    assert "Ref: nobody." in page


def test_a_widget_has_its_script_on_its_page_only(built):
    assert '<script type="module" src="_static/widgets/spinner.js' in built.page("03-second")
    assert "spinner.js" not in built.page("02-first")


def test_a_widget_carries_its_words_and_its_task(built):
    page = built.page("03-second")
    alt = "A wheel with five spokes &amp; a rim."
    assert f'<plain-spinner role="group" aria-label="{alt}"' in page
    assert f"Interactive picture, which needs JavaScript: {alt}" in page
    assert "Turn it <em>once</em>." in page


def test_a_widget_holds_its_still_where_there_is_one(project):
    Image.new("RGB", (8, 8)).save(project.folder / "static" / "widgets" / "spinner.png")
    assert project.build() == ""
    inside = re.search(r"<plain-spinner.*?</plain-spinner>", project.page("03-second"), re.DOTALL)
    still = re.search(r"<img[^>]*>", inside[0])[0]
    assert 'src="_images/spinner.png"' in still
    assert 'alt="A wheel with five spokes &amp; a rim."' in still
    assert 'loading="lazy"' in still  # it is hidden if scripts run


def test_other_builders_get_the_words(project):
    assert project.build("text") == ""
    said = (project.folder / "out" / "text" / "03-second.txt").read_text()
    assert "needs JavaScript: A wheel with five spokes & a rim." in " ".join(said.split())


def test_an_equation_that_goes_away_takes_its_back_link_with_it(project):
    project.build()
    project.change("03-second.md", ":code: tiny.attend", ":code: tiny.padding")
    project.build()
    assert "of Second" not in project.page("api").split('id="tiny.padding"')[0]
    assert "(3.1)" in project.page("api").split('id="tiny.padding"')[1]


CHANGES = {
    "a title": [("03-second.md", "# Second", "# Another")],
    "a title with code": [("03-second.md", "# Second", "# `Another` one")],
    "a page more": [("index.md", "03-second\n", "more\n03-second\n")],
    "a page less": [("index.md", "03-second\n", ""), ("api.md", "# API", "# Another API")],
    "the order": [("index.md", "03-second\n", ""), ("index.md", "api\n", "more\napi\n03-second\n")],
}


def next_to(project, name):
    """Return the title of the next page in a page's link."""
    return re.search(r'<link rel="next" title="([^"]*)"', project.page(name))[1]


@pytest.mark.parametrize("what", CHANGES)
def test_a_page_names_its_neighbours_as_they_are_called_now(project, what):
    (project.folder / "plain.md").write_text("# Plain\n")  # without rewritten parts
    project.change("index.md", "03-second\n", "plain\n03-second\n")
    assert project.build() == ""
    assert "Second" in next_to(project, "plain")
    (project.folder / "more.md").write_text("# Another\n")
    for change in CHANGES[what]:
        project.change(*change)
    project.build()
    assert "Another" in next_to(project, "plain")


def test_a_page_stays_as_it_was_written_where_no_title_changes(project):
    (project.folder / "plain.md").write_text("# Plain\n")
    project.change("index.md", "03-second\n", "plain\n03-second\n")
    project.build()
    (project.folder / "out" / "html" / "plain.html").write_text("as it was")
    project.change("api.md", "# API", "# API\n\nMore.")
    project.build()
    assert project.page("plain") == "as it was"


IDS = {
    "exercises": '<section id="exercise-content"><p>x</p></section>',
    "solutions": '<section id="solution-content"><p>x</p></section>',
    "both": '<section id="exercise-content"><section id="solution-content">x</section></section>',
}


@pytest.mark.parametrize("what", IDS)
def test_no_id_of_an_exercise_stands_twice(monkeypatch, what):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    import theme_fixes

    context = {"body": f'<h1 id="a">T</h1>{IDS[what] * 2}'}
    theme_fixes.valid_html(None, "page", "", context, None)
    assert re.findall(r'id="([^"]*)"', context["body"]) == ["a"]
    assert context["body"].count("<section>") == IDS[what].count("<section") * 2


MISTAKES = [
    ("02-first.md", "tiny.attend, tiny.padding", "tiny.attend, tiny.pading",
     r"02-first\.md:9: WARNING: equation 'eq-two': :code: names 'tiny\.pading', which no API page "
     r"documents; did you mean tiny\.padding\?"),
    ("02-first.md", ":code: tiny.attend\nx = y", "x = y",
     r"02-first\.md:4: ERROR: equation 'eq-one' has no :code: option"),
    ("02-first.md", "x = y\n", "", r"02-first\.md:4: ERROR: equation 'eq-one' is empty"),
    ("03-second.md", ":alt: A wheel with five spokes & a rim.\n", "",
     r"03-second\.md:8: ERROR: interactive 'spinner' has no :alt: text"),
    ("03-second.md", "with five", "with\n  five",
     r"03-second\.md:8: ERROR: interactive 'spinner': the :alt: text ends in 'with', not"),
    ("03-second.md", "spinner", "spiner",
     r"03-second\.md:8: ERROR: interactive 'spiner': no file widgets/spiner\.js in static"),
    ("03-second.md", "spinner", "Spinner_1", r"interactive 'Spinner_1': expected lower-case"),
]  # fmt: skip


@pytest.mark.parametrize(("page", "old", "new", "said"), MISTAKES)
def test_a_mistake_is_named_with_its_page_and_line(project, page, old, new, said):
    project.change(page, old, new)
    assert re.search(said, project.build())


def test_a_listing_of_source_follows_the_api_page(project):
    project.change("conf.py", '"numbering"', '"numbering", "sphinx.ext.viewcode"')
    project.build()
    assert 'href="../api.html#tiny.padding"' in project.page("_modules/tiny")
    project.change("api.md", "   :members:", "   :members: attend")
    project.build()
    assert "tiny.padding" not in project.page("_modules/tiny").split("<h1>")[1]


def test_a_section_has_a_guess_of_its_height_and_what_is_in_it_has_none(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    import lean_pages

    inner = '<section id="c"><p>' + "x" * 200 + "</p></section>"
    body = f'<section id="a"><h1>T</h1><section id="b">{inner}</section><section id="d"></section>'
    context = {"body": f"{body}</section>"}
    lean_pages.guess_heights(None, "page", "", context, None)
    guessed = re.findall(r'<section style="--guess: (\d+)px" id="(\w)"', context["body"])
    assert guessed == [("1070", "b"), ("900", "d")]
    assert re.sub(r' style="[^"]*"', "", context["body"]) == f"{body}</section>"


def test_the_themes_scripts_are_mended_once_however_often_a_book_is_built(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    import lean_pages
    import pydata_sphinx_theme
    import sphinx_book_theme

    theme = tmp_path / "theme"
    for package in (pydata_sphinx_theme, sphinx_book_theme):
        of_package = Path(package.__file__).parent / "theme" / package.__name__ / "static"
        shutil.copytree(of_package, theme / "static", dirs_exist_ok=True)
    (tmp_path / "_static" / "scripts").mkdir(parents=True)
    themes = SimpleNamespace(get_theme_dirs=lambda: [str(theme)])
    builder = SimpleNamespace(format="html", name="html", theme=themes)
    app = SimpleNamespace(builder=builder, outdir=tmp_path)
    name = next(iter(lean_pages.MENDS))
    of_theme = theme / "static" / name.removeprefix("_static/")
    made = []
    for _ in range(2):
        lean_pages.mend_scripts(app, None)
        made.append((tmp_path / name).read_text())
    assert made[0] == made[1] != of_theme.read_text()
    of_theme.write_text("newer();")
    with pytest.raises(ExtensionError, match=f"{re.escape(name)} has nothing like"):
        lean_pages.mend_scripts(app, None)
    of_theme.unlink()
    with pytest.raises(ExtensionError, match=f"no {re.escape(name)}"):
        lean_pages.mend_scripts(app, None)
