"""Serve ``plaincourse tutor`` as two tools of the Model Context Protocol, on standard streams.

A message is one line of JSON (JSON-RPC 2.0). Revision 2026-07-28 of the protocol has no handshake:
each request names its revision in ``_meta``. Clients of earlier revisions begin with
``initialize``. Both are answered here, because the results of a later revision only have more
fields. Each call of a tool runs the command in a process of its own, so that a student's code can
neither write into the protocol nor stop the server.

Ref: the specification at modelcontextprotocol.io: basic/versioning, server/discover, server/tools,
basic/transports/stdio.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from importlib import metadata
from typing import Any, BinaryIO

from plaincourse.exercise.course import distribution

#: Revisions in which each request states its revision, and those with a handshake, latest first.
STATELESS = ("2026-07-28",)
HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
#: Runs one call of a tool; the call's words follow.
COMMAND = (sys.executable, "-m", "plaincourse.cli", "tutor")
_META = "io.modelcontextprotocol/"
_PARSE, _REQUEST, _METHOD, _PARAMS, _VERSION = -32700, -32600, -32601, -32602, -32022
_INSTRUCTIONS = (
    "You are a teaching assistant. The student writes the answers; you ask questions and pass on "
    "one hint at a time. Never write an answer to a graded task. Use `check` to see what is wrong "
    "with an answer, and `hint` for the next hint after the student has tried the last one."
)
_RUNS = (
    "It runs the notebook's cells up to the check on this computer, with the student's rights and "
    "in no sandbox, as the notebook itself does."
)
_ARGUMENTS = {
    "task": "The task's id, as in the notebook's check(\"02.softmax_rows\", …).",
    "file": "The student's notebook, or a .py file with one cell; by default their own copy.",
    "code": "The code of the answer's cell, in place of a file.",
}
_SCHEMA = {
    "type": "object",
    "properties": {
        name: {"type": "string", "description": said} for name, said in _ARGUMENTS.items()
    },
    "required": ["task"],
    "additionalProperties": False,
}
TOOLS: list[dict[str, Any]] = [
    {
        "name": "check",
        "title": "Check an answer",
        "description": "Return what the notebook's own check says about a student's answer: "
        "the points, the mistake that it matches, the smallest input that fails. " + _RUNS,
        "inputSchema": _SCHEMA,
    },
    {
        "name": "hint",
        "title": "The next hint",
        "description": "Return the next hint of the notebook for a student's answer. Ask for one "
        "only after the student has tried the previous one. " + _RUNS,
        "inputSchema": _SCHEMA,
    },
]


class RefusedError(Exception):
    """A request that gets an error in place of a result.

    Args:
        code: JSON-RPC's number for the kind of error.
        message: one sentence.
        data: details for the client, if any.
    """

    def __init__(self, code: int, message: str, **data: Any) -> None:
        super().__init__(message)
        self.error: dict[str, Any] = {"code": code, "message": message}
        if data:
            self.error["data"] = data


class Server:
    """Answers messages; calls of tools run side by side, and can be cancelled.

    Args:
        write: called with each response; it may be called from any thread.
    """

    def __init__(self, write: Any) -> None:
        self._write = write
        self._lock = threading.Lock()
        self._running: dict[Any, subprocess.Popen[bytes] | None] = {}
        self._threads: list[threading.Thread] = []

    def receive(self, line: bytes) -> None:
        """Handle a line that the client sent."""
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            self._fail(
                None, RefusedError(_PARSE, "Expected one message of JSON in UTF-8 on each line")
            )
            return
        for each in message if isinstance(message, list) and message else [message]:
            self._handle(each)

    def _handle(self, message: Any) -> None:
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
            self._fail(None, RefusedError(_REQUEST, 'Expected an object with "jsonrpc": "2.0"'))
            return
        method, number = message.get("method"), message.get("id")
        params = message.get("params") or {}
        if "id" not in message:
            if method == "notifications/cancelled" and isinstance(params, dict):
                self._cancel(params.get("requestId"))
            return
        if method is None and ("result" in message or "error" in message):
            return  # the server asks nothing, so this answers nothing
        try:
            if isinstance(number, bool) or not isinstance(number, str | int):
                number = None
                raise RefusedError(_REQUEST, "Expected an id that is a text or a whole number")
            if not isinstance(method, str) or not isinstance(params, dict):
                raise RefusedError(_REQUEST, "Expected a method by name, and params as an object")
            if method == "tools/call":
                self._begin(number, *_call(params))
            else:
                self._reply(number, _result(method, params))
        except RefusedError as refused:
            self._fail(number, refused)

    def _begin(self, number: Any, words: list[str], code: str | None) -> None:
        with self._lock:
            if number in self._running:
                raise RefusedError(_REQUEST, f"The request {number!r} is still being answered")
            self._running[number] = None
        thread = threading.Thread(target=self._run, args=(number, words, code), daemon=True)
        self._threads = [each for each in self._threads if each.is_alive()] + [thread]
        thread.start()

    def _run(self, number: Any, words: list[str], code: str | None) -> None:
        try:
            process = subprocess.Popen(
                [*COMMAND, *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, "PYTHONIOENCODING": "utf-8"},
                start_new_session=True,
            )
        except OSError as error:
            text, failed = f"error: the check could not be started ({error})", True
        else:
            with self._lock:
                cancelled = number not in self._running
                if not cancelled:
                    self._running[number] = process
            if cancelled:
                _kill(process)
            out, errors = process.communicate((code or "").encode("utf-8", "replace"))
            text, failed = out.decode("utf-8", "replace").strip(), process.returncode != 0
            if failed:
                text = errors.decode("utf-8", "replace").strip() or (
                    f"the process ended with status {process.returncode} before the check said "
                    "anything; does the notebook end it, or use all memory?"
                )
        with self._lock:
            wanted = self._running.pop(number, self) is not self
        if wanted:
            self._reply(number, {"content": [{"type": "text", "text": text}], "isError": failed})

    def _cancel(self, number: Any) -> None:
        with self._lock:
            process = self._running.pop(number, None) if isinstance(number, str | int) else None
        if process:
            _kill(process)

    def finish(self) -> None:
        """Stop the calls that run."""
        for number in [*self._running]:
            self._cancel(number)
        for thread in self._threads:
            thread.join()

    def _reply(self, number: Any, result: dict[str, Any]) -> None:
        known = {f"{_META}serverInfo": _identity()}
        whole = {"resultType": "complete", **result, "_meta": known}
        self._write({"jsonrpc": "2.0", "id": number, "result": whole})

    def _fail(self, number: Any, refused: RefusedError) -> None:
        self._write({"jsonrpc": "2.0", "id": number, "error": refused.error})


def _identity() -> dict[str, str]:
    name = distribution()
    with contextlib.suppress(metadata.PackageNotFoundError):
        return {"name": f"{name}-tutor", "version": metadata.version(name)}
    return {"name": f"{name}-tutor", "version": "0"}


def _result(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """Answer any request except the call of a tool."""
    offers = {"capabilities": {"tools": {}}, "instructions": _INSTRUCTIONS}
    if method == "initialize":
        asked = params.get("protocolVersion")
        version = asked if asked in HANDSHAKE else HANDSHAKE[0]
        return {"protocolVersion": version, **offers, "serverInfo": _identity()}
    stateless = _check_meta(params)
    if method == "ping":
        return {}
    lasting = {"ttlMs": 3_600_000, "cacheScope": "public"}
    if method == "tools/list":
        return {"tools": TOOLS, **lasting}
    if method == "server/discover" and stateless:
        return {"supportedVersions": [*STATELESS, *HANDSHAKE], **offers, **lasting}
    raise RefusedError(_METHOD, f"There is no method {method!r} here")


def _check_meta(params: dict[str, Any]) -> bool:
    """Return whether a request names its revision; refuse a revision that is not known."""
    meta = params.get("_meta")
    if not isinstance(meta, dict) or f"{_META}protocolVersion" not in meta:
        return False
    version = meta[f"{_META}protocolVersion"]
    if version not in (*STATELESS, *HANDSHAKE):
        raise RefusedError(
            _VERSION,
            "Unsupported protocol version",
            supported=[*STATELESS, *HANDSHAKE],
            requested=version,
        )
    if version in STATELESS and not isinstance(meta.get(f"{_META}clientCapabilities"), dict):
        raise RefusedError(_PARAMS, f"Expected {_META}clientCapabilities in _meta, an object")
    return True


def _call(params: dict[str, Any]) -> tuple[list[str], str | None]:
    """Return the words of the command for the call of a tool, and its standard input."""
    _check_meta(params)
    name, given = params.get("name"), params.get("arguments") or {}
    if name not in [tool["name"] for tool in TOOLS]:
        raise RefusedError(_PARAMS, f"Unknown tool: {name}")
    if not isinstance(given, dict) or "task" not in given:
        raise RefusedError(
            _PARAMS, 'Expected arguments with a task, such as {"task": "02.softmax_rows"}'
        )
    for key, value in given.items():
        if key not in _ARGUMENTS or not isinstance(value, str):
            expected = ", ".join(_ARGUMENTS)
            raise RefusedError(_PARAMS, f"Argument {key!r}: expected text, and only {expected}")
    if "code" in given and "file" in given:
        raise RefusedError(_PARAMS, "Expected a file or code, and got both")
    words = ["--hint"] if name == "hint" else []
    file = "-" if "code" in given else given.get("file")
    # After two dashes nothing is an option, whatever it begins with.
    words += ["--", given["task"], *([file] if file else [])]
    return words, given.get("code")


def _kill(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def serve(reading: BinaryIO, writing: BinaryIO) -> int:
    """Answer messages until there are no more; then stop what still runs.

    Args:
        reading: the client's messages, a line each.
        writing: the responses.
    """
    lock = threading.Lock()

    def write(message: dict[str, Any]) -> None:
        with lock, contextlib.suppress(BrokenPipeError, ValueError):
            writing.write(json.dumps(message).encode() + b"\n")
            writing.flush()

    server = Server(write)
    try:
        for line in reading:
            if line.strip():
                server.receive(line)
    except KeyboardInterrupt:
        pass
    finally:
        server.finish()
    return 0
