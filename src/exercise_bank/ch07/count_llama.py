"""Exercise 07.count_llama: a formula for the parameters of a decoder with grouped heads."""

from torch import Generator, randint

from exercise_bank.ch07.mistakes.count_llama import MISCONCEPTIONS
from exercise_bank.skills import rung
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung

TABLES = "one table if tied, else two"
BLOCKS = "the matrices of a block"
GROUPS = "fewer heads for keys and values"


def sizes(g: Generator, *, layers: int, groups: bool, tied: bool) -> Inputs:
    d, per_group, n_groups, vocabulary, extra = (int(x) for x in randint(2, 7, (5,), generator=g))
    heads = per_group * n_groups
    return {
        "vocabulary": 10 * vocabulary + 1,
        "d_model": d * heads,
        "n_layers": layers,
        "n_heads": heads,
        "n_kv_heads": n_groups if groups else heads,
        "d_ff": 3 * d * heads + extra,
        "tied": tied,
    }


def smallest(layers: int, *, tied: bool = True) -> Inputs:
    return {
        "vocabulary": 5, "d_model": 2, "n_layers": layers, "n_heads": 1, "n_kv_heads": 1,
        "d_ff": 7, "tied": tied,
    }  # fmt: skip


def tables(g: Generator) -> list[Inputs]:
    return [smallest(0), sizes(g, layers=0, groups=False, tied=True)]


def untied(g: Generator) -> list[Inputs]:
    some = sizes(g, layers=0, groups=False, tied=False)
    return [smallest(0, tied=False), some, {**some, "tied": True}]


def blocks(g: Generator) -> list[Inputs]:
    """Draw models with a vocabulary of one token, so that tables hardly add to the count."""
    drawn = (sizes(g, layers=n, groups=False, tied=True) for n in (1, 3))
    return [{**smallest(1), "vocabulary": 1}, {**smallest(2), "vocabulary": 1}, *drawn]


def grouped(g: Generator) -> list[Inputs]:
    return [sizes(g, layers=1, groups=True, tied=True) for _ in range(2)]


def whole(g: Generator) -> list[Inputs]:
    first = {
        "vocabulary": 10, "d_model": 4, "n_layers": 0, "n_heads": 2, "n_kv_heads": 1, "d_ff": 8,
        "tied": True,
    }  # fmt: skip
    llama = {
        "vocabulary": 32000, "d_model": 4096, "n_layers": 32, "n_heads": 32, "n_kv_heads": 32,
        "d_ff": 11008, "tied": False,
    }  # fmt: skip
    drawn = [sizes(g, layers=n, groups=True, tied=bool(n % 2)) for n in (2, 3, 7)]
    return [first, llama, *drawn]


def apart_from_norms(inputs: Inputs, answer: object) -> str | None:
    """Report an error that is not a multiple of few norms. A whole float counts as a number too."""
    if isinstance(answer, float) and answer.is_integer():
        answer = int(answer)
    if isinstance(answer, bool) or not isinstance(answer, int):
        return whole_number(inputs, answer)
    norms, rest = divmod(answer - count_llama(**inputs), inputs["d_model"])
    if rest or abs(norms) > 2 * inputs["n_layers"] + 1:
        return whole_number(inputs, answer)
    return None


def whole_number(inputs: Inputs, answer: object) -> str | None:
    """Report a count that is not a whole number, or its error."""
    if isinstance(answer, bool) or not isinstance(answer, int):
        return f"a number of parameters is an int; yours is of type {type(answer).__name__}"
    off = answer - count_llama(**inputs)
    if off:
        return f"yours counts {abs(off)} too {'many' if off > 0 else 'few'} of {answer - off}"
    return None


def count_llama(
    vocabulary: int,
    d_model: int,
    n_layers: int,
    n_heads: int,
    n_kv_heads: int,
    d_ff: int,
    tied: bool,
) -> int:
    """Count tables, blocks and the last norm."""
    d = d_model // n_heads
    attention = 2 * d_model * d_model + 2 * d_model * n_kv_heads * d
    block = attention + 3 * d_model * d_ff + 2 * d_model
    table = vocabulary * d_model * (1 if tied else 2)
    return table + n_layers * block + d_model


def from_shapes(
    vocabulary: int,
    d_model: int,
    n_layers: int,
    n_heads: int,
    n_kv_heads: int,
    d_ff: int,
    tied: bool,
) -> int:
    narrow = n_kv_heads * (d_model // n_heads)
    rows = [d_model, narrow, narrow, d_model, d_ff, d_ff, d_ff, 1, 1]
    total = (1 + n_layers * sum(rows) + vocabulary) * d_model
    return total if tied else total + vocabulary * d_model


def by_lists(
    vocabulary: int,
    d_model: int,
    n_layers: int,
    n_heads: int,
    n_kv_heads: int,
    d_ff: int,
    tied: bool,
) -> int:
    numbers = [vocabulary * d_model] * (2 - tied) + [d_model]
    for _ in range(n_layers):
        numbers += [d_model**2] * 2 + [d_model**2 * n_kv_heads // n_heads] * 2
        numbers += [d_ff * d_model] * 3 + [d_model] * 2
    return sum(numbers)


TASK = Exercise(
    id="07.count_llama",
    title="Count a Llama",
    level="easy",
    minutes=12,
    concepts=("checkpoint-formats", "decoder-stack"),
    extra=True,
    reference=count_llama,
    rungs=(
        rung("the token table, whatever the norms", 0.25, tables, apart_from_norms, TABLES),
        rung(
            "an output layer of its own, whatever the norms", 1.0, untied, apart_from_norms, TABLES
        ),
        rung("one block and several, whatever the norms", 1.0, blocks, apart_from_norms, BLOCKS),
        rung("grouped heads, whatever the norms", 1.0, grouped, apart_from_norms, GROUPS),
        rung("the last norm", 0.25, tables, whole_number),
        Rung(name="the whole", points=0.5, draw=whole, law=whole_number),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="from the rows of each matrix", answer=from_shapes),
        Alternative(name="from a list of all tensors", answer=by_lists),
    ),
    hints=(
        "Write down the tensors of one block with their shapes. How many are there?",
        "There are nine in a block: four of attention, three of the feed-forward, two norms. A "
        "norm that only scales has m numbers.",
        "Queries have n_heads heads, keys and values have n_kv_heads. All have the width "
        "d_model // n_heads.",
    ),
)
