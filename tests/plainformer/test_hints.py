"""Advice in an error message works: each row gets the message and follows its advice."""

import re
import tempfile
from pathlib import Path

import pytest
import torch

import plainformer
from tests.plainformer.hints import (
    attention,
    checkpoints,
    generation,
    models,
    pictures,
    training,
)
from tests.plainformer.hints.rows import advising

HOME = Path(plainformer.__file__).parent
ERRORS = (ValueError, NotImplementedError, FileNotFoundError, RuntimeError, ArithmeticError)
ROOMS = (attention, models, checkpoints, generation, training, pictures)
HINTS = [hint for room in ROOMS for hint in room.HINTS]


def name_of(hint):
    return re.sub(r"\W+", " ", hint.text).strip()[:60]


@pytest.fixture(autouse=True)
def quiet(monkeypatch, tmp_path):
    """Write files only to the test's folder, and compute sums in one thread."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("hint", HINTS, ids=name_of)
def test_advice_is_given_and_works(hint):
    pattern = ".*".join(re.escape(part) for part in hint.text.split("…"))
    with pytest.raises(ERRORS, match=f"(?s){pattern}"):
        hint.wrong()
    for way in hint.ways:
        way()


def without_row(found):
    """Return the places of messages with advice but without a row."""
    return {place: text for place, text in found.items() if not any(h.text in text for h in HINTS)}


def test_every_message_with_advice_has_a_row():
    found = advising(HOME)
    assert without_row(found) == {}
    unused = [h.text for h in HINTS if sum(h.text in text for text in found.values()) != 1]
    assert unused == []
    assert all(hint.ways for hint in HINTS)


@pytest.mark.parametrize(
    "message",
    [
        '"the model is too wide: use a narrower one"',
        'f"size={size}: expected 3. Make it 3, or leave it out"',
        '"these do not fit; call fit() first"',
        'f"no {name}: " f"expected a name, or set name={name!r} before"',
        '"a cache is full; create a larger one"',
    ],
)
def test_new_advice_fails_by_its_place(tmp_path, message):
    source = f"def check(size, name):\n    raise ValueError({message})\n"
    (tmp_path / "new.py").write_text(source, "utf-8")
    assert list(without_row(advising(tmp_path))) == ["new.py:2"]


@pytest.mark.parametrize(
    "body",
    [
        'return f" It has {size} columns: take the first {size}"',
        'hint = f"the model is {size} wide" + ": use a narrower one"\n    return hint',
        'return ValueError(f"{size} is too many: leave some of them out")',
    ],
)
def test_new_advice_that_a_function_makes_fails_by_its_place(tmp_path, body):
    (tmp_path / "new.py").write_text(f'def _hint(size):\n    """Say it."""\n    {body}\n', "utf-8")
    assert list(without_row(advising(tmp_path))) == ["new.py:3"]


def test_messages_without_advice_need_no_row(tmp_path):
    plain = ["size=3: expected 4", "the name of the file is missing", "rows of a set are equal"]
    source = "".join(
        f"def f{i}():\n    raise ValueError({text!r})\n" for i, text in enumerate(plain)
    )
    (tmp_path / "new.py").write_text(source, "utf-8")
    assert advising(tmp_path) == {}
