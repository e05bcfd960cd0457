"""Frames arrive complete and in time, or are refused."""

import contextlib
import os
import signal
import socket
import struct
import sys
import time
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from plaincourse.judge.channel import (
    LARGE,
    Channel,
    Closed,
    Late,
    NotSealed,
    opened,
    share,
)
from plaincourse.judge.faults import WireError

linux = pytest.mark.skipif(sys.platform != "linux", reason="sealed memory is Linux's")


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, Channel]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield ours, Channel(theirs)


def soon() -> float:
    return time.monotonic() + 0.2


def test_a_frame_arrives_with_its_buffers(ends: tuple[socket.socket, Channel]) -> None:
    data = [memoryview(b"abc"), memoryview(b""), memoryview(bytes(range(256)))]
    Channel(ends[0]).send({"a": [1, None]}, data)
    tree, buffers, fds = ends[1].receive(deadline=soon())
    assert (tree, fds) == ({"a": [1, None]}, [])
    assert [bytes(each) for each in buffers] == [bytes(each) for each in data]


@linux
def test_a_large_buffer_goes_by_shared_memory_and_is_private_to_who_writes(
    ends: tuple[socket.socket, Channel],
) -> None:
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    large = bytes(range(256)) * (LARGE // 256)
    Channel(ends[0]).send(None, [memoryview(large)])
    _, [got], _ = ends[1].receive(deadline=soon())
    assert bytes(got[:300]) == large[:300]
    got[0] = 9
    assert got[0] == 9
    assert len(os.listdir("/proc/self/fd")) <= before + 1  # noqa: PTH208


@linux
def test_memory_that_can_still_shrink_is_refused() -> None:
    fd = os.memfd_create("plain", os.MFD_ALLOW_SEALING)
    try:
        os.ftruncate(fd, 4096)
        with pytest.raises(NotSealed, match="sealed"):
            opened(fd, 4096)
    finally:
        os.close(fd)


@linux
def test_memory_of_another_size_or_no_memory_is_refused(tmp_path) -> None:
    fd = share(memoryview(b"x" * 100))
    assert fd is not None
    with pytest.raises(NotSealed, match="100"):
        opened(fd, 200)
    os.close(fd)
    with (tmp_path / "file").open("w+b") as file, pytest.raises(NotSealed, match="none"):
        opened(file.fileno(), 0)


@linux
def test_sealed_memory_cannot_be_changed_by_its_sender() -> None:
    fd = share(memoryview(b"x" * 100))
    assert fd is not None
    for change in (lambda: os.ftruncate(fd, 1), lambda: os.write(fd, b"y")):
        with pytest.raises(PermissionError):
            change()
    os.close(fd)


def test_silence_ends_in_time(ends: tuple[socket.socket, Channel]) -> None:
    began = time.monotonic()
    with pytest.raises(Late):
        ends[1].receive(deadline=soon())
    ends[0].sendall(b"pcw1")  # only the beginning of a frame
    with pytest.raises(Late):
        ends[1].receive(deadline=soon())
    assert time.monotonic() - began < 2


def test_one_who_does_not_read_is_given_up_on(ends: tuple[socket.socket, Channel]) -> None:
    with pytest.raises(Late):
        ends[1].send("x" * (4 << 20), [], deadline=soon())


def test_the_end_of_the_other_side_is_told(ends: tuple[socket.socket, Channel]) -> None:
    ends[0].close()
    with pytest.raises(Closed):
        ends[1].receive(deadline=soon())


HEAD = struct.Struct("!4sIQH")
LIES = [
    b"GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    HEAD.pack(b"pcw1", 0xFFFFFFFF, 0, 0),
    HEAD.pack(b"pcw1", 2, 1 << 60, 0),
    HEAD.pack(b"pcw1", 2, 0, 3) + b"[]",
    HEAD.pack(b"pcw1", 2, 0, 0) + b"[]",
    HEAD.pack(b"pcw1", 1 << 20, 0, 0) + b"[" * (1 << 20),
    HEAD.pack(b"pcw1", 14, 0, 0) + b"[null,[[0,9]]]",
    HEAD.pack(b"pcw1", 14, 0, 0) + b"[null,[[1,9]]]",
    HEAD.pack(b"pcw1", 13, 0, 0) + b"[null,[0, 9]]",
]


@pytest.mark.parametrize("lie", LIES, ids=range(len(LIES)))
def test_what_is_no_frame_is_a_wire_error(ends: tuple[socket.socket, Channel], lie: bytes) -> None:
    ends[0].settimeout(0.5)
    with contextlib.suppress(TimeoutError):
        ends[0].send(lie)
    ends[0].shutdown(socket.SHUT_WR) if len(lie) < 1 << 17 else None
    with pytest.raises((WireError, Closed, Late)):
        ends[1].receive(deadline=soon())


@given(st.binary(max_size=60))
@settings(max_examples=100, deadline=None)
def test_noise_is_refused_and_nothing_worse(noise: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall(HEAD.pack(b"pcw1", len(noise), 0, 0) + noise)
        with contextlib.suppress(WireError):
            Channel(theirs).receive(deadline=soon())


def test_an_alarm_does_not_tear_a_frame(ends: tuple[socket.socket, Channel]) -> None:
    ends[0].sendall(b"pcw1")
    before = signal.signal(signal.SIGALRM, lambda *_: seen.append(ends[1].busy))
    seen: list[bool] = []
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(Late):
            ends[1].receive(deadline=soon())
    finally:
        signal.signal(signal.SIGALRM, before)
    assert seen == [True]
