"""Attacks that leave the sandbox through the network, system calls, or writes to other folders."""

from tests.attacks.attack import Attack

ESCAPING = (
    Attack(
        name="mount",
        theme="escaping",
        attempts="Mounts, binds and remounts file systems.",
        first="""
for source, target, kind, flags in (
    (b"none", b"/tmp", b"tmpfs", 0), (b"/proc", b"/tmp", b"", 4096),
    (b"none", b"/", b"", 32), (b"proc", b"/tmp", b"proc", 0), (b"none", b"/usr", b"", 32 | 4096),
):
    if INSIDE and LIBC.mount(source, target, kind, flags, 0) == 0:
        won(kind, flags)
if INSIDE and LIBC.umount2(b"/proc", 2) == 0:
    won("umount")
""",
    ),
    Attack(
        name="unshare",
        theme="escaping",
        attempts="Makes namespaces of its own, in which it is root.",
        first="""
for flag in (0x10000000, 0x00020000, 0x40000000, 0x20000000, 0x10000000 | 0x00020000):
    if LIBC.unshare(flag) == 0:
        won(hex(flag))
if LIBC.syscall(435, (ctypes.c_uint64 * 11)(0x10000000, *[0] * 10), 88) > 0:
    won("clone3")
""",
    ),
    Attack(
        name="ptrace",
        theme="escaping",
        attempts="Attaches a debugger to every process that it sees, and writes into its memory.",
        first="""
for path in glob.glob("/proc/[0-9]*"):
    pid = int(path.split("/")[2])
    if pid == os.getpid():
        continue
    if LIBC.ptrace(16902 if not INSIDE else 16, pid, 0, 0) == 0:
        won(pid)
    if not isinstance(tried(lambda: open(path + "/mem", "r+b")), BaseException):
        won(path)
""",
    ),
    Attack(
        name="root-of-process-1",
        theme="escaping",
        attempts="Leaves through the root folder or the working folder of another process.",
        first="""
for path in glob.glob("/proc/[0-9]*"):
    for door in ("/root", "/cwd"):
        for target in (PLACES["victim"], PLACES["gradebook"]):
            if os.path.exists(path + door + target):
                won(path + door)
""",
    ),
    Attack(
        name="chroot",
        theme="escaping",
        attempts="Breaks out by a second chroot, and by fchdir and setns.",
        first="""
os.makedirs("jail", exist_ok=True)
if INSIDE and LIBC.chroot(b"jail") == 0:
    for _ in range(40):
        tried(os.chdir, "..")
    LIBC.chroot(b".")
    won("chroot", os.path.exists(PLACES["course"]))
for path in glob.glob("/proc/[0-9]*/ns/*"):
    if "/proc/self" not in path:
        number = tried(os.open, path, os.O_RDONLY)
        if INSIDE and isinstance(number, int) and LIBC.setns(number, 0) == 0:
            won(path)
""",
    ),
    Attack(
        name="become-root",
        theme="escaping",
        attempts="Takes back the rights of root, by setuid and by programs that have them.",
        first="""
if INSIDE:
    for call in (os.setuid, os.seteuid, os.setgid):
        tried(call, 0)
    tried(os.setgroups, [0])
    if os.geteuid() == 0 and not isinstance(tried(os.listdir, PLACES["course"]), Exception):
        won("root")
for program in (["su", "-c", "id -u"], ["sudo", "-n", "id", "-u"], ["pkexec", "id", "-u"]):
    done = tried(lambda: subprocess.run(program, capture_output=True, timeout=1,
                                        stdin=subprocess.DEVNULL).stdout.strip())
    if INSIDE and done == b"0" and not isinstance(tried(os.listdir, PLACES["course"]), Exception):
        won(program)
status = str(tried(lambda: open("/proc/self/status").read()))
if INSIDE and re.search(r"Cap(Eff|Prm|Inh|Amb):\\s*0*[1-9a-f]", status):
    won("capabilities")
""",
    ),
)
