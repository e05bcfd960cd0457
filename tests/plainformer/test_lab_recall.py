"""The memory game: its draws, and the possible recall of its readers."""

import pytest
import torch

from plainformer.lab.recall import (
    LABELS,
    Reader,
    draw,
    last_state,
    look_back,
    practise,
    share_right,
)


def test_no_label_comes_twice_and_each_is_asked_for_with_its_digit() -> None:
    torch.manual_seed(0)
    labels, digits, asked, wanted = draw(LABELS, games=7)
    for seen, written, question, answer in zip(labels, digits, asked, wanted, strict=True):
        assert len(set(seen.tolist())) == LABELS
        book = dict(zip(seen.tolist(), written.tolist(), strict=True))
        assert [book[label] for label in question.tolist()] == answer.tolist()
    assert not torch.equal(labels, asked)


def test_the_last_state_is_the_same_for_every_question() -> None:
    states = torch.randn(2, 5, 3)
    recalled = last_state(torch.randn(2, 4, 3), states)
    assert torch.equal(recalled, states[:, -1:].expand(2, 4, 3))


def test_looking_back_finds_the_state_that_a_question_is_like() -> None:
    states = 30 * torch.eye(3)[None]
    assert torch.allclose(look_back(states[:, 1:2], states), states[:, 1:2])


@pytest.mark.parametrize("recall", [last_state, look_back])
def test_no_answer_depends_on_another_question(recall) -> None:
    torch.manual_seed(0)
    labels, digits, asked, _ = draw(4, games=2)
    reader = Reader(width=8, recall=recall)
    alone = torch.cat([reader(labels, digits, asked[:, i : i + 1]) for i in range(4)], dim=1)
    torch.testing.assert_close(reader(labels, digits, asked), alone)


def test_both_readers_have_the_same_parameters() -> None:
    sizes = [
        [p.shape for p in Reader(width=8, recall=recall).parameters()]
        for recall in (last_state, look_back)
    ]
    assert sizes[0] == sizes[1]


def test_practice_stops_at_each_check_and_teaches() -> None:
    torch.manual_seed(0)
    reader = Reader(width=32, recall=look_back)
    before = share_right(reader, 4)
    assert list(practise(reader, checks=[60, 120])) == [60, 120]
    assert before < 0.3 < 0.6 < share_right(reader, 4)
