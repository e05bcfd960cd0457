"""Settings are checked, and wrong ones are named."""

import pytest

from plainformer.models.checkpoints import UnsupportedCheckpoint
from plainformer.models.settings import Settings

VALUES = {"n": 3, "x": 0.5, "flag": True, "name": "silu", "none": None, "inner": {"y": 1}}
SETTINGS = Settings(VALUES)


def test_what_is_given_is_returned_and_null_counts_as_left_out():
    assert SETTINGS.integer("n") == 3
    assert isinstance(SETTINGS.number("n"), float)
    assert SETTINGS.number("x") == 0.5
    assert SETTINGS.flag("flag", False) is True
    assert SETTINGS.choice("name", "", {"silu": "swiglu"}) == "swiglu"
    assert SETTINGS.inner("inner").integer("y") == 1
    assert SETTINGS.integer("none", 7) == SETTINGS.integer("left_out", 7) == 7
    assert SETTINGS.number("none", None) is None
    assert SETTINGS.inner("none").integer("y", 2) == 2


@pytest.mark.parametrize(
    ("read", "words"),
    [
        (lambda s: s.integer("left_out"), "config.json lacks 'left_out', a whole number"),
        (lambda s: s.number("none"), "config.json lacks 'none', a number"),
        (lambda s: s.integer("x"), "x=0.5 is not a whole number"),
        (lambda s: s.integer("flag"), "flag=True is not a whole number"),
        (lambda s: s.number("name"), "name='silu' is not a number"),
        (lambda s: s.flag("n", True), "n=3 is not true or false"),
        (lambda s: s.choice("n", "", {}), "n=3 is not text"),
        (lambda s: s.choice("name", "", {"a": 1, "b": 2}), r"not supported; expected one of \['a'"),
        (lambda s: s.inner("n"), "n=3 is not an object"),
        (lambda s: s.inner("inner").integer("z"), "config.json: inner lacks 'z'"),
        (lambda s: s.only(left_out=1, flag=False), "flag=True is not supported; expected False"),
    ],
)
def test_what_is_not_as_expected_is_refused_by_name(read, words):
    with pytest.raises(UnsupportedCheckpoint, match=words):
        read(SETTINGS)


def test_only_lets_pass_what_is_left_out_or_as_expected():
    SETTINGS.only(left_out=True, none=2, n=3)


def test_null_in_place_of_true_is_refused_for_the_library_reads_it_as_false():
    SETTINGS.only(none=False)
    with pytest.raises(UnsupportedCheckpoint, match="none=None is not supported; expected True"):
        SETTINGS.only(none=True)


def test_what_nobody_asked_for_is_named_wherever_it_stands():
    settings = Settings({**VALUES, "known": 1, "extra": "x", "unread": {"z": 1}})
    for read in (settings.integer, settings.raw, settings.nullable):
        read("n", *([0] if read == settings.nullable else []))
    settings.number("x")
    settings.flag("flag", False)
    settings.only(name="silu")
    assert settings.inner("inner") is settings.inner("inner")
    words = "config.json: not known here.*: extra='x', unread={'z': 1}, inner.y=1. Take"
    with pytest.raises(UnsupportedCheckpoint, match=words):
        settings.refuse_unread({"known"})
    settings.inner("inner").all()
    settings.refuse_unread({"known", "extra", "unread"})


def test_null_is_none_where_that_means_something_else_than_left_out():
    assert (SETTINGS.nullable("none", 7), SETTINGS.nullable("left_out", 7)) == (None, 7)
    assert SETTINGS.nullable("n", 7) == 3
