"""Serving: many requests in parallel, in pages and steps; and a simulator that predicts times.

Read ``scheduler`` first: it plans each step. It uses ``prefix``, which finds results that were
computed already. ``server`` takes the steps, ``engine`` computes them with a model, ``simulator``
predicts their duration, and ``report`` runs either of them and measures it.
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
