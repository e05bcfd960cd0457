"""The tutor as a server: it keeps to the protocol, whatever arrives and whatever its tools do."""

import io
import json
import subprocess
import sys
import time
from typing import Any

import pytest

from plaincourse import tutor_server
from plaincourse.tutor_server import HANDSHAKE, STATELESS, TOOLS, Server, serve

META = {
    "io.modelcontextprotocol/protocolVersion": STATELESS[0],
    "io.modelcontextprotocol/clientCapabilities": {},
}


def request(method: str, number: Any = 1, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(tool: str, number: Any = 1, **arguments: Any) -> dict[str, Any]:
    return request("tools/call", number, name=tool, arguments=arguments)


def lines(*messages: Any) -> bytes:
    return b"".join(json.dumps(each).encode() + b"\n" for each in messages)


def answers(*messages: Any) -> list[dict[str, Any]]:
    """Send messages, wait for the calls of tools, and return the responses."""
    got: list[dict[str, Any]] = []
    server = Server(got.append)
    for each in messages:
        server.receive(each if isinstance(each, bytes) else lines(each))
    for thread in server._threads:
        thread.join(60)
    return got


def answer(message: Any) -> dict[str, Any]:
    (got,) = answers(message)
    return got


def echo(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Run some Python in place of the command."""
    monkeypatch.setattr(tutor_server, "COMMAND", (sys.executable, "-c", code))


@pytest.mark.parametrize("version", HANDSHAKE)
def test_a_client_that_begins_with_a_handshake_gets_its_own_revision(version: str) -> None:
    result = answer(request("initialize", protocolVersion=version, capabilities={}))["result"]
    assert result["protocolVersion"] == version
    assert "tools" in result["capabilities"]
    assert "Never write an answer" in result["instructions"]
    assert result["serverInfo"].keys() == {"name", "version"}


@pytest.mark.parametrize("version", ["1900-01-01", "2026-07-28", None])
def test_a_handshake_of_another_revision_gets_the_latest_that_has_one(version: str | None) -> None:
    result = answer(request("initialize", protocolVersion=version))["result"]
    assert result["protocolVersion"] == HANDSHAKE[0]


def test_a_client_without_a_handshake_discovers_what_there_is() -> None:
    result = answer(request("server/discover", _meta=META))["result"]
    assert result["resultType"] == "complete"
    assert result["supportedVersions"][0] == STATELESS[0]
    assert result["capabilities"] == {"tools": {}}
    assert isinstance(result["ttlMs"], int)
    assert result["cacheScope"] == "public"
    assert "io.modelcontextprotocol/serverInfo" in result["_meta"]


def test_an_unknown_revision_is_refused_with_those_that_are_known() -> None:
    meta = {**META, "io.modelcontextprotocol/protocolVersion": "1900-01-01"}
    for method in ("tools/list", "tools/call", "server/discover"):
        error = answer(request(method, _meta=meta))["error"]
        assert error["code"] == -32022
        assert error["data"]["supported"] == [*STATELESS, *HANDSHAKE]
        assert error["data"]["requested"] == "1900-01-01"


def test_a_request_without_the_clients_capabilities_is_refused() -> None:
    meta = {"io.modelcontextprotocol/protocolVersion": STATELESS[0]}
    assert answer(request("tools/list", _meta=meta))["error"]["code"] == -32602


def test_the_list_of_tools_describes_their_arguments() -> None:
    assert [each["name"] for each in TOOLS] == ["check", "hint"]
    for meta in ({}, {"_meta": META}):
        result = answer(request("tools/list", **meta))["result"]
        assert result["tools"] == TOOLS
    for tool in TOOLS:
        assert tool["inputSchema"]["required"] == ["task"]
        assert "no sandbox" in tool["description"]


@pytest.mark.parametrize(
    ("line", "code", "number"),
    [
        (b"{\n", -32700, None),
        (b"\xff\xfe\n", -32700, None),
        (b"[" * 100_000 + b"\n", -32700, None),
        (b"[]\n", -32600, None),
        (b"1\n", -32600, None),
        (b'{"id": 1, "method": "ping"}\n', -32600, None),
        (lines({"jsonrpc": "2.0", "id": None, "method": "ping"}), -32600, None),
        (lines({"jsonrpc": "2.0", "id": True, "method": "ping"}), -32600, None),
        (lines({"jsonrpc": "2.0", "id": [1], "method": "ping"}), -32600, None),
        (lines({"jsonrpc": "2.0", "id": 4, "method": 5}), -32600, 4),
        (lines({"jsonrpc": "2.0", "id": 4, "method": "ping", "params": [1]}), -32600, 4),
        (lines(request("resources/list", "a")), -32601, "a"),
        (lines(request("server/discover", 7)), -32601, 7),
        (lines(request("tools/call", 7, name="solve", arguments={"task": "x"})), -32602, 7),
        (lines(request("tools/call", 7, name=["check"])), -32602, 7),
        (lines(call("check", 7)), -32602, 7),
        (lines(call("check", 7, task=2)), -32602, 7),
        (lines(call("check", 7, task="02.x", seed="11")), -32602, 7),
        (lines(call("check", 7, task="02.x", file="a.py", code="b = 1")), -32602, 7),
        (lines(request("tools/call", 7, name="check", arguments=["02.x"])), -32602, 7),
    ],
)
def test_a_bad_message_gets_an_error_by_its_kind(line: bytes, code: int, number: Any) -> None:
    got = answer(line)
    assert (got["id"], got["error"]["code"]) == (number, code)


def test_notifications_and_stray_responses_get_no_answer() -> None:
    quiet = (
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [9]}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": [9]},
        {"jsonrpc": "2.0", "method": "notifications/unheard-of"},
        {"jsonrpc": "2.0", "id": 3, "result": {}},
    )
    assert answers(*quiet) == []
    assert answers([quiet[0], request("ping", 5)])[0]["id"] == 5


def test_the_words_of_a_call_cannot_be_taken_for_options(monkeypatch: pytest.MonkeyPatch) -> None:
    echo(monkeypatch, "import sys; print(sys.argv[1:], repr(sys.stdin.read()))")
    given = {
        "['--', '--mcp'] ''": call("check", task="--mcp"),
        "['--', '02.x', '--hint'] ''": call("check", task="02.x", file="--hint"),
        "['--hint', '--', '02.x', 'ü [1].py'] ''": call("hint", task="02.x", file="ü [1].py"),
        "['--', '02.x', '-'] 'é = 1\\n'": call("check", task="02.x", code="é = 1\n"),
    }
    monkeypatch.setenv("PYTHONUTF8", "1")
    for said, message in given.items():
        result = answer(message)["result"]
        assert result["content"] == [{"type": "text", "text": said}]
        assert result["isError"] is False
        assert result["resultType"] == "complete"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys; print('half'); sys.exit('error: no such task')", "error: no such task"),
        ("import os; os._exit(3)", "status 3"),
        ("import os; os.abort()", "status -6"),
    ],
)
def test_a_call_that_fails_says_why(monkeypatch: pytest.MonkeyPatch, code: str, said: str) -> None:
    echo(monkeypatch, code)
    result = answer(call("check", task="02.x"))["result"]
    assert result["isError"] is True
    assert said in result["content"][0]["text"]
    assert "half" not in result["content"][0]["text"]


def test_a_cancelled_call_is_stopped_with_what_it_started_and_gets_no_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inner = "import time; time.sleep(60)"
    echo(monkeypatch, f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])")
    got: list[dict[str, Any]] = []
    server, begun = Server(got.append), time.monotonic()
    server.receive(lines(call("check", 1, task="02.x")))
    server.receive(lines(request("ping", 2)))
    time.sleep(0.5)
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    server.receive(lines(cancel))
    server.finish()
    assert [each["id"] for each in got] == [2]
    assert time.monotonic() - begun < 30


def test_an_id_in_use_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    echo(monkeypatch, "import time; time.sleep(0.5)")
    got = answers(call("check", 1, task="02.x"), call("check", 1, task="02.x"))
    assert [each.get("error", {}).get("code") for each in got] == [-32600, None]


def test_the_end_of_input_stops_what_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    echo(monkeypatch, "import time; time.sleep(60)")
    begun, out = time.monotonic(), io.BytesIO()
    assert serve(io.BytesIO(lines(call("check", task="02.x"), request("ping", 2))), out) == 0
    assert time.monotonic() - begun < 30
    assert [json.loads(line)["id"] for line in out.getvalue().splitlines()] == [2]


def test_a_client_talks_to_the_command() -> None:
    code = "import os\nos.write(1, b'noise')\ndef softmax_rows(scores):\n    return scores\n"
    with subprocess.Popen(
        [*tutor_server.COMMAND, "--mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(
            lines(
                request("initialize", protocolVersion=HANDSHAKE[0]),
                {"jsonrpc": "2.0", "method": "notifications/initialized"},
                call("check", 2, task="02.softmax_rows", code=code),
            )
        )
        process.stdin.flush()
        first, second = (json.loads(process.stdout.readline()) for _ in range(2))
        process.stdin.close()
        assert process.stdout.read() == b""
    assert process.returncode == 0
    assert first["result"]["protocolVersion"] == HANDSHAKE[0]
    (content,) = second["result"]["content"]
    assert content["text"].startswith("From scores to weights: ")
    assert "noise" not in content["text"]
