"""IPython's kernel on sockets opened outside, so that a sandbox needs no folder for them.

There are two more differences from a kernel that Jupyter starts. The output of processes that
student code forks comes back through a file in the temporary folder, because there is no network.
The command line is not read.
"""

import functools
import os
import socket
import sys
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any
from unittest import mock

CHANNELS = ("shell", "iopub", "stdin", "control", "hb")
"""The sockets of a kernel; the port of each is its position here, counted from 1."""
_listening: list[int] = []  # this kernel's sockets; `_name` is the prefix of its files
_name = ""


def listen(address: str) -> list[socket.socket]:
    """Open the sockets of a kernel, so that a client can connect before the kernel exists.

    Args:
        address: the prefix of their paths; ``-1`` to ``-5`` follow.

    Returns:
        A socket for each of :data:`CHANNELS`.
    """
    sockets = []
    for port, _ in enumerate(CHANNELS, start=1):
        sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        sock.bind(f"{address}-{port}")
        sock.listen(16)
        sockets.append(sock)
    return sockets


def application(info: Mapping[str, Any], listening: Sequence[int]) -> Any:
    """Make a kernel on open sockets, which answers as soon as it is started.

    Args:
        info: the content of a Jupyter connection file.
        listening: sockets that listen already, in the order of :data:`CHANNELS`.

    Returns:
        The initialised :class:`ipykernel.kernelapp.IPKernelApp`.
    """
    from traitlets.config import Config

    global _name
    app_class, kernel_class = classes()
    _listening[:] = listening
    _name = f"{os.environ.get('TMPDIR', '/tmp')}/kernel-{os.getpid()}"
    sys.argv = ["ipykernel_launcher.py", "-f", f"{_name}.json"]
    app = app_class.instance(
        config=Config({"HistoryManager": {"hist_file": ":memory:"}}),
        connection_file=sys.argv[-1],
        kernel_class=kernel_class,
        transport=info["transport"],
        ip=info["ip"],
        parent_handle=1,  # 0 prints how to stop the kernel; 1 starts no watch on a parent
        **{f"{channel}_port": port for port, channel in enumerate(CHANNELS, start=1)},
    )
    app.session.key = info["key"].encode()
    app.session.signature_scheme = info["signature_scheme"]
    app.initialize([])
    return app


@functools.cache
def classes() -> tuple[Any, Any]:
    """Make the classes of the application and of its kernel, once in a process that will fork.

    They skip steps of their base classes that would touch much of the memory that a fork shares
    with its server, and so copy it.
    """
    import zmq
    from ipykernel import ipkernel, kernelapp
    from ipykernel.heartbeat import Heartbeat
    from ipykernel.iostream import IOPubThread
    from zmq.eventloop.zmqstream import ZMQStream

    def bring(sock: Any, port: int) -> None:
        sock.setsockopt(zmq.USE_FD, _listening[port - 1])

    class Kernel(ipkernel.IPythonKernel):
        def __init__(self, **kwargs: Any) -> None:
            # It looks up the file of each module, for a debugger that is not installed.
            with mock.patch.object(ipkernel, "sys", SimpleNamespace(modules={})):
                super().__init__(**kwargs)  # type: ignore[no-untyped-call]

    class Beat(Heartbeat):
        def _try_bind_socket(self) -> Any:
            bring(self.socket, self.port)
            return super()._try_bind_socket()  # type: ignore[no-untyped-call]

    class Output(IOPubThread):
        def _setup_pipe_in(self) -> None:
            self._pipe_uuid = os.urandom(16)
            pipe = self.socket.context.socket(zmq.PULL)
            pipe.linger = 0
            pipe.bind(f"ipc://{_name}.pipe")
            self._pipe_in = ZMQStream(pipe, self.io_loop)
            self._pipe_in.on_recv(self._handle_pipe_msg)

        def _setup_pipe_out(self) -> tuple[Any, Any]:
            context = zmq.Context()
            pipe = context.socket(zmq.PUSH)
            pipe.linger = 3000
            pipe.connect(f"ipc://{_name}.pipe")
            return context, pipe

    class App(kernelapp.IPKernelApp):
        def _try_bind_socket(self, s: Any, port: int) -> Any:
            bring(s, port)
            return super()._try_bind_socket(s, port)  # type: ignore[no-untyped-call]

        def parse_command_line(self, argv: Any = None) -> None:
            """Skip the command line; reading an empty one takes 20 ms."""

        def _configure_logging(self) -> None:
            """Skip the setup of warnings: they go to stderr anyway, and it visits every logger."""

        def init_code(self) -> None:
            """Run no code. The base class would also list all modules, for `%reset -s` to spare."""
            shell: Any = self.shell
            shell.user_ns_hidden.update(shell.user_ns)

        def init_heartbeat(self) -> None:
            address = (self.transport, self.ip, self.hb_port)
            self.heartbeat = Beat(zmq.Context(), address)  # type: ignore[no-untyped-call]
            self.heartbeat.start()

    setattr(kernelapp, "IOPubThread", Output)  # noqa: B010  ipykernel has no setting for this class
    return App, Kernel
