"""Mutants have stable names, and each behaves differently."""

import pytest

from plaincourse.proving.mutants.mutate import digest, mutants, tidy

SCORES = '''
def scores(query, key):
    """Return the dot products."""
    # Every query with every key.
    return query @ key.transpose(
        -2, -1
    )
'''


def test_a_name_says_where_and_what() -> None:
    names = [each.name for each in mutants(SCORES)]
    assert "scores: line 2: transpose(-2, -1) dropped" in names
    assert "scores: line 2: -2 becomes -3 in key.transpose(-2, -1)" in names


def test_names_do_not_hang_on_comments_docstrings_and_line_breaks() -> None:
    plain = "def scores(query, key):\n    return query @ key.transpose(-2, -1)"
    assert mutants(plain) == mutants(SCORES) == mutants(tidy(SCORES))


def test_names_are_unique_and_so_is_what_a_mutant_does() -> None:
    source = "def f(x):\n    return x[:1] + x[:1] + len(x)"
    found = mutants(source)
    assert len({each.name for each in found}) == len({each.code for each in found}) == len(found)
    assert "f: line 2: [:1] becomes [:] (2)" in [each.name for each in found]


def test_a_change_that_compiles_to_the_same_is_no_mutant() -> None:
    # -0 is 0, and neither "0 becomes -0" nor the original may come twice.
    found = [each.source for each in mutants("def f(x):\n    return x.sum(-1)")]
    assert found.count("def f(x):\n    return x.sum(0)") == 1
    assert "def f(x):\n    return x.sum(-0)" not in found
    assert "def f(x):\n    return x.sum(-1)" not in found


def test_a_label_comes_first() -> None:
    found = mutants("def f(x):\n    return x + 1", label="reference ")
    assert found[0].name.startswith("reference f: line 2: ")


def test_an_assignment_is_changed_too() -> None:
    found = {each.name: each.source for each in mutants("answer_row = 1 / (1 + math.exp(-3))")}
    assert found["answer: line 1: 1 + dropped"] == "answer_row = 1 / math.exp(-3)"
    assert not any("deleted" in name for name in found)


def test_every_mutant_is_python() -> None:
    for each in mutants(SCORES):
        compile(each.source, "mutant", "exec")


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("def g(a: int) -> int:\n    '''What.'''\n    b = a + 1\n    return b", True),
        ("def f(a):\n    c = a + 1\n    return c", True),
        ("def f(z):\n    b = z + 1\n    return b", False),
        ("def f(a):\n    b = a + 1.0\n    return b", False),
        ("def f(a):\n    b = a - 1\n    return b", False),
        ("def f(a):\n    return (lambda: a + 1)()", False),
    ],
)
def test_code_is_the_same_but_for_names_that_nobody_sees(other: str, same: bool) -> None:
    assert (digest(tidy("def f(a):\n    b = a + 1\n    return b")) == digest(tidy(other))) is same
