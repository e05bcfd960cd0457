"""Serving: many requests at once, on pages, in steps; and a simulator that says how it would go."""

from plainformer.serving.calibrate import Calibrated, calibrate
from plainformer.serving.cost import Cost, Load, fit
from plainformer.serving.engine import Engine, scheduler_for
from plainformer.serving.prefix import PrefixCache
from plainformer.serving.report import Report, table
from plainformer.serving.request import Answer, Request
from plainformer.serving.scheduler import Scheduler
from plainformer.serving.simulator import Simulator, drive
from plainformer.serving.workload import Workload

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
    "Simulator",
    "Workload",
    "calibrate",
    "drive",
    "fit",
    "scheduler_for",
    "table",
]
