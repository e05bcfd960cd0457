"""Exercise 13.quantise_keys: the smallest cache that keeps the scores within a bound."""

from collections.abc import Sequence
from numbers import Real
from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.ch13.key_plans import CONTESTED, contested, measured, plans_for, stretched
from exercise_bank.ch13.key_plans import shuffled as some_of
from exercise_bank.ch13.mistakes.quantise_keys import MISCONCEPTIONS
from exercise_bank.ch13.mistakes.quantise_keys_code import Choice, Plan, sizes_of
from exercise_bank.ch13.mistakes.quantise_keys_more import MORE
from exercise_bank.draws import normal, some
from exercise_bank.skills import rung, through
from plaincourse.exercise import Alternative, Exercise, Inputs

Three = tuple[list[int], list[float], Choice]
PARTS = "return a tuple of three: the sizes, the errors, the number of the plan"
#: Relative tolerance of an error: float32 rounds scores.
CLOSE = 1e-3


def shown() -> Inputs:
    """Make the example."""
    key = torch.tensor([[70.0, 3.0, 0.0, 7.0], [-30.0, 4.0, 7.0, 0.0]])
    plans = [("token", 4, 4), ("channel", 2, 4), ("token", 4, 8)]
    return {
        "query": torch.tensor([[0.0, 2.0, 0.0, 0.0]]),
        "key": key,
        "plans": plans,
        "bound": 0.5,
    }


def sizes(g: Generator) -> list[Inputs]:
    found = [shown()]
    for n, d in ((4, 6), (6, 4), (8, 8)):
        n, d = stretched(g, n, d)
        found.append(measured(g, n, d, some_of(g, plans_for(n, d), 4)))
    return found


def whole_rows(g: Generator) -> list[Inputs]:
    """Draw plans in which a whole token or a whole channel shares a scale."""
    found: list[Inputs] = []
    for n, d in ((4, 6), (8, 4)):
        n, d = stretched(g, n, d)
        for along, group in (("token", d), ("channel", n)):
            found.append(measured(g, n, d, [(along, group, bits) for bits in (3, 4, 6)]))
    return found


def half_rows(g: Generator) -> list[Inputs]:
    found: list[Inputs] = []
    for n, d in ((4, 6), (8, 4)):
        n, d = stretched(g, n, d)
        for along, group in (("token", d // 2), ("channel", n // 2)):
            found.append(measured(g, n, d, [(along, group, bits) for bits in (3, 4, 6)]))
    return found


def all_plans(g: Generator) -> list[Inputs]:
    found = [shown()]
    for n, d in ((4, 6), (6, 8), (8, 4), (6, 6)):
        n, d = stretched(g, n, d)
        found.append(measured(g, n, d, some_of(g, plans_for(n, d), 6)))
    return found


def trades(g: Generator) -> list[Inputs]:
    """Draw bounds for which each slip leads to another plan."""
    found: list[Inputs] = []
    for i, slip in enumerate(CONTESTED):
        n, d = stretched(g, *((8, 4), (4, 8), (6, 6))[i % 3])
        found.append(contested(g, n, d, slip))
    return found


def none_or_equals(g: Generator) -> list[Inputs]:
    """Draw bounds that no plan meets, and plans of one size, of which not all may fit."""
    found: list[Inputs] = []
    for n in (4, 6):
        d = n = stretched(g, n, n)[0]
        inputs = measured(g, n, d, some_of(g, plans_for(n, d), 5))
        least = min(quantise_keys(**inputs)[1])
        found.append({**inputs, "bound": float(f"{0.7 * least:.3g}")})
        bits = some(g, 3, 5)
        plans: list[Plan] = [("token", d, 8), *some_of(g, both(n, bits), 2), ("channel", n, 6)]
        inputs = measured(g, n, d, plans)
        found.append({**inputs, "bound": float(f"{1.4 * max(quantise_keys(**inputs)[1]):.3g}")})
    return [*found, equals_apart(g, 4), equals_apart(g, 6)]


def equals_apart(g: Generator, n: int) -> Inputs:
    """Draw two plans of the same size and a larger one; the first of all is over the bound."""
    while True:
        plans = [*both(n, some(g, 3, 5)), ("token", n, 8)]
        inputs = measured(g, n, n, plans)
        over, *within = quantise_keys(**inputs)[1]
        if over > 1.5 * max(within):
            return {**inputs, "bound": float(f"{(over * max(within)) ** 0.5:.3g}")}


def both(n: int, bits: int) -> list[Plan]:
    """Return two plans of the same size for keys (n, n)."""
    return [("token", n, bits), ("channel", n, bits)]


def with_zeros(g: Generator) -> list[Inputs]:
    """Draw keys with a channel or a token of zeros, and keys that are all 0."""
    found: list[Inputs] = []
    for n, d in ((4, 6), (6, 4)):
        n, d = stretched(g, n, d)
        inputs = measured(
            g, n, d, [(a, k, b) for a, k in (("token", d), ("channel", n)) for b in (3, 5)]
        )
        key = inputs["key"].clone()
        key[:, some(g, 0, d - 1)] = 0
        found.append({**inputs, "key": key})
        found.append({**inputs, "key": key.index_fill(0, torch.tensor(0), 0)})
    nothing = {"query": normal(g, 2, 4), "key": torch.zeros(2, 4, dtype=torch.float64)}
    return [*found, {**nothing, "plans": [("token", 4, 4), ("channel", 2, 4)], "bound": 0.1}]


def quantise_keys(query: Tensor, key: Tensor, plans: Sequence[Plan], bound: float) -> Three:
    """Return the size and the error of each plan, and the number of the smallest that fits."""
    n, d = key.shape
    sizes, errors = [], []
    for along, group, bits in plans:
        rows = key if along == "token" else key.T
        groups = rows.reshape(-1, group)
        scale = groups.abs().amax(dim=1, keepdim=True) / (2 ** (bits - 1) - 1)
        scale = scale.masked_fill(scale == 0, 1.0)
        back = ((groups / scale).round() * scale).reshape(rows.shape)
        back = back if along == "token" else back.T
        off = query @ (back - key).T / d**0.5
        sizes.append(n * d * bits + 16 * len(groups))
        errors.append(off.abs().max().item())
    fitting = [i for i in range(len(plans)) if errors[i] <= bound]
    choice = min(fitting, key=lambda i: sizes[i], default=None)
    return sizes, errors, choice


def group_by_group(query: Tensor, key: Tensor, plans: Sequence[Plan], bound: float) -> Three:
    n, d = key.shape
    found: Three = ([], [], None)
    exact = torch.einsum("qd,nd->qn", query, key) / d**0.5
    for number, (along, group, bits) in enumerate(plans):
        back, total = key.clone(), n * d * bits
        for row in back if along == "token" else back.T:
            for start in range(0, len(row), group):
                part, total = row[start : start + group], total + 16
                largest = max(part.max().item(), -part.min().item())
                if largest > 0:
                    step = largest / (2 ** (bits - 1) - 1)
                    row[start : start + group] = torch.floor(part / step + 0.5) * step
        error = (torch.einsum("qd,nd->qn", query, back) / d**0.5 - exact).abs().max().item()
        found[0].append(total)
        found[1].append(error)
        if error <= bound and (found[2] is None or total < found[0][found[2]]):
            found = (found[0], found[1], number)
    return found


def sorted_by_size(query: Tensor, key: Tensor, plans: Sequence[Plan], bound: float) -> Three:
    n, d = key.shape

    def back(along: str, group: int, bits: int) -> Tensor:
        axis = 1 if along == "token" else 0
        parts = key.unflatten(axis, (-1, group))
        scale = parts.abs().amax(dim=axis + 1, keepdim=True) / (2 ** (bits - 1) - 1)
        codes = torch.where(scale > 0, parts / scale, 0).round()
        return (codes * scale).flatten(axis, axis + 1)

    sizes = [n * d // group * (group * bits + 16) for _, group, bits in plans]
    scores = torch.stack([query @ back(*plan).T for plan in plans]) / d**0.5
    errors = (scores - query @ key.T / d**0.5).abs().flatten(1).amax(dim=1).tolist()
    for i in sorted(range(len(plans)), key=lambda i: sizes[i]):
        if errors[i] <= bound:
            return sizes, errors, i
    return sizes, errors, None


def plain(x: Any) -> Any:
    """Return numbers of NumPy and PyTorch as Python's, and any sequence as a list."""
    if isinstance(x, Tensor) or hasattr(x, "tolist"):
        return x.tolist()
    return [plain(each) for each in x] if isinstance(x, (list, tuple)) else x


def three(inputs: Inputs, answer: Any) -> Any:
    """Sort the parts, and convert a plan into its number; both have their own requirement."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 3:
        return answer
    sizes, errors, choice = map(plain, answer)
    if (
        numbers(sizes, inputs)
        and numbers(errors, inputs)
        and errors == sizes_of(inputs["key"], inputs["plans"])
    ):
        sizes, errors = errors, sizes
    plans = [list(plan) for plan in inputs["plans"]]
    if isinstance(choice, list) and choice in plans:
        choice = plans.index(choice)
    return sizes, errors, choice


def numbers(found: Any, inputs: Inputs) -> bool:
    return (
        isinstance(found, list)
        and len(found) == len(inputs["plans"])
        and all(isinstance(x, Real) for x in found)
    )


def sizes_right(inputs: Inputs, answer: Any) -> str | None:
    """Compare the sizes."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 3:
        return PARTS
    yours, key = answer[0], inputs["key"]
    if not numbers(yours, inputs):
        return f"the sizes are {len(inputs['plans'])} numbers, one for each plan"
    for plan, right, x in zip(inputs["plans"], sizes_of(key, inputs["plans"]), yours, strict=True):
        if x != right:
            codes = key.numel() * plan[2]
            return (
                f"{plan} takes {codes} bits of codes and {right - codes} of scales, {right} in "
                f"all; your size is {x:g}"
            )
    return None


def in_proportion(inputs: Inputs, answer: Any) -> str | None:
    """Compare the errors up to a common factor."""
    return errors_right(inputs, answer, factor=True)


def errors_right(inputs: Inputs, answer: Any, *, factor: bool = False) -> str | None:
    """Compare the errors, up to a common factor if requested."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 3:
        return PARTS
    yours, right = answer[1], quantise_keys(**inputs)[1]
    if not numbers(yours, inputs):
        return f"the errors are {len(right)} numbers, one for each plan"
    unit = yours[0] / right[0] if factor and right[0] else 1.0
    if not unit > 0:
        return f"the error of {inputs['plans'][0]} is {right[0]:.4g}; yours is {yours[0]:.4g}"
    for plan, x, wanted in zip(inputs["plans"], yours, right, strict=True):
        if abs(x - unit * wanted) <= CLOSE * unit * wanted:
            continue
        if factor and right[0]:
            return (
                f"the error of {plan} is {wanted / right[0]:.4g} times that of "
                f"{inputs['plans'][0]}; yours is {x / yours[0]:.4g} times"
            )
        return f"under {plan} the largest error of a score is {wanted:.4g}; your error is {x:.4g}"
    return None


def choice_right(inputs: Inputs, answer: Any) -> str | None:
    """Compare the chosen plan."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 3:
        return PARTS
    sizes, errors, right = quantise_keys(**inputs)
    if answer[2] == right and not isinstance(answer[2], bool):
        return None
    bound, yours = inputs["bound"], answer[2]
    fitting = [i for i, error in enumerate(errors) if error <= bound]
    if right is None:
        return f"no plan keeps all errors within {bound:g}: expected None; your choice is {yours}"
    return (
        f"within {bound:g} are the plans {fitting}, with {[sizes[i] for i in fitting]} bits, so "
        f"the choice is {right}; yours is {yours}"
    )


def in_form(inputs: Inputs, answer: Any) -> str | None:
    """Check the form: three parts in their order, and a whole number or None at the end."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 3:
        return PARTS
    sizes, errors, choice = map(plain, answer)
    if not numbers(sizes, inputs) or not numbers(errors, inputs):
        return f"sizes and errors have {len(inputs['plans'])} numbers each, one for each plan"
    if errors == sizes_of(inputs["key"], inputs["plans"]):
        return "your sizes and errors are in the wrong order: the sizes come first"
    if choice is not None and type(choice) is not int:
        return f"the choice is the number of a plan, from 0, or None; yours is {choice}"
    return None


TASK = Exercise(
    id="13.quantise_keys",
    title="The smallest cache that keeps the scores",
    level="medium",
    minutes=9,
    concepts=("quantised-cache", "cache-size"),
    reference=quantise_keys,
    rungs=(
        rung(
            "the sizes count codes and scales",
            0.75,
            sizes,
            through(three, sizes_right),
            "scales take memory too",
        ),
        rung(
            "a whole token or channel shares a scale: errors but for a common factor",
            0.25,
            whole_rows,
            through(three, in_proportion),
            "the error of the scores",
        ),
        rung(
            "half of a token or channel shares a scale: errors but for a common factor",
            0.5,
            half_rows,
            through(three, in_proportion),
            "the error of the scores",
        ),
        rung(
            "the largest error of a score under each plan",
            0.75,
            all_plans,
            through(three, errors_right),
            "the error of the scores",
        ),
        rung(
            "the smallest plan within the bound",
            2.0,
            trades,
            through(three, choice_right),
            "the smallest plan that fits",
        ),
        rung(
            "plans of equal size, and a bound that none meets",
            0.25,
            none_or_equals,
            through(three, choice_right),
        ),
        rung("groups of zeros", 0.25, with_zeros, through(three, in_proportion)),
        rung(
            "three parts in their order, and the number of a plan or None", 0.25, all_plans, in_form
        ),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
    alternatives=(
        Alternative(name="group by group", answer=group_by_group),
        Alternative(name="in the order of their sizes", answer=sorted_by_size),
    ),
    hints=(
        "For one plan, which numbers of the keys (n, d) share a scale? How many scales are there?",
        "Lay the keys in rows, tokens or channels, and reshape them so that every group is a "
        "row of its own. Round there, and go back to the shape of the keys.",
        "The error of a plan is the largest distance between the scores of the rounded keys and "
        "the exact scores. Keep the plans whose error is within the bound, and choose the one "
        "with the least bits.",
    ),
    equivalents={
        "quantise_keys: line 7: - 1 has its sides swapped": (
            "a scale and its codes of the other sign have the same products"
        ),
        **dict.fromkeys(
            (
                "quantise_keys: line 8: scale becomes groups in scale == 0",
                "quantise_keys: line 8: 1.0 becomes 2.0 in scale.masked_fill(scale == 0, 1.0)",
            ),
            "a number of 0 comes back as 0, whatever its scale is",
        ),
        "quantise_keys: line 11: - key has its sides swapped": "an absolute value has no sign",
        "quantise_keys: line 12: groups becomes scale in len(groups)": ("each group has one scale"),
        "quantise_keys: line 13: item() dropped": "a number may be a tensor",
        "quantise_keys: line 14: <= bound becomes < bound": "no error is equal to its bound",
    },
)
