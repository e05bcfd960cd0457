"""The capstone: a model of one's own, composed, trained, stretched, cached, served; and measured.

Read ``entry`` first: what is handed in. ``language`` says what is learnt, ``checks`` and ``timing``
what is measured, ``measuring`` what it is worth. ``training`` trains a design; ``worked`` holds
three finished capstones, and ``python -m plainformer.lab.capstone NAME`` makes one of them.
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
