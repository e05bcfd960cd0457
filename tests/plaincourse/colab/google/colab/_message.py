"""Requests to the browser. This module is private on Colab, too, and has the same functions."""

import json
import os
from pathlib import Path

from google.colab import errors


class MessageError(errors.Error):
    """The browser responds with an error."""


def blocking_request(request_type, request="", timeout_sec=5, parent=None):
    """Return the browser's response, or None if it does not come in time."""
    if request_type != "get_ipynb":
        raise MessageError(f"Unknown request type: {request_type}")
    if timeout_sec is None or not os.environ.get("COLAB_BROWSER"):
        return None
    return {"ipynb": json.loads(Path(os.environ["COLAB_BROWSER"]).read_text("utf-8"))}
