"""Other positions beyond their length: one thing changes in training, and a table is stretched."""

import pytest
import torch
from experiments.stretch_other_positions import (
    EXPERIMENT,
    OtherPositions,
    stretched,
    stretched_table,
)
from experiments.stretch_the_storyteller import DEPTHS, EDGES, LENGTHS, TRAINED
from experiments.stretch_the_storyteller import EXPERIMENT as ROTARY

from plainformer.lab.experiments import read
from plainformer.lab.storyteller import Recipe, held_out
from plainformer.models import Decoder

KINDS = [settings["positions"] for settings in EXPERIMENT.variants.values()]


def untrained(positions: str) -> Decoder:
    torch.manual_seed(0)
    return Decoder(OtherPositions(positions=positions).config()).eval()


@pytest.mark.parametrize("positions", KINDS)
def test_nothing_but_the_positions_differs_from_the_storyteller(positions: str) -> None:
    other, own = OtherPositions(positions=positions), Recipe()
    assert {name: value for name, value in vars(other).items() if name != "positions"} == vars(own)
    assert other.config().to_dict() == own.config().to_dict() | {"positions": positions}
    assert (EXPERIMENT.steps, EXPERIMENT.seeds) == (ROTARY.steps, ROTARY.seeds)


@pytest.mark.parametrize("positions", ["alibi", "sinusoidal"])
def test_what_goes_on_by_itself_reads_the_first_words_as_before(positions: str) -> None:
    model, words = untrained(positions), held_out(3, length=TRAINED)
    longer = stretched(model, 2 * TRAINED)
    assert longer.config.context == 2 * TRAINED
    torch.testing.assert_close(longer(words), model(words))


def test_a_table_is_refused_beyond_its_end_unless_it_is_stretched() -> None:
    model, words = untrained("learned"), held_out(3, length=2 * TRAINED)
    with pytest.raises(ValueError, match="128 positions do not fit the model's context of 64"):
        model(words)
    longer = stretched(model, 2 * TRAINED)
    assert longer(words).shape == (3, 2 * TRAINED, len(longer.embedding.weight))
    short, long = model.position_embedding, longer.position_embedding
    assert short is not None
    assert long is not None
    ends = torch.tensor([0, TRAINED - 1])
    torch.testing.assert_close(long(torch.tensor([0, 2 * TRAINED - 1])), short(ends))


def test_rows_of_a_stretched_table_lie_evenly_between_those_it_had() -> None:
    rows = torch.tensor([[0.0], [1.0], [4.0]])
    assert stretched_table(rows, 5).flatten().tolist() == [0, 0.5, 1, 2.5, 4]


@pytest.mark.parametrize("name", EXPERIMENT.variants)
def test_the_record_has_a_needle_for_each_depth_and_a_loss_for_each_part(name: str) -> None:
    run = read("stretch_other_positions").runs[name]
    for length in LENGTHS:
        assert {len(each) for each in run[f"needles at {length}"]} == {len(DEPTHS)}
        assert all(0 <= share <= 1 for each in run[f"needles at {length}"] for share in each)
    for kind in ("copied", "other"):
        assert {len(each) for each in run[f"{kind} at {LENGTHS[-1]}"]} == {len(EDGES) - 1}
