"""Find the notebook inside other JSON or text, in the form in which some programs export it.

Jupyter's server returns ``{"type": "notebook", "content": {…}}``, GitHub's the file in base64, and
a script that wrote a notebook twice leaves a string of JSON.
"""

import base64
import binascii
from collections.abc import Callable, Iterator
from typing import Any

#: The maximal depth of the notebook, and the number of values that are searched.
_DEEP, _MOST = 3, 100


def unwrapped(data: Any, read: Callable[[str], Any]) -> Any:
    """Return the only notebook inside other data; None if there is not exactly one.

    Args:
        data: the parsed content of a file.
        read: reads JSON, and raises `ValueError` or `RecursionError`.
    """
    found = list(_notebooks(data, read, _DEEP))
    return found[0] if len(found) == 1 else None


def pasted(text: str, read: Callable[[str], Any]) -> Any:
    """Return the notebook between the first and the last brace, as in a fence or in an e-mail.

    Args:
        text: of a file that is not JSON.
        read: reads JSON, and raises `ValueError` or `RecursionError`.

    Returns:
        Its parsed JSON; None if there is no notebook.
    """
    try:
        data = read(text[text.find("{") : text.rfind("}") + 1])
    except ValueError:
        return None
    return data if isinstance(data, dict) and {"cells", "worksheets"} & data.keys() else None


def _notebooks(data: Any, read: Callable[[str], Any], deep: int) -> Iterator[Any]:
    if isinstance(data, dict) and isinstance(data.get("cells", data.get("worksheets")), list):
        yield data
        return
    if deep == 0:
        return
    if isinstance(data, str):
        if data.lstrip()[:1] == "{":
            try:
                yield from _notebooks(read(data), read, deep - 1)
            except (ValueError, RecursionError):
                return
        return
    inner: list[Any] = data[:_MOST] if isinstance(data, list) else []
    if isinstance(data, dict):
        inner = list(data.values())[:_MOST]
        packed = data.get("content")
        if "base64" in (data.get("encoding"), data.get("format")) and isinstance(packed, str):
            inner = [_decoded(packed)]
    for each in inner:
        yield from _notebooks(each, read, deep - 1)


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text).decode("utf-8")
    except (binascii.Error, UnicodeDecodeError, ValueError):
        return ""
