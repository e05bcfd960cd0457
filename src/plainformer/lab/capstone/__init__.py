"""The capstone: design, train, stretch, cache and serve a model of your own, and measure it.

Read ``entry`` first, the format of a design. ``language`` makes the texts, ``training`` trains,
``checks`` and ``timing`` measure, and ``measuring`` computes the points. ``worked`` has four
recorded designs, ``python -m plainformer.lab.capstone NAME`` trains one of them, and ``endpoint``
serves one.
"""

from plainformer.lab.capstone.entry import Entry, Refused, configuration, read
from plainformer.lab.capstone.language import LONG, SHORT, VOCABULARY, floor, held_out, text
from plainformer.lab.capstone.measuring import PARTS, PLAIN, Measured, measure
from plainformer.lab.capstone.training import Recipe, seconds_for, train, train_entry

__all__ = [
    "LONG",
    "PARTS",
    "PLAIN",
    "SHORT",
    "VOCABULARY",
    "Entry",
    "Measured",
    "Recipe",
    "Refused",
    "configuration",
    "floor",
    "held_out",
    "measure",
    "read",
    "seconds_for",
    "text",
    "train",
    "train_entry",
]
