"""Exercise 01.additive_scores: Bahdanau's score for every pair."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

import math
from typing import Any

import numpy as np
from torch import Generator

from exercise_bank.ch01.laws import array
from exercise_bank.ch01.mistakes.additive_scores import MISCONCEPTIONS
from exercise_bank.ch01.mistakes.additive_scores_more import MORE
from exercise_bank.draws import stretched
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
    return [draw(g, 1, 1, 1, 1, 1) for _ in range(3)]


def small(g: Generator) -> list[Inputs]:
    """Draw matrices so small that tanh has no visible effect."""
    found: list[Inputs] = []
    for sizes in ((2, 3, 2, 3, 4), (3, 1, 4, 2, 5), (1, 4, 3, 1, 2)):
        inputs = draw(g, *sizes)
        small = {name: 1e-3 * inputs[name] for name in ("w_query", "w_key")}
        found.append({**inputs, **small})
    return found


def keys_of_zeros(g: Generator) -> list[Inputs]:
    """Draw a query and a key of zeros, which meet one symmetric matrix, with w of ones."""
    found: list[Inputs] = []
    for n in (1, 2, 3):
        inputs = draw(g, 1, 1, n, n, n)
        matrix = inputs["w_query"] + inputs["w_query"].T
        zeros = {"key": np.zeros_like(inputs["key"]), "w": np.ones(n)}
        found.append({**inputs, **zeros, "w_query": matrix, "w_key": matrix.copy()})
    return found


def repeated(g: Generator) -> list[Inputs]:
    """Draw queries whose last row repeats the first, and keys likewise."""
    found: list[Inputs] = []
    for sizes in ((3, 4, 2, 2, 3), (4, 3, 3, 1, 2), (5, 5, 2, 4, 2)):
        inputs = draw(g, *stretched(g, *sizes))
        for name in ("query", "key"):
            inputs[name][-1] = inputs[name][0]
        found.append(inputs)
    return found


def several(g: Generator) -> list[Inputs]:
    return [draw(g, 3, 2, 2, 2, 4), draw(g, 2, 4, 3, 1, 2), draw(g, 1, 3, 2, 5, 3)]


def awkward(g: Generator) -> list[Inputs]:
    example = {
        "query": np.array([[1.0], [0.0]]),
        "key": np.array([[0.0, 2.0], [0.0, -2.0], [3.0, 0.0]]),
        "w_query": np.array([[0.5], [0.0]]),
        "w_key": np.array([[0.0, 0.25], [1.0, 0.0]]),
        "w": np.array([2.0, 1.0]),
    }
    sizes = ((3, 5, 2, 4, 6), (5, 1, 7, 3, 1), (4, 4, 1, 5, 3), (3, 3, 3, 3, 3), (1, 4, 2, 3, 5))
    far = draw(g, 2, 3, 2, 2, 3)
    far["key"][0], far["w_key"][0] = 30.0, 20.0  # a hidden number of 1200, whose tanh is 1
    return [example, *(draw(g, *each) for each in sizes), far]


def right_to_four_digits(inputs: Inputs, scores: Any) -> str | None:
    """Report a score that is off by more than a thousandth of the largest one."""
    right = reference(**inputs)
    if said := unfit(right.shape, scores):
        return said
    off = np.abs(scores - right)
    if off.max() < 1e-3 * np.abs(right).max():
        return None
    i, j = np.unravel_index(int(off.argmax()), off.shape)
    return f"the score of query {i} with key {j} is {right[i, j]:.4g}; yours is {scores[i, j]:.4g}"


def for_each_pair(inputs: Inputs, scores: Any) -> str | None:
    """Report a pair with a wrong score, whether queries are rows or columns."""
    right = reference(**inputs)
    if isinstance(scores, np.ndarray) and scores.shape == right.shape[::-1]:
        scores = scores if right.shape == scores.shape else scores.T
    if said := unfit(right.shape, scores):
        return said
    off = np.abs(scores - right)
    if off.max() < 1e-5:
        return None
    i, j = np.unravel_index(int(off.argmax()), off.shape)
    return f"the score of query {i} with key {j} is {right[i, j]:.4g}; yours is {scores[i, j]:.4g}"


def in_rows_and_columns(inputs: Inputs, scores: Any) -> str | None:
    """Report equal queries or keys with different scores, or different ones with equal scores."""
    if said := unfit((len(inputs["query"]), len(inputs["key"])), scores):
        return said
    for lines, one, many in ((scores, "query", "queries"), (scores.T, "key", "keys")):
        if not np.allclose(lines[0], lines[-1], rtol=1e-6, atol=1e-9):
            return f"the first {one} and the last are equal, and your scores of the two are not"
        if np.allclose(lines[0], lines[1], rtol=1e-6, atol=1e-9):
            return f"the first two {many} differ, and your scores of the two do not"
    return None


def unfit(shape: tuple[int, ...], scores: Any) -> str | None:
    if not isinstance(scores, np.ndarray):
        return f"expected a NumPy array, your output is a {type(scores).__name__}"
    if scores.shape != shape:
        return f"expected a score for each pair, {shape}; yours has shape {scores.shape}"
    return None


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
    extra=True,
    reference=reference,
    rungs=(
        Rung(
            name="one query and one key, of width 1",
            points=0.5,
            draw=one_pair,
        ),
        Rung(
            name="a query, a key of zeros, and one symmetric matrix: a sum of tanh",
            points=0.5,
            idea="tanh comes between the two layers",
            draw=keys_of_zeros,
        ),
        Rung(
            name="hidden numbers so small that tanh changes nothing",
            points=0.75,
            idea="query and key are added",
            draw=small,
            law=right_to_four_digits,
            compare=False,
        ),
        Rung(
            name="a row for each query, a column for each key: equal ones have equal scores",
            points=1.0,
            idea="each query with each key",
            draw=repeated,
            law=in_rows_and_columns,
            compare=False,
        ),
        Rung(
            name="each query with each key, be they rows or columns",
            points=0.5,
            idea="each query with each key",
            draw=several,
            law=for_each_pair,
            compare=False,
        ),
        Rung(
            name="the whole, at awkward sizes, queries in rows",
            points=0.75,
            draw=awkward,
        ),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
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
