"""A fork server does work in advance while it is idle, and may fork further servers."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from plaincourse.judge import judge_client
from plaincourse.kernels import client, shared
from plaincourse.kernels import server as servers
from plaincourse.kernels.client import ForkError, ForkServer
from plaincourse.kernels.messages import function_named
from tests.plaincourse.test_kernels_server import TARGETS, gone

MANY = 300


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ForkServer]:
    monkeypatch.setenv("PYTHONPATH", str(TARGETS))
    server = ForkServer.start(modules=["forked"])
    yield server
    server.close()


def told(server: ForkServer, target: str) -> str:
    ours, theirs = os.pipe()
    child = server.fork(target, {}, fds=[theirs])
    os.close(theirs)
    with os.fdopen(ours) as pipe:
        text = pipe.read()
    assert child.wait(10) == 0
    return text


def test_it_is_asked_between_the_steps_and_outlives_one_that_fails(
    server: ForkServer, tmp_path: Path
) -> None:
    note = tmp_path / "note"
    work = ("spare:steps", {"number": MANY, "note": str(note)})
    other = ForkServer.start(modules=["spare"], prepare=work, of=server)
    with closing(other):
        first = int(told(other, "spare:taken"))
        assert first < MANY  # it answers before all is done
        end = time.monotonic() + 60
        while not (note.exists() and note.read_text() == str(MANY - 1)) and time.monotonic() < end:
            time.sleep(0.1)  # the first step may not have been taken yet
        assert int(told(other, "spare:taken")) == MANY


def test_the_first_child_comes_before_the_spare_work(server: ForkServer, tmp_path: Path) -> None:
    note = tmp_path / "note"
    work = ("spare:steps", {"number": 1, "note": str(note)})
    with closing(ForkServer.start(modules=["spare"], prepare=work, of=server)) as other:
        with (tmp_path / "said").open("wb") as said:
            child = other.fork("forked:stay", {}, fds=[said.fileno()])
        time.sleep(1.5)  # longer than a server waits for a request
        assert not note.exists()
        child.kill()
        end = time.monotonic() + 30
        while not note.exists() and time.monotonic() < end:
            time.sleep(0.05)
        assert note.exists()


def test_memory_is_gathered_once_when_many_have_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gathered: list[int] = []
    monkeypatch.setattr(servers, "_gather", lambda: gathered.append(1))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        server = servers.Server(sock=ours, folder=tmp_path, spare=iter(()))
        server._ended = {number: {} for number in range(servers._MANY - 1)}
        server._work()  # there is no idle work, so it ends
        assert server._patience() is None
        server._ended[servers._MANY] = {}
        assert server._patience() == 0
        server._work()
        assert server._patience() is None
        assert gathered == [1]


GATHERED = """
import re
from pathlib import Path
from plaincourse.kernels import server

def large():
    return int(re.search(r"AnonHugePages: +(\\d+)", Path("/proc/self/smaps_rollup").read_text())[1])

held = [bytes(500) for _ in range(1 << 16)]  # 32 MiB
before = large()
server._gather()
print(large() - before >= 24 << 10 or "refused")
"""


def test_gathered_memory_lies_in_large_pages() -> None:
    command = [sys.executable, "-c", GATHERED]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    if said == "refused\n":
        pytest.skip("this system gives no large pages")
    assert said == "True\n"


def test_what_a_branch_imports_is_not_in_what_it_came_from(server: ForkServer) -> None:
    with closing(ForkServer.start(modules=["spare"], of=server)) as branch:
        assert "spare" in told(branch, "forked:imported").split()
        assert "spare" not in told(server, "forked:imported").split()


def test_the_client_names_what_there_is() -> None:
    assert function_named(client.BRANCH) is servers.branch


def test_a_branch_ends_with_what_it_came_from_and_is_made_anew(server: ForkServer) -> None:
    with closing(ForkServer.start(modules=["spare"], of=server)) as branch:
        before, folder = branch.pid, branch.folder
        assert server.folder in folder.parents
        server.close()
        assert gone(before)
        assert not folder.exists()
        assert told(branch, "spare:taken") == "0"
        assert branch.pid != before


def open_files() -> set[str]:
    """Return the open files of this process by target, because descriptor numbers are reused.

    Files left open by an earlier test may be closed at any time, so only new ones count.
    """
    found = set()
    for entry in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # the listing's own descriptor, closed by now
            found.add(str(entry.readlink()))
    return found


def test_a_server_that_does_not_come_to_be_leaves_nothing_open(
    server: ForkServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = open_files()

    def refuse(*_: object, **__: object) -> None:
        raise ForkError("no more processes")

    monkeypatch.setattr(server, "fork", refuse)
    with pytest.raises(ForkError, match="no more processes"):
        ForkServer.start(modules=[], of=server)
    assert open_files() <= held
    assert list(server.folder.glob("pc-*")) == []


def test_a_branch_that_cannot_start_says_why(server: ForkServer) -> None:
    with pytest.raises(ForkError, match="No module named 'nowhere'"):
        ForkServer.start(modules=["nowhere"], of=server)
    assert server.alive


def test_a_judge_leaves_no_answer_with_the_students_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(TARGETS))
    monkeypatch.setattr(shared, "_servers", {})
    monkeypatch.setattr(judge_client, "_servers", {})
    name = "02-scaled-dot-product-attention"
    source = Path(__file__).parents[2] / "solutions" / name / f"{name}.ipynb"
    judge, students = judge_client.judge_server(name, source), shared.student_server()
    assert "exercise_bank.ch02" in told(judge, "forked:imported").split()
    assert "exercise_bank" not in told(students, "forked:imported").split()
    judge.close()
    students.close()
