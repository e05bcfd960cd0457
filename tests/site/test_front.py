"""The front page: its grid has the package's numbers, and its cards agree with the chapters."""

import re
from pathlib import Path

import pytest
import torch
import yaml

from plainformer import attention_weights, masks

ROOT = Path(__file__).parents[2]
CHAPTERS = [
    chapter
    for part in yaml.safe_load((ROOT / "book" / "chapters.yml").read_text())
    for chapter in part["chapters"]
]
CLAIM = re.compile(r"\b(?:\d+|an?|half|two|three|four)\s+(?:minutes|hours?)\b")


@pytest.fixture
def front(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    import front

    return front


def weights(front, kind):
    x = torch.tensor(list(front.SENTENCE.values()), dtype=torch.float64)
    return attention_weights(x, x, masks.causal(len(x)) if kind == "masked" else None)


def said(front, kind):
    html = front.grid().children[0].astext()
    return re.findall(rf'class="said said-\d {kind}">(.*?)</span>', html)


@pytest.mark.parametrize("kind", ["free", "masked"])
def test_the_grid_shows_the_weights_of_the_package(front, kind):
    html = front.grid().children[0].astext()
    shown = [float(x) for x in re.findall(rf'<span class="{kind}">(.*?)</span>', html)]
    shade = [float(x) for x in re.findall(rf"--{kind}:([\d.]+)", html)]
    right = weights(front, kind).flatten()
    assert len(shown) == len(shade) == 25
    torch.testing.assert_close(torch.tensor(shown).double(), right, rtol=0, atol=0.0051)
    torch.testing.assert_close(torch.tensor(shade).double(), right, rtol=0, atol=0.00051)


@pytest.mark.parametrize("kind", ["free", "masked"])
def test_the_grid_says_what_its_rows_show(front, kind):
    words = list(front.SENTENCE)
    for i, (row, sentence) in enumerate(zip(weights(front, kind), said(front, kind), strict=True)):
        seen = row[: i + 1] if kind == "masked" else row
        assert sentence.startswith(f"“{words[i]}” ")
        best = words[int(seen.argmax())]
        if len(seen) == 1:
            assert "its weight is 1" in sentence
        elif seen.max() - seen.min() < 1e-9:
            assert f"each gets the same: {seen.max():.2f}" in sentence
        else:
            name = "itself" if best == words[i] else f"“{best}”"
            assert f"; {name} gets most, {seen.max():.2f}" in sentence


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda c: c["id"])
def test_a_card_has_the_title_of_its_chapter(chapter):
    text = (ROOT / "book" / f"{chapter['id']}-{chapter['slug']}.md").read_text()
    assert re.search(r"^# (.*)$", text, re.M)[1] == chapter["title"]
    assert chapter["shows"]


@pytest.mark.parametrize("chapter", CHAPTERS, ids=lambda c: c["id"])
def test_the_opening_gives_the_counted_minutes_and_no_others(chapter):
    text = (ROOT / "book" / f"{chapter['id']}-{chapter['slug']}.md").read_text()
    place = text.index("**Before you start.**")
    before = text[place : text.index("\n\n", place)]
    assert CLAIM.findall(before) == []
    assert text.count("```{minutes}") == 1
    assert text.startswith(f"\n\n```{{minutes}} {chapter['id']}\n```\n", place + len(before))


def test_a_claim_of_minutes_would_be_found():
    assert CLAIM.findall("The core takes 75 minutes, the rest two\nhours, then an hour.") == [
        "75 minutes",
        "two\nhours",
        "an hour",
    ]
