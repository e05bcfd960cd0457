"""Values in words: one value in full or by its shape, two values by their difference."""

import math
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from plaincourse.checking import readable
from plaincourse.checking.compare import (
    Types,
    agree,
    as_numbers,
    as_tensor,
    close,
    coarser,
    has_nan,
    is_array,
    is_number,
    same,
    unequal,
)
from plaincourse.exercise.precision import Precision

SMALL = 48
DEEP = 8
_AT = "your output at "
_OTHER = "your function returns another value than expected"
_HAS = "your output has"
_FLOAT = "a number"
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_TRUTH = ("; expected True", "; expected False")
_PLAIN_KINDS = {
    type(None): "None (is there a return?)",
    bool: "True or False",
    int: "an integer",
    float: _FLOAT,
    str: "text",
    list: "a list",
    tuple: "a tuple",
    dict: "a dictionary",
}
_VALUES = re.compile(
    rf"(the \w+ output: )*({_AT}|your output is |{_OTHER}"
    r"|your function returns (-?[\dni]|(True|False); expected (True|False)$))"
)


def show(value: Any, *, depth: int = 0, width: float = math.inf) -> str:
    """Format a value: arrays of up to 48 numbers in full with 4 decimals, others by their shape.

    Lists and dicts are written up to 48 items and 8 levels deep, because one may contain itself. A
    line is broken between two items if it would otherwise exceed ``width``.
    """
    if is_array(value):
        array, shape = as_tensor(value), tuple(value.shape)
        if 0 < array.numel() <= SMALL:
            return _rows(array) if shape else show(array.item())
        noun = "tensor" if isinstance(value, Tensor) else "array"
        return f"a {dtype_of(array)} {noun} of shape {shape}"
    if isinstance(value, (tuple, list, dict)):
        if depth == DEEP:
            return "…"
        ends = "()" if isinstance(value, tuple) else "[]" if isinstance(value, list) else "{}"
        inner = partial(show, depth=depth + 1, width=width - 1)
        items = [inner(item) for item in list(value)[:SMALL]]
        if isinstance(value, dict):
            named = zip(items, value.values(), strict=False)
            items = [f"{name}: {inner(item)}" for name, item in named]
        return _in_lines(items + ["…"] * (len(value) > SMALL), ends, width)
    if isinstance(value, np.generic):
        return show(value.item())
    if isinstance(value, float):
        return f"{value:.6g}"
    if callable(value):
        return f"the function {getattr(value, '__name__', type(value).__name__)}"
    try:
        text = repr(value)
    except ValueError:  # Python refuses to write an integer of more than 4300 digits
        return "a number with thousands of digits"
    return text if len(text) <= 200 else text[:200] + " …"


#: The dtypes of most inputs, which are not mentioned.
_USUAL_TYPES = frozenset({torch.float32, torch.float64, torch.int64, torch.bool})


def show_input(value: Any, *, width: float, exactly: bool) -> str:
    """Format an input of an answer, with the dtype of an array if it is not a usual one.

    Args:
        value: the input.
        width: the maximum length of a line.
        exactly: whether the dtypes of real numbers matter, so that each is written.
    """
    said = show(value, width=width)
    if not is_array(value) or not 0 < (x := as_tensor(value)).numel() <= SMALL:
        return said  # show() names the dtype of a large one
    unusual = x.dtype not in _USUAL_TYPES or (exactly and x.dtype.is_floating_point)
    return f"{said}  {dtype_of(x)}" if unusual else said


def show_both(expected: Any, got: Any, *, width: float = math.inf) -> tuple[str, str]:
    """Format two values; numbers that differ are written so that the difference shows: 12 and 12.0.

    Two numbers also differ if one is an integer and the other is not. If two arrays look the same
    but their dtypes differ, the dtypes are added.
    """
    both = show(expected, width=width), show(got, width=width)
    numbers = is_number(expected) and is_number(got)
    if numbers and both[0] == both[1] and (kind(expected) != kind(got) or expected != got):
        return _digits(expected, got)
    if both[0] == both[1] and is_array(expected) and is_array(got):
        dtypes = dtype_of(as_tensor(expected)), dtype_of(as_tensor(got))
        if dtypes[0] != dtypes[1]:
            return f"{both[0]}  {dtypes[0]}", f"{both[1]}  {dtypes[1]}"
    return both


def _in_lines(items: Sequence[str], ends: str, width: float) -> str:
    """Put items between two brackets and fill lines; an item of several lines begins a new line."""
    lines, start = [], ends[0]
    for i, item in enumerate(items):
        item += ends[1] if i == len(items) - 1 else ","
        first, *more = item.split("\n")
        if len(start) > 1 and (more or len(start) + len(first) >= width):
            lines.append(start)
            start = " "
        start += first if len(start) == 1 else f" {first}"
        for line in more:
            lines.append(start)
            start = f" {line}"
    return "\n".join([*lines, start if items else ends])


def with_rule(rule: str, said: str) -> str | None:
    """Return the rule that an output breaks, followed by the values that show it.

    Return ``None`` if the output differs in kind, shape or dtype, which takes precedence.
    """
    if not _VALUES.match(said):
        return None
    return rule if said.endswith((_OTHER, *_TRUTH)) else f"{rule}. In numbers: {said}"


#: Numbers with a relative error below this are treated as rounded.
_ROUNDED = 2e-3


def difference(
    expected: Any,
    got: Any,
    precision: Precision,
    *,
    axes: str = "",
    dtype: Types = "exact",
) -> str | None:
    """Return how ``got`` differs from ``expected``, or ``None`` if it does not.

    Structure comes before numbers: kind, number of parts, shape with its axes, dtype, nan, values.

    Args:
        expected: the reference's output.
        got: the answer's output.
        precision: the tolerance for numbers.
        axes: letters of the axes, ``"b h q k"``, to name them in the message.
        dtype: the required agreement of dtypes.
    """
    if said := readable.complaint(got):
        return said
    if isinstance(expected, (tuple, list)):
        return _parts(expected, got, precision, dtype)
    if is_array(expected):
        if isinstance(got, Tensor) != isinstance(expected, Tensor) or not is_array(got):
            return f"your function returns {kind(got)}; expected {kind(expected)}"
        return _array(as_tensor(expected), as_tensor(got), precision, axes, dtype)
    if is_number(expected) and is_array(got) and as_tensor(got).ndim == 0:
        got = got.item()
    rtol, atol, _ = precision
    if same(expected, got, rtol=rtol, atol=atol, dtype=dtype):
        return None
    if kind(expected) == kind(got) and is_number(expected):
        x, y = _digits(expected, got)
        if kind(expected) != _FLOAT:
            return f"your function returns {y}; expected {x}"
        one, other = (torch.tensor(each, dtype=torch.float64) for each in (expected, got))
        few = _too_few_digits(one, other, precision)
        return f"your function returns {y}; expected {x}{few}"
    if kind(expected) == kind(got):
        return _OTHER
    return f"your function returns {kind(got)}; expected {kind(expected)}"


def kind(value: Any) -> str:
    """Return the kind of a value with its article: "a tensor", "None"."""
    if value is None:
        return "None (is there a return?)"
    if type(value) is readable.Unread:
        return value.words
    if isinstance(value, Tensor):
        return "a tensor"
    if isinstance(value, np.ndarray):
        return "a NumPy array"
    if isinstance(value, (tuple, list)):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, np.generic):
        return kind(value.item())
    names = {bool: "True or False", int: "an integer", float: _FLOAT, str: "text"}
    name = type(value).__name__
    return names.get(type(value), f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}")


def other_kind(expected: Any, got: Any) -> str:
    """Return how two values differ in kind, without mentioning their contents.

    The result is empty if the kinds agree, if :func:`same` ignores the difference, or if the
    expected kind is not one of the few that are named here.
    """
    if readable.complaint(got):
        return "your function returns a tensor or an array that the check cannot read"
    got = as_numbers(expected, got)
    wanted, came = (
        _PLAIN_KINDS.get(type(each), "") or _of_arrays(each) for each in (expected, got)
    )
    numbers = is_number(expected) and not isinstance(expected, (bool, np.bool_))
    number = is_number(got) and not isinstance(got, (bool, np.bool_))
    if numbers and (number or (is_array(got) and got.ndim == 0)):
        return ""
    if wanted == came:
        return ""
    came = came or "an object of another type"
    if isinstance(expected, (tuple, list)):
        wanted = "" if isinstance(got, (tuple, list)) else f"{len(expected)} outputs"
    return f"your function returns {came}; expected {wanted.split(' (')[0]}" if wanted else ""


def _of_arrays(value: Any) -> str:
    """Return the kind of a tensor, an array or a number of NumPy; empty for any other value."""
    if isinstance(value, np.generic):
        return _PLAIN_KINDS.get(type(value.item()), "")
    if is_array(value):
        return "a tensor" if isinstance(value, Tensor) else "a NumPy array"
    return ""


def _parts(expected: Any, got: Any, precision: Precision, dtype: Types) -> str | None:
    got = as_numbers(expected, got)
    if not isinstance(got, (tuple, list)):
        return f"your function returns {kind(got)}; expected {len(expected)} outputs"
    if len(got) != len(expected):
        return f"your function returns {len(got)} outputs; expected {len(expected)}"
    for i, (x, y) in enumerate(zip(expected, got, strict=True)):
        if said := difference(x, y, precision, dtype=dtype):
            return f"the {ordinal(i)} output: {said}"
    return None


def _array(
    expected: Tensor, got: Tensor, precision: Precision, axes: str, dtype: Types
) -> str | None:
    if expected.shape != got.shape:
        return _shape(tuple(expected.shape), tuple(got.shape), axes)
    if not agree(expected.dtype, got.dtype, dtype):
        coarse = ", which is coarser than float32" if coarser(expected.dtype, got.dtype) else ""
        return f"your output has dtype {dtype_of(got)}{coarse}; expected {dtype_of(expected)}"
    rtol, atol, _ = precision
    if close(expected, got, rtol=rtol, atol=atol, dtype=dtype):
        return None
    wrong = unequal(expected, got, rtol=rtol, atol=atol, coarsely=dtype == "any")
    for what in ("nan", "inf"):
        bad = getattr(got, f"is{what}")() & ~getattr(expected, f"is{what}")()
        if bad.any():
            place, count = bad.nonzero()[0].tolist(), int(bad.sum())
            return f"your output has {what} at {place} ({count} of {got.numel()} numbers)"
    place = tuple(wrong.nonzero()[0].tolist())
    x, y = _digits(expected[place].item(), got[place].item())
    where = f"{_AT}{list(place)}" if place else "your output"
    few = _too_few_digits(expected[wrong], got[wrong], precision)
    count, numbers = int(wrong.sum()), got.numel()
    among = f" ({count} of {numbers} {'differs' if count == 1 else 'differ'})"
    return f"{where} is {y}; expected {x}{among if numbers > 1 else ''}{few}"


def _too_few_digits(expected: Tensor, got: Tensor, precision: Precision) -> str:
    """Return a remark on numbers that are right to too few digits; empty if they are wrong."""
    if not (expected.is_floating_point() and precision.rtol):
        return ""
    off = ((got.double() - expected.double()) / expected.double()).abs().max().item()
    if not off < _ROUNDED:
        return ""
    digits, asked = (max(1, int(-math.log10(each))) for each in (off, precision.rtol))
    return f". That is right to {digits} digits, and {asked} are asked" if digits < asked else ""


def _shape(expected: tuple[int, ...], got: tuple[int, ...], axes: str) -> str:
    letters = _letters(axes, len(expected))
    named = f", that is ({letters})" if letters else ""
    said = f"your output has shape {got}; expected {expected}{named}"
    more = len(got) - len(expected)
    if more:
        count = "1 axis" if abs(more) == 1 else f"{abs(more)} axes"
        return f"{said}: {count} too {'many' if more > 0 else 'few'}"
    for j in range(len(got)):
        for i in range(j):
            swapped = list(got)
            swapped[i], swapped[j] = got[j], got[i]
            if tuple(swapped) == expected:
                return f"{said}: axes {i - len(got)} and {j - len(got)} are swapped"
    return said


def _letters(axes: str, rank: int) -> str:
    """Fit axis letters such as ``*batch q k`` to a shape; empty if they do not fit."""
    names = axes.split()
    if names and names[0].startswith(("*", "...")):
        more = rank - (len(names) - 1)
        names = (["..."] if more else []) + names[1:] if more >= 0 else []
    letters = [name if name == "..." else re.sub(r"\W", "", name) for name in names]
    fits = len(letters) == rank or "..." in letters
    return ", ".join(letters) if fits else ""


def ordinal(place: int) -> str:
    """Return the ordinal of a position: 0 gives "first".

    Args:
        place: the position, counted from 0.
    """
    if place < len(_ORDINALS):
        return _ORDINALS[place]
    number = place + 1
    last = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10)
    return f"{number}{last or 'th'}"


def nan_in(value: Any) -> str:
    """Return the subject and verb of a sentence about the part of an output that has nan.

    Args:
        value: the output; for a tuple or list, the first part that has nan is named.
    """
    if isinstance(value, (tuple, list)):
        place = next((i for i, each in enumerate(value) if has_nan(each)), None)
        if place is not None:
            inner = nan_in(value[place])
            rest = "" if inner == _HAS else f": {inner.removesuffix(' has')}"
            return f"the {ordinal(place)} of the {len(value)} values that you return{rest} has"
    return _HAS


def dtype_of(x: Tensor) -> str:
    """Return a dtype without its prefix: float32."""
    return str(x.dtype).removeprefix("torch.")


def _digits(expected: Any, got: Any) -> tuple[str, str]:
    """Write two numbers with the fewest digits that distinguish them."""
    if not isinstance(expected, float) or not isinstance(got, float):
        return str(expected), str(got)
    pairs = ((f"{expected:.{n}g}", f"{got:.{n}g}") for n in (4, 7, 10, 17))
    return next((pair for pair in pairs if pair[0] != pair[1]), (str(expected), str(got)))


def _rows(x: Tensor) -> str:
    """Write a small array row by row, with its numbers aligned in columns."""
    array: Any = (x.double() if x.is_floating_point() else x).numpy()  # NumPy has no bfloat16
    if array.dtype.kind != "f":
        return np.array2string(array, separator=", ", max_line_width=100)
    finite = array[np.isfinite(array)]
    sizes = np.abs(finite[finite != 0])
    whole = bool((finite == np.round(finite)).all()) and not (sizes >= 1e15).any()
    extreme = bool((sizes >= 1e5).any() or (sizes < 5e-5).any())
    form = ".0f" if whole else ".4g" if extreme else ".4f"
    width = max(len(f"{number:{form}}") for number in array.reshape(-1))

    def write(number: Any) -> str:
        return f"{number:{form}}".rjust(width)

    return np.array2string(
        array, separator=", ", max_line_width=100, formatter={"float_kind": write}
    )
