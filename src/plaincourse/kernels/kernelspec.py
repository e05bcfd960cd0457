"""The kernel ``plaincourse-sandbox``, which students' notebooks run in."""

from pathlib import Path

NAME = "plaincourse-sandbox"
"""What the kernel and its provisioner are called."""

SHARE = Path(__file__).parent / "share"
"""A folder of the kind that ``JUPYTER_PATH`` lists."""
