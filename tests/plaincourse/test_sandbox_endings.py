"""The end of a sandbox: all of its processes end, and its status is reported outside."""

import os
import signal
import socket
import time
from pathlib import Path

import pytest

from plaincourse.sandbox import Level, tidy
from tests.plaincourse.locked import alarm, place_for, run, start, status, ways

every_way = pytest.mark.parametrize("way", ways())


def holder_of(end: socket.socket, seconds: float) -> bool:
    """Return whether the other end of a socket pair is still open after some seconds."""
    end.settimeout(seconds)
    try:
        return end.recv(1) != b""
    except TimeoutError:
        return True


@every_way
def test_a_daemon_dies_with_the_sandbox(way, tmp_path):
    level, user = way
    here, there = socket.socketpair()
    place = place_for(tmp_path, user, keep=[there.fileno()])

    def leave_a_daemon():
        try:
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    time.sleep(60)
                os._exit(0)
            os.wait()
        except PermissionError:
            return "refused"
        return "made"

    with here, alarm(20):
        made = run(leave_a_daemon, place, level)
        there.close()
        assert made == ("refused" if level is Level.LANDLOCK else "made")
        assert not holder_of(here, 5)


@every_way
def test_all_dies_when_the_waiting_process_is_killed(way, tmp_path):
    level, user = way
    here, there = socket.socketpair()
    place = place_for(tmp_path, user, keep=[there.fileno()])

    def stay():
        os.write(there.fileno(), b"!")
        if level is Level.NAMESPACES and os.fork() == 0:
            os.setsid()
        time.sleep(60)

    child, reading = start(stay, place, level)
    there.close()
    with here, alarm(20):
        assert here.recv(1) == b"!"
        os.kill(child, signal.SIGKILL)
        assert status(child) == -signal.SIGKILL
        assert not holder_of(here, 5)
    os.close(reading)
    before = os.geteuid()
    os.seteuid(before if user is None else user)  # a folder of another user keeps its owner
    try:
        tidy()
    finally:
        os.seteuid(before)
    assert not list(Path("/tmp").glob(f"plaincourse-room-{child}-*"))


@every_way
@pytest.mark.parametrize(
    ("ending", "code"),
    [
        (lambda: os._exit(7), 7),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), 128 + 9),
        (lambda: os.kill(os.getpid(), signal.SIGTERM), 128 + 15),
        (os.abort, 128 + 6),
    ],
    ids=["exit", "kill", "terminate", "abort"],
)
def test_how_it_ends_is_told_outside(way, ending, code, tmp_path):
    level, user = way
    child, reading = start(ending, place_for(tmp_path, user), level)
    os.close(reading)
    with alarm(20):
        assert status(child) == code


@every_way
def test_an_interrupt_from_outside_arrives_as_keyboard_interrupt(way, tmp_path):
    level, user = way
    here, there = socket.socketpair()
    place = place_for(tmp_path, user, keep=[there.fileno()])

    def loop():
        try:
            os.write(there.fileno(), b"!")
            while True:
                time.sleep(0.01)
        except KeyboardInterrupt:
            return "interrupted"

    child, reading = start(loop, place, level)
    there.close()
    with here, alarm(20), open(reading) as file:
        assert here.recv(1) == b"!"
        os.kill(child, signal.SIGINT)
        assert file.read() == '"interrupted"'
        assert status(child) == 0
