"""Do once in a fork server the work that each child would otherwise repeat at its first cell.

Most of it is importing modules that a library loads only on first use. A throw-away child starts a
kernel, runs typical notebook code, and reports the modules that it has imported. That takes
seconds, so it is done while no request is waiting, and the first kernels come from a server that is
still cold.
"""

import contextlib
import importlib
import json
import os
import random
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from plaincourse.kernels import families

# It hooks itself into the kernel that imports it, so each child must import it anew.
_OWN = "matplotlib_inline"

# The cells of the throw-away kernel: each line loads modules that are loaded only on first use.
_CELLS = (
    "import numpy, torch; numpy.random.default_rng(0).normal(size=3); numpy.array([1.0])",
    "layer = torch.nn.Linear(2, 2); layer(torch.ones(1, 2)).sum().backward(); layer.weight.grad",
    "step = torch.optim.SGD(layer.parameters(), 0.1); step.step(); layer",
    "torch.testing.assert_close(torch.ones(2), torch.ones(2)); torch.manual_seed(0)",
    "import matplotlib.pyplot as plt; plt.plot([1, 2], label='one'); plt.legend(); plt.show()",
    "plt.imshow([[1, 2]]); plt.title('$x^2$'); plt.colorbar();",
    "from IPython.display import Markdown, display; display(Markdown('*x*')); print({}.get)",
    "%timeit -n1 -r1 pass",
    "%config InlineBackend.figure_format = 'retina'",
    "!true",
    "%load_ext jaxtyping\n%jaxtyping.typechecker plaincourse.typed",
    "from jaxtyping import Float\n"
    "def same(x: Float[torch.Tensor, '*b d']) -> Float[torch.Tensor, '*b d']: return x\n"
    "same(torch.ones(2, 2))",
    "1 / 0",
    "torch.ones(2) @ torch.ones(3)",
    "input()",
)


def reseed() -> None:
    """Give every child the same random numbers, from any library."""
    random.seed(0)
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed(0)
    if "torch" in sys.modules:
        sys.modules["torch"].default_generator.manual_seed(0)


def up(modules: Sequence[str]) -> None:
    """Use the modules once, in this process, so that their lazy imports are done.

    No gradient is computed here: on a machine with a GPU, torch refuses gradients in a child of a
    process that computed one.

    Args:
        modules: the imported modules.
    """
    if "torch" in modules:
        import torch

        with torch.no_grad():
            torch.softmax(torch.ones(8, 8) @ torch.ones(8, 8), -1).sum().item()
            repr(torch.ones(2))
    if "ipykernel.kernelapp" in modules:
        from plaincourse.kernels import application

        application.classes()
    if "plaincourse.sandbox" in modules:
        from plaincourse.sandbox import Room, prepare

        prepare(Room(folder=None, sockets=Path.cwd()))


class Waiting(NamedTuple):
    """A child of this process to wait for, and a file that becomes readable when it is done."""

    pid: int
    fd: int


def rest(modules: Sequence[str]) -> Iterator[Waiting | None]:
    """Import the lazy imports of a kernel of the modules, in steps, for a server's spare time.

    Args:
        modules: the imported modules.

    Yields:
        After each step ``None``, or the child that the next step has to wait for.
    """
    if "ipykernel.kernelapp" not in modules:
        return
    waiting = _rehearsal()
    yield waiting
    for module in _heard(waiting):
        with warnings.catch_warnings(), contextlib.suppress(ImportError):
            warnings.simplefilter("ignore")  # old modules warn when they are imported
            importlib.import_module(module)  # some can only be imported by their owner
        yield None


def _rehearsal() -> Waiting:
    reader, writer = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    server = os.getpid()
    pid = os.fork()
    if pid == 0:
        said: dict[str, Any] = {}
        try:
            families.die_with_parent(server)
            os.nice(10)  # submissions come first
            said = {"names": _rehearse()}
        except BaseException:
            said = {"failed": traceback.format_exc()}  # stderr belongs to the kernel by now
        finally:
            with os.fdopen(writer, "wb") as pipe:
                pipe.write(json.dumps(said).encode())
            os._exit(0)
    os.close(writer)
    return Waiting(pid=pid, fd=reader)


def _heard(waiting: Waiting) -> list[str]:
    with os.fdopen(waiting.fd) as pipe:
        text = pipe.read()
    os.waitpid(waiting.pid, 0)
    heard = json.loads(text or '{"failed": "It was killed."}')
    if "failed" in heard:
        raise RuntimeError(f"The rehearsal of a kernel failed.\n{heard['failed']}")
    names: list[str] = heard["names"]
    return names


def _rehearse() -> list[str]:
    import asyncio

    from plaincourse.kernels import application

    before = set(sys.modules)
    with tempfile.TemporaryDirectory(prefix="r", dir=Path.cwd()) as folder:  # the server's
        os.environ["HOME"] = os.environ["TMPDIR"] = os.environ["IPYTHONDIR"] = folder
        loop = asyncio.new_event_loop()
        asyncio.set_event_loop(loop)
        info = {
            "transport": "ipc",
            "ip": f"{folder}/k",
            "key": "rehearsal",
            "signature_scheme": "hmac-sha256",
        }
        sockets = application.listen(info["ip"])
        kernel = application.application(info, [sock.fileno() for sock in sockets]).kernel
        for cell in _CELLS:
            loop.run_until_complete(kernel.do_execute(cell, False, allow_stdin=False))
    after = list(sys.modules)  # in the order of their import
    return [name for name in after if name not in before and _importable(name)]


def _importable(name: str) -> bool:
    if name.partition(".")[0] == _OWN:
        return False
    spec = getattr(sys.modules[name], "__spec__", None)
    return spec is not None and spec.name == name
