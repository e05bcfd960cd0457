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

import needs
from needs import (
    GET_NODE,
    GET_PYTHON,
    OLDEST_PYTHON,
    ROOT,
    VENV,
    VENV_PYTHON,
    Missing,
    output,
    version_of,
)


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
        if lines[-1].startswith(("Collecting ", "Processing ", "Requirement already")):
            count += 1
            if total and (sys.stdout.isatty() or count % 50 == 0):
                end = "\r" if sys.stdout.isatty() else "\n"
                print("  found %3d of %d packages" % (min(count, total), total), end=end)
                sys.stdout.flush()
        if total and lines[-1].startswith("Installing collected"):
            print("  installing ...                ")
            sys.stdout.flush()
    pip.stdout.close()
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
        python = needs.find_python()
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
    found = needs.find_node()
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


STEPS = {
    "python": set_up_python,
    "node": set_up_node,
    "node-if-there": set_up_node_if_there,
    "chromium": needs.check_chromium,
    "gpu": needs.check_gpu,
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
