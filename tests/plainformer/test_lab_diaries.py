"""Diaries: the answer is the room in the last line about the person in the question."""

import torch

from plainformer.lab.diaries import WORDS, diaries, three_back


def test_the_answer_stands_in_the_last_line_about_the_one_who_is_asked_for():
    words, rooms = diaries(9, 200)
    assert words.shape == (200, 10)
    for row, room in zip(words.tolist(), rooms.tolist(), strict=True):
        *lines, asked = row
        assert asked in range(16, WORDS)
        assert [line % 4 for line in lines if line // 4 == asked - 16][-1] == room


def test_earlier_lines_often_say_otherwise_so_that_order_matters():
    words, rooms = diaries(16, 500)
    first = [next(w % 4 for w in row if w // 4 == row[-1] - 16) for row in words.tolist()]
    assert sum(a != b for a, b in zip(first, rooms.tolist(), strict=True)) > 200


def test_the_word_three_places_before_the_question_is_the_answer():
    words, answer = three_back(6, 50)
    assert torch.equal(words[:, -4], answer)
    assert (words[:, -1] == 16).all()
    assert words[:, :-1].max() < 16
