"""Messages for an answer that writes into an argument, by the argument's type."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from plaincourse.checking.compare import is_array
from plaincourse.exercise import Inputs

#: The rule that is broken by an answer that writes into an argument.
LEFT_ALONE = "the arguments are left as they are"
#: For each type of an argument, the operations that change it in place.
_IN_PLACE = {
    "tensor": "functions that end in an underscore, +=, and writing into x[...] change a tensor in "
    "place",
    "array": "+=, sort(), and writing into x[...] change an array in place",
    "list": "append, extend, insert, pop, remove, sort, += and x[...] = … change a list",
    "dict": "pop, update, setdefault, clear, del and x[...] = … change a dictionary",
    "set": "add, discard, remove, pop, update and |= change a set",
}
#: For each type, an expression that makes a copy.
_COPIES = {
    "tensor": "{0}.clone()",
    "array": "{0}.copy()",
    "list": "list({0})",
    "dict": "dict({0})",
    "set": "set({0})",
}


def changed(names: Sequence[str], inputs: Inputs) -> str:
    """Return the names of the changed inputs, with the operations that change such values in place.

    Args:
        names: the names of the changed inputs, at least one.
        inputs: all inputs.
    """
    listed = " and ".join(f"`{name}`" for name in names)
    kinds = {_type_of(inputs[name]) for name in names}
    how = "; ".join(sorted(_IN_PLACE[kind] for kind in kinds if kind in _IN_PLACE))
    advice = f". {how[:1].upper()}{how[1:]}" if how else ""
    plural = "s" if len(names) > 1 else ""
    return f"your function changed its input{plural} {listed}: work on a copy{advice}"


def hints(names: Sequence[str], inputs: Inputs) -> tuple[str, ...]:
    """Return the ladder of hints for an answer that is right except that it writes into inputs.

    Args:
        names: the names of the inputs that it changed, at least one.
        inputs: all inputs.
    """
    name = names[0]
    kind = _type_of(inputs[name])
    copy = _COPIES.get(kind, "copy.deepcopy({0})").format(name)
    inside = " Where it holds lists, `copy.deepcopy` copies these too." if kind == "list" else ""
    return (
        f"Print `{name}` before and after a call of your function. What has changed?",
        f"Which of your lines writes into `{name}`, or into a part of it? The caller may need it "
        "again.",
        f"Start with `{name} = {copy}`: you then write into a copy.{inside}",
    )


def _type_of(value: Any) -> str:
    if isinstance(value, Tensor):
        return "tensor"
    return "array" if is_array(value) else type(value).__name__
