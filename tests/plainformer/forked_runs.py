"""Run tests against several copies of the package, each in a process forked from this one.

Reads [[source folder, [test module, …], names], …] from standard input; the last line of its
output is the list of pytest's exit codes: 0 passed, 1 failed.
"""

import json
import os
import sys

import beartype  # noqa: F401  (imported here once, so that every fork has them)
import einops  # noqa: F401
import hypothesis  # noqa: F401
import jaxtyping  # noqa: F401
import pytest
import torch  # noqa: F401


def run(source: str, modules: list[str], name: str) -> int:
    """Run tests in a forked process and return pytest's exit code."""
    child = os.fork()
    if child == 0:
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=no"]
        options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # plugins imported above
        os._exit(pytest.main([*options, "-o", f"pythonpath=. {source}", *modules, "-k", name]))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


if __name__ == "__main__":
    print(json.dumps([run(*job) for job in json.load(sys.stdin)]))
