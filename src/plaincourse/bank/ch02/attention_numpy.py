"""Exercise 02.attention_numpy: attention without PyTorch."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return, type-arg"

import math
from typing import Any

import numpy as np
import torch
from torch import Generator

from plaincourse.bank.ch02 import attention as torch_task
from plaincourse.bank.ch02.mistakes.attention_numpy import MISCONCEPTIONS
from plaincourse.bank.draws import within_the_values
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung
from plainformer.attention import attend


def one_token(g: Generator) -> list[Inputs]:
    return _arrays(torch_task.one_token(g))


def one_query(g: Generator) -> list[Inputs]:
    return _arrays(torch_task.one_query(g))


def several_queries(g: Generator) -> list[Inputs]:
    return _arrays(torch_task.several_queries(g))


def leading_axes(g: Generator) -> list[Inputs]:
    return _arrays(torch_task.leading_axes(g))


def large_scores(g: Generator) -> list[Inputs]:
    """Draw a single row that overflows, then two rows of which one lies far below the other."""
    first, second = torch_task.scored(g, 2, 4, 2), torch_task.scored(g, 3, 4, 3)
    query = second["query"]
    offset = torch.cat([query, -query]) * 1000
    far = {"query": offset, "key": query + 0.001 * second["key"], "value": second["value"]}
    return _arrays([{**first, "query": 1000 * first["query"]}, far])


def _arrays(draws: list[Inputs]) -> list[Inputs]:
    return [{name: x.numpy() for name, x in inputs.items()} for inputs in draws]


def reference(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Attend in PyTorch and return an array."""
    result: np.ndarray = attend(*(torch.from_numpy(x) for x in (query, key, value))).numpy()
    return result


def within_the_arrays(inputs: Inputs, output: Any) -> str | None:
    """Say what is not an array, or which output lies outside the values."""
    if not isinstance(output, np.ndarray):
        return f"expected a NumPy array, your output is a {type(output).__name__}"
    return within_the_values({"value": torch.from_numpy(inputs["value"])}, torch.from_numpy(output))


def einsum(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    scores = np.einsum("...qd,...kd->...qk", query, key) / np.sqrt(query.shape[-1])
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.einsum("...qk,...ke->...qe", powers / powers.sum(axis=-1, keepdims=True), value)


def log_add_exp(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    scores = np.matmul(query / math.sqrt(query.shape[-1]), np.moveaxis(key, -1, -2))
    total = np.logaddexp.reduce(scores, axis=-1)
    return np.exp(scores - total[..., np.newaxis]) @ value


def loops(query: np.ndarray, key: np.ndarray, value: np.ndarray) -> np.ndarray:
    output = np.zeros((*query.shape[:-1], value.shape[-1]))
    for place in np.ndindex(*query.shape[:-1]):
        scores = key[place[:-1]] @ query[place] / math.sqrt(query.shape[-1])
        powers = np.exp(scores - max(scores))
        output[place] = powers @ value[place[:-1]] / sum(powers)
    return output


TASK = Exercise(
    id="02.attention_numpy",
    title="The same in NumPy",
    level="medium",
    minutes=10,
    concepts=("implement-numpy", "stable-softmax", "shapes"),
    reference=reference,
    rungs=(
        Rung(
            name="one token gives back its value", points=0.5, draw=one_token, law=within_the_arrays
        ),
        Rung(name="one query is right", points=0.5, draw=one_query, law=within_the_arrays),
        Rung(
            name="several queries, for any q, k, d and e",
            points=1.0,
            draw=several_queries,
            law=within_the_arrays,
        ),
        Rung(
            name="any batch and head axes in front",
            points=1.0,
            draw=leading_axes,
            law=within_the_arrays,
        ),
        Rung(
            name="large scores, and a row far below the others",
            points=1.0,
            draw=large_scores,
            law=within_the_arrays,
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="einsum", answer=einsum),
        Alternative(name="logaddexp", answer=log_add_exp),
        Alternative(name="loops", answer=loops),
    ),
    hints=(
        "NumPy has no softmax. Which three steps make one?",
        "np.swapaxes swaps two axes that you name. A maximum or a sum loses its axis, unless you "
        "ask it to keep it: how?",
        "scores = query @ np.swapaxes(key, -2, -1) / √d; subtract scores.max(axis=-1, "
        "keepdims=True); exp; divide by the sum over the same axis; multiply by value.",
    ),
    forbid=("scaled_dot_product_attention", "MultiheadAttention", "plainformer", "torch", "scipy"),
    equivalents={
        "attention_numpy: line 2: -2 and -1 swapped in np.swapaxes(key, -2, -1)": (
            "two axes may be named in either order"
        ),
        "attention_numpy: line 2: query becomes key in query.shape": (
            "queries and keys have one width"
        ),
    },
)
