"""What ``pytest --nbval book/`` needs: kernels that print the same as those of ``sync``.

nbval compares text (printed, text/plain, text/html, text/latex) and not pictures: a picture has
the fonts and the antialiasing of the machine that drew it, while what it shows is text in its
alt text and held by assertions. From outside may be set ``PLAINFORMER_DEVICE``, for a GPU;
``THREADS``; and ``BUTTERFLY``, the seed of a noise in the last bit of all that is trained.
"""

import os
import tempfile
import uuid
from collections.abc import Generator
from pathlib import Path

import matplotlib.font_manager  # noqa: F401  builds its cache here, or a cell would say so
import nbval.kernel
import pytest
from jupyter_client.manager import KernelManager

from plaincourse.kernels.client import short_folder
from plaincourse.notebooks.execute import ENVIRONMENT

WINGS = Path(__file__).parents[1] / "tests" / "butterfly"


def pytest_configure(config: pytest.Config) -> None:
    """Let kernels talk through sockets in a folder, not through ports of the machine.

    A port that is free while a kernel's file is written may be another kernel's when it binds.
    """
    folder = tempfile.TemporaryDirectory(prefix="nbval", dir=short_folder())
    patch = pytest.MonkeyPatch()

    def manager(**options: object) -> KernelManager:
        file = str(Path(folder.name) / f"{uuid.uuid4().hex}.json")
        return KernelManager(transport="ipc", connection_file=file, **options)

    patch.setattr(nbval.kernel, "KernelManager", manager)
    # No profile of the user's: it may decide what a cell shows.
    profile = Path(folder.name) / "ipython"
    profile.mkdir()
    patch.setenv("IPYTHONDIR", str(profile))
    config.add_cleanup(patch.undo)
    config.add_cleanup(folder.cleanup)


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
