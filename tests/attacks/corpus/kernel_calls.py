"""Attacks on the operating system's kernel, and on the instructor's terminal."""

from tests.attacks.attack import Attack

KERNEL_CALLS = (
    Attack(
        name="devices",
        theme="escaping",
        attempts="Makes device files, and opens the memory and the log of the machine.",
        first="""
for number, name in ((1 << 8 | 1, "mem"), (8 << 8, "disk")):
    if not isinstance(tried(os.mknod, name, 0o020666, number), BaseException):
        won(name) if INSIDE else None
        tried(os.remove, name)
for path in ("/dev/mem", "/dev/kmsg", "/dev/sda", "/dev/vda", "/dev/nvidia0",
             "/dev/kvm", "/dev/fuse"):
    if not isinstance(tried(lambda: os.close(os.open(path, os.O_RDWR))), BaseException):
        won(path)
""",
    ),
    Attack(
        name="terminal",
        theme="escaping",
        attempts="Types a command into the terminal of whoever runs the grader.",
        first="""
import fcntl, termios
for path in ("/dev/tty", "/dev/console", *glob.glob("/dev/pts/[0-9]*")):
    terminal = tried(os.open, path, os.O_RDWR)
    if isinstance(terminal, int):
        won(path)
for number in (0, 1, 2):
    if os.isatty(number):
        won(number)
""",
    ),
    Attack(
        name="system-calls",
        theme="escaping",
        attempts="Calls what is seldom needed and often broken: bpf, io_uring, keyrings and more.",
        first="""
CALLS = {"bpf": (321, 0, 0, 0), "perf_event_open": (298, 0, 0, -1, -1, 0),
         "userfaultfd": (323, 0), "keyctl": (250, 0, -3, 1), "add_key": (248, 0, 0, 0, 0, 0),
         "io_uring_setup": (425, 1, 0), "kexec_load": (246, 0, 0, 0, 0), "iopl": (172, 3),
         "open_by_handle_at": (304, -1, 0, 0), "fanotify_init": (300, 0, 0),
         "pidfd_getfd": (438, -1, 0, 0), "process_vm_readv": (310, 1, 0, 0, 0, 0, 0),
         "name_to_handle_at": (303, -100, 0, 0, 0, 0), "quotactl": (179, 0, 0, 0, 0)}
for name, (number, *arguments) in CALLS.items():
    ctypes.set_errno(0)
    done = LIBC.syscall(number, *arguments)
    if done >= 0 and not (name == "process_vm_readv" and done == 0):
        won(name, done)
""",
    ),
    Attack(
        name="system-settings",
        theme="escaping",
        attempts="Opens the machine's settings for writing: /proc/sys, /sys, sysrq, cgroups.",
        first="""
for path in ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/sys/vm/drop_caches",
             "/sys/kernel/uevent_helper", "/sys/fs/cgroup/memory/tasks",
             "/sys/fs/cgroup/cgroup.procs", "/proc/self/oom_score_adj"):
    if "oom" in path:
        if not isinstance(tried(lambda: open(path, "w").write("-1000")), BaseException):
            won(path) if INSIDE else None
    elif not isinstance(tried(lambda: os.close(os.open(path, os.O_WRONLY))), BaseException):
        won(path)
""",
    ),
    Attack(
        name="clock-and-host",
        theme="escaping",
        attempts="Sets the clock and the machine's name, and takes a high priority.",
        first="""
if INSIDE:
    for action in (lambda: time.clock_settime(time.CLOCK_REALTIME, time.time()),
                   lambda: socket.sethostname("hijacked"), lambda: os.nice(-10),
                   lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))):
        if not isinstance(tried(action), BaseException):
            won("set")
""",
    ),
    Attack(
        name="program-of-its-own",
        theme="escaping",
        attempts="Runs a program from memory, which no path forbids, to connect and to read.",
        first="""
code = f'''import socket
line = socket.create_connection(("127.0.0.1", {PLACES["tcp port"]}), timeout=0.5)
line.sendall({PLACES["me"].encode()!r})
'''
number = tried(os.memfd_create, "program", 0)
if isinstance(number, int):
    os.write(number, b"#!" + sys.executable.encode() + b"\\n" + code.encode())
    tried(lambda: subprocess.run([f"/proc/self/fd/{number}"], pass_fds=[number], timeout=2,
                                 capture_output=True))
tried(lambda: subprocess.run([sys.executable, "-c", code], timeout=2, capture_output=True))
""",
    ),
)
