"""Set up the requirements of a make target once, or explain how to get missing ones.

    python3 tools/bootstrap.py python         .venv, from requirements.lock
    python3 tools/bootstrap.py node           node_modules by npm ci, and the site's vendored files
    python3 tools/bootstrap.py node-if-there  the same, but optional on a machine without Node
    python3 tools/bootstrap.py chromium       checks that a browser can be found
    python3 tools/bootstrap.py gpu            checks that .venv's torch finds a CUDA device

This uses only the standard library, and syntax that an old Python can parse, so that it can report
that Python is too old.
"""

from __future__ import print_function

import ast
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time

import needs
from needs import ROOT, VENV, VENV_PYTHON, Missing, output

UNFINISHED = "unfinished"
NO_BYTECODE = "PYTHONDONTWRITEBYTECODE"  # container images set it; see the Makefile
SMOKE = "import IPython, ipykernel.kernelapp, matplotlib.pyplot, nbgrader, plainformer, torch"
# jsonschema compiles 39 grammars of internet addresses, which are not used here and take seconds in
# every process that reads a notebook. In other projects' commands, only a hook at Python's start is
# early enough to prevent it: see skip_address_grammar in plaincourse.
LIGHT = """\
import os, sysconfig
path = os.path.join(sysconfig.get_path("purelib"), "without_address_grammar.pth")
with open(path, "w") as file:
    file.write("import sys; sys.modules.setdefault('rfc3987_syntax', None)\\n")
"""
# uv does not read pip's settings, so they are passed on. Sections are in pip's reading order.
SECTIONS = ("global", "install", ":env:")
UV_NAMES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "constraint": "UV_CONSTRAINT",
    "trusted-host": "UV_INSECURE_HOST",
    "timeout": "UV_HTTP_TIMEOUT",
    "default-timeout": "UV_HTTP_TIMEOUT",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
}
# These do not affect the installed packages. With any other setting, pip installs.
HARMLESS = (
    "break-system-packages cache-dir disable-pip-version-check no-cache-dir no-color no-input "
    "no-warn-script-location progress-bar quiet require-virtualenv retries root-user-action verbose"
).split()


def digest(*names):
    """Return a digest of files, so that a set-up step is repeated only when one changes."""
    total = hashlib.sha256()
    for name in names:
        with open(os.path.join(ROOT, name), "rb") as file:
            total.update(file.read())
    return total.hexdigest()


def recorded(stamp):
    """Return the record of the last set-up: a digest, UNFINISHED, or "" without a set-up."""
    if not os.path.exists(stamp):
        return ""
    with open(stamp) as file:
        return file.read()


def record(stamp, mark):
    """Record the progress of a set-up."""
    with open(stamp, "w") as file:
        file.write(mark)


def run(command, environment=None):
    """Run a command, show its milestones, and return its status and the end of its output."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=ROOT, env=environment
    )
    lines = []
    for raw in process.stdout:
        lines.append(raw.decode("utf-8", "replace").rstrip())
        if lines[-1].startswith(("Resolved", "Downloading", "Prepared", "Installed")):
            print("  " + lines[-1][:78])
            sys.stdout.flush()
    process.stdout.close()
    return process.wait(), "\n  ".join(lines[-12:])


def uv_environment():
    """Return an environment in which uv uses pip's configured package sources.

    Raises:
        Missing: pip has a setting that uv does not have.
    """
    found, environment = {}, {"UV_INDEX_STRATEGY": "unsafe-best-match"}  # pip's: all indexes as one
    for line in (output(VENV_PYTHON, "-m", "pip", "config", "list") or "").splitlines():
        key, value = line.split("=", 1)
        section, name = key.rsplit(".", 1)
        if section in SECTIONS:
            found[SECTIONS.index(section), name] = ast.literal_eval(value)
    for (_, name), value in sorted(found.items()):
        if name in UV_NAMES:
            environment[UV_NAMES[name]] = ("," if name == "find-links" else " ").join(value.split())
        elif name not in HARMLESS:
            raise Missing("pip's setting %s has no counterpart in uv" % name)
    environment.update(os.environ)
    return environment


def install(again):
    """Install the lock and the course into .venv, with uv, or with pip if uv fails.

    Args:
        again: replace every package, because an earlier installation was interrupted.
    """
    with open(os.path.join(ROOT, "requirements.lock")) as file:
        uv = re.search(r"^uv==\S+", file.read(), re.MULTILINE).group()
    pip, what = [VENV_PYTHON, "-m", "pip", "install"], ["-r", "requirements.lock", "-e", "."]
    try:
        environment = uv_environment()
        status, said = run(pip + ["--retries=1", uv])
        if status == 0:
            command = [VENV_PYTHON, "-m", "uv", "pip", "install", "--python", VENV_PYTHON]
            status, said = run(command + ["--reinstall"] * again + what, environment)
    except Missing as missing:
        status, said = 1, str(missing)
    if status != 0:
        print("  uv cannot install here, so pip does; that takes a few minutes. uv ended with:")
        print("  " + "\n".join(said.split("\n")[-2:]).lstrip())
        sys.stdout.flush()
        status, said = run(pip + ["--force-reinstall"] * again + what)
    if status != 0:
        raise Missing(
            "pip could not install what requirements.lock lists. It ended with:\n  %s\n"
            "Is the network (or your package index) reachable? Then run the command again." % said
        )
    kept = {name: value for name, value in os.environ.items() if name != NO_BYTECODE}
    run([VENV_PYTHON, "-c", LIGHT], kept)
    status, said = run([VENV_PYTHON, "-c", SMOKE], kept)  # compiles the imports of every command
    if status != 0:
        raise Missing(
            "What was installed does not run. Python ended with:\n  %s\n"
            "Run the command again. If that does not help: rm -r .venv, and again." % said
        )


def set_up_python():
    """Make .venv from the lock, or bring it up to date with the lock."""
    stamp, start = os.path.join(VENV, ".set-up"), time.time()
    mark = digest("requirements.lock", "pyproject.toml", os.path.abspath(__file__))
    usable = (needs.version_of(VENV_PYTHON) or (0,)) >= needs.OLDEST_PYTHON
    if usable and recorded(stamp) == mark:
        return
    # A half-made environment has no pip, or runs a Python outside it.
    prefix = output(VENV_PYTHON, "-c", "import pip, sys; print(sys.prefix)") or ""
    if not usable or os.path.realpath(prefix) != os.path.realpath(VENV):
        python = needs.find_python()
        if os.path.exists(VENV):
            print("  .venv is incomplete, or its Python is too old: making it anew")
            shutil.rmtree(VENV)
        print("Setting up .venv with %s" % python)
        sys.stdout.flush()
        if subprocess.call([python, "-m", "venv", VENV]) != 0:
            shutil.rmtree(VENV, ignore_errors=True)
            if not needs.has_links(ROOT):
                raise Missing(needs.NO_LINKS % ROOT)
            raise Missing("%s cannot make virtual environments.\n%s" % (python, needs.GET_PYTHON))
    else:
        print("Bringing .venv up to date with requirements.lock and pyproject.toml")
        sys.stdout.flush()
    again = recorded(stamp) == UNFINISHED
    record(stamp, UNFINISHED)
    install(again)
    record(stamp, mark)
    version = ".".join(map(str, needs.version_of(VENV_PYTHON)))
    print("Ready: .venv, Python %s, %.0f s" % (version, time.time() - start))


def set_up_node():
    """Install the Node packages of package-lock.json and copy the files that the site serves."""
    found = needs.find_node()
    stamp = os.path.join(ROOT, "node_modules", ".set-up")
    mark = digest("package-lock.json", "package.json", "tools/vendor.mjs")
    vendored = os.path.isdir(os.path.join(ROOT, "book", "_static", "vendor"))
    if recorded(stamp) == mark and vendored:
        return
    print("Setting up node_modules with Node %s" % found)
    sys.stdout.flush()
    steps = (["npm", "ci", "--no-audit", "--no-fund"], ["npm", "run", "--silent", "vendor"])
    for command in steps:
        if subprocess.call(command, cwd=ROOT) != 0:
            raise Missing("`%s` failed; what it said stands above." % " ".join(command))
    record(stamp, mark)
    print("Ready: node_modules, book/_static/vendor")


def set_up_node_if_there():
    """Set up Node if it is installed; otherwise print which targets will not run."""
    if output("node", "--version") and output("npm", "--version"):
        set_up_node()
    else:
        print("No Node here: tests that need it will be reported as skipped.\n" + needs.GET_NODE)


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
    except KeyboardInterrupt:
        sys.exit("\nStopped. Run the command again, and it goes on.")
