"""Serving: many requests at once, on pages, in steps; and a simulator that says how it would go.

Read ``scheduler`` first: it plans each step. It stands on ``prefix``, which finds what was
computed already. ``server`` takes the steps, ``engine`` computes them with a model, ``simulator``
says how long they would take, and ``report`` drives either of them and says how it did.
"""

from plainformer.serving.engine import Engine
from plainformer.serving.load import Load
from plainformer.serving.prefix import PrefixCache
from plainformer.serving.report import Report, check, drive, table
from plainformer.serving.scheduler import Request, Scheduler
from plainformer.serving.server import Answer, Server
from plainformer.serving.simulator import (
    Calibrated,
    Cost,
    Simulator,
    Workload,
    calibrate,
    fit,
    scheduler_for,
)

__all__ = [
    "Answer",
    "Calibrated",
    "Cost",
    "Engine",
    "Load",
    "PrefixCache",
    "Report",
    "Request",
    "Scheduler",
    "Server",
    "Simulator",
    "Workload",
    "calibrate",
    "check",
    "drive",
    "fit",
    "scheduler_for",
    "table",
]
