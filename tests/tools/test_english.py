"""The English of the book, the tasks and the code never gets less plain."""

from pathlib import Path

import pytest
from tools import english

from tests.house.tree import ROOT

MARKED = {
    "an actor without a name": "Nobody reads the mask twice.",
    "'is no' for 'is not'": "Scores are no weights.",
    "a clause for a noun": "The query is what is wanted.",
    "'where there is' for 'if' or 'without'": "It returns zeros where there is no key.",
    "stand": "The fillers stand in front.",
    "tell": "A table tells how far.",
    "say": "Say whether a page is open.",
    "a private verb": "Such a query may look at three keys.",
    "'takes X for Y'": "This takes the small slope for nothing.",
    "a clipped verdict": "- (b) forgets the root.",
    "'of' in front": "Of the six heads two are idle.",
    "'as many' for 'the same number'": "It needs twice as many steps.",
    "'is another' for 'differs'": "The order is another.",
    "a calque": "They run one after the other.",
    "a thing as a person": "The row knows its length.",
}
PLAIN = """Scores are not weights. There is no key for this query, so the output is zero. What is
the largest score? Two of the six heads are idle. The model has as many heads as layers, and it is
no longer trained. The student takes the root of the width."""


@pytest.fixture(scope="module")
def units() -> dict[str, list[english.Prose]]:
    return english.units()


def marks(text: str) -> list[tuple[int, str]]:
    return [(line, mark) for line, mark, _ in english.Prose("", text).places()]


def test_no_unit_has_a_higher_rate_than_its_record(units: dict[str, list[english.Prose]]) -> None:
    record, wrong = english.load(), []
    for name, unit in units.items():
        now, before = english.count(unit), record.get(name, english.NEW)
        if english.above(now, before):
            rates = f"{english.rate(now):.1f} marks per 10,000 words, {english.rate(before):.1f}"
            wrong.append(f"{name}: {rates} on record\n{english.shown(unit)}")
    assert not wrong, "\n".join(wrong)


def test_the_record_names_the_units_that_there_are(units: dict[str, list[english.Prose]]) -> None:
    record = english.load()
    assert record.keys() == units.keys(), "run: python -m tools.english --record"
    assert english.RECORD.read_text("utf-8") == english.written(record)


@pytest.mark.parametrize("mark", english.MARKS)
def test_each_mark_is_found_where_it_is_and_across_the_end_of_a_line(mark: str) -> None:
    sentence = MARKED[mark]
    assert marks(f"A first line.\n\n{sentence}") == [(3, mark)]
    head, _, tail = sentence.rpartition(" ")
    assert mark in dict(map(reversed, marks(f"{head}\n  {tail}")))


def test_plain_sentences_have_no_mark() -> None:
    assert marks(PLAIN) == []


def test_a_planted_sentence_raises_the_rate_of_its_page() -> None:
    page = ROOT / "book/05-position.md"
    text = page.read_text("utf-8")
    place = text.index("\n## ")
    planted = text[:place] + "\n\nNobody tells what the table is.\n" + text[place:]
    before = english.count([english.read(page)])
    after = english.count([english.Prose("", english.of_page(planted))])
    assert after == [before[0] + 3, before[1] + 6]
    assert english.above(after, before)
    assert not english.above(before, after)


def test_a_shorter_text_passes_with_the_marks_that_it_had_and_fails_with_one_more() -> None:
    assert english.higher([5, 900], [5, 1000])
    assert not english.above([5, 900], [5, 1000])
    assert english.above([6, 1100], [5, 1000])
    assert not english.above([6, 1200], [5, 1000])


def test_code_formulas_tables_and_alt_texts_of_a_page_are_left_out() -> None:
    page = """---
title: nobody
---
(nobody)=
# A title

| nobody | tells |

````{exercise} One
:label: nobody

Nobody asks.
```{code-cell} python
nobody = "nobody"
```
```python
nobody
```
````

$$
nobody
$$

```{figure} nobody.svg
:alt: nobody
A caption that nobody reads, with `nobody` and {ref}`nobody <nobody>`.
```
Somebody.
"""
    assert marks(english.of_page(page)) == [
        (12, "an actor without a name"),
        (27, "an actor without a name"),
        (29, "an actor without a name"),
    ]


CODE = '''"""Nobody."""
# Nobody
x = "nobody # nobody"  # noqa: nobody


class Row:
    """Rows.

    >>> nobody

    Nobody.
    """

    if x:

        def f(self) -> str:
            """Nobody."""
            return f"It is a row that nobody reads {x}"  # nobody
'''


def test_docstrings_and_comments_are_read_and_the_sentences_of_the_data() -> None:
    assert [line for line, _ in marks(english.of_code(CODE))] == [1, 2, 11, 17, 18]
    assert [line for line, _ in marks(english.of_data(CODE))] == [18]


def test_a_record_is_lowered_and_never_raised() -> None:
    record = {"a": [4, 1000], "b": [2, 1000], "c": [3, 500], "gone": [1, 10]}
    now = {"a": [3, 1000], "b": [4, 2000], "c": [3, 400], "new": [1, 2000]}
    lowered = {"a": [3, 1000], "b": [2, 1000], "c": [3, 500], "new": [1, 2000]}
    assert english.lowered(record, now) == lowered
    with pytest.raises(ValueError, match=r"never raised: b, new"):
        english.lowered(record, now | {"b": [5, 2000], "new": [3, 2000]})


def test_the_command_counts_a_file_and_shows_its_places(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("A page that nobody reads.", "utf-8")
    assert english.main(["-v", str(page)]) == 0
    said = capsys.readouterr().out
    assert f"{page}:1: an actor without a name: …A page that nobody reads.…" in said
    assert "1 marks in 5 words: 2000 per 10,000" in said


def test_the_command_shows_only_what_fails_if_asked_to_check(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = {"a": [english.Prose("a.md", "Nobody. " * 2)], "b": [english.Prose("b.md", "Words.")]}
    monkeypatch.setattr(english, "units", lambda: found)
    monkeypatch.setattr(english, "load", lambda: {"a": [2, 2], "b": [0, 1]})
    assert english.main(["--check"]) == 0
    assert capsys.readouterr().out == ""
    monkeypatch.setattr(english, "load", lambda: {"a": [1, 2], "b": [0, 1]})
    assert english.main(["--check"]) == 1
    assert "a  ABOVE ITS RECORD" in capsys.readouterr().out
