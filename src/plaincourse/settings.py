"""The owner of this copy of the course and the address of its site: ``[tool.plaincourse]``.

No other file of the repository states an owner or an address. Code that needs one reads it here,
and text that needs one is rewritten by ``plaincourse configure`` between the markers that
:func:`block` defines.
"""

import re
import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path

from plaincourse.exercise.course import distribution

_OWNER = re.compile(r"[A-Za-z0-9](?:-?[A-Za-z0-9]){0,38}")
_NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")
_BRANCH = re.compile(
    r"(?!.*(?:\.\.|//|/\.|\.lock(?:/|$)|@\{))[A-Za-z0-9_][A-Za-z0-9._/@+-]*(?<![./])"
)
_SITE = re.compile(r"https?://[A-Za-z0-9.-]+(?::\d+)?(?:/[A-Za-z0-9._~/-]*)?")


class SettingsError(ValueError):
    """The settings are missing or invalid."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Addresses of this copy of the course.

    Attributes:
        owner: the GitHub account; empty if it is not known.
        name: the repository.
        branch: the branch or tag that readers get.
        site: the site's address; empty for GitHub's own, ``https://OWNER.github.io/NAME/``.

    Raises:
        SettingsError: one of them is invalid.
    """

    owner: str = ""
    name: str = field(default_factory=distribution)
    branch: str = "main"
    site: str = ""

    def __post_init__(self) -> None:
        _check("owner", self.owner, _OWNER, "a GitHub account: letters, digits, single hyphens", "")
        _check("name", self.name, _NAME, "a repository name: letters, digits, '.', '_', '-'")
        _check("branch", self.branch, _BRANCH, "a branch or tag, such as main or v0.1.0")
        _check("site", self.site, _SITE, "an address, such as https://example.org/course/", "")
        if self.name in {".", ".."} or self.name.endswith(".git"):
            raise SettingsError(f"name={self.name!r}: expected the repository's name, without .git")

    @property
    def repository(self) -> str:
        """The repository's address, empty if the owner is not known."""
        return f"https://github.com/{self.owner}/{self.name}" if self.owner else ""

    @property
    def site_url(self) -> str:
        """The site's address with a slash at its end, empty if it is not known."""
        if self.site:
            return self.site.rstrip("/") + "/"
        if not self.owner:
            return ""
        home = f"https://{self.owner.lower()}.github.io/"
        return home if f"https://{self.name.lower()}/" == home else f"{home}{self.name}/"

    @property
    def pip_spec(self) -> str:
        """The requirement that pip installs on Colab, empty if the owner is not known."""
        if not self.owner:
            return ""
        return f"{distribution()}[notebook] @ git+{self.repository}.git@{self.branch}"

    def colab_url(self, path: str) -> str:
        """Return the address that opens a notebook in Colab, empty if the owner is not known.

        Args:
            path: the notebook, relative to the repository's root.
        """
        if not self.owner:
            return ""
        base = "https://colab.research.google.com/github"
        return f"{base}/{self.owner}/{self.name}/blob/{self.branch}/{path}"

    def source_url(self, path: str) -> str:
        """Return the address of a file on GitHub, empty if the owner is not known.

        Args:
            path: the file, relative to the repository's root.
        """
        return f"{self.repository}/blob/{self.branch}/{path}" if self.owner else ""


def _check(
    name: str, value: object, pattern: re.Pattern[str], what: str, empty: str | None = None
) -> None:
    if not isinstance(value, str):
        raise SettingsError(f"{name}={value!r} is a {type(value).__name__}; expected text: {what}")
    if value != empty and not pattern.fullmatch(value):
        raise SettingsError(f"{name}={value!r}: expected {what}")


def root(start: Path | None = None) -> Path:
    """Return the root of the course that contains a folder.

    Args:
        start: a folder inside the course; by default the current one.

    Raises:
        SettingsError: no folder above holds a ``pyproject.toml`` with ``[tool.plaincourse]``.
    """
    start = (start or Path.cwd()).absolute()
    for folder in [start, *start.parents]:
        if (folder / "pyproject.toml").is_file() and _table(folder) is not None:
            return folder
    raise SettingsError(
        f"{start} is not inside the course: no folder above it has a pyproject.toml with "
        "[tool.plaincourse]. Change to the repository and run the command again."
    )


def load(start: Path | None = None) -> Settings:
    """Read the settings of the course that contains a folder.

    Args:
        start: a folder inside the course; by default the current one.

    Raises:
        SettingsError: there is no such course, or a setting is unknown or invalid.
    """
    folder = root(start)
    table = _table(folder) or {}
    known = [each.name for each in fields(Settings)]
    unknown = [key for key in table if key not in known]
    if unknown:
        raise SettingsError(
            f"{folder / 'pyproject.toml'}: [tool.plaincourse] has {unknown[0]!r}; "
            f"expected only {', '.join(known)}"
        )
    try:
        return Settings(**table)
    except SettingsError as error:
        raise SettingsError(f"{folder / 'pyproject.toml'}: [tool.plaincourse] {error}") from None


def _table(folder: Path) -> dict[str, str] | None:
    try:
        pyproject = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(f"{folder / 'pyproject.toml'} is not valid TOML: {error}") from None
    table: dict[str, str] | None = pyproject.get("tool", {}).get("plaincourse")
    return table


def block(
    text: str,
    name: str,
    content: str,
    *,
    where: str,
    comment: str,
    writer: str = "plaincourse configure",
) -> str:
    """Replace the text between two marker lines.

    Args:
        text: the whole file.
        name: the block's name, part of both markers.
        content: the new content, without the markers.
        where: the file, for the error message.
        comment: the form of a comment in that file, with ``{}`` for its words.
        writer: the command that writes the block, for the error message.

    Raises:
        SettingsError: the markers are missing, or there is more than one pair.
    """
    begin, end = (comment.format(f"{word} {name}") for word in ("begin", "end"))
    parts = re.split(f"(^{re.escape(begin)}\n|^{re.escape(end)}$)", text, flags=re.MULTILINE)
    if len(parts) != 5 or parts[1] != begin + "\n" or parts[3] != end:
        raise SettingsError(
            f"{where}: expected one line `{begin}` and, below it, one line `{end}`; what stands "
            f"between them is written by `{writer}`"
        )
    between = content.strip("\n") + "\n" if content.strip() else ""
    return parts[0] + parts[1] + between + parts[3] + parts[4]
