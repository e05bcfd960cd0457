"""Mistakes to plant in the package, each with the test that must detect it.

Each module here has a list ``PLANTED`` of tuples: the file, the right code, the mistake, and the
test as "module: start of its name".
"""

import importlib
import pkgutil

Mistake = tuple[str, str, str, str]


def areas() -> dict[str, list[Mistake]]:
    """Return all mistakes by the module of this folder that lists them."""
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    return {name: importlib.import_module(f"{__name__}.{name}").PLANTED for name in names}
