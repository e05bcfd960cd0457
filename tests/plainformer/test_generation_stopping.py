"""Stop conditions: when a sequence stops, and the reported reason."""

import pytest

from plainformer.generation import EndToken, StopSequence, generate
from plainformer.generation.stopping import why_stopped
from tests.plainformer.generation_models import talkative

MODEL = talkative(context=64)
PROMPTS = [[1, 2, 3], [4]]
FREE = generate(MODEL, PROMPTS, max_new_tokens=20).tokens


def test_an_end_token_stops_its_sequence_only_and_is_kept():
    end = FREE[0][4]
    made = generate(MODEL, PROMPTS, max_new_tokens=20, stop=[EndToken(end, 99)])
    for free, new, why in zip(FREE, made.tokens, made.stopped, strict=True):
        at = free.index(end) + 1 if end in free else 20
        assert new == free[:at]
        assert why == ("token" if end in free else "length")
    assert made.stopped[0] == "token"


def test_a_stop_sequence_stops_where_it_is_complete():
    run = FREE[1][5:8]
    made = generate(MODEL, PROMPTS, max_new_tokens=20, stop=[StopSequence([98, 99], run)])
    end = next(i for i in range(3, 21) if FREE[1][i - 3 : i] == run)
    assert (made.tokens[1], made.stopped[1]) == (FREE[1][:end], "sequence")


def test_a_stop_sequence_does_not_reach_into_the_prompt():
    first = FREE[0][0]
    made = generate(MODEL, PROMPTS[:1], max_new_tokens=3, stop=[StopSequence([3, first])])
    assert made.stopped == ["length"]


def test_any_function_can_stop_with_a_reason_of_its_own():
    def enough(new):
        return "seen enough" if len(new) == 3 else None

    made = generate(MODEL, PROMPTS, max_new_tokens=20, stop=[enough])
    assert made.tokens == [free[:3] for free in FREE]
    assert made.stopped == ["seen enough"] * 2


def test_conditions_are_asked_in_order_and_before_the_length_and_the_context():
    ends = [StopSequence([5, 2]), EndToken(2)]
    assert why_stopped([5, 2], ends, max_new_tokens=2, room=-1) == "sequence"
    assert why_stopped([4, 2], ends, max_new_tokens=2, room=-1) == "token"
    assert why_stopped([4, 3], ends, max_new_tokens=2, room=-1) == "length"
    assert why_stopped([4, 3], ends, max_new_tokens=3, room=-1) == "context"
    assert why_stopped([4, 3], ends, max_new_tokens=3, room=0) is None


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: EndToken(), "expected at least one token"),
        (lambda: StopSequence(), "expected runs of at least one token"),
        (lambda: StopSequence([1], []), "expected runs of at least one token"),
    ],
)
def test_conditions_that_can_never_hold_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_the_models_own_end_tokens_stop_it_unless_it_is_told_otherwise():
    end = FREE[0][4]
    model = talkative(context=64, end_tokens=[end])
    made = generate(model, PROMPTS, max_new_tokens=20)
    assert made.stopped[0] == "token"
    assert made.tokens[0] == FREE[0][: FREE[0].index(end) + 1]
    assert generate(model, PROMPTS, max_new_tokens=20, stop=[]).tokens == FREE
    other = EndToken(FREE[0][0])
    for stop in (other, [other]):
        assert generate(model, PROMPTS[:1], max_new_tokens=20, stop=stop).tokens == [FREE[0][:1]]


def test_text_is_no_run_of_tokens():
    with pytest.raises(
        ValueError, match=r"StopSequence\('é'\): .* bytes StopSequence\(\[195, 169\]"
    ):
        StopSequence("é")
