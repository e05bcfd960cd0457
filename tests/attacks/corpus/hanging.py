"""Attacks that neither exit nor answer."""

from tests.attacks.attack import Attack

_BELOW = ("plain", "partial", "choice", "last")
_HANGS = ("late", "died")

HANGING = (
    Attack(
        name="stop-itself",
        theme="breaking",
        attempts="Stops itself by SIGSTOP, so that it neither ends nor answers.",
        answers={"plain": "def double(x):\n    os.kill(os.getpid(), signal.SIGSTOP)\n    return x"},
        loses=("partial", "choice", "last"),
        # Signals that process 1 of a separate namespace sends to itself are ignored.
    ),
    Attack(
        name="stop-by-a-child",
        theme="breaking",
        attempts="Lets a child stop it again and again.",
        first="""
if not os.fork():
    for _ in range(300):
        tried(os.kill, os.getppid(), signal.SIGSTOP)
        time.sleep(0.01)
    os._exit(0)
""",
        loses=("first", "target", *_BELOW),
    ),
    Attack(
        name="loop-in-a-cell",
        theme="breaking",
        attempts="Loops for ever, deaf to interrupts and alarms.",
        answers={
            "target": """for number in range(1, 65):
    tried(signal.signal, number, signal.SIG_IGN)
while True:
    try:
        while True:
            pass
    except BaseException:
        pass"""
        },
        loses=_BELOW,
        flags=_HANGS,
    ),
    Attack(
        name="loop-in-a-call",
        theme="breaking",
        attempts="Loops for ever while it is called, deaf to interrupts and alarms.",
        answers={
            "plain": """def double(x):
    for number in range(1, 65):
        tried(signal.signal, number, signal.SIG_IGN)
    while True:
        try:
            while True:
                pass
        except BaseException:
            pass"""
        },
        loses=("partial", "choice", "last"),
        flags=_HANGS,
    ),
    Attack(
        name="loop-in-c",
        theme="breaking",
        attempts="Sits in one call into C that takes for ever.",
        answers={"plain": "def double(x):\n    return re.match(r'(a+)+$', 'a' * 60 + 'b')"},
        loses=("partial", "choice", "last"),
    ),
    Attack(
        name="deaf-in-c",
        theme="breaking",
        attempts="Blocks all signals and sleeps in C with the interpreter's lock held.",
        answers={
            "plain": """def double(x):
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    ctypes.PyDLL(None).sleep(1000)
    return x"""
        },
        loses=("partial", "choice", "last"),
        flags=_HANGS,
    ),
    Attack(
        name="busy-threads",
        theme="breaking",
        attempts="Starts threads that never rest and never end, and a switch interval of an hour.",
        first="""
def spin():
    while True:
        pass
for _ in range(4):
    threading.Thread(target=spin).start()
sys.setswitchinterval(0.5)
""",
        loses=("first", "target", *_BELOW),
    ),
    Attack(
        name="atexit-for-ever",
        theme="breaking",
        attempts="Sleeps for ever when it is asked to end.",
        first="""
import atexit
class Sleeper:
    def __del__(self):
        time.sleep(10_000)
sleeper = Sleeper()
atexit.register(time.sleep, 10_000)
signal.signal(signal.SIGTERM, lambda *args: time.sleep(10_000))
""",
    ),
)
