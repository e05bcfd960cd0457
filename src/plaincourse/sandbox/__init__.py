"""Lock student code in: its own files, processes and network, and limits on what it uses.

A process that has been forked for it calls :func:`enter`, and is locked in from then on. What
works on this machine, :func:`probe` says; where nothing does, student code does not run.

The standard library and pyseccomp are all that this package needs.
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
