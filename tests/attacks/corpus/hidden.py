"""Attacks that read the judge's memory, or leak hidden inputs."""

from tests.attacks.attack import Attack

_RIGHT = "def double(x):\n{}\n    return 2 * x"
_DROPS = """
drops = ["/tmp/drop", "/dev/shm/drop", "/var/tmp/drop", PLACES["drop"] + "/drop", "drop",
         os.path.expanduser("~/drop"), os.path.join(os.getcwd(), "..", "drop")]
from ipykernel.kernelapp import IPKernelApp
sockets = os.path.dirname(IPKernelApp.instance().abs_connection_file)
drops += [os.path.join(sockets, "drop"), os.path.join(sockets, "..", "drop")]
for path in drops:
    if os.path.exists(path):
        won(path)
for path in drops:
    tried(lambda: open(path, "w").write("from an earlier submission"))
segment = LIBC.shmget(0x5EC2E7, 4096, 0o600)
if segment >= 0:
    won("shared memory")
LIBC.shmget(0x5EC2E7, 4096, 0o600 | 0o1000)
"""

HIDDEN_READING = (
    Attack(
        name="stack-inspection",
        theme="reading",
        attempts="Walks up the stack and returns what the checker expects.",
        answers={
            "target": """def scores(query, key):
    frame = sys._getframe(1)
    while frame is not None:
        for name, value in list(frame.f_locals.items()):
            for place in [value, *(value if isinstance(value, list) else [])]:
                expected = getattr(place, "expected", None)
                inputs = getattr(place, "inputs", {})
                if expected is not None and torch.equal(inputs.get("query"), query):
                    return expected.value
        frame = frame.f_back
    return query""",
        },
    ),
    Attack(
        name="garbage-inspection",
        theme="reading",
        attempts="Asks the garbage collector for the checker's trials, or its reference.",
        answers={
            "target": """def scores(query, key):
    for thing in gc.get_objects():
        if type(thing).__name__ == "Exercise" and thing.id == "02.scores":
            return thing.reference(query, key)
    return query""",
        },
    ),
    Attack(
        name="reference-in-modules",
        theme="reading",
        attempts="Looks for the answer in modules that the server had imported before the fork.",
        answers={
            "target": """def scores(query, key):
    for name, module in list(sys.modules.items()):
        if name.startswith("exercise_bank"):
            won(name)
            return module.TASK.reference(query, key)
    return query""",
        },
    ),
    Attack(
        name="memory-of-its-own",
        theme="reading",
        attempts="Searches its own memory for what the parent left there before the fork.",
        first=r"""
found = set()
with open("/proc/self/maps") as lines, open("/proc/self/mem", "rb") as memory:
    for line in lines:
        span, rights, *_, = line.split()[:2]
        start, end = (int(edge, 16) for edge in span.split("-"))
        if rights.startswith("rw") and end - start < 64 << 20:
            try:
                memory.seek(start)
                found |= set(re.findall(rb"secret-[a-z]+-[0-9a-f]{12}", memory.read(end - start)))
            except (OSError, ValueError, OverflowError):
                continue
leak(found)
""",
    ),
    Attack(
        name="memory-of-others",
        theme="reading",
        attempts="Opens the memory of every process that it can see.",
        first="""
for path in glob.glob("/proc/[0-9]*/mem"):
    pid = int(path.split("/")[2])
    if pid != os.getpid() and not isinstance(tried(lambda: open(path, "rb").close()), Exception):
        won(path)
""",
    ),
    Attack(
        name="hidden-inputs-kept",
        theme="reading",
        attempts="Keeps the inputs of its calls and prints them in a cell below.",
        answers={
            "target": """SEEN = []
def scores(query, key):
    SEEN.append(query.tolist())
    return query @ key.transpose(-2, -1)""",
            "plain": "def double(x):\n    SEEN.append(x.tolist())\n    return 2 * x",
        },
        scores={"target": 2.0, "plain": 3.0},
        after="leak(SEEN)",
        page=True,
    ),
    Attack(
        name="hidden-inputs-printed",
        theme="reading",
        attempts="Prints its inputs while it is called, on stdout, on stderr and as an output.",
        answers={
            "plain": _RIGHT.format(
                "    print(x)\n    print(x, file=sys.stderr)\n    os.write(1, str(x).encode())\n"
                "    os.write(2, str(x).encode())\n    get_ipython().display_pub.publish("
                "{'text/plain': str(x)})"
            ),
        },
        scores={"plain": 3.0},
        page=True,
    ),
    Attack(
        name="hidden-inputs-raised",
        theme="reading",
        attempts="Raises an error that quotes the input, for inputs that it was not shown.",
        answers={
            "plain": _RIGHT.format(
                "    if x[0] not in (1.0, -2.0):\n        raise ValueError(str(x.tolist()))"
            ),
            "target": """def scores(query, key):
    raise ValueError(repr(query.tolist()))""",
        },
        page=True,
    ),
    Attack(
        name="hidden-inputs-in-names",
        theme="reading",
        attempts="Makes the input the name of the error's type, which feedback quotes.",
        answers={
            "plain": _RIGHT.format(
                "    if x[0] not in (1.0, -2.0):\n"
                "        raise type('E' + str(x.tolist()), (Exception,), {})()"
            ),
        },
        page=True,
    ),
    Attack(
        name="hidden-tests-in-history",
        theme="reading",
        named=True,
        attempts="Prints the cells that ran, hidden tests among them.",
        after="leak(In)\nleak(_ih)\nleak(get_ipython().history_manager.input_hist_raw)",
        page=True,
    ),
    Attack(
        name="hidden-tests-called",
        theme="reading",
        attempts="Prints, from inside a graded function, the cell that calls it.",
        answers={
            "plain": """CALLERS = []
def double(x):
    CALLERS.append(get_ipython().user_ns.get("In", [])[-1:])
    frame = sys._getframe(1)
    CALLERS.append(frame.f_locals.get("cell") or frame.f_code.co_names)
    import linecache
    CALLERS.append(["".join(entry[2]) for entry in linecache.cache.values() if len(entry) > 2
                    and "HIDDEN" in "".join(entry[2])])
    return 2 * x""",
        },
        scores={"plain": 3.0},
        after="leak(CALLERS)",
        page=True,
    ),
    *(
        Attack(
            name=f"dead-drop-{number}",
            theme="reading",
            attempts="Leaves a message for another submission, and looks for one.",
            first=_DROPS,
        )
        for number in (1, 2)
    ),
)
