"""Settings that no code would read are refused by name."""

import inspect
from collections.abc import Sequence
from dataclasses import MISSING, fields, is_dataclass
from typing import Any


def check_known(settings: Any, kind: type, reader: str) -> None:
    """Refuse settings of a subclass with fields that the reader does not know.

    Args:
        settings: an instance of a dataclass.
        kind: the dataclass whose fields the reader knows.
        reader: name of the reader, for the message.

    Raises:
        ValueError: a field is not one of ``kind``, and not left at an empty default.
    """
    known = {field.name for field in fields(kind)}
    found = [field.name for field in fields(settings) if field.name not in known]
    if wrong := _given(settings, found):
        raise ValueError(
            f"{type(settings).__name__} has {wrong}, which {reader} does not read and would "
            f"ignore: use a {kind.__name__}, or teach {reader} what it means"
        )


def check_overridden(settings: Any, methods: Sequence[str]) -> None:
    """Refuse settings with fields that no method of their class reads.

    A class that adds a field to another has to override the method that computes with it.

    Args:
        settings: an instance of a dataclass; other objects have no fields.
        methods: the methods that other code calls.

    Raises:
        ValueError: a class adds a field, not left at an empty default, and overrides none of the
            methods.
    """
    names = {field.name for field in fields(settings)} if is_dataclass(settings) else set()
    for kind in type(settings).__mro__:
        added = sorted(names & inspect.get_annotations(kind).keys())
        inherited = any(hasattr(parent, methods[0]) for parent in kind.__mro__[1:])
        if (
            inherited
            and not vars(kind).keys() & set(methods)
            and (wrong := _given(settings, added))
        ):
            raise ValueError(
                f"{kind.__name__} adds {wrong} and overrides none of {list(methods)}: nothing "
                "would read it; override the one that computes with it"
            )


def _given(settings: Any, names: Sequence[str]) -> list[str]:
    """List the fields that are not left at a default of None or False."""
    defaults = {field.name: field.default for field in fields(settings)}
    return [
        name
        for name in names
        if defaults[name] is MISSING
        or getattr(settings, name) is not defaults[name]
        or not (defaults[name] is None or defaults[name] is False)
    ]
