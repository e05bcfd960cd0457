"""A student sees the input on which their answer fails, in all its readable parts."""

from exercise_bank.ch02.self_attention_check import COUNTS
from plaincourse.checking.grader import grade
from plaincourse.exercise import Exercise
from plaincourse.exercise.bank import load


def shown(id: str, mistake: str) -> dict[str, str]:
    """Return the smallest input on which a mistake fails, as its author sees it."""
    task = load(id)
    assert isinstance(task, Exercise)
    answer = next(each.answer for each in task.misconceptions if each.name == mistake)
    example = grade(task, answer).example
    assert example is not None
    return dict(example.inputs)


def test_self_attention_shows_tokens_and_weights() -> None:
    inputs = ["x", "W_query", "W_key", "W_value"]
    assert list(shown("02.SelfAttention", "no-scale")) == inputs
    more = shown("02.SelfAttention", "plain-tensors")
    assert list(more) == [*inputs, "read"]
    assert more["read"] == repr(COUNTS), "the numbers expected are not those of an output"


def test_a_needle_test_shows_what_the_model_replied_in_lines_that_fit() -> None:
    told = shown("15.needle", "equal-replies")
    assert told["model"] == "the function model"
    assert "It is " in told["replies to the right prompts"]
    assert "I do not know." in told["replies to an empty prompt"]
    assert max(len(line) for value in told.values() for line in value.split("\n")) <= 76
