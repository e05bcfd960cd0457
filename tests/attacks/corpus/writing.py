"""Attacks that write or delete other people's files."""

from tests.attacks.attack import Attack

WRITING = (
    Attack(
        name="gradebook-written",
        theme="escaping",
        named=True,
        attempts="Writes full points into the gradebook, for itself and the victim 0.",
        first="""
def write():
    book = sqlite3.connect(PLACES["gradebook"], timeout=0.2)
    book.execute("update grade set manual_score = 4.0, auto_score = 4.0, needs_manual_grade = 0")
    book.execute("update student set last_name = 'overwritten'")
    book.commit()
tried(write)
""",
        wrong=("target", "plain", "partial", "choice"),
    ),
    Attack(
        name="files-written",
        theme="escaping",
        attempts="Overwrites the victim's notebook, records and the course's settings.",
        first="""
def write(path):
    with open(path, "r+b") as file:
        file.write(b"overwritten")
for path in (PLACES["victim"], PLACES["outside"], PLACES["course"] + "/nbgrader_config.py",
             PLACES["solution"]):
    tried(write, path)
tried(lambda: open(PLACES["drop"] + "/files-written", "w").close())
""",
    ),
    Attack(
        name="files-deleted",
        theme="escaping",
        attempts="Deletes its own folder, everything in the sandbox, and the course.",
        first="""
import shutil
for path in (PLACES["victim"], PLACES["outside"]):
    tried(os.remove, path)
shutil.rmtree(os.getcwd(), ignore_errors=True)
if INSIDE:
    for path in ("/tmp", os.path.expanduser("~"), "/usr", "/etc", PLACES["source"]):
        shutil.rmtree(path, ignore_errors=True)
""",
        loses=("first", "target", "plain", "partial", "choice", "last"),
    ),
    Attack(
        name="notebook-for-symlink",
        theme="escaping",
        named=True,
        attempts="Puts a symlink in its notebook's place, so that results overwrite another file.",
        first="""
for folder in {os.getcwd(), PLACES["course"] + "/autograded/notebook-for-symlink/arena"}:
    path = folder + "/arena.ipynb"
    tried(os.remove, path)
    tried(os.symlink, PLACES["outside"], path)
""",
    ),
    Attack(
        name="sockets-for-symlinks",
        theme="escaping",
        attempts="Puts symlinks in place of its connection file and sockets, then dies.",
        first="""
from ipykernel.kernelapp import IPKernelApp
file = IPKernelApp.instance().abs_connection_file
for path in [file, *glob.glob(os.path.dirname(file) + "/*")]:
    tried(os.remove, path)
    tried(os.symlink, PLACES["outside"], path)
os._exit(1)
""",
        loses=("first", "target", "plain", "partial", "choice", "last"),
    ),
    Attack(
        name="hard-links",
        theme="escaping",
        attempts="Makes hard links to files that it may not write.",
        first="""
for path in (PLACES["outside"], PLACES["gradebook"], PLACES["victim"], "/etc/passwd",
             "/etc/shadow"):
    if not isinstance(tried(os.link, path, "link" + str(abs(hash(path)))), BaseException):
        won(path)
""",
    ),
    Attack(
        name="packages-poisoned",
        theme="escaping",
        attempts="Writes into a folder from which the grader imports.",
        first="""
for folder in [*sys.path, PLACES["source"], sys.prefix, os.path.dirname(torch.__file__)]:
    path = os.path.join(folder, "arena_poison.py")
    if folder and not os.path.samefile(folder, os.getcwd()) and os.access(folder, os.W_OK):
        won(folder) if not folder.startswith((os.path.expanduser("~"), os.getcwd())) else None
""",
    ),
)
