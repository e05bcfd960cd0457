"""The numbers of the recipe tin are those of plainformer, and its claims are true for them."""

import shutil

import pytest
import torch

from plainformer import attend, attention_weights
from plainformer.scores import cosine, dot
from tests.book.test_widget_parity import in_node, points, same

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
SCORES = {"dot": dot, "cosine": cosine}
VALUES = torch.tensor([[10.0, 0], [0, 10], [5, 5]], dtype=torch.float64)


@pytest.fixture(scope="module")
def states() -> list[dict]:
    generator = torch.Generator().manual_seed(1)
    return [
        {"query": points(generator, 2), "keys": points(generator, 3, 2), "score": s, "tau": tau}
        for s in SCORES
        for tau in (0.125, 1, 8)
        for _ in range(4)
    ]


def plain(state: dict) -> dict:
    return {name: x.tolist() if torch.is_tensor(x) else x for name, x in state.items()}


def test_weights_and_basket_are_those_of_plainformer(states):
    answers = in_node(
        "recipe-tin.core.js", "core.ask({ ...x, hard: false })", [*map(plain, states)]
    )
    for state, answer in zip(states, answers, strict=True):
        score, tau = SCORES[state["score"]], state["tau"]

        def cooled(q, k, score=score, tau=tau):
            return score(q, k) / tau

        query, keys = state["query"][None], state["keys"]
        same(answer["scores"], score(query, keys)[0])
        same(answer["weights"], attention_weights(query, keys, score=cooled)[0])
        same(answer["basket"], attend(query, keys, VALUES, score=cooled)[0])


def test_a_territory_is_where_a_card_has_the_largest_score(states):
    n = 12
    maps = in_node("recipe-tin.core.js", f"core.territories(x, {n})", [*map(plain, states)])
    middles = -2 + (torch.arange(n, dtype=torch.float64) + 0.5) * 4 / n
    for state, found in zip(states, maps, strict=True):
        for row, y in enumerate(-middles):
            asked = torch.stack([middles, y.expand(n)], dim=-1)
            best = SCORES[state["score"]](asked, state["keys"]).argmax(dim=-1)
            assert found[row] == best.tolist()


def test_a_key_between_two_others_is_never_the_favourite():
    generator = torch.Generator().manual_seed(3)
    keys = torch.tensor([[1.0, 0], [0, 1], [0.5, 0.5]], dtype=torch.float64)
    scores = dot(points(generator, 1000, 2), keys)
    assert (scores[:, 2] < scores[:, :2].amax(dim=-1)).all()


def test_a_vector_of_length_0_scores_0_in_both():
    (answer,) = in_node(
        "recipe-tin.core.js",
        "core.ask({ ...core.start(), query: [0, 0], score: x.score })",
        [{"score": "cosine"}],
    )
    same(answer["scores"], cosine(torch.zeros(1, 2), torch.eye(2))[0, :1].expand(3))
