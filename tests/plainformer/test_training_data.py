"""Rows: windows, padding, packing; batches: each row exactly once."""

import itertools

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from plainformer.training.batches import Batches, micro_batches
from plainformer.training.data import Packed, Padded, Windows, read_bytes


@given(length=st.integers(2, 40), width=st.integers(2, 9))
def test_each_token_but_the_first_is_a_target_once(length, width):
    if length < width:
        return
    source = Windows(np.arange(length), width)
    rows = source.rows(range(len(source)))
    targets = rows.tokens[:, 1:].flatten().tolist()
    whole = (length - 1) // (width - 1) * (width - 1)
    assert targets == list(range(1, whole + 1))


def test_padded_rows_say_what_is_real():
    rows = Padded([np.array([4, 5]), np.array([6])], 3, padding=9).rows([1, 0])
    assert rows.tokens.tolist() == [[6, 9, 9], [4, 5, 9]]
    assert rows.lengths.tolist() == [1, 2]
    assert rows.real.int().tolist() == [[1, 0, 0], [1, 1, 0]]


@given(st.lists(st.integers(1, 12), min_size=1, max_size=8))
def test_packing_loses_no_token_and_keeps_the_order(lengths):
    ends = np.cumsum([0, *lengths])
    documents = [np.arange(a, b) for a, b in itertools.pairwise(ends)]
    source = Packed(documents, 5, padding=99)
    rows = source.rows(range(len(source)))
    assert rows.tokens[rows.real].tolist() == list(range(ends[-1]))
    for tokens, segments, n in zip(rows.tokens, rows.segments, rows.lengths, strict=True):
        assert (segments.diff() >= 0).all()
        for one in segments.unique():
            piece = tokens[segments == one]
            assert (piece.diff() == 1).all() or (piece == 99).all()
        assert n == 5 or segments[n] not in segments[:n]


def test_packing_starts_a_row_only_where_the_next_does_not_fit():
    source = Packed([np.arange(2), np.arange(3), np.arange(1)], 5)
    assert [[len(piece) for piece in pack] for pack in source.packs] == [[2, 3], [1]]


def batches(rank=0, world=1, size=4, rows=10, seed=0):
    return Batches(
        source=Windows(np.arange(2 * rows + 1), 3), size=size, seed=seed, rank=rank, world=world
    )


@pytest.mark.parametrize("world", [2, 4])
def test_processes_share_each_batch_of_one_process_without_overlap(world):
    whole, parts = batches(), [batches(rank, world) for rank in range(world)]
    for _ in range(7):
        shares = [part.numbers() for part in parts]
        mixed = [share[i] for i in range(4 // world) for share in shares]
        assert mixed == whole.numbers()


def test_an_epoch_has_every_row_once_and_the_next_another_order():
    one = batches(size=10)
    first, second = one.numbers(), one.numbers()
    assert sorted(first) == sorted(second) == list(range(10))
    assert first != second
    assert batches(size=10, seed=1).numbers() != first


@given(st.integers(0, 20))
def test_a_resumed_order_goes_on_where_it_stopped(steps):
    one = batches(size=3)
    for _ in range(steps):
        one.numbers()
    two = batches(size=3)
    two.load_state_dict(one.state_dict())
    assert [two.take()[1] for _ in range(5)] == [one.take()[1] for _ in range(5)]


def test_keys_tell_epochs_and_rows_apart():
    one = batches(size=10)
    keys = [key for _ in range(3) for key in one.take()[1]]
    assert len(set(keys)) == 30


def test_other_data_or_another_seed_is_refused():
    state = batches().state_dict()
    with pytest.raises(ValueError, match="seed=0, this run's 1"):
        batches(seed=1).load_state_dict(state)
    with pytest.raises(ValueError, match="rows=10, this run's 9"):
        batches(rows=9).load_state_dict(state)
    other = Batches(source=Windows(np.arange(21)[::-1].copy(), 3), size=4)
    with pytest.raises(ValueError, match="text="):
        other.load_state_dict(state)


def test_micro_batches_are_the_rows_in_order():
    rows = Packed([np.arange(3)] * 4, 3).rows(range(4))
    parts = micro_batches(rows, 2)
    assert torch.equal(torch.cat([part.tokens for part in parts]), rows.tokens)
    assert [len(part.segments) for part in parts] == [2, 2]
    with pytest.raises(ValueError, match="not divisible by 3 micro-steps"):
        micro_batches(rows, 3)


def test_a_file_is_read_as_bytes(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"abc\xff")
    assert read_bytes(path).tolist() == [97, 98, 99, 255]
    (tmp_path / "empty").touch()
    with pytest.raises(ValueError, match="is empty"):
        read_bytes(tmp_path / "empty")
    for bad in ("absent", "."):
        with pytest.raises(ValueError, match=r"No such file|directory"):
            read_bytes(tmp_path / bad)


def test_data_that_cannot_be_is_refused():
    with pytest.raises(ValueError, match="at least one window"):
        Windows(np.arange(3), 4)
    with pytest.raises(ValueError, match="or pack"):
        Padded([np.arange(5)], 4)
    for kind in (Padded, Packed):
        for documents in ([], [np.arange(0)]):
            with pytest.raises(ValueError, match="none of them empty"):
                kind(documents, 4)
    with pytest.raises(ValueError, match="not divisible by 3 processes"):
        batches(world=3)
    with pytest.raises(ValueError, match="rank below"):
        batches(rank=2, world=2)
