"""The machinery of the course. In a notebook: ``from plaincourse import check, hint, total``."""

from typing import Any

from plaincourse.checking.check import check, hint, total
from plaincourse.handing_in import hand_in
from plaincourse.startup import skip_address_grammar

__all__ = ["check", "hand_in", "hint", "total", "typed"]

skip_address_grammar()


def typed(function: Any) -> Any:
    """Check a function's types at each call, where an ``int`` also counts as a ``float`` (PEP 484).

    The notebooks give this to jaxtyping, which checks the shapes of tensors.
    """
    from beartype import BeartypeConf, beartype

    return beartype(conf=BeartypeConf(is_pep484_tower=True))(function)
