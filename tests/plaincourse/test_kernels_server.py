"""A fork server forks quickly, and no child escapes it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from plaincourse.kernels import client
from plaincourse.kernels.client import LOST, ForkError, ForkServer
from plaincourse.kernels.messages import function_named
from plaincourse.sandbox import Level, SandboxRefused, Support

TARGETS = Path(__file__).parent / "forked"  # the folder of the module that servers import


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(TARGETS))
        patch.setenv("GRADEBOOK_PASSWORD", "swordfish")
        server = ForkServer.start(modules=["forked"])
        yield server
        server.close()


def told(server: ForkServer, target: str) -> str:
    """Run a target and return its output."""
    ours, theirs = os.pipe()
    child = server.fork(f"forked:{target}", {}, fds=[theirs])
    os.close(theirs)
    with os.fdopen(ours) as pipe:
        assert child.wait(10) == 0
        return pipe.read()


def gone(pid: int, *, within: float = 10) -> bool:
    end = time.monotonic() + within
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.02)
    return state == "Z"  # no process here has to reap it


def heard(pipe: int, words: int) -> list[int]:
    text = b""
    while len(text.split()) < words or not text.endswith(b" "):
        text += os.read(pipe, 100)
    return [int(word) for word in text.split()]


def test_how_a_child_ended_is_known(server: ForkServer) -> None:
    child = server.fork("forked:leave", {"code": 3})
    assert child.wait(10) == child.poll() == 3
    assert server.fork("forked:nothing", {}).wait(10) == 1


@pytest.mark.parametrize("target", ["forked", "forked:", ":leave", ""])
def test_a_target_without_module_or_function_is_refused(target: str) -> None:
    with pytest.raises(ValueError, match="expected the form"):
        function_named(target)


def test_the_processor_time_of_a_child_is_known(server: ForkServer) -> None:
    child = server.fork("forked:burn", {"seconds": 0.3})
    assert child.wait(20) == 0
    assert 0.3 <= child.seconds < 1
    assert child.memory > 1 << 20


def test_a_signal_reaches_the_child_and_a_kill_ends_it(server: ForkServer) -> None:
    ours, theirs = os.pipe()
    for number, status in ((signal.SIGINT, 7), (signal.SIGKILL, -signal.SIGKILL)):
        child = server.fork("forked:stay", {}, fds=[theirs])
        os.read(ours, 4)
        assert child.poll() is None
        child.signal(number)
        assert child.wait(10) == status
    os.close(ours)
    os.close(theirs)


def test_children_draw_the_same_numbers_in_whatever_order(server: ForkServer) -> None:
    assert told(server, "draw") == told(server, "draw")


def test_a_child_knows_no_secret_of_the_environment(server: ForkServer) -> None:
    assert "PATH=" in told(server, "environment")
    assert "swordfish" not in told(server, "environment")


def test_a_budget_of_the_instructor_reaches_the_server() -> None:
    given = {"PLAINCOURSE_CAPSTONE_SECONDS": "240", "PLAINCOURSE_ROOT": "/x", "SECONDS": "9"}
    passed = client.environment(given)
    assert passed["PLAINCOURSE_CAPSTONE_SECONDS"] == "240"
    assert not {"PLAINCOURSE_ROOT", "SECONDS"} & passed.keys()


def test_a_child_holds_no_file_of_the_server_or_of_another_child(server: ForkServer) -> None:
    ours, theirs = os.pipe()
    other = server.fork("forked:stay", {}, fds=[theirs])
    os.read(ours, 4)
    held = told(server, "files")
    other.kill()
    os.close(ours)
    os.close(theirs)
    assert "pipe:" in held  # the pipe that it was given
    assert "socket:" not in held
    assert "anon_inode:" not in held  # the handle of the other child


def test_a_daemon_does_not_outlive_the_child_that_left_it(server: ForkServer) -> None:
    ours, theirs = os.pipe()
    child = server.fork("forked:wait", {}, fds=[theirs])
    os.close(theirs)
    pids = heard(ours, 2)
    os.close(ours)
    child.kill()
    assert child.pid in pids
    assert all(gone(pid, within=1) for pid in pids)


def test_a_server_with_a_second_thread_refuses_and_names_it() -> None:
    watchdog = ("faulthandler:dump_traceback_later", {"timeout": 1000})
    with pytest.raises(ForkError, match=r"2 threads \(MainThread, python"):
        ForkServer.start(modules=[], prepare=watchdog)


def test_when_the_server_dies_its_children_die_and_the_next_request_starts_another(
    server: ForkServer,
) -> None:
    ours, theirs = os.pipe()
    child = server.fork("forked:stay", {}, fds=[theirs])
    os.close(theirs)
    os.read(ours, 4)
    before, folder = server.pid, server.folder
    os.kill(before, signal.SIGKILL)
    assert gone(child.pid)
    assert child.wait(10) == LOST
    assert server.fork("forked:leave", {"code": 0}).wait(10) == 0
    assert server.pid != before
    assert not folder.exists()
    assert os.read(ours, 1) == b""
    os.close(ours)


def test_nothing_is_left_when_the_client_is_killed() -> None:
    script = (
        "import os, sys, time\n"
        "from plaincourse.kernels.client import ForkServer\n"
        "server = ForkServer.start(modules=[])\n"
        "server.fork('forked:wait', {}, fds=[1])\n"
        "print(server.pid, server.folder, flush=True)\n"
        "time.sleep(600)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(TARGETS)}
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        text = b""
        while len(text.split()) < 4 or not text.endswith((b" ", b"\n")):
            text += os.read(process.stdout.fileno(), 1000)
        process.kill()
    words = text.decode().split()
    folder = next(Path(word) for word in words if not word.isdecimal())
    assert all(gone(int(word)) for word in words if word.isdecimal())
    assert not folder.exists()


def test_another_system_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(client, "probe", lambda: Support(Level.NONE, "It needs Linux."))
    with pytest.raises(SandboxRefused, match="It needs Linux"):
        ForkServer.start(modules=[])
