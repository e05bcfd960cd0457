"""The system calls that are refused to student code."""

import ctypes
import errno
import fcntl
import os
import signal
import socket
import sqlite3
import struct
from pathlib import Path

import pytest

from plaincourse.sandbox import Level, landlock, seal, seccomp
from tests.plaincourse.locked import error_of, needs_linux, place_for, run, ways

every_way = pytest.mark.parametrize("way", ways())
libc = ctypes.CDLL(None, use_errno=True) if os.name == "posix" else None


def called(number: int, *arguments: int) -> int:
    """Make a system call on x86 and return its error number."""
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) for a in arguments])
    return ctypes.get_errno() if result < 0 else 0


REFUSED_ON_X86 = {
    "ptrace": (101, 0, 0, 0, 0),
    "mount": (165, 0, 0, 0, 0, 0),
    "umount2": (166, 0, 0),
    "pivot_root": (155, 0, 0),
    "unshare": (272, 0x10000000),
    "setns": (308, 0, 0),
    "chroot": (161, 0),
    "bpf": (321, 0, 0, 0),
    "perf_event_open": (298, 0, 0, 0, 0, 0),
    "userfaultfd": (323, 0),
    "keyctl": (250, 0, 0, 0, 0, 0),
    "io_uring_setup": (425, 1, 0),
    "open_by_handle_at": (304, 0, 0, 0),
    "process_vm_readv": (310, 1, 0, 0, 0, 0, 0),
    "pidfd_getfd": (438, 0, 0, 0),
    "personality": (135, 0x0040000),
    "shmget": (29, 0, 4096, 0o1600),
    "open_tree": (428, 0, 0, 1),
    "fsopen": (430, 0, 0),
    "clone into a user namespace": (56, 0x10000000 | 17, 0, 0, 0, 0),
    "another family's socket, its number hidden in high bits": (41, (1 << 32) | 2, 1, 0),
    "typing on the terminal": (16, 1, (1 << 32) | 0x5412, 0),
}


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86")
@every_way
def test_calls_that_reach_deep_are_refused(way, tmp_path):
    level, user = way

    def call():
        codes = {name: called(*numbers) for name, numbers in REFUSED_ON_X86.items()}
        return codes, called(435, 0, 0)

    codes, clone3 = run(call, place_for(tmp_path, user), level)
    assert {name: code for name, code in codes.items() if code != errno.EPERM} == {}
    assert clone3 == errno.ENOSYS


@every_way
def test_no_right_is_left_and_none_can_be_gained(way, tmp_path):
    level, user = way

    def look():
        wanted = ("CapInh", "CapPrm", "CapEff", "CapAmb", "NoNewPrivs", "Seccomp")
        lines = Path("/proc/self/status").read_text("utf-8").splitlines()
        found = dict(line.split(":\t") for line in lines if line.startswith(wanted))
        return {name: int(found[name], 16) for name in wanted}, error_of(lambda: os.setuid(0))

    rights, became_root = run(look, place_for(tmp_path, user), level)
    assert rights == dict.fromkeys(rights, 0) | {"NoNewPrivs": 1, "Seccomp": 2}
    if level is Level.NAMESPACES:
        assert became_root in ("PermissionError 1", "OSError 22")  # refused, or unknown here


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers are those of x86")
@pytest.mark.parametrize("way", [w for w in ways() if "landlock" in str(w.id)])
def test_without_namespaces_no_call_starts_a_process(way, tmp_path):
    level, user = way
    clone, fork = (56, signal.SIGCHLD, 0, 0, 0, 0), (57,)
    seen = run(lambda: [called(*clone), called(*fork)], place_for(tmp_path, user), level)
    assert seen == [errno.EPERM, errno.EPERM]


@every_way
def test_no_lease_on_a_file_that_others_open(way, tmp_path):
    """A lease would block them for most of a minute."""
    level, user = way

    def lease():
        with open("work.ipynb") as file:
            return error_of(lambda: fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK))

    assert run(lease, place_for(tmp_path, user), level) == "PermissionError 1"


def _lock(kind: int, operation: int, file) -> int:
    """Lock a whole file or query its lock, and return the reported kind of lock."""
    asked = struct.pack("hhqqi4x", kind, os.SEEK_SET, 0, 0, 0)
    return struct.unpack("hhqqi4x", fcntl.fcntl(file, operation, asked))[0]


SETS = {"of a process": fcntl.F_SETLK, "waited for": fcntl.F_SETLKW}
if hasattr(fcntl, "F_OFD_SETLK"):
    SETS |= {"of an open file": fcntl.F_OFD_SETLK, "waited for, open": fcntl.F_OFD_SETLKW}
_ASK = getattr(fcntl, "F_OFD_GETLK", 36)


@every_way
def test_a_lock_on_a_file_that_others_read_tells_them_nothing(way, tmp_path):
    level, user = way

    def lock():
        with open("/bin/sh", "rb") as one, open("/bin/sh", "rb") as other:
            fcntl.flock(one, fcntl.LOCK_EX)
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            seen = {}
            for name, operation in SETS.items():
                _lock(fcntl.F_RDLCK, operation, one)
                seen[name] = _lock(fcntl.F_WRLCK, _ASK, other)
            fcntl.lockf(one, fcntl.LOCK_SH | fcntl.LOCK_NB)
            fcntl.flock(one, fcntl.LOCK_UN)
        return seen

    assert run(lock, place_for(tmp_path, user), level) == dict.fromkeys(SETS, fcntl.F_UNLCK)


@every_way
def test_who_reads_the_files_of_a_library_is_not_told(way, tmp_path):
    level, user = way
    folder = b"/usr/bin"

    def watch():
        handle = libc.inotify_init()
        ctypes.set_errno(0)
        libc.inotify_add_watch(handle, folder, 0x20)
        refused = ctypes.get_errno()
        place = os.open(folder, os.O_RDONLY)
        return refused, error_of(lambda: fcntl.fcntl(place, 1026, 1))

    assert run(watch, place_for(tmp_path, user), level) == [errno.EPERM, "PermissionError 1"]


@every_way
def test_a_database_of_ones_own_still_works(way, tmp_path):
    level, user = way

    def write():
        with sqlite3.connect("own.db") as base:
            base.execute("create table t (a)")
            base.execute("insert into t values (1)")
        with sqlite3.connect("own.db") as base:
            return base.execute("select a from t").fetchall()

    assert run(write, place_for(tmp_path, user), level) == [[1]]


@every_way
def test_a_name_of_a_socket_is_known_to_nobody_else(way, tmp_path):
    level, user = way
    place = place_for(tmp_path, user)

    def name():
        seal(place.sockets)
        with socket.socket(socket.AF_UNIX) as made:
            return error_of(lambda: made.bind("\0plaincourse-test"))

    with socket.socket(socket.AF_UNIX) as ours:
        ours.bind("\0plaincourse-test")
        seen = run(name, place, level)
    assert seen == ("PermissionError 1" if level is Level.LANDLOCK else "")


@needs_linux
def test_a_program_is_made_once():
    assert seccomp.program(seccomp.BASE) is seccomp.program(seccomp.BASE)
    assert len(seccomp.program(seccomp.BASE)) % 8 == 0


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (ImportError("No module named 'pyseccomp'"), "pip install pyseccomp"),
        (RuntimeError("Unable to find libseccomp"), "apt install libseccomp2"),
    ],
)
def test_a_missing_library_is_named_with_what_mends_it(error, advice, monkeypatch):
    def missing(name):
        raise error

    seccomp.library.cache_clear()
    monkeypatch.setattr(seccomp.importlib, "import_module", missing)
    with pytest.raises(RuntimeError, match=advice):
        seccomp.library()


def test_signals_to_others_are_refused_where_landlock_cannot_hold_them(tmp_path, monkeypatch):
    """This is for kernels before 6.12, where only seccomp can refuse them."""
    if not landlock.version():
        pytest.skip("this kernel has no landlock")
    monkeypatch.setattr(landlock, "scope", lambda abi: 0)

    def attempt():
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)
        return [
            error_of(lambda: os.kill(os.getppid(), 0)),
            error_of(lambda: os.kill(os.getpid(), signal.SIGUSR1)),
        ]

    seen = run(attempt, place_for(tmp_path, None), Level.LANDLOCK)
    assert seen == ["PermissionError 1", ""]
