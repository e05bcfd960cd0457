"""Attacks on the agent, the process that runs the student's answers."""

from tests.attacks.attack import Attack

_OWN_ANSWERS_ONLY = ("first", "target", "plain", "partial", "choice", "last")

FORGING_AGENT = (
    Attack(
        name="agent-garbage",
        theme="forging",
        attempts="Writes forged frames into every socket that it finds while it is called.",
        answers={
            "plain": """import stat, struct
def double(x):
    header = b'{"kind": "value", "value": 1, "id": 1, "ok": true}'
    for number in range(3, 256):
        mode = tried(lambda: os.fstat(number).st_mode)
        if isinstance(mode, int) and stat.S_ISSOCK(mode):
            for size in (">I", "<I", ">Q", "<Q"):
                frame = struct.pack(size, len(header)) + header
                tried(lambda: socket.socket(fileno=os.dup(number)).send(
                    frame, socket.MSG_DONTWAIT))
    return x""",
        },
        loses=("partial", "choice", "last"),
    ),
    Attack(
        name="agent-huge-frame",
        theme="forging",
        attempts="Announces a reply of many gigabytes, and sends none of it.",
        answers={
            "plain": """import stat
def double(x):
    for number in range(3, 256):
        mode = tried(lambda: os.fstat(number).st_mode)
        if isinstance(mode, int) and stat.S_ISSOCK(mode):
            tried(lambda: socket.socket(fileno=os.dup(number)).send(
                b"\\x7f" + b"\\xff" * 64, socket.MSG_DONTWAIT))
    return x""",
        },
        loses=("partial", "choice", "last"),
    ),
    Attack(
        name="agent-patched",
        theme="forging",
        attempts="Finds the agent and makes every method of it answer as it did the first time.",
        wrong=("plain", "partial"),
        first="""
def freeze(cls, name, real):
    said = []
    def again(self, *args, **kwargs):
        if not said:
            said.append(real(self, *args, **kwargs))
        return said[0]
    setattr(cls, name, again)
""",
        answers={
            "target": """def scores(query, key):
    for cls in {type(thing) for thing in gc.get_objects()}:
        if str(getattr(cls, "__module__", "")).startswith("plaincourse.judge"):
            for name, real in list(vars(cls).items()):
                if callable(real) and not name.startswith("__"):
                    tried(freeze, cls, name, real)
    return query""",
        },
        loses=("choice", "last"),
    ),
    Attack(
        name="agent-encoder-patched",
        theme="forging",
        attempts="Bends the functions that write the agent's replies, so that they claim success.",
        wrong=("target", "plain", "partial"),
        first="""
for name, module in list(sys.modules.items()):
    if name.startswith("plaincourse.judge"):
        for word, real in list(vars(module).items()):
            if word.startswith(("encode", "dump", "pack", "write", "send")) and callable(real):
                def lie(*args, real=real, **kwargs):
                    return real(*[True if type(x) is list else x for x in args], **kwargs)
                setattr(module, word, lie)
""",
        loses=_OWN_ANSWERS_ONLY,
    ),
    Attack(
        name="agent-doubled",
        theme="forging",
        attempts="Forks, and lets two processes answer every question.",
        wrong=("plain",),
        first="child = os.fork()",
        loses=_OWN_ANSWERS_ONLY,
    ),
    Attack(
        name="libraries-of-the-agent",
        theme="forging",
        attempts="Breaks json, struct and sockets beneath the agent.",
        wrong=("plain",),
        answers={
            "partial": """import struct
def squares(n):
    json.dumps = json.JSONEncoder.encode = lambda *args, **kwargs: '{"value": true}'
    struct.pack = lambda *args: b""
    socket.socket.sendall = socket.socket.send = lambda self, data, *args: len(data)
    return []""",
        },
        loses=("choice", "last"),
    ),
    Attack(
        name="event-loop-broken",
        theme="forging",
        attempts="Takes every reader off the kernel's event loop, and stops the loop.",
        wrong=("plain",),
        answers={
            "partial": """import asyncio
def squares(n):
    loop = asyncio.get_event_loop()
    for number in range(256):
        tried(loop.remove_reader, number)
    loop.stop()
    return []""",
        },
        loses=("choice", "last"),
    ),
)
