"""The conditions under which a grammar's numbers exist, and the rules of the tales."""

import pytest

from plainformer.lab.grammar import TALES, Grammar


def test_tales_have_few_words_one_reading_and_verbs_that_agree():
    assert 40 <= len(TALES.words) <= 60
    assert TALES.ambiguity() == (None, True)
    verbs = dict(
        zip(TALES.words, TALES.next_word(TALES.encode("the fox near the owls")), strict=True)
    )
    assert min(verbs["sleeps"], verbs["sees"]) > 0
    assert verbs["sleep"] == verbs["see"] == 0
    deep = TALES.next_word(TALES.encode("the foxes that the owl"))
    assert deep[TALES.words.index("sees")] > 0 == deep[TALES.words.index("see")]


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ({"S": [(0, "a")]}, "weight 0"),
        ({"S": [(float("nan"), "a")]}, "weight nan"),
        ({"S": [(float("inf"), "a")]}, "weight inf"),
        ({"S": []}, "no right-hand side"),
        ({"S": [(1, [])]}, "empty right-hand side"),
        ({"S": [(1, "a"), (1, "a")]}, "twice"),
        ({"T": [(1, "a")]}, "start='S' has no rules"),
        ({"S": [(1, "a")], "T": [(1, "b")]}, "cannot be reached"),
        ({"S": [(1, "a T")], "T": [(1, "b T")]}, "never come to words"),
        ({"S": [(1, "S a"), (1, "b")]}, "can begin with themselves"),
        ({"S": [(1, "a S S"), (1, "b")]}, "infinite"),
    ],
)
def test_a_grammar_that_cannot_be_is_refused(rules, message):
    with pytest.raises(ValueError, match=message):
        Grammar(rules)
