"""Isolate student code: private files, processes and network, and limits on its resources.

A process that was forked for student code calls :func:`enter` and is locked in from then on.
:func:`probe` returns the level of isolation that works on this machine. If no level works, student
code does not run.

The package needs only the standard library and pyseccomp.
"""

from plaincourse.sandbox.container import command
from plaincourse.sandbox.copying import Left, left_out
from plaincourse.sandbox.entrance import enter, prepare, probe, seal, sockets_folder, tidy
from plaincourse.sandbox.process_state import environment
from plaincourse.sandbox.room import (
    CONSENT,
    SWITCH,
    Level,
    Limits,
    Room,
    SandboxRefused,
    Support,
    refusal,
)

__all__ = [
    "CONSENT",
    "SWITCH",
    "Left",
    "Level",
    "Limits",
    "Room",
    "SandboxRefused",
    "Support",
    "command",
    "enter",
    "environment",
    "left_out",
    "prepare",
    "probe",
    "refusal",
    "seal",
    "sockets_folder",
    "tidy",
]
