"""Run tests against several copies of the package, each in a process forked from this one.

The script reads [[source folder, [test module, …], names, seconds of processor time], …] from
standard input. The last line of its output is the list of pytest's exit codes: 0 for passed, 1 for
failed, and -24 if the time was over.
"""

import json
import os
import resource
import sys

import beartype  # noqa: F401  (imported here once, so that every fork has them)
import einops  # noqa: F401
import hypothesis  # noqa: F401
import jaxtyping  # noqa: F401
import pytest
import torch  # noqa: F401
import transformers.models.llama.modeling_llama
import transformers.models.t5.modeling_t5  # noqa: F401

Job = tuple[str, list[str], str, int]


def start(source: str, modules: list[str], name: str, seconds: int) -> int:
    """Run tests in a process forked from this one, whose exit code is pytest's."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))  # a mistake may be endless
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--tb=no"]
        options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # plugins imported above
        os._exit(pytest.main([*options, "-o", f"pythonpath=. {source}", *modules, "-k", name]))
    return child


def run(jobs: list[Job]) -> list[int]:
    """Run all jobs, one per processor at a time."""
    codes, running = [-1] * len(jobs), {}
    for number, job in enumerate(jobs):
        running[start(*job)] = number
        while len(running) >= (os.cpu_count() or 1) or (running and number == len(jobs) - 1):
            child, status = os.wait()
            codes[running.pop(child)] = os.waitstatus_to_exitcode(status)
    return codes


if __name__ == "__main__":
    print(json.dumps(run(json.load(sys.stdin))))
