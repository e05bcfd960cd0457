import pytest

from plainformer.generation import EndToken
from plainformer.serving import Engine, Request
from tests.plainformer.test_serving_engine import MODEL, alone


def test_answers_end_where_a_condition_says_so():
    likely = alone(Request(prompt=[1, 2], max_new_tokens=5))
    request = Request(prompt=[1, 2], max_new_tokens=5, stop=[EndToken(likely[1])])
    engine = Engine(MODEL, pages=9, page_size=4)
    engine.submit(request)
    (answer,) = engine.run().values()
    assert (answer.tokens, answer.stopped) == (likely[: likely.index(likely[1]) + 1], "token")


def test_a_cancelled_request_keeps_what_it_had_and_frees_its_pages():
    engine = Engine(MODEL, pages=9, page_size=4, prefix_cache=False)
    number = engine.submit(Request(prompt=[1, 2], max_new_tokens=9))
    engine.step()
    engine.step()
    engine.cancel(number)
    assert (engine.answers[number].stopped, len(engine.answers[number].tokens)) == ("cancelled", 2)
    assert engine.pool.free_pages == 9
    with pytest.raises(ValueError, match="request 0 is not open"):
        engine.cancel(number)
