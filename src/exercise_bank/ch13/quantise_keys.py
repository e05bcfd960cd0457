"""Exercise 13.quantise_keys: INT8 with a scale for each channel of keys, each token of values."""

from typing import Any

import torch
from torch import Generator, Tensor

from exercise_bank.ch13.mistakes.quantise_keys import MISCONCEPTIONS
from exercise_bank.draws import normal
from exercise_bank.parts import parts
from exercise_bank.skills import rung, through
from plaincourse.exercise import Alternative, Exercise, Inputs
from plaincourse.exercise.precision import FINE

Four = tuple[Tensor, Tensor, Tensor, Tensor]


def drawn(g: Generator, b: int, h: int, n: int, d: int, e: int) -> Inputs:
    """Draw keys with an outlier channel, and values with a loud token; both lean below 0."""
    key, value = normal(g, b, h, n, d), normal(g, b, h, n, e)
    key[..., d // 2] = 40 * key[..., d // 2] - 60
    value[:, :, n // 2] = 20 * value[:, :, n // 2] - 30
    return {"key": key, "value": value}


def one_head(g: Generator) -> list[Inputs]:
    return [drawn(g, 1, 1, 2, 2, 2), drawn(g, 1, 1, 5, 3, 2), drawn(g, 1, 1, 4, 4, 4)]


def just_below_127() -> Inputs:
    """Make numbers whose quotient by their own scale is a little less than 127."""
    key = torch.tensor([[[[8.5, -1.0], [-4.2, 9.5]]]], dtype=torch.float64)
    value = torch.tensor([[[[2.3, -1.0], [0.7, 4.6]]]], dtype=torch.float64)
    return {"key": key, "value": value}


def any_sizes(g: Generator) -> list[Inputs]:
    return [
        just_below_127(),
        drawn(g, 1, 1, 3, 2, 2),
        drawn(g, 2, 3, 5, 4, 3),
        drawn(g, 1, 2, 1, 3, 3),
        drawn(g, 3, 3, 3, 3, 3),
    ]


def several_heads(g: Generator) -> list[Inputs]:
    """Heads of different sizes, so that none may borrow another's scale; all lies above 0."""
    both: list[Inputs] = []
    for b, h in ((1, 2), (2, 1), (2, 3)):
        inputs = drawn(g, b, h, 4, 3, 2)
        size = torch.arange(1.0, b * h + 1, dtype=torch.float64).reshape(b, h, 1, 1) ** 2
        both.append({name: size * x.abs() for name, x in inputs.items()})
    return both


def of_zeros(g: Generator) -> list[Inputs]:
    """Draw a channel and a token of zeros, nothing but zeros, and numbers that are tiny only."""
    tiny = {"key": 1e-7 * normal(g, 1, 1, 3, 3), "value": 1e-7 * normal(g, 1, 1, 3, 2)}
    nothing = {name: torch.zeros_like(x) for name, x in tiny.items()}
    small, large = drawn(g, 1, 1, 2, 2, 2), drawn(g, 2, 2, 4, 3, 3)
    for inputs in (small, large):
        inputs["key"][:, :, :, 0] = 0
        inputs["value"][:, :, 0] = 0
    return [shown(), nothing, small, tiny, large]


def shown() -> Inputs:
    """Make the example."""
    key = torch.tensor([[[[127.0, 0.0], [-50.4, 0.0]]]])
    return {"key": key, "value": torch.tensor([[[[12.7, 2.0], [3.0, -25.4]]]])}


def quantise_keys(key: Tensor, value: Tensor) -> Four:
    """Return codes and scales of keys, then of values."""
    key_scale = key.abs().amax(dim=2, keepdim=True) / 127
    value_scale = value.abs().amax(dim=3, keepdim=True) / 127
    key_scale = key_scale.masked_fill(key_scale == 0, 1.0)
    value_scale = value_scale.masked_fill(value_scale == 0, 1.0)
    key_codes = torch.round(key / key_scale).to(torch.int8)
    value_codes = torch.round(value / value_scale).to(torch.int8)
    return key_codes, key_scale, value_codes, value_scale


def by_a_helper(key: Tensor, value: Tensor) -> Four:
    def rounded(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
        largest = torch.maximum(x.amax(dim, keepdim=True), -x.amin(dim, keepdim=True))
        scale = torch.where(largest > 0, largest / 127, 1.0)
        return (x / scale).round().clamp(-127, 127).char(), scale

    return *rounded(key, -2), *rounded(value, -1)


def channel_by_channel(key: Tensor, value: Tensor) -> Four:
    key_scale, value_scale = torch.ones_like(key[:, :, :1]), torch.ones_like(value[..., :1])
    key_codes = torch.zeros(key.shape, dtype=torch.int8)
    value_codes = torch.zeros(value.shape, dtype=torch.int8)
    b, h, n, d = key.shape
    for i in range(b):
        for j in range(h):
            for c in range(d):
                top = key[i, j, :, c].abs().max()
                if top > 0:
                    key_scale[i, j, 0, c] = top / 127
                    key_codes[i, j, :, c] = (key[i, j, :, c] / top * 127).round().to(torch.int8)
            for t in range(n):
                top = value[i, j, t].abs().max()
                if top > 0:
                    value_scale[i, j, t, 0] = top / 127
                    value_codes[i, j, t] = (value[i, j, t] / top * 127).round().to(torch.int8)
    return key_codes, key_scale, value_codes, value_scale


def right(inputs: Inputs) -> tuple[Any, ...]:
    return quantise_keys(**inputs)


OUTPUTS = ("codes of the keys", "scale of the keys", "codes of the values", "scale of the values")


def scales(inputs: Inputs, answer: Any, number: int) -> str | None:
    """Compare the scales of keys or values; a common factor is not its business."""
    said, wanted = parts(right, OUTPUTS, number)(inputs, answer), right(inputs)[number]
    if said is None or not isinstance(answer, (tuple, list)) or len(answer) != 4:
        return said
    found = answer[number]
    if not isinstance(found, Tensor) or found.shape != wanted.shape:
        return said
    ratio = found.double() / wanted.double()
    first = ratio.flatten()[0]
    alike = torch.allclose(ratio, first.expand_as(ratio), rtol=1e-5)
    return None if alike and bool(first > 0) else said


def key_scales(inputs: Inputs, answer: Any) -> str | None:
    return scales(inputs, answer, 1)


def value_scales(inputs: Inputs, answer: Any) -> str | None:
    return scales(inputs, answer, 3)


def both_scales(inputs: Inputs, answer: Any) -> str | None:
    return key_scales(inputs, answer) or value_scales(inputs, answer)


def four(inputs: Inputs, answer: Any) -> Any:
    """Put the four into their order, and give a scale its axis: one requirement is about these."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 4:
        return answer
    if not all(isinstance(x, Tensor) for x in answer):
        return answer
    found = [*answer]
    if found[1].dtype == torch.int8 != found[2].dtype:
        found[1:3] = found[2], found[1]
    for number, axis in ((1, 2), (3, 3)):
        shape = right(inputs)[number].shape
        if found[number].shape == shape[:axis] + shape[axis + 1 :]:
            found[number] = found[number].unsqueeze(axis)
    return tuple(found)


def in_bytes(inputs: Inputs, answer: Any) -> str | None:
    """Say which of the four has another type or shape."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 4:
        return "return a tuple of 4"
    for name, found, wanted in zip(OUTPUTS, answer, right(inputs), strict=True):
        if not isinstance(found, Tensor) or found.shape != wanted.shape:
            shape = tuple(getattr(found, "shape", ()))
            return f"the {name} should have the shape {tuple(wanted.shape)}; yours is {shape}"
        if wanted.dtype == torch.int8 != found.dtype:
            return f"the {name} are {found.dtype}; a byte each is torch.int8"
    return None


def up_to_127(inputs: Inputs, answer: Any) -> str | None:
    """Say which number, the largest of its channel or token, has another code than 127 or -127."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 4:
        return "return a tuple of 4"
    for name, axis, codes in (("key", 2, answer[0]), ("value", 3, answer[2])):
        x = inputs[name]
        if not isinstance(codes, Tensor) or codes.shape != x.shape:
            return f"the codes of the {name}s have the shape of the {name}s, {tuple(x.shape)}"
        if codes.min() < -127:
            return f"codes run from -127 to 127; a code of your {name}s is {codes.min().item()}"
        largest = x.abs() == x.abs().amax(dim=axis, keepdim=True)
        wrong = (largest & (codes != 127 * x.sign())).nonzero().tolist()
        if wrong:
            place, group = tuple(wrong[0]), "channel" if name == "key" else "token"
            return (
                f"the {name} at {list(place)} is {x[place].item():.4g}, the largest magnitude of "
                f"its {group}, so its code is {127 * x[place].sign().item():.0f}; yours is "
                f"{codes[place].item():g}"
            )
    return None


def near(inputs: Inputs, answer: Any) -> str | None:
    """Say which number, read back, is further off than half a step of its own scale."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 4:
        return "return a tuple of 4"
    for name, (codes, scale) in (("key", answer[:2]), ("value", answer[2:])):
        x = inputs[name].double()
        back = codes.double() * scale.double()
        if back.shape != x.shape:
            return f"codes times scale of the {name}s has shape {tuple(back.shape)}"
        off = (back - x).abs()
        wrong = (~(off <= 0.5001 * scale.double().abs())).nonzero()
        if len(wrong):
            place = tuple(wrong[0].tolist())
            return (
                f"the {name} at {list(place)} is {x[place].item():.4g}, and comes back as "
                f"{back[place].item():.4g}: further off than half of its scale"
            )
    return None


def zeros(inputs: Inputs, answer: Any) -> str | None:
    """Say that zeros have another scale than 1, or that tiny numbers are taken for zeros."""
    if not isinstance(answer, (tuple, list)) or len(answer) != 4:
        return "return a tuple of 4"
    if not all(isinstance(x, Tensor) for x in answer):
        return "return four tensors"
    for name, axis, codes, scale in (("key", 2, *answer[:2]), ("value", 3, *answer[2:])):
        x = inputs[name]
        nothing = (x == 0).all(dim=axis, keepdim=True)
        if scale.shape == nothing.shape or nothing.all():
            of_nothing = scale[nothing] if scale.shape == nothing.shape else scale
            if (of_nothing != 1).any():
                yours = of_nothing[of_nothing != 1][0].item()
                return f"where all numbers are 0 the scale is 1; one of your {name}s' is {yours:g}"
        largest = codes.double().abs().max()
        if x.any() and largest < 100:
            return f"your {name}s go up to {x.abs().max():.2g}, and their codes to {largest:g} only"
    return None


TASK = Exercise(
    id="13.quantise_keys",
    title="A cache in bytes",
    level="medium",
    minutes=9,
    concepts=("quantised-cache", "cache-size"),
    reference=quantise_keys,
    precision=FINE,  # a scale of 1e-8 is not one of 0
    rungs=(
        rung(
            "keys: a scale for each channel",
            0.25,
            one_head,
            through(four, key_scales),
            "keys by channel, values by token",
        ),
        rung(
            "values: a scale for each token",
            0.25,
            one_head,
            through(four, value_scales),
            "keys by channel, values by token",
        ),
        rung(
            "each head and each sequence has its own scales",
            1.0,
            several_heads,
            through(four, both_scales),
            "keys by channel, values by token",
        ),
        rung(
            "the largest of each channel or token has the code 127 or -127",
            1.0,
            any_sizes,
            through(four, up_to_127),
            "the largest becomes 127",
        ),
        rung(
            "read back, no number is off by more than half a step",
            1.75,
            any_sizes,
            through(four, near),
            "codes times scale give the numbers back",
        ),
        rung("codes of a byte each, and scales with an axis of 1", 0.25, any_sizes, in_bytes),
        rung(
            "zeros have the scale 1, and tiny numbers their own",
            0.5,
            of_zeros,
            through(four, zeros),
        ),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="by a helper", answer=by_a_helper),
        Alternative(name="channel by channel, token by token", answer=channel_by_channel),
    ),
    hints=(
        "Which numbers of keys (b, h, n, d) share a scale? Over which axis is the largest taken?",
        "The shapes tell: the keys' scale is (b, h, 1, d), the values' (b, h, n, 1). An axis of 1 "
        "is the one that shares.",
        "Divide by a scale that makes the largest magnitude 127, go to the nearest whole number, "
        "and only then change the type. Mend scales of 0 before dividing.",
    ),
)
