"""Name the machine, and where its results lie: what one processor reaches, another may not."""

import platform
import re
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


def processor() -> str:
    """Name the processor as the system does."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if "model name" in line)
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def results() -> Path:
    """Return the folder of this processor's results: its name in lower case, with hyphens."""
    name = re.sub(r"\((?:r|tm)\)|processor|cpu", "", processor().lower())
    return RESULTS / re.sub(r"[^a-z0-9]+", "-", name).strip("-")
