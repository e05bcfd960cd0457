"""A student finally has a page, a plot, a report with numbers, and an address that responds."""

import json
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree

import pytest

from plainformer.lab.capstone import PARTS, Measured, __main__, endpoint, pages
from plainformer.lab.capstone.language import language
from plainformer.lab.capstone.training import train

TINY: dict[str, Any] = {
    "model": {"d_model": 16, "n_layers": 1, "n_heads": 2},
    "training": {"batch": 4},
    "serving": {"max_running": 2},
}


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Train for three steps; return the seeds that were trained."""
    seeds: list[int] = []

    def trained(data: dict[str, Any], *, seed: int, seconds: float) -> dict[str, Any]:
        seeds.append(seed)
        parts = {name: part for name, part in data.items() if name != "training"}
        weights = train(data["model"], endpoint.held_out(seed, 8, 64), steps=3, batch=4)
        return {**parts, "weights": weights}

    def measured(data: object, *, seed: int) -> Measured:
        facts = {"parameters": 4_000.0, "excess": 2.0, "excess_long": 2.1, "memory": 0.125}
        return Measured(
            parts=dict.fromkeys(PARTS, 0.0),
            facts={**facts, "decode": 1.0, "served": 1.5},
            refused="it is 2.00 nats above the floor, & <that> is much",
        )

    monkeypatch.setattr(endpoint, "train_entry", trained)
    monkeypatch.setattr(endpoint, "measure", measured)
    return seeds


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    file = tmp_path / "mine.json"
    file.write_text(json.dumps(TINY), "utf-8")
    return file


def test_the_files_hold_samples_a_plot_and_the_numbers(
    quick: list[int], mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = mine.parent / "shown"
    given = ["serve", str(mine), f"--folder={folder}", "--seed=3", "--write-only"]
    assert __main__.main(given) == 0
    assert "index.html, plot.svg and report.md" in capsys.readouterr().out
    html = (folder / "index.html").read_text("utf-8")
    samples = html.count("<q>")
    assert samples == 4
    assert "4,000 weights, 0 of 28 points" in html
    assert "&amp; &lt;that&gt; is much" in html
    ElementTree.fromstring((folder / "plot.svg").read_text("utf-8"))
    report = (folder / "report.md").read_text("utf-8")
    assert "| model | d_model | 16 |" in report
    assert "| excess_long | 2.1 |" in report
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert __main__.main(given) == 0
    assert quick == [3], "the same design was trained once"
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert __main__.main([*given[:3], "--seed=4", "--write-only"]) == 0
    assert quick == [3, 4]


def test_the_address_shows_the_page_and_continues_a_text(quick: list[int], mine: Path) -> None:
    answer = endpoint.make("mine", TINY, mine.parent / "shown", seed=0, seconds=1.0)
    with endpoint.server(mine.parent / "shown", answer, 0) as serving:
        assert serving.server_address[0] == "127.0.0.1"
        threading.Thread(target=serving.serve_forever, daemon=True).start()

        def get(path: str) -> tuple[int, str]:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{serving.server_port}{path}") as got:
                    return got.status, got.read().decode()
            except urllib.error.HTTPError as error:
                return error.code, error.read().decode()

        assert "<h1>mine</h1>" in get("/")[1]
        status, made = get("/continue?text=the+fox&words=7")
        assert status == 200
        words = json.loads(made)["continued"].split()
        assert len(words) == 7
        assert set(words) <= set(language(0).words)
        for wrong in ("text=the+unicorn", "", "text=the&words=x", "text=the&words=9999"):
            status, said = get(f"/continue?{wrong}")
            assert status == 400
            assert json.loads(said)["error"]
        assert get("/" + quote("../mine.json"))[0] == 404
        serving.shutdown()


def test_what_cannot_be_shown_ends_with_its_reason(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for text, says in (
        ('{"model": {"wisdom": 3}}', "wisdom"),
        ('{"weights": {}}', "the grader trains the model itself"),
        ("{", "line 1"),
    ):
        mine.write_text(text, "utf-8")
        assert endpoint.main([str(mine), "--write-only"]) == 1
        assert says in capsys.readouterr().err
    assert endpoint.main([str(mine.with_name("none.json")), "--write-only"]) == 1


def test_a_plot_has_a_dot_for_each_training_and_a_name_for_each_design() -> None:
    rows = [{"served": 1.0, "excess": 0.2}, {"served": 1.5, "excess": 0.3}]
    drawn = ElementTree.fromstring(pages.plot({"a": rows, "b <c>": [*rows[:1], {"excess": 2.0}]}))
    space = "{http://www.w3.org/2000/svg}"
    assert len(drawn.findall(f"{space}circle")) == 3 + 2
    texts = [text.text for text in drawn.findall(f"{space}text")]
    assert {"a", "b <c>"} <= set(texts)
