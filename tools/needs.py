"""Find the course's requirements on a machine, or explain how to get missing ones.

This uses only the standard library, and syntax that an old Python can parse, so that it can report
that Python is too old.
"""

from __future__ import print_function

import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
VENV_PYTHON = os.path.join(VENV, "bin", "python")
OLDEST_PYTHON, OLDEST_NODE = (3, 11), 20
PYTHONS = ("python3.11", "python3.12", "python3.13", "python3")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

GET_PYTHON = """\
  Debian, Ubuntu   sudo apt install python3.11 python3.11-venv   (or 3.12, 3.13)
  macOS            brew install python@3.12
  Then run the command again; PYTHON=/path/to/python3.12 before it picks one by hand."""
NO_LINKS = """\
The disk of %s has no symbolic links, which a virtual environment needs.
  Shares of a virtual machine, and disks that are formatted as exFAT or FAT, have none.
  Move the clone to a disk that has them, such as your home, and run the command again there."""
GET_NODE = """\
  Debian, Ubuntu   sudo apt install nodejs npm   (where that is too old: nodejs.org/en/download)
  macOS            brew install node
  The book's mathematics is typeset by scripts from npm; the tests of Python run without it."""
GET_CHROMIUM = """\
  Debian, Ubuntu   sudo apt install chromium   (Ubuntu: chromium-browser)
  macOS            brew install --cask google-chrome, then CHROMIUM=/path/to/the/program
  Only `make site-test` needs a browser."""

# make puts .venv first; the searches here are outside of it.
_PATHS = os.environ.get("PATH", os.defpath).split(os.pathsep)
os.environ["PATH"] = os.pathsep.join(path for path in _PATHS if not path.startswith(VENV))


class Missing(Exception):
    """A requirement that this machine lacks, and how to get it."""


def output(*command):
    """Return the output of a command, or None if it is missing or fails."""
    try:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError:
        return None
    said = process.communicate()[0].decode().strip()
    return said if process.returncode == 0 else None


def version_of(python):
    """Return the version of an interpreter as a tuple, or None if it does not run."""
    found = output(python, "-c", "import sys; print('%d.%d.%d' % sys.version_info[:3])")
    return tuple(int(part) for part in found.split(".")) if found else None


def find_python():
    """Return the path or name of the interpreter that makes the virtual environment."""
    asked = os.environ.get("PYTHON")
    names = [asked] if asked else PYTHONS
    seen = []
    for name in names:
        version = version_of(name)
        if version and version >= OLDEST_PYTHON:
            return name
        seen.append("%s %s" % (name, ".".join(map(str, version)) if version else "does not run"))
    raise Missing("Python 3.11 or newer is needed. Tried: %s.\n%s" % ("; ".join(seen), GET_PYTHON))


def has_links(folder):
    """Return whether symbolic links can be made in a folder."""
    link = os.path.join(folder, ".link-%d" % os.getpid())
    try:
        os.symlink("nowhere", link)
        os.remove(link)
    except (OSError, NotImplementedError):
        return False
    return True


def find_node():
    """Return Node's version, as ``node --version`` prints it."""
    found = output("node", "--version")
    if not found or not output("npm", "--version"):
        raise Missing("Node %d or newer, with npm, is needed.\n%s" % (OLDEST_NODE, GET_NODE))
    if int(found.lstrip("v").split(".")[0]) < OLDEST_NODE:
        raise Missing("Node is %s; %d or newer is needed.\n%s" % (found, OLDEST_NODE, GET_NODE))
    return found


def check_chromium():
    """Raise Missing if a browser cannot be found."""
    names = [os.environ["CHROMIUM"]] if os.environ.get("CHROMIUM") else BROWSERS
    if not any(output(name, "--version") for name in names):
        tried = ", ".join(names)
        raise Missing("A Chromium browser is needed. Tried: %s.\n%s" % (tried, GET_CHROMIUM))


def check_gpu():
    """Raise Missing if torch does not find a CUDA device."""
    ask = "import torch; print(torch.cuda.get_device_name() if torch.cuda.is_available() else '')"
    if not output(VENV_PYTHON, "-c", ask):
        raise Missing(
            "torch in .venv sees no CUDA device (torch %s).\n"
            "  `make notebooks` runs the same notebooks on the CPU. On a machine with a GPU,\n"
            "  install a CUDA build of torch into .venv, then run this again."
            % output(VENV_PYTHON, "-c", "import torch; print(torch.__version__)")
        )
