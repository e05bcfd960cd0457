import math

import torch

from plainformer.looking import distance, entropy, first_token, induction, previous_token
from plainformer.softmax import softmax
from tests.plainformer.tensors import normal


def one_hot(rows, k):
    return torch.eye(k, dtype=torch.float64)[torch.tensor(rows)][None, None]


def test_entropy_is_zero_for_one_key_and_ln_k_for_all_alike():
    sharp, flat = one_hot([0, 3], 4), torch.full((1, 1, 2, 4), 0.25, dtype=torch.float64)
    torch.testing.assert_close(
        entropy(torch.cat([sharp, flat], 1)), torch.tensor([0.0, math.log(4)], dtype=torch.float64)
    )


def test_distance_is_the_mean_way_back():
    assert distance(one_hot([0, 0, 0], 3)).tolist() == [1.0]  # 0, 1 and 2 back
    assert distance(one_hot([2], 4)).tolist() == [1.0]  # one query, the last of four positions


def test_previous_token_heads_score_one_and_others_what_they_look():
    assert previous_token(one_hot([0, 0, 1, 2], 4)).tolist() == [1.0]
    assert previous_token(one_hot([0, 1, 2, 3], 4)).tolist() == [0.0]
    assert previous_token(one_hot([2], 4)).tolist() == [1.0]


def test_first_token_leaves_out_the_query_that_stands_there():
    assert first_token(one_hot([0, 0, 0], 3)).tolist() == [1.0]
    assert first_token(one_hot([0, 0, 2], 3)).tolist() == [0.5]


def test_induction_is_the_weight_on_what_followed_the_latest_occurrence():
    tokens = torch.tensor([[5, 7, 5, 8, 5]])
    follows = one_hot([0, 0, 1, 0, 3], 5)  # 5 … 7 after the first 5; 8 after the second
    assert induction(follows, tokens).tolist() == [1.0]
    assert induction(one_hot([0, 0, 1, 0, 1], 5), tokens).tolist() == [0.5]
    assert induction(follows, torch.tensor([[1, 2, 3, 4, 5]])).tolist() == [0.0]


def test_each_head_has_its_own_number_averaged_over_the_batch():
    weights = softmax(normal(3, 4, 6, 6, seed=0))
    for score in (entropy, distance, previous_token, first_token):
        each = torch.stack(
            [score(weights[b : b + 1, h : h + 1]) for b in range(3) for h in range(4)]
        )
        torch.testing.assert_close(score(weights), each.view(3, 4).mean(0))
