"""Lock student code in: its own files, processes and network, and limits on what it uses.

A process that has been forked for it calls :func:`enter`, and is locked in from then on. What
works on this machine, :func:`probe` says; where nothing does, student code does not run.

The standard library and pyseccomp are all that this package needs.
"""

from plaincourse.sandbox.container import command
from plaincourse.sandbox.copying import Left, left_out
from plaincourse.sandbox.entering import enter, prepare, seal, sockets_folder, tidy
from plaincourse.sandbox.inherited import environment
from plaincourse.sandbox.level import CONSENT, SWITCH, Level, SandboxRefused, Support, refusal
from plaincourse.sandbox.room import Limits, Room
from plaincourse.sandbox.support import probe

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
