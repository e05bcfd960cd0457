"""The directives for cards, gate and map are usable without scripts."""

import re
from html.parser import HTMLParser

import pytest

from plaincourse.exercise import Essay, bank
from tests.book.components_book import CARDS, CONCEPTS, ROOT, Book


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    book = Book(tmp_path_factory.mktemp("book"))
    assert book.build() == ""
    return book


def test_a_card_unfolds_without_scripts_and_its_formulas_are_set_by_the_build(built):
    page = built.read("book/02-shapes.html")
    card = re.search(r"<details.*?</details>", page, re.DOTALL)[0]
    assert 'id="card-02-c01" data-card="02-c01"' in card
    front, back = card.split("</summary>")
    assert r"\(a&lt;b\)" in front
    assert '<code class="docutils literal notranslate"><span class="pre">x</span></code>' in front
    assert "<p>" not in front
    assert "<em>inequality</em>" in back
    assert r"\[a &lt; b\]" in back
    assert re.search(r'easy · <a class="reference internal" href="#sec-02-shapes">', back)


def test_the_minutes_of_each_part_are_counted(built):
    graded = sum(task.minutes for task in bank.counted("02"))
    assert (
        "<p>Minutes that each part takes: core path 110, question cards 1, "
        f"graded notebook {graded}.</p>"
    ) in built.read("book/02-shapes.html")


def test_a_gate_states_what_must_hold_and_links_each_concept(built):
    points = sum(task.points for task in bank.counted("02"))
    gate = re.search(
        r'<section class="course-gate".*?</section>', built.read("book/02-shapes.html"), re.S
    )
    assert f'data-points="{points:g}"' in gate[0]
    words = re.sub("<[^>]*>", "", gate[0])
    assert (
        f"at least {0.8 * points:g} of the {points:g} points of the graded notebook: total() at "
        "its end adds up what the checks give, and you grade your own words by the rubric."
    ) in words
    assert 'id="gate-02"' in gate[0]
    essays = [task for task in bank.counted("02") if isinstance(task, Essay)]
    assert f'data-words="{sum(task.points for task in essays):g}"' in gate[0]
    assert 'data-cards="02-c01"' in gate[0]
    assert '<li data-cards="02-c01"><a class="reference internal" href="#sec-02-shapes">' in gate[0]


def test_a_gate_links_the_graded_notebook_in_colab_and_says_nothing_without_an_owner(
    built, tmp_path
):
    assert not re.search("colab|configure|publishes", built.read("book/02-shapes.html"), re.I)
    owned = Book(tmp_path)
    owned.owned_by("ann")
    assert owned.build() == ""
    page = owned.read("book/02-shapes.html")
    notebook = "ann/plainformer/blob/main/exercises/02-shapes/02-shapes.ipynb"
    assert f'href="https://colab.research.google.com/github/{notebook}"' in page
    assert "configure" not in page


def test_the_map_links_what_is_written_and_marks_what_is_planned(built):
    page = built.read("book/map.html")
    assert 'href="02-shapes.html"' in page
    assert "01 · Roots (planned, 1 concept; needs nothing of this course)" in page
    assert "needs 02 Shapes &lt; all)" in page
    assert re.search(r"<tspan[^>]*>02 · Shapes &lt; all</tspan>", page)
    assert page.count("map-box planned") == 2
    assert page.count("map-box written") == 1


def test_scripts_are_loaded_only_where_a_component_is(built):
    scripts = {
        name: sorted(set(re.findall(r"static/course/(\w+)\.(?:js|css)", built.read(name))))
        for name in ("index.html", "book/02-shapes.html", "book/map.html")
    }
    assert scripts["index.html"] == ["front"]
    assert scripts["book/02-shapes.html"] == ["cards", "components", "gate"]
    assert scripts["book/map.html"] == ["components", "map"]


def test_the_html_is_well_nested(built):
    class Nesting(HTMLParser):
        open_tags: list[str]

        def handle_starttag(self, tag, attrs):
            if tag not in {"meta", "link", "br", "img", "input", "hr"}:
                self.open_tags.append(tag)

        def handle_startendtag(self, tag, attrs):
            """Ignore self-closing tags, which do not nest."""

        def handle_endtag(self, tag):
            assert self.open_tags.pop() == tag, self.getpos()

    for name in ("book/02-shapes.html", "book/map.html"):
        parser = Nesting()
        parser.open_tags = []
        parser.feed(re.sub(r"<script.*?</script>", "", built.read(name), flags=re.S))


def test_other_builders_write_the_text(tmp_path):
    book = Book(tmp_path)
    assert book.build("text") == ""
    page = book.read("book/02-shapes.txt", "text")
    assert "inequality" in page
    assert "Roots" in book.read("book/map.txt", "text")


MISTAKES = {
    "{cards} 07": "07.yml: there are no cards for this chapter",
    "{cards} 03": "card 03-c01: 'forms' is not in book/concepts.yml",
    "{cards} 04": "04.yml, 04-c01: level is 'odd'",
    "{cards} 05": "card 05-c01: the front must be one paragraph",
    "{cards} 06": "sec-06-lost",
    "{gate} 98": "gate 98: chapter '98' has no graded tasks",
}


@pytest.fixture(scope="module")
def mistaken(tmp_path_factory):
    book = Book(tmp_path_factory.mktemp("mistakes"))
    lost = """
- {id: lost, name: Lost, chapter: "06", prerequisites: [], sources: [A], section: sec-06-lost,
   code: x.y, practice: [02.scores]}
"""
    book.write("book/concepts.yml", CONCEPTS + lost)
    changes = {
        "03": ("[shapes]", "[forms]"),
        "04": ("level: easy", "level: odd"),
        "05": ("What is $a<b$ in `x`?", '"# What"'),
        "06": ("[shapes]", "[lost]"),
        "98": ("easy", "hard"),
    }
    for chapter, (old, new) in changes.items():
        assert old in CARDS
        book.write(
            f"book/cards/{chapter}.yml", CARDS.replace("02-", f"{chapter}-").replace(old, new)
        )
    calls = "".join(f"```{call}\n```\n\n" for call in MISTAKES)
    book.write("book/02-shapes.md", "# Shapes\n\n(sec-02-shapes)=\n## All\n\n" + calls)
    return book.build()


def test_a_single_page_holds_them_all(tmp_path):
    book = Book(tmp_path)
    assert book.build("singlehtml") == ""
    page = book.read("index.html", "singlehtml")
    assert '<section class="course-map"' in page
    assert 'href="#document-book/02-shapes"' in page


@pytest.mark.parametrize("call", MISTAKES)
def test_what_is_wrong_is_said_by_name(mistaken, call):
    assert MISTAKES[call] in mistaken


def test_where_it_is_wrong_is_said_by_page_and_line(mistaken):
    assert re.search(r"02-shapes\.md:\d+: ERROR: 07\.yml", mistaken)


def test_attributes_of_an_element_are_escaped(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    import html_tag

    class Writer:
        body: list[str]

    writer = Writer()
    writer.body = []
    html_tag.visit(writer, html_tag.tag("p", class_="a", data_text='<"&>'))
    assert writer.body == ['<p class="a" data-text="&lt;&quot;&amp;&gt;">']


def words(html):
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_the_front_page_starts_and_counts_what_is_written(built):
    page = built.read("index.html")
    assert "What <em>this</em> is." in page
    start = re.search(r'<span class="front-start">(.*?)</a>', page, re.S)[1]
    assert 'href="book/02-shapes.html"' in start
    assert words(start) == "Start chapter 02"
    facts = words(re.search(r"<dl.*?</dl>", page, re.S)[0])
    tasks = len(bank.counted("02"))
    assert facts == (
        "chapters 1 hours to read and run 2 exercises with hints 0 "
        f"graded tasks {tasks} question cards 1"
    )
    assert "course/front.js" in page
    assert "course/front.js" not in built.read("book/02-shapes.html")


def test_a_chapters_card_says_what_it_shows_takes_and_needs(built):
    page = built.read("index.html")
    cards = re.findall(r'<li class="chapter-card".*?</li>', page, re.S)
    minutes = sum(task.minutes for task in bank.counted("02"))
    assert [words(card) for card in cards] == [
        "01 Roots planned",
        f"02 Shapes &lt; all What a shape is read 110 min · graded {minutes:g} min · needs 01",
        "03 Ends planned",
    ]
    assert [*re.findall(r'data-cards="(.*?)"', "".join(cards))] == ["02-c01"]


def test_the_front_page_opens_colab_where_there_is_a_repository(built, tmp_path):
    assert "colab" not in built.read("index.html").lower()
    owned = Book(tmp_path)
    owned.owned_by("ann")
    assert owned.build() == ""
    address = "https://colab.research.google.com/github/ann/plainformer/blob/main/book/02-shapes"
    assert f'href="{address}.ipynb"' in owned.read("index.html")
