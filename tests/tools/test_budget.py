"""A chapter's core path within the budget stays within it; one over the budget gets no worse."""

import json
from pathlib import Path

import pytest
from tools import budget

from plaincourse.notebooks.counting import Count, core

PAGES = {path.name[:2]: path for path in budget.chapters()}
WITHIN = Count(words=3500, cells=35, lines=250, predictions=8, drawings=3)


@pytest.mark.parametrize("number", PAGES)
def test_a_chapter_is_within_the_budget_or_no_worse_than_its_record(number: str) -> None:
    now = budget.over(core(PAGES[number].read_text("utf-8")))
    assert budget.worse(now, budget.load().get(number, {})) == []


def test_the_record_names_chapters_and_is_written_in_one_way() -> None:
    record = budget.load()
    assert record.keys() <= PAGES.keys()
    assert budget.RECORD.read_text("utf-8") == budget.written(record)


@pytest.mark.parametrize(
    ("planted", "said"),
    [
        ("word " * 3501, "3501 words, at most 3500"),
        ("```{code-cell} python\nx\n```\n" * 36, "36 cells, at most 35"),
        ("```{code-cell} python\n" + "x\n" * 251 + "```\n", "251 lines, at most 250"),
        ("```{admonition} Predict\n```\n" * 9, "9 predictions, at most 8"),
        ("$$a$$\n" * 92, "76 minutes, at most 75"),
        ("", "0 drawings, at least 3"),
    ],
)
def test_a_page_over_the_budget_is_refused(planted: str, said: str) -> None:
    assert said in budget.worse(budget.over(core(planted)), {})


def test_a_page_at_the_budget_is_within_it() -> None:
    assert WITHIN.minutes <= 75
    assert budget.over(WITHIN) == {}


def test_what_is_over_may_get_better_and_not_worse() -> None:
    record = {"words": 4000, "drawings": 1}
    assert budget.worse({"words": 4000, "drawings": 2}, record) == []
    assert budget.worse({"words": 4001, "drawings": 0}, record) == [
        "4001 words, at most 4000",
        "0 drawings, at least 1",
    ]
    assert budget.worse({"cells": 36}, record) == ["36 cells, at most 35"]


def test_the_command_lowers_a_record_and_refuses_to_raise_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page, record = tmp_path / "01-page.md", tmp_path / "budget.json"
    monkeypatch.setattr(budget, "RECORD", record)
    other = {"02": {"cells": 40}}
    record.write_text(json.dumps({"01": {"words": 4000, "drawings": 0}, **other}), "utf-8")
    page.write_text("word " * 4001, "utf-8")
    assert budget.main(["--record", str(page)]) == 1
    assert "WORSE THAN ITS RECORD: 4001 words, at most 4000" in capsys.readouterr().out
    assert budget.load()["01"] == {"words": 4000, "drawings": 0}
    page.write_text("word " * 3600, "utf-8")
    assert budget.main(["--check", str(page)]) == 0
    assert capsys.readouterr().out == ""
    assert budget.main(["--record", str(page)]) == 0
    assert budget.load() == {"01": {"words": 3600, "drawings": 0}, **other}
