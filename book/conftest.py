"""What ``pytest --nbval book/`` needs: kernels that print the same as those of ``sync``.

nbval compares text (printed, text/plain, text/html, text/latex) and not pictures: a picture has
the fonts and the antialiasing of the machine that drew it, while what it shows is text in its
alt text and held by assertions. From outside may be set ``PLAINFORMER_DEVICE``, for a GPU;
``THREADS``; and ``BUTTERFLY``, the seed of a noise in the last bit of all that is trained.
"""

import os
from collections.abc import Generator
from pathlib import Path

import matplotlib.font_manager  # noqa: F401  builds its cache here, or a cell would say so
import pytest

from plaincourse.execute import ENVIRONMENT

WINGS = Path(__file__).parents[1] / "tests" / "butterfly"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """Set the environment while nbval starts a kernel, and restore it."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in ENVIRONMENT.items():
            if name != "PLAINFORMER_DEVICE" or name not in os.environ:
                patch.setenv(name, value)
        if threads := os.environ.get("THREADS"):
            patch.setenv("OMP_NUM_THREADS", threads)
            patch.setenv("MKL_NUM_THREADS", threads)
        if os.environ.get("BUTTERFLY"):
            patch.setenv("PYTHONPATH", str(WINGS), prepend=os.pathsep)
        return (yield)
