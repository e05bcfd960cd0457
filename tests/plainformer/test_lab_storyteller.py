"""The package's model is the one in its record, has the stated results, and can be made again."""

import dataclasses
import json

import pytest
import torch

from plainformer.lab import storyteller as home
from plainformer.lab.storyteller import BALLADS, Recipe, fingerprint, held_out, look
from plainformer.looking import marked, patterns, recorded


@pytest.fixture(scope="module")
def model():
    return home.storyteller()


def test_the_weights_are_those_of_the_record(model):
    about = home.record()
    assert fingerprint(model) == about["sha256"]
    assert sum(p.numel() for p in model.parameters()) == about["parameters"]
    recipe = {k: tuple(v) if isinstance(v, list) else v for k, v in about["recipe"].items()}
    assert recipe == vars(Recipe())
    assert model.config == Recipe().config()
    assert not model.training
    assert sum(file.stat().st_size for file in home.HOME.iterdir()) < 2_000_000


def test_on_other_text_it_is_as_good_as_recorded(model):
    about, seen = home.record(), look(model, held_out(seed=7))
    assert seen["loss"] - seen["floor"] == pytest.approx(about["loss"] - about["floor"], abs=0.03)
    assert seen["copied"] == pytest.approx(about["copied"], abs=0.03)
    assert seen["other"] == pytest.approx(about["other"], abs=0.03)


def test_it_has_a_head_for_the_word_before_and_one_for_induction(model):
    fresh, last = home.growth()[0], home.growth()[-1]
    assert max(last["previous"][0]) > 0.4 > 3 * max(fresh["previous"][0])
    torch.manual_seed(0)
    words = torch.stack([torch.randperm(45)[:20] for _ in range(16)])
    with torch.no_grad(), recorded(model) as seen:
        model(words.repeat(1, 2))
    assert patterns.induction(seen.weights[1], words.repeat(1, 2)).max() > 0.4


def test_growth_ends_where_the_record_does_and_others_were_grown_by_the_same_recipe():
    about, rows = home.record(), home.growth()
    for seed in (0, *home.SEEDS):
        assert [row["step"] for row in home.growth(seed)] == list(Recipe().looks)
        assert home.growth(seed)[-1]["floor"] == rows[-1]["floor"]
    assert {k: rows[-1][k] for k in ("loss", "floor", "copied")} == {
        k: about[k] for k in ("loss", "floor", "copied")
    }


def test_a_configuration_can_be_changed_at_loading():
    assert home.storyteller(context=128).config.context == 128


def test_without_its_data_the_package_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.setattr(home, "HOME", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"python -m plainformer\.lab\.storyteller"):
        home.storyteller()


def test_a_short_recipe_gives_the_same_weights_twice_and_others_by_another_seed(tmp_path):
    short = Recipe(steps=3, documents=64, looks=(0, 3))
    digests = []
    for name, recipe in (("a", short), ("b", short), ("c", dataclasses.replace(short, seed=1))):
        home.make(tmp_path / name, recipe)
        digests.append(json.loads((tmp_path / name / home.RECORD).read_text())["sha256"])
    assert digests[0] == digests[1] != digests[2]


def test_marked_keys_count_only_where_there_is_one_to_see():
    weights = torch.tensor([[[[1.0, 0.0, 0.0], [0.5, 0.5, 0.0], [0.1, 0.7, 0.2]]]])
    keys = torch.tensor([[False, True, False]])
    torch.testing.assert_close(marked(weights, keys), torch.tensor([0.6]))
    assert BALLADS.words[BALLADS.stop] == "."


@pytest.mark.slow
def test_the_command_makes_the_same_model_again(tmp_path):
    if torch.__version__ != home.record()["torch"]:
        pytest.skip("made with another version of PyTorch, which may round otherwise")
    assert home.main(["--out", str(tmp_path), "--seeds"]) == 0
    again = json.loads((tmp_path / home.RECORD).read_text("utf-8"))
    assert again["loss"] == pytest.approx(home.record()["loss"], abs=0.02)
    assert again["sha256"] == home.record()["sha256"]
