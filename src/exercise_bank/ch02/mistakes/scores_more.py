"""More ways that 02.scores goes wrong."""

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def rows_are_keys_and_scaled(query: Tensor, key: Tensor) -> Tensor:
    return key @ query.transpose(-2, -1) / query.shape[-1] ** 0.5


def rows_are_keys_and_divided(query: Tensor, key: Tensor) -> Tensor:
    return key @ query.transpose(-2, -1) / query.shape[-1]


def mean_of_the_products(query: Tensor, key: Tensor) -> Tensor:
    return query @ key.transpose(-2, -1) / query.shape[-1]


def queries_of_the_first_head(query: Tensor, key: Tensor) -> Tensor:
    first = query.reshape(-1, *query.shape[-2:])[0]
    return first @ key.transpose(-2, -1)


def distances(query: Tensor, key: Tensor) -> Tensor:
    return torch.cdist(query, key)


def squared_distances(query: Tensor, key: Tensor) -> Tensor:
    return torch.cdist(query, key) ** 2


def sums_of_differences(query: Tensor, key: Tensor) -> Tensor:
    return (query.unsqueeze(-2) - key.unsqueeze(-3)).abs().sum(dim=-1)


def distances_by_component(query: Tensor, key: Tensor) -> Tensor:
    return -(query.unsqueeze(-2) - key.unsqueeze(-3)).abs().sum(dim=-1)


def keys_with_keys(query: Tensor, key: Tensor) -> Tensor:
    return key @ key.transpose(-2, -1)


def queries_with_queries(query: Tensor, key: Tensor) -> Tensor:
    return query @ query.transpose(-2, -1)


def largest_product(query: Tensor, key: Tensor) -> Tensor:
    return (query.unsqueeze(-2) * key.unsqueeze(-3)).amax(dim=-1)


def components_added(query: Tensor, key: Tensor) -> Tensor:
    return (query.unsqueeze(-2) + key.unsqueeze(-3)).sum(dim=-1)


def sums_multiplied(query: Tensor, key: Tensor) -> Tensor:
    return query.sum(dim=-1, keepdim=True) * key.sum(dim=-1).unsqueeze(-2)


def axes_in_front_flattened(query: Tensor, key: Tensor) -> Tensor:
    return query.flatten(0, -2) @ key.flatten(0, -2).T


def axes_in_front_summed(query: Tensor, key: Tensor) -> Tensor:
    result = query @ key.transpose(-2, -1)
    return result.sum(dim=tuple(range(result.ndim - 2))) if result.ndim > 2 else result


MORE = (
    Misconception(
        name="rows-are-keys-and-scaled",
        answer=rows_are_keys_and_scaled,
        variants=(rows_are_keys_and_divided,),
        believed="Keys are on the left, and scores are scaled.",
        says="Your matrix is transposed, so that your rows are keys, and its numbers are divided "
        "by a root or by the width. The task asks for plain dot products, one row for each "
        "query.",
        hints=(
            "How many rows should the scores of 5 queries and 7 keys have?",
            "Is a score divided by anything in this task?",
            "The queries are on the left, the keys on the right, transposed.",
        ),
    ),
    Misconception(
        name="mean-of-the-products",
        answer=mean_of_the_products,
        believed="A score is a mean over the features.",
        says="Your scores are divided by d. The task asks for the plain dot products: nothing is "
        "scaled.",
        hints=(
            "With vectors of width 1 your scores are right. And with width 2?",
            "Is a dot product a sum or a mean?",
            "Leave the division out.",
        ),
    ),
    Misconception(
        name="queries-of-the-first-head",
        answer=queries_of_the_first_head,
        believed="All heads have the queries of the first.",
        says="With axes in front all keys meet the same queries, those of the first entry. Each "
        "entry has queries of its own.",
        hints=(
            "Change the queries of the last entry. Does your output change?",
            "Which queries meet the keys of head 1?",
            "Use all queries, with their axes in front.",
        ),
    ),
    Misconception(
        name="distances",
        answer=distances,
        variants=(
            squared_distances,
            sums_of_differences,
        ),
        believed="A score is a distance.",
        says="You return distances: a key that is equal to its query scores 0. The task asks for "
        "dot products.",
        hints=(
            "Which score has a query with itself?",
            "What is the dot product of (1, 0) and (2, 0)?",
            "Use a matrix product.",
        ),
    ),
    Misconception(
        name="distances-by-component",
        answer=distances_by_component,
        believed="Two vectors are compared component by component.",
        says="You add up the sizes of the differences of the components. The task asks for dot "
        "products, which multiply the components.",
        hints=(
            "Which score has a query with itself?",
            "What is the dot product of (1, 0) and (2, 0)?",
            "Use a matrix product.",
        ),
    ),
    Misconception(
        name="keys-with-keys",
        answer=keys_with_keys,
        believed="Keys are compared with each other.",
        says="Your output does not change with the queries: you compare the keys with themselves.",
        hints=(
            "Which argument does your function never use?",
            "How many rows should the scores of 5 queries and 7 keys have?",
            "The queries are on the left.",
        ),
    ),
    Misconception(
        name="queries-with-queries",
        answer=queries_with_queries,
        believed="Queries are compared with each other.",
        says="Your output does not change with the keys: you compare the queries with themselves.",
        hints=(
            "Which argument does your function never use?",
            "How many columns should the scores of 5 queries and 7 keys have?",
            "The keys are on the right, transposed.",
        ),
    ),
    Misconception(
        name="largest-product",
        answer=largest_product,
        believed="The strongest component decides.",
        says="You take the largest of the products of two components. A dot product is the sum of "
        "them.",
        hints=(
            "With vectors of width 1 your scores are right. And with width 2?",
            "What does a dot product do with the products?",
            "Replace the maximum by a sum.",
        ),
    ),
    Misconception(
        name="components-added",
        answer=components_added,
        believed="A score adds the query to the key.",
        says="You add the components of query and key. A dot product multiplies them first.",
        hints=(
            "What is the dot product of (1, 0) and (2, 0)?",
            "Which sign is between two components of one pair?",
            "Use a matrix product.",
        ),
    ),
    Misconception(
        name="sums-multiplied",
        answer=sums_multiplied,
        believed="The sums of two vectors are multiplied.",
        says="You add up each vector first and multiply the sums. A dot product multiplies "
        "component by component, and then adds.",
        hints=(
            "What is the dot product of (1, 0) and (0, 1)? And yours?",
            "Which comes first, the product or the sum?",
            "Use a matrix product.",
        ),
    ),
    Misconception(
        name="axes-in-front-flattened",
        answer=axes_in_front_flattened,
        believed="All vectors are in one list.",
        says="With axes in front you compare each query with the keys of all entries, in one large"
        " matrix. A query meets the keys of its own entry only.",
        hints=(
            "What is the shape of your output for a batch of two?",
            "May a query meet the keys of another sequence?",
            "Keep the axes in front: query @ key.mT does.",
        ),
    ),
    Misconception(
        name="axes-in-front-summed",
        answer=axes_in_front_summed,
        believed="The entries of a batch are added.",
        says="You add up the scores of all entries in front. Each entry has its own matrix of "
        "scores.",
        hints=(
            "What is the shape of your output for a batch of two?",
            "Which axes should the output have?",
            "Leave the sum out.",
        ),
    ),
)
