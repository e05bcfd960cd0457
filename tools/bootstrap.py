"""Set up what a make target needs, once, and say what is missing and how to get it.

    python3 tools/bootstrap.py python         .venv, from requirements.lock
    python3 tools/bootstrap.py node           node_modules by npm ci, and what the site vendors
    python3 tools/bootstrap.py node-if-there  the same, but a machine without Node is fine
    python3 tools/bootstrap.py chromium       checks that a browser can be found
    python3 tools/bootstrap.py gpu            checks that .venv's torch sees a CUDA device

Standard library only, and written so that an old Python can read it far enough to say it is old.
"""

from __future__ import print_function

import hashlib
import os
import shutil
import subprocess
import sys
import time

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
GET_NODE = """\
  Debian, Ubuntu   sudo apt install nodejs npm   (where that is too old: nodejs.org/en/download)
  macOS            brew install node
  The book's mathematics is typeset by scripts from npm; the tests of Python run without it."""
GET_CHROMIUM = """\
  Debian, Ubuntu   sudo apt install chromium   (Ubuntu: chromium-browser)
  macOS            brew install --cask google-chrome, then CHROMIUM=/path/to/the/program
  Only `make site-test` needs a browser."""


class Missing(Exception):
    """Something that this machine lacks, and how to get it."""


def output(*command):
    """Return what a command prints, or None where it is missing or fails."""
    try:
        return subprocess.check_output(command, stderr=subprocess.DEVNULL).decode().strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def version_of(python):
    """Return the version of an interpreter as a tuple, or None where it does not run."""
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


def digest(*names):
    """Return a digest of files, so that a set-up step is repeated only when one changes."""
    total = hashlib.sha256()
    for name in names:
        with open(os.path.join(ROOT, name), "rb") as file:
            total.update(file.read())
    return total.hexdigest()


def done(stamp, mark):
    """Say whether a step has been finished for these very files."""
    if not os.path.exists(stamp):
        return False
    with open(stamp) as file:
        return file.read() == mark


def finish(stamp, mark):
    """Remember that a step is finished."""
    with open(stamp, "w") as file:
        file.write(mark)


def install(total, *arguments):
    """Run pip, with one line of progress; on failure show the end of what pip said."""
    command = [VENV_PYTHON, "-m", "pip", "install", "--progress-bar=off"] + list(arguments)
    pip = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT)
    lines, count = [], 0
    for raw in pip.stdout:
        lines.append(raw.decode(errors="replace").rstrip())
        if lines[-1].startswith(("Collecting ", "Requirement already")):
            count += 1
            if total and (sys.stdout.isatty() or count % 50 == 0):
                end = "\r" if sys.stdout.isatty() else "\n"
                print("  found %3d of %d packages" % (min(count, total), total), end=end)
                sys.stdout.flush()
        if lines[-1].startswith("Installing collected"):
            print("  installing ...                ")
            sys.stdout.flush()
    if pip.wait() != 0:
        raise Missing(
            "pip could not install what requirements.lock lists. It ended with:\n  %s\n"
            "Is the network (or your package index) reachable? Then run the command again."
            % "\n  ".join(lines[-12:])
        )


def set_up_python():
    """Make .venv from the lock, or bring it up to date with the lock."""
    stamp, start = os.path.join(VENV, ".set-up"), time.time()
    mark = digest("requirements.lock", "pyproject.toml")
    version = version_of(VENV_PYTHON)
    usable = version is not None and version >= OLDEST_PYTHON
    if usable and done(stamp, mark):
        return
    if not usable:
        python = find_python()
        if os.path.exists(VENV):
            print("  .venv does not run, or its Python is too old: making it anew")
            shutil.rmtree(VENV)
        print("Setting up .venv with %s; the first time takes a few minutes" % python)
        sys.stdout.flush()
        if subprocess.call([python, "-m", "venv", VENV]) != 0:
            shutil.rmtree(VENV, ignore_errors=True)
            raise Missing("%s cannot make virtual environments.\n%s" % (python, GET_PYTHON))
    else:
        print("Bringing .venv up to date with requirements.lock and pyproject.toml")
    with open(os.path.join(ROOT, "requirements.lock")) as file:
        total = sum("==" in line for line in file)
    install(total, "-r", "requirements.lock")
    install(0, "--no-deps", "--no-build-isolation", "--editable", ".")
    finish(stamp, mark)
    version = ".".join(map(str, version_of(VENV_PYTHON)))
    print("Ready: .venv, Python %s, %d packages, %.0f s" % (version, total, time.time() - start))


def set_up_node():
    """Install the Node packages of package-lock.json and copy what the site serves."""
    found = output("node", "--version")
    if not found or not output("npm", "--version"):
        raise Missing("Node %d or newer, with npm, is needed.\n%s" % (OLDEST_NODE, GET_NODE))
    if int(found.lstrip("v").split(".")[0]) < OLDEST_NODE:
        raise Missing("Node is %s; %d or newer is needed.\n%s" % (found, OLDEST_NODE, GET_NODE))
    stamp = os.path.join(ROOT, "node_modules", ".set-up")
    mark = digest("package-lock.json", "package.json", "tools/vendor.mjs")
    vendored = os.path.isdir(os.path.join(ROOT, "book", "_static", "vendor"))
    if done(stamp, mark) and vendored:
        return
    print("Setting up node_modules with Node %s" % found)
    sys.stdout.flush()
    steps = (["npm", "ci", "--no-audit", "--no-fund"], ["npm", "run", "--silent", "vendor"])
    for command in steps:
        if subprocess.call(command, cwd=ROOT) != 0:
            raise Missing("`%s` failed; what it said stands above." % " ".join(command))
    finish(stamp, mark)
    print("Ready: node_modules, book/_static/vendor")


def set_up_node_if_there():
    """Set up Node where there is one; otherwise say what will not run."""
    if output("node", "--version") and output("npm", "--version"):
        set_up_node()
    else:
        print("No Node here: tests that need it will be reported as skipped.\n" + GET_NODE)


def check_chromium():
    """Stop where no browser can be found."""
    names = [os.environ["CHROMIUM"]] if os.environ.get("CHROMIUM") else BROWSERS
    if not any(output(name, "--version") for name in names):
        tried = ", ".join(names)
        raise Missing("A Chromium browser is needed. Tried: %s.\n%s" % (tried, GET_CHROMIUM))


def check_gpu():
    """Stop where torch sees no CUDA device."""
    ask = "import torch; print(torch.cuda.get_device_name() if torch.cuda.is_available() else '')"
    if not output(VENV_PYTHON, "-c", ask):
        raise Missing(
            "torch in .venv sees no CUDA device (torch %s).\n"
            "  `make notebooks` runs the same notebooks on the CPU. On a machine with a GPU,\n"
            "  install a CUDA build of torch into .venv, then run this again."
            % output(VENV_PYTHON, "-c", "import torch; print(torch.__version__)")
        )


STEPS = {
    "python": set_up_python,
    "node": set_up_node,
    "node-if-there": set_up_node_if_there,
    "chromium": check_chromium,
    "gpu": check_gpu,
}

if __name__ == "__main__":
    asked = sys.argv[1:]
    if not asked or any(name not in STEPS for name in asked):
        sys.exit("%s\nExpected one or more of: %s" % (__doc__, ", ".join(STEPS)))
    try:
        for step in asked:
            STEPS[step]()
    except Missing as missing:
        sys.exit("\nStopped: %s" % missing)
