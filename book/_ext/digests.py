"""Addresses of style sheets and scripts that change with what is in them.

A browser keeps both for as long as the host says, and would show a new page with an old sheet.
Sphinx puts a digest into an address when it writes a page, but some of these files are made or
changed later. So when all is written, each address gets the digest of the file as it is then. The
scripts come first: some load others, whose addresses in them get digests too.
"""

import hashlib
import re
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

ADDRESS = re.compile(
    r'(?P<start>\b(?:href|src)=")(?P<path>[^":?#]*_static/[^":?#]+\.(?:css|js))(?:\?v=\w*)?"'
)
IN_SCRIPT = re.compile(
    r"""(?P<start>["'`])(?P<path>_static/[^"'`?#]+\.(?:css|js))(?:\?v=\w*)?(?=["'`])"""
)


def dated(text: str, folder: Path, digest: Callable[[Path], str]) -> str:
    """Return a page with the digest of each style sheet and script in its address.

    Args:
        text: the page.
        folder: where the page lies.
        digest: from the path of a file to what its address ends with; empty for one that is not
            there.
    """

    def address(found: re.Match[str]) -> str:
        mark = digest((folder / found["path"]).resolve())
        return f'{found["start"]}{found["path"]}{f"?v={mark}" if mark else ""}"'

    return ADDRESS.sub(address, text)


def dated_script(text: str, site: Path, digest: Callable[[Path], str]) -> str:
    """Return a script with the digest of each file that it names from the site's root.

    Args:
        text: the script.
        site: the site's root.
        digest: as for :func:`dated`.
    """

    def address(found: re.Match[str]) -> str:
        mark = digest(site / found["path"])
        return f"{found['start']}{found['path']}{f'?v={mark}' if mark else ''}"

    return IN_SCRIPT.sub(address, text)


def mark(content: bytes) -> str:
    """Return the digest of a file's content."""
    return hashlib.sha256(content).hexdigest()[:12]


def _digest(path: Path) -> str:
    return mark(path.read_bytes()) if path.is_file() else ""


def write(app: Sphinx, error: Exception | None) -> None:
    """Put them into all pages, also those that this build has not written again."""
    if error or app.builder.format != "html" or app.builder.name == "epub":
        return
    site = Path(app.outdir)
    scripts = sorted((site / "_static").rglob("*.js"))
    # Until nothing changes: a digest is of a script in which all addresses are right. A chain of
    # scripts takes at most one round for each; scripts that name one another would never end.
    for _ in range(len(scripts) + 1):
        digest = cache(_digest)
        changed = [
            _rewrite(path, partial(dated_script, site=site, digest=digest)) for path in scripts
        ]
        if not any(changed):
            break
    else:
        raise ExtensionError("scripts name each other in a circle, so no digest of them is final")
    for page in sorted(site.rglob("*.html")):
        _rewrite(page, partial(dated, folder=page.parent, digest=digest))


def _rewrite(path: Path, change: Callable[[str], str]) -> bool:
    """Change a file's text; return whether it is another one now."""
    text = path.read_text("utf-8")
    if new := (changed := change(text)) != text:
        path.write_text(changed, "utf-8")
    return new


def setup(app: Sphinx) -> dict[str, Any]:
    """Wait until all other extensions have written their files."""
    app.connect("build-finished", write, priority=999)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
