"""Student code has no access to other processes, leaves none behind, and exits as outside."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from plaincourse.sandbox import Level, SandboxRefused, enter
from tests.plaincourse.locked import (
    SMALL,
    alarm,
    can_change_user,
    error_of,
    needs_linux,
    place_for,
    run,
    status,
    ways,
)

every_way = pytest.mark.parametrize("way", ways())


@every_way
def test_it_sees_no_process_of_the_host_and_signals_none(way, tmp_path):
    level, user = way
    host = os.getpid()

    def look():
        listed = []
        with contextlib.suppress(OSError):
            listed = [name for name in os.listdir("/proc") if name.isdigit()]
        return {
            "listed": listed,
            "host": [
                error_of(lambda: os.kill(host, 0)),
                error_of(lambda: os.kill(os.getppid(), signal.SIGKILL)) or "ignored",
                error_of(lambda: os.kill(-1, signal.SIGUSR1)) or "own",
                error_of(lambda: Path(f"/proc/{host}/status").read_text("utf-8")),
            ],
            "alive": True,
        }

    before = signal.signal(signal.SIGUSR1, lambda *_: pytest.fail("a signal came out"))
    try:
        seen = run(look, place_for(tmp_path, user), level)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert seen["listed"] in (["1", "2"], [])
    assert all(seen["host"]), seen


@every_way
def test_the_environment_does_not_come_along(way, tmp_path, monkeypatch):
    level, user = way
    monkeypatch.setenv("PLAIN_SECRET", "hunter2-secret")

    def look():
        import posix

        said = [str(dict(os.environ)), str(posix.environ)]
        for name in ("self", str(os.getpid()), str(os.getppid())):
            with contextlib.suppress(OSError):
                said.append(Path("/proc", name, "environ").read_bytes().decode("latin-1"))
        if level is Level.NAMESPACES:
            said.append(subprocess.run(["env"], capture_output=True, text=True).stdout)
        return " ".join(said)

    seen = run(look, place_for(tmp_path, user), level)
    assert "hunter2" not in seen
    assert "HOME" in seen


@pytest.mark.skipif(not can_change_user(), reason="it starts a program as it was started")
def test_the_block_that_the_program_was_started_with_is_wiped(tmp_path):
    """`/proc/self/environ` shows it even after variables are unset."""
    import sys

    code = (
        "import os, posix; from pathlib import Path;"
        "from plaincourse.sandbox.process_state import *;"
        "replace_environment('/h', '/t'); block = Path('/proc/self/environ').read_bytes();"
        "print(block.strip(b'\\0'), os.environ['HOME'], 'hunter2' in str(posix.environ))"
    )
    given = {**os.environ, "PLAIN_SECRET": "hunter2"}
    done = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True)
    assert done.stdout.split() == ["b''", "/h", "False"], done.stderr


@every_way
def test_no_open_file_comes_along_but_those_that_are_named(way, tmp_path):
    level, user = way
    secret = os.open(tmp_path, os.O_RDONLY)
    kept = os.open(os.devnull, os.O_RDONLY)
    place = place_for(tmp_path, user, keep=[kept])

    def look():
        still = [n for n in range(256) if not error_of(lambda n=n: os.fstat(n))]
        return still, os.read(0, 1).decode()

    try:
        handles, standard_input = run(look, place, level)
    finally:
        os.close(secret)
        os.close(kept)
    assert secret not in handles
    assert kept in handles
    assert len(handles) == 5  # 0 to 2, the answer's pipe, the kept one
    assert standard_input == ""


@every_way
def test_threads_work_inside(way, tmp_path):
    level, user = way

    def compute():
        found = []
        threads = [threading.Thread(target=found.append, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return sorted(found)

    assert run(compute, place_for(tmp_path, user), level) == list(range(8))


@needs_linux
def test_orphans_are_reaped(tmp_path):
    """Otherwise each would count against the limit on processes forever."""
    place = place_for(tmp_path, None, limits=replace(SMALL, processes=8))

    def orphan():
        for _ in range(30):
            if os.fork() == 0:
                with contextlib.suppress(BlockingIOError):
                    os.fork()
                os._exit(0)
            os.wait()
        time.sleep(0.2)
        return [name for name in os.listdir("/proc") if name.isdigit()]

    assert run(orphan, place, Level.NAMESPACES) == ["1", "2"]


@needs_linux
def test_a_process_with_threads_is_refused(tmp_path):
    place = place_for(tmp_path, None)
    child = os.fork()
    if child == 0:  # if it were not refused, this process would be confined
        said = ""
        try:
            threading.Thread(target=time.sleep, args=(20,), daemon=True).start()
            enter(place.room, level=Level.NAMESPACES)
        except SandboxRefused as error:
            said = str(error)
        finally:
            os._exit(0 if "one thread; this one has 2" in said else 1)
    with alarm(20):
        assert status(child) == 0
