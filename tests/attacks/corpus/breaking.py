"""Attacks that kill, hang or starve the grader.

Attacks that could harm a machine without a sandbox first check that they run in one.
"""

from tests.attacks.attack import Attack

_BELOW = ("plain", "partial", "choice", "last")
_DIES = ("died", "late")

BREAKING = (
    Attack(
        name="exit-in-a-cell",
        theme="breaking",
        named=True,
        attempts="Ends its process by os._exit in an answer's cell.",
        answers={"target": "os._exit(0)"},
        loses=_BELOW,
        flags=_DIES,
    ),
    Attack(
        name="exit-in-a-call",
        theme="breaking",
        named=True,
        attempts="Ends its process by os._exit while the test calls it.",
        answers={"plain": "def double(x):\n    os._exit(0)"},
        loses=("partial", "choice", "last"),
        flags=_DIES,
    ),
    Attack(
        name="polite-exit",
        theme="breaking",
        attempts="Asks IPython to end the session, in every way that there is.",
        answers={
            "plain": """def double(x):
    get_ipython().ask_exit()
    get_ipython().kernel.do_shutdown(False)
    exit()"""
        },
        first="tried(exit)\ntried(quit)",
        loses=("first", "target", "partial", "choice", "last"),
    ),
    Attack(
        name="crash-in-a-cell",
        theme="breaking",
        attempts="Reads address 0.",
        answers={"target": "ctypes.string_at(0)"},
        loses=_BELOW,
        flags=_DIES,
    ),
    Attack(
        name="crash-in-a-call",
        theme="breaking",
        attempts="Reads address 0 while the test calls it.",
        answers={"target": "def scores(query, key):\n    ctypes.string_at(0)"},
        loses=_BELOW,
        flags=_DIES,
    ),
    Attack(
        name="stack-overflow",
        theme="breaking",
        attempts="Recurses without a limit, through C, until the stack is gone.",
        answers={
            "plain": """def double(x):
    sys.setrecursionlimit(10**9)
    def deeper(items):
        return sorted(items, key=lambda item: deeper([item]))
    return deeper([x])"""
        },
        loses=("partial", "choice", "last"),
    ),
    Attack(
        name="kill-the-parent",
        theme="breaking",
        named=True,
        attempts="Kills its parent, and its parent's parents as far as it sees them.",
        first="""
for path in glob.glob("/proc/[0-9]*") if INSIDE else []:
    pid = int(path.split("/")[2])
    if pid != os.getpid():
        tried(os.kill, pid, signal.SIGKILL)
if not INSIDE and PLACES["parent may die"]:
    os.kill(os.getppid(), signal.SIGKILL)
tried(os.kill, os.getppid(), signal.SIGKILL) if INSIDE else None
""",
        loses=("first", "target", *_BELOW),
    ),
    Attack(
        name="kill-everybody",
        theme="breaking",
        attempts="Kills every process that it may, by kill(-1).",
        first="tried(os.kill, -1, signal.SIGKILL) if INSIDE else None",
        loses=("first", "target", *_BELOW),
    ),
    Attack(
        name="kill-the-group",
        theme="breaking",
        attempts="Kills its process group and its session.",
        first="""
if INSIDE or os.getpgid(0) != PLACES["group"]:
    tried(os.killpg, 0, signal.SIGKILL)
else:
    won("in the group of the parent")
""",
        loses=("first", "target", *_BELOW),
    ),
    Attack(
        name="daemon",
        theme="breaking",
        named=True,
        attempts="Leaves a daemon child that outlives the grading.",
        first="""
code = "import sys, time; time.sleep(1200)"
for _ in range(2):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for number in (1, 15, 2):
                signal.signal(number, signal.SIG_IGN)
            os.execv(sys.executable, [sys.executable, "-c", code, PLACES["survivor"]])
        os._exit(0)
""",
    ),
    Attack(
        name="descriptors-closed",
        theme="breaking",
        attempts="Closes every file descriptor, its sockets and the agent's among them.",
        answers={"plain": "def double(x):\n    os.closerange(0, 4096)\n    return x"},
        loses=("partial", "choice", "last"),
    ),
    Attack(
        name="limits-changed",
        theme="breaking",
        attempts="Raises its limits, then lowers them until nothing works.",
        first="""
import resource
for kind in ("AS", "CPU", "NPROC", "FSIZE", "NOFILE"):
    number = getattr(resource, "RLIMIT_" + kind)
    soft, hard = resource.getrlimit(number)
    if hard != -1 and not isinstance(
        tried(resource.setrlimit, number, (hard + 1, hard + 1)), Exception
    ):
        won(kind)
    tried(resource.setrlimit, number, (0, 0)) if INSIDE and kind != "CPU" else None
""",
        loses=("first", "target", *_BELOW),
    ),
)
