"""Download files to the reader's own machine."""

import os
import shutil
from pathlib import Path


def download(filename):
    """Make the browser download a file under its own name."""
    if not Path(filename).exists():
        raise FileNotFoundError(f"Cannot find file: {filename}")
    shutil.copy(filename, Path(os.environ["COLAB_DOWNLOADS"], Path(filename).name))
