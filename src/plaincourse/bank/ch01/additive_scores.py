"""Exercise 01.additive_scores: Bahdanau's score for every pair."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

import math

import numpy as np
from torch import Generator

from plaincourse.bank.ch01.laws import array
from plaincourse.bank.ch01.mistakes.additive_scores import MISCONCEPTIONS
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def draw(g: Generator, q: int, k: int, a: int, b: int, hidden: int) -> Inputs:
    return {
        "query": array(g, q, a),
        "key": array(g, k, b),
        "w_query": array(g, hidden, a),
        "w_key": array(g, hidden, b),
        "w": array(g, hidden),
    }


def one_pair(g: Generator) -> list[Inputs]:
    return [draw(g, 1, 1, 1, 1, 1), draw(g, 1, 1, 2, 2, 2)]


def one_query(g: Generator) -> list[Inputs]:
    return [draw(g, 1, 3, 2, 2, 2), draw(g, 1, 4, 3, 3, 5)]


def several_queries(g: Generator) -> list[Inputs]:
    return [draw(g, 2, 2, 2, 2, 2), draw(g, 3, 3, 3, 3, 3), draw(g, 3, 2, 2, 2, 4)]


def awkward(g: Generator) -> list[Inputs]:
    return [draw(g, 3, 5, 2, 4, 6), draw(g, 5, 1, 7, 3, 1), draw(g, 4, 4, 1, 5, 3)]


def reference(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    """Add each projected query to each projected key, then tanh, then w."""
    pairs = (query @ w_query.T)[:, None] + (key @ w_key.T)[None, :]
    return np.tanh(pairs) @ w


def pair_by_pair(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    scores = np.empty((len(query), len(key)))
    for i in range(len(query)):
        for j in range(len(key)):
            hidden = w_query @ query[i] + w_key @ key[j]
            scores[i, j] = sum(w[n] * math.tanh(hidden[n]) for n in range(len(w)))
    return scores


def by_einsum(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    asked = np.einsum("qa,ha->qh", query, w_query)
    offered = np.einsum("kb,hb->kh", key, w_key)
    return np.einsum("qkh,h->qk", np.tanh(np.expand_dims(asked, 1) + offered), w)


def concatenated(
    query: np.ndarray, key: np.ndarray, w_query: np.ndarray, w_key: np.ndarray, w: np.ndarray
) -> np.ndarray:
    both_matrices = np.concatenate([w_query, w_key], axis=1)
    rows = []
    for one in query:
        both = np.concatenate([np.tile(one, (len(key), 1)), key], axis=1)
        rows.append(np.tanh(both @ both_matrices.T) @ w)
    return np.stack(rows)


TASK = Exercise(
    id="01.additive_scores",
    title="A small network as a score",
    level="medium",
    minutes=15,
    concepts=("additive-score", "score-costs"),
    reference=reference,
    rungs=(
        Rung(name="one query and one key", points=0.5, draw=one_pair),
        Rung(name="one query and several keys", points=1.0, draw=one_query),
        Rung(name="every query with every key", points=1.5, draw=several_queries),
        Rung(name="query and key of different widths", points=1.0, draw=awkward),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="pair by pair", answer=pair_by_pair),
        Alternative(name="einsum", answer=by_einsum),
        Alternative(name="written one behind the other", answer=concatenated),
    ),
    hints=(
        "How many hidden vectors are there for 2 queries and 3 keys?",
        "Project the queries and the keys first. Which shapes do you have, and which do you need "
        "before the tanh?",
        "Adding shapes (q, 1, hidden) and (1, k, hidden) makes (q, k, hidden). What is left to do "
        "with the last axis?",
    ),
    forbid=("plainformer", "torch", "Additive", "scipy"),
    equivalents=dict.fromkeys(
        (
            "additive_scores: line 4: the index of offered[None, :, :] dropped",
            "reference reference: line 2: the index of (key @ w_key.T)[None, :] dropped",
        ),
        "NumPy adds missing axes in front by itself",
    ),
)
