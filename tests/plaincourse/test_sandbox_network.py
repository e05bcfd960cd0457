"""Student code has no network, not even to this machine."""

import os
import socket

import pytest

from tests.plaincourse.locked import alarm, error_of, place_for, run, start, status, ways

every_way = pytest.mark.parametrize("way", ways())


def server(family: int, kind: int, address: object) -> socket.socket:
    made = socket.socket(family, kind)
    made.bind(address)
    if kind == socket.SOCK_STREAM:
        made.listen()
    made.setblocking(False)
    return made


@every_way
def test_neither_tcp_nor_udp_reaches_anything(way, tmp_path):
    level, user = way
    with (
        server(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)) as tcp,
        server(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)) as udp,
    ):
        ports = tcp.getsockname()[1], udp.getsockname()[1]

        def connect():
            def send():
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
                    made.sendto(b"marks", ("127.0.0.1", ports[1]))

            return [
                error_of(lambda: socket.create_connection(("127.0.0.1", ports[0]), 2)),
                error_of(send),
                *(
                    error_of(lambda family=family: socket.socket(family, socket.SOCK_RAW))
                    for family in (socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET, 40)
                ),
            ]

        assert run(connect, place_for(tmp_path, user), level) == ["PermissionError 1"] * 6
        with pytest.raises(BlockingIOError):
            tcp.accept()
        with pytest.raises(BlockingIOError):
            udp.recv(10)


@every_way
def test_a_socket_of_the_host_cannot_be_spoken_to(way, tmp_path):
    level, user = way
    place = place_for(tmp_path, user)
    abstract, path = f"\0plaincourse-{os.getpid()}", str(tmp_path / "host.sock")
    letters = str(tmp_path / "letters.sock")
    with (
        server(socket.AF_UNIX, socket.SOCK_STREAM, abstract) as stream,
        server(socket.AF_UNIX, socket.SOCK_DGRAM, letters) as datagram,
        server(socket.AF_UNIX, socket.SOCK_STREAM, path) as named,
    ):
        for name in ("host.sock", "letters.sock"):
            (tmp_path / name).chmod(0o777)

        def speak():
            def send():
                with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as made:
                    made.sendmsg([b"x"], [], 0, letters)

            def send_by_pair():
                one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
                one.sendmsg([b"x"], [], 0, letters)

            return [
                error_of(lambda: socket.socket(socket.AF_UNIX).connect(abstract)),
                error_of(lambda: socket.socket(socket.AF_UNIX).connect(path)),
                error_of(send),
                error_of(send_by_pair),
            ]

        seen = run(speak, place, level)
        assert all(seen), seen
        for listening in (stream, named):
            with pytest.raises(BlockingIOError):
                listening.accept()
        with pytest.raises(BlockingIOError):
            datagram.recv(10)


@every_way
def test_the_host_can_speak_to_a_socket_that_the_kernel_made(way, tmp_path):
    level, user = way
    place = place_for(tmp_path, user)
    path = str(place.room.sockets / "kernel-1")

    def answer():
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path)
            made.listen()
            other, _ = made.accept()
            with other:
                other.sendall(b"hello")
        return True

    child, reading = start(answer, place, level)
    with alarm(10):
        while True:
            with socket.socket(socket.AF_UNIX) as made:
                try:
                    made.connect(path)
                except (FileNotFoundError, ConnectionRefusedError):
                    continue
                assert made.recv(10) == b"hello"
                break
    with open(reading) as file:
        assert file.read() == "true"
    assert status(child) == 0
