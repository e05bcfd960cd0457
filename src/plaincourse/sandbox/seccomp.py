"""The system calls that student code is refused, as seccomp programs.

All system calls are allowed except those named here. They make or leave namespaces, change mounts,
inspect other processes, load code into the kernel, set its clock, or open a network. Two sandboxes
read the same files of libraries, so a lock or a watch on one could carry a message from one to the
other. Watches are therefore refused, and locks succeed without any effect. Memory that no limit
counts is refused as well: files in memory, and larger pipes. libseccomp, through the library
pyseccomp, turns the names into a program. Making one takes some milliseconds, so it is cached.
"""

import ctypes
import errno
import functools
import importlib
import tempfile
from typing import Any, NamedTuple

from plaincourse.sandbox import linux

NOT_EQUAL, MASKED = 1, 7
_OPTIMISE, _BINARY_TREE = 8, 2
_FILTER_MODE = 2


class Where(NamedTuple):
    """A condition on one argument of a system call.

    Attributes:
        argument: The position of the argument, from 0.
        test: The comparison.
        value: The value to compare with; the mask if ``test`` is MASKED.
        masked: The value expected under the mask.
    """

    argument: int
    test: int
    value: int
    masked: int = 0


class Refused(NamedTuple):
    """A system call that fails, or that does nothing.

    Attributes:
        name: Its name.
        when: Conditions that must all hold; an empty tuple means always.
        error: The error number for the caller; 0 for a call that does nothing and succeeds.
    """

    name: str
    when: tuple[Where, ...] = ()
    error: int = errno.EPERM


# A libseccomp older than these calls lacks their names; all machines share numbers from 424 on.
_NUMBERS = {
    "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432,
    "fspick": 433, "pidfd_open": 434, "clone3": 435, "openat2": 437, "pidfd_getfd": 438,
    "process_madvise": 440, "mount_setattr": 442, "quotactl_fd": 443, "process_mrelease": 448,
    "fchmodat2": 452, "statmount": 457, "listmount": 458, "setxattrat": 463, "removexattrat": 466,
    "open_tree_attr": 467, "file_setattr": 469, "io_uring_setup": 425, "io_uring_enter": 426,
    "io_uring_register": 427, "pidfd_send_signal": 424,
}  # fmt: skip

_ALWAYS = """
    unshare setns mount umount umount2 pivot_root chroot open_tree open_tree_attr move_mount fsopen
    fsconfig fsmount fspick mount_setattr statmount listmount quotactl quotactl_fd
    ptrace process_vm_readv process_vm_writev process_madvise process_mrelease pidfd_getfd kcmp
    bpf perf_event_open userfaultfd keyctl add_key request_key lookup_dcookie
    io_uring_setup io_uring_enter io_uring_register open_by_handle_at name_to_handle_at
    personality init_module finit_module delete_module create_module kexec_load kexec_file_load
    reboot swapon swapoff acct settimeofday stime clock_settime clock_settime64 adjtimex
    clock_adjtime clock_adjtime64 sethostname setdomainname syslog vhangup iopl ioperm modify_ldt
    fanotify_init nfsservctl socketcall migrate_pages move_pages
    shmget shmat msgget semget mq_open memfd_create memfd_secret io_setup inotify_add_watch
""".split()
_LOCAL = 1  # AF_UNIX
_TERMINAL_REQUESTS = (0x5412, 0x541C)  # requests that type on the host's terminal
_SET_LEASE = 1024  # delays any process that opens the file, also outside
_SET_PIPE_SIZE = 1031
_WATCH_FOLDER = 1026
_LOCKS = (6, 7, 37, 38)  # F_SETLK and F_SETLKW, of a process and of an open file
_INT = 0xFFFFFFFF  # the kernel reads 32 bits of an int, the program compares 64

BASE = (
    *(Refused(name) for name in _ALWAYS),
    *(Refused("clone", (Where(0, MASKED, f, f),)) for f in linux.NEW_NAMESPACE.values()),
    Refused("clone3", error=errno.ENOSYS),  # its flags are in memory; libc then uses `clone`
    Refused("socket", (Where(0, NOT_EQUAL, _LOCAL),)),
    Refused("socketpair", (Where(0, NOT_EQUAL, _LOCAL),)),
    *(Refused("ioctl", (Where(1, MASKED, _INT, request),)) for request in _TERMINAL_REQUESTS),
    Refused("fcntl", (Where(1, MASKED, _INT, _SET_LEASE),)),
    Refused("fcntl", (Where(1, MASKED, _INT, _SET_PIPE_SIZE),)),
    Refused("fcntl", (Where(1, MASKED, _INT, _WATCH_FOLDER),)),
    Refused("flock", error=0),
    *(Refused("fcntl", (Where(1, MASKED, _INT, each),), error=0) for each in _LOCKS),
)

_THREAD = 0x00010000
_ACCESS_MODE, _TRUNCATE = 0o3, 0o1000
_OWNER_COMMANDS = (8, 10, 15)  # F_SETOWN, F_SETSIG, F_SETOWN_EX: a signal by way of a file
_OWNER_REQUESTS = (0x8901, 0x8902)
_OF_OTHERS = "prlimit64 sched_setaffinity sched_setscheduler sched_setparam sched_setattr".split()

# Without namespaces the host's processes, sockets and files keep their names. So this forbids
# connections and datagrams to any of them, and changes to a file by name alone, which landlock does
# not control. It also forbids new processes: one that outlives its parent could not be found.
ALONE = (
    *(Refused(name) for name in "connect pidfd_open pidfd_send_signal tkill fork vfork".split()),
    *(Refused(name) for name in "rt_sigqueueinfo rt_tgsigqueueinfo setpriority ioprio_set".split()),
    *(Refused(name) for name in "chmod fchmodat fchmodat2 chown lchown fchownat".split()),
    *(Refused(name) for name in "setxattr lsetxattr setxattrat removexattr lremovexattr".split()),
    *(Refused(name) for name in "removexattrat file_setattr utime utimes futimesat".split()),
    *(Refused(name) for name in "truncate get_robust_list".split()),
    Refused("openat2", error=errno.ENOSYS),  # its flags are in memory; libc then uses `openat`
    Refused("clone", (Where(0, MASKED, _THREAD, 0),)),
    Refused("utimensat", (Where(1, NOT_EQUAL, 0),)),
    Refused("sendto", (Where(4, NOT_EQUAL, 0),)),
    *(Refused(call, (Where(1, MASKED, 0xF, kind),))
      for call in ("socket", "socketpair") for kind in (2, 3, 4, 10)),
    *(Refused(name, (Where(0, NOT_EQUAL, 0),)) for name in _OF_OTHERS),
    *(Refused("fcntl", (Where(1, MASKED, _INT, command),)) for command in _OWNER_COMMANDS),
    *(Refused("ioctl", (Where(1, MASKED, _INT, request),)) for request in _OWNER_REQUESTS),
    *(Refused(call, (Where(place, MASKED, _TRUNCATE | _ACCESS_MODE, _TRUNCATE),))
      for call, place in (("open", 1), ("openat", 2))),
)  # fmt: skip


#: For a process without a network of its own, once it has its sockets: the names of further ones
#: would be visible to all processes of the machine.
NAMELESS = (Refused("bind"),)


def only_itself(pid: int) -> tuple[Refused, ...]:
    """Refuse signals to any process except ``pid``."""
    others = (Where(0, NOT_EQUAL, pid),)
    return (Refused("tgkill", others), Refused("kill", others))


@functools.cache
def library() -> Any:
    """Return the module pyseccomp.

    Raises:
        RuntimeError: pyseccomp, or the C library libseccomp that it needs, is not installed.
    """
    try:
        return importlib.import_module("pyseccomp")
    except ImportError as missing:
        raise RuntimeError(f"{missing}. `pip install pyseccomp` mends it") from missing
    except (RuntimeError, OSError) as missing:
        raise RuntimeError(
            f"{missing}. `apt install libseccomp2` (or `dnf install libseccomp`) mends it"
        ) from missing


@functools.lru_cache(maxsize=8)
def program(refused: tuple[Refused, ...]) -> bytes:
    """Make the seccomp program that answers the ``refused`` calls with their errors."""
    seccomp = library()
    made = seccomp.SyscallFilter(seccomp.ALLOW)
    made.set_attr(_OPTIMISE, _BINARY_TREE)
    for call in refused:
        number = seccomp.resolve_syscall(seccomp.Arch.NATIVE, call.name)
        number = number if number >= 0 else _NUMBERS.get(call.name, number)
        if number >= 0:  # otherwise this machine has no such call
            tests = (seccomp.Arg(*where) for where in call.when)
            made.add_rule(seccomp.ERRNO(call.error), number, *tests)
    with tempfile.TemporaryFile() as file:
        made.export_bpf(file)
        file.seek(0)
        return file.read()


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def install(code: bytes) -> None:
    """Install a seccomp program for good in this process and all that it starts.

    Args:
        code: The result of :func:`program`.
    """
    extra = _Program(len(code) // 8, code)
    linux.control(linux.SET_SECCOMP, _FILTER_MODE, extra, step="seccomp")
