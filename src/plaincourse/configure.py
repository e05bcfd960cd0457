"""``plaincourse configure``: set the owner of this copy once and update every file that names it.

The owner, name, branch and site are kept in pyproject.toml under [tool.plaincourse]. The command
rewrites everything derived from them: the README's badges and chapter table, CITATION.cff, lines of
_config.yml, and the gates' addresses for `total()`. The first cell of every notebook is updated by
`plaincourse sync`.
"""

import argparse
import json
import re
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from plaincourse.settings import Settings, SettingsError, load, root


def add_parser(sub: Any) -> None:
    """Add the command ``configure``."""
    parser = sub.add_parser(
        "configure",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--owner", help="the GitHub account, such as octocat; '' for not known")
    parser.add_argument("--name", help="the repository's name")
    parser.add_argument("--branch", help="the branch or tag that Colab and links use")
    parser.add_argument("--site", help="the site's address; '' for https://OWNER.github.io/NAME/")
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 where a file disagrees"
    )
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Run the command.

    Returns:
        1 if a setting is invalid or, with ``--check``, if a file is out of date; else 0.
    """
    asked = {key: getattr(args, key) for key in ("owner", "name", "branch", "site")}
    changes = {key: value for key, value in asked.items() if value is not None}
    if args.check and changes:
        print("error: --check changes nothing; give it without other options", file=sys.stderr)
        return 1
    try:
        home = root()
        stale = check(home) if args.check else configure(home, changes)
    except SettingsError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    names = ", ".join(str(path.relative_to(home)) for path in stale)
    if args.check:
        if stale:
            print(f"error: {names}: not what the settings say. Run: plaincourse configure")
        return int(bool(stale))
    print(f"wrote {names}" if stale else "every file agrees already")
    known = load(home)
    for key, value in {**asdict(known), "site": known.site_url}.items():
        print(f"  {key:<7} {value or '(not set)'}")
    if Path("pyproject.toml") in {path.relative_to(home) for path in stale}:
        print("The first cell of every notebook states them too. Now run: make sync")
    return 0


def configure(home: Path, changes: dict[str, str]) -> list[Path]:
    """Change settings and rewrite every file that contains them.

    Args:
        home: the course's root.
        changes: new values by name; the other settings keep theirs.

    Returns:
        The files that were changed.

    Raises:
        SettingsError: a value is invalid; in that case nothing is written.
    """
    from plaincourse.derived import derive

    settings = replace(load(home), **changes)
    pyproject = home / "pyproject.toml"
    text = pyproject.read_text(encoding="utf-8")
    files = {pyproject: (text, _with_settings(text, settings)), **derive(home, settings)}
    changed = [path for path, (have, want) in files.items() if have != want]
    for path in changed:
        path.write_text(files[path][1], encoding="utf-8")
    return changed


def check(home: Path) -> list[Path]:
    """Return the files that disagree with the settings."""
    from plaincourse.derived import derive

    return [path for path, (have, want) in derive(home, load(home)).items() if have != want]


def _with_settings(text: str, settings: Settings) -> str:
    head, table, rest = re.split(r"^(\[tool\.plaincourse\]\n)", text, maxsplit=1, flags=re.M)
    section, *after = re.split(r"^(?=\[)", rest, maxsplit=1, flags=re.M)
    for key, value in asdict(settings).items():
        line = f"{key} = {json.dumps(value)}"
        section, found = re.subn(rf"^{key}\s*=.*$", lambda _, line=line: line, section, flags=re.M)
        if not found:
            section = f"{line}\n{section}"
    return head + table + section + "".join(after)
