"""Cards are read strictly, and exported so that a new import keeps Anki's review data."""

import json
import sqlite3
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from plaincourse import cli
from plaincourse.cards import cards, command

GOOD = """
- id: 02-c01
  front: What is $a<b$ called?
  back: "An *inequality*, `a < b`: $$a < b$$"
  concepts: [matrix-form]
  level: easy
  source: [Q]
"""


def read(tmp_path, text, name="02.yml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return cards.load(path)


def test_a_good_card_is_read(tmp_path):
    (card,) = read(tmp_path, GOOD)
    assert (card.id, card.chapter, card.level) == ("02-c01", "02", "easy")
    assert card.concepts == ("matrix-form",)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("  level: easy\n", "", "level missing"),
        ("level: easy", "level: trivial", "'trivial', expected one of"),
        ("level: easy", "level: easy\n  hint: no", "unknown field hint"),
        ("02-c01", "03-c01", "must look like 02-c01"),
        ("What is", "Is there", "yes or no"),
        ("[Q]", "[X]", r"unknown source \['X'\]"),
        ("[matrix-form]", "matrix-form", "expected a list"),
        ("What is $a<b$ called?", "12", "expected text"),
        ("What is $a<b$ called?", '""', "not empty"),
        (GOOD, "cards: none", "expected a list of cards"),
        ("[Q]", "[Q", "not readable as YAML"),
    ],
)
def test_a_bad_card_is_refused_by_name(tmp_path, old, new, says):
    with pytest.raises(cards.CardError, match=rf"02\.yml.*{says}"):
        read(tmp_path, GOOD.replace(old, new))


def test_two_cards_with_one_id_are_refused(tmp_path):
    with pytest.raises(cards.CardError, match="02-c01 is used twice"):
        read(tmp_path, GOOD + GOOD)


def test_a_chapter_without_cards_is_an_error(tmp_path):
    with pytest.raises(cards.CardError, match=r"99\.yml: there are no cards"):
        cards.load(tmp_path / "99.yml")


def notes(path):
    with zipfile.ZipFile(path) as package:
        package.extract("collection.anki2", path.parent)
    database = sqlite3.connect(path.parent / "collection.anki2")
    try:
        rows = database.execute("select guid, mid, flds, tags from notes order by id").fetchall()
        decks = json.loads(database.execute("select decks from col").fetchone()[0])
    finally:
        database.close()
    return rows, decks


WHEN = 1_800_000_000  # 15 January 2027, 8:00


def test_one_text_gives_one_deck_to_the_byte(tmp_path):
    pytest.importorskip("genanki", reason="the Anki export needs plainformer[book]")
    from plaincourse.cards.anki import write

    deck = {"02": read(tmp_path, GOOD)}
    files = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        write(deck, folder / "out.apkg", when=WHEN)
        files.append(folder / "out.apkg")
    assert files[0].read_bytes() == files[1].read_bytes()
    with zipfile.ZipFile(files[0]) as package:
        assert {part.date_time for part in package.infolist()} == {(2027, 1, 15, 8, 0, 0)}
    rows, decks = notes(files[0])
    assert "plainformer::02" in {entry["name"] for entry in decks.values()}
    assert rows[0][2].split("\x1f")[0] == "02-c01"
    assert "concept::matrix-form" in rows[0][3]


def test_a_later_deck_has_the_same_cards_of_a_later_time(tmp_path):
    pytest.importorskip("genanki", reason="the Anki export needs plainformer[book]")
    from plaincourse.cards.anki import write

    found = []
    for when in (WHEN, WHEN + 86_400):
        write({"02": read(tmp_path, GOOD)}, tmp_path / "out.apkg", when=when)
        with zipfile.ZipFile(tmp_path / "out.apkg") as package:
            package.extract("collection.anki2", tmp_path)
        database = sqlite3.connect(tmp_path / "collection.anki2")
        found.append(database.execute("select guid, mod from notes").fetchall())
        database.close()
    (guid, before), (again, after) = (rows[0] for rows in found)
    assert guid == again
    assert after - before == 86_400


def test_math_becomes_what_anki_sets():
    pytest.importorskip("genanki", reason="the Anki export needs plainformer[book]")
    from plaincourse.cards.anki import html

    assert html("$a<b$ and `a_b`") == r"<p>\(a&lt;b\) and <code>a_b</code></p>"
    assert r"\[x^2\]" in html("$$x^2$$")


def test_the_command_checks_and_exports(tmp_path, capsys):
    pytest.importorskip("genanki", reason="the Anki export needs plainformer[book]")
    assert cli.main(["cards", "--check"]) == 0
    assert cli.main(["cards", "--anki", str(tmp_path / "course.apkg")]) == 0
    rows, _ = notes(tmp_path / "course.apkg")
    assert len(rows) == sum(map(len, cards.load_all().values()))
    assert "In Anki: File, Import" in capsys.readouterr().out


def test_without_a_name_the_deck_is_named_after_the_course(tmp_path, capsys, monkeypatch):
    pytest.importorskip("genanki", reason="the Anki export needs plainformer[book]")
    home = Path.cwd()
    monkeypatch.setattr(command, "root", lambda: home)
    monkeypatch.chdir(tmp_path)
    assert cli.main(["cards", "--anki"]) == 0
    assert (tmp_path / "plainformer-cards.apkg").is_file()
    assert "plainformer-cards.apkg" in capsys.readouterr().out


def test_the_command_says_what_it_could_not_write(tmp_path, capsys):
    pytest.importorskip("genanki", reason="the Anki export needs plainformer[book]")
    assert cli.main(["cards", "--anki", str(tmp_path / "no" / "course.apkg")]) == 1
    assert "error:" in capsys.readouterr().err


def test_a_concept_without_a_card_and_a_card_of_an_unknown_concept_are_named(capsys, tmp_path):
    home = next(each for each in Path(__file__).parents if (each / "book/concepts.yml").exists())
    decks = {"02": read(tmp_path, GOOD)}
    assert command._check(decks, home) == 1
    said = capsys.readouterr().err
    assert "no card for" in said
    unknown = replace(decks["02"][0], concepts=("nobody",))
    assert command._check({"02": [unknown]}, home) == 1
    assert "concept 'nobody' is not in book/concepts.yml" in capsys.readouterr().err
