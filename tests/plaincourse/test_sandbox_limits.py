"""The limits on resources for student code, and the effects of exceeding them."""

import ctypes
import errno
import fcntl
import mmap
import os
import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from plaincourse.sandbox import Level, Limits, Room, SandboxRefused, enter, landlock
from tests.plaincourse.locked import (
    SMALL,
    alarm,
    error_of,
    needs_linux,
    place_for,
    run,
    start,
    status,
    ways,
)

every_way = pytest.mark.parametrize("way", ways())


@every_way
def test_too_much_memory_is_an_error_that_the_process_survives(way, tmp_path):
    level, user = way

    def hoard():
        return error_of(lambda: bytearray(SMALL.memory * 2)), len(bytearray(16 << 20))

    assert run(hoard, place_for(tmp_path, user), level) == ["MemoryError", 16 << 20]


@needs_linux
def test_a_huge_tensor_is_an_error_that_the_process_survives(tmp_path):
    import torch

    def hoard():
        said = error_of(lambda: torch.zeros(SMALL.memory, dtype=torch.float64))
        return said, torch.ones(3).sum().item()

    assert run(hoard, place_for(tmp_path, None), Level.NAMESPACES) == ["RuntimeError", 3.0]


@every_way
def test_a_file_larger_than_allowed_is_an_error(way, tmp_path):
    level, user = way

    def write():
        return error_of(lambda: Path("big").write_bytes(bytes(SMALL.file + 1)))

    assert run(write, place_for(tmp_path, user), level) == f"OSError {errno.EFBIG}"


@every_way
def test_many_files_together_cannot_fill_the_disk(way, tmp_path):
    level, user = way

    def fill():
        block, written = bytes(1 << 20), 0
        places = (Path.cwd(), Path(os.environ["TMPDIR"]))
        try:
            for number in range(64):
                (places[number % 2] / f"f{number}").write_bytes(block)
                written += 1
        except OSError as error:
            return [error.errno, written]
        time.sleep(5)
        return [0, written]

    place = place_for(tmp_path, user)
    if level is Level.LANDLOCK:  # measured from outside
        child, reading = start(fill, place, level)
        os.close(reading)
        with alarm(20):
            assert status(child) == 128 + signal.SIGKILL
        assert not list(Path("/tmp").glob(f"plaincourse-room-{child}-*"))
    else:
        number, written = run(fill, place, level)
        assert number == errno.ENOSPC
        assert written <= SMALL.disk >> 20


@needs_linux
@pytest.mark.parametrize("way", [w for w in ways() if "namespaces" in str(w.id)])
def test_a_fork_bomb_goes_off_alone(way, tmp_path):
    level, user = way

    def explode():
        made = 0
        try:
            while made < 200:
                if os.fork() == 0:
                    time.sleep(30)
                    os._exit(0)
                made += 1
        except BlockingIOError:
            return made
        return made

    with alarm(30):
        assert 10 < run(explode, place_for(tmp_path, user), level) <= SMALL.processes


@needs_linux
@pytest.mark.skipif(not landlock.version(), reason="this kernel has no landlock")
def test_without_namespaces_no_process_is_started_at_all(tmp_path):
    """A process that outlives the sandbox could not be found again."""

    def attempt():
        return error_of(os.fork), error_of(lambda: subprocess.run(["/bin/true"]))

    seen = run(attempt, place_for(tmp_path, None), Level.LANDLOCK)
    assert seen == ["PermissionError 1", "PermissionError 1"]


@every_way
def test_an_endless_loop_ends_by_itself(way, tmp_path):
    level, user = way
    place = place_for(tmp_path, user, limits=replace(SMALL, seconds=1))

    def loop():
        while True:
            pass

    child, reading = start(loop, place, level)
    os.close(reading)
    with alarm(60):
        assert status(child) == 128 + signal.SIGXCPU


@every_way
def test_open_files_and_core_dumps_are_limited(way, tmp_path):
    level, user = way

    def open_many():
        import resource

        said = error_of(lambda: [os.dup(0) for _ in range(500)])
        return said, resource.getrlimit(resource.RLIMIT_CORE)

    seen = run(open_many, place_for(tmp_path, user), level)
    assert seen == [f"OSError {errno.EMFILE}", [0, 0]]


@needs_linux
def test_memory_may_be_shared_and_made_runnable(tmp_path):
    """Torch needs shared memory, and a just-in-time compiler executable memory."""

    def share():
        with mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC) as made:
            made[:2] = b"ok"
        Path("/dev/shm/block").write_bytes(b"x")
        return True

    assert run(share, place_for(tmp_path, None), Level.NAMESPACES) is True


@every_way
def test_memory_that_no_limit_counts_is_refused(way, tmp_path):
    """Files in memory are not on a disk, and pipes and request queues can be made large."""
    level, user = way

    def hold():
        libc = ctypes.CDLL(None, use_errno=True)
        reading, _ = os.pipe()
        secret, setup = 447, {"x86_64": 206}.get(os.uname().machine, 0)
        numbers = [secret, setup]
        context = (ctypes.c_ulong * 1)(0)
        said = [libc.syscall(number, 1, context) for number in numbers]
        return [
            error_of(lambda: os.memfd_create("tensor")),
            error_of(lambda: os.memfd_create("sealed", os.MFD_ALLOW_SEALING)),
            error_of(lambda: fcntl.fcntl(reading, fcntl.F_SETPIPE_SZ, 1 << 20)),
            *said,
        ]

    seen = run(hold, place_for(tmp_path, user), level)
    assert seen == ["PermissionError 1"] * 3 + [-1, -1]


def test_limits_that_are_no_limits_are_refused():
    with pytest.raises(ValueError, match=r"Limits\(disk=0\)"):
        Limits(disk=0)
    with pytest.raises(ValueError, match=r"Limits\(memory=1.5\)"):
        Limits(memory=1.5)


def test_a_room_survives_being_sent_as_json(tmp_path):
    room = Room(folder=tmp_path, sockets=tmp_path, hidden=(tmp_path,), limits=Limits(seconds=3))
    assert Room.from_json(room.to_json()) == room
    empty = Room(folder=None, sockets=tmp_path)
    assert Room.from_json(empty.to_json()) == empty


def test_without_a_level_nothing_runs(tmp_path):
    with pytest.raises(SandboxRefused, match="Student code was not run"):
        enter(Room(folder=None, sockets=tmp_path), level=Level.NONE)
