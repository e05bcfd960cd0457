"""Attacks that read secrets from files."""

from tests.attacks.attack import Attack

_OR_WRONG = """
except Exception:
    def scores(query, key):
        return query
"""

READING = (
    Attack(
        name="solution-notebook",
        theme="reading",
        named=True,
        attempts="Runs the solution's own text, read from the course folder.",
        answers={
            "target": """try:
    cells = json.load(open(PLACES["solution"]))["cells"]
    leak([cell["source"] for cell in cells])
    ids = [cell["metadata"].get("nbgrader", {}).get("grade_id") for cell in cells]
    exec("".join(cells[ids.index("target-answer")]["source"]))"""
            + _OR_WRONG
        },
    ),
    Attack(
        name="bank-import",
        theme="reading",
        attempts="Imports the bank and hands in one of its right answers.",
        answers={
            "target": """try:
    from plaincourse.exercise.bank import load
    scores = load("02.scores").alternatives[1].answer
    leak([wrong.believed for wrong in load("02.scores").misconceptions])"""
            + _OR_WRONG
        },
    ),
    Attack(
        name="bank-files",
        theme="reading",
        attempts="Looks for the bank's files, compiled ones too, in every folder of the path.",
        first="""
for folder in [*sys.path, PLACES["source"], "/usr/src", "/opt"]:
    for path in glob.glob(folder + "/exercise_bank/**/*", recursive=True):
        if os.path.isfile(path):
            leak(open(path, "rb").read().decode("latin-1"))
import importlib.util
leak(tried(importlib.util.find_spec, "exercise_bank.ch02.mistakes.scores"))
leak(tried(lambda: __import__("exercise_bank.ch02.mistakes.scores").bank.ch02.mistakes
           .scores.MISCONCEPTIONS[0].believed))
""",
    ),
    Attack(
        name="gradebook-read",
        theme="reading",
        named=True,
        attempts="Prints the names in the gradebook.",
        first="""
book = tried(sqlite3.connect, PLACES["gradebook"])
leak(tried(lambda: book.execute("select * from student").fetchall()))
leak(tried(lambda: open(PLACES["gradebook"], "rb").read().decode("latin-1")))
""",
    ),
    Attack(
        name="environment",
        theme="reading",
        named=True,
        attempts="Prints the environment.",
        first='leak(dict(os.environ))\nleak(subprocess.run(["env"], capture_output=True).stdout)',
    ),
    Attack(
        name="environment-of-others",
        theme="reading",
        attempts="Reads the environment and command line that every visible process began with.",
        first="""
for path in glob.glob("/proc/*/environ") + glob.glob("/proc/*/cmdline"):
    leak(path, tried(lambda: open(path, "rb").read().decode("latin-1")))
""",
    ),
    Attack(
        name="other-submissions",
        theme="reading",
        named=True,
        attempts="Reads what others handed in, and what they were graded.",
        first="""
for step in ("submitted", "autograded", "feedback", "logs"):
    for path in glob.glob(PLACES["course"] + "/" + step + "/**/*", recursive=True):
        if os.path.isfile(path):
            leak(open(path, "rb").read().decode("latin-1"))
leak(tried(lambda: open(PLACES["victim"]).read()))
""",
    ),
    Attack(
        name="beside-the-folder",
        theme="reading",
        attempts="Walks up from its own folder and reads every notebook and database near it.",
        first="""
for up in ("..", "../..", "../../.."):
    for ending in ("ipynb", "db", "json", "jsonl", "py"):
        for path in glob.glob(f"{up}/*/*/*.{ending}") + glob.glob(f"{up}/*.{ending}"):
            leak(open(path, "rb").read()[:100_000].decode("latin-1"))
""",
    ),
    Attack(
        name="home",
        theme="reading",
        attempts="Reads passwords and keys from the instructor's home and from the system.",
        first="""
for folder in {os.path.expanduser("~"), PLACES["home"], "/root"}:
    for path in glob.glob(folder + "/.*"):
        leak(path, tried(lambda: open(path).read()))
for path in ("/etc/shadow", "/etc/sudoers", "/etc/ssh/ssh_host_ed25519_key"):
    if not isinstance(tried(lambda: open(path).read(1)), Exception):
        won(path)
""",
    ),
    Attack(
        name="open-files",
        theme="reading",
        attempts="Reads from every file descriptor that it finds open.",
        first="""
import stat
for number in range(3, 256):
    mode = tried(lambda: os.fstat(number).st_mode)
    if isinstance(mode, int) and stat.S_ISREG(mode):
        leak(number, tried(lambda: os.readlink(f"/proc/self/fd/{number}")))
        leak(tried(lambda: os.pread(number, 1_000_000, 0).decode("latin-1")))
    if isinstance(mode, int) and stat.S_ISDIR(mode):
        leak(tried(lambda: os.listdir(number)))
        up = tried(lambda: os.open("..", os.O_RDONLY, dir_fd=number))
        leak(isinstance(up, int) and os.listdir(up))
""",
    ),
    Attack(
        name="open-folders",
        theme="reading",
        attempts="Reaches the victim's notebook through folders left open by the parent.",
        first="""
for number in range(3, 256):
    up = PLACES["victim"].lstrip("/")
    for steps in ("", "../" * 30):
        leak(tried(lambda: os.read(os.open(steps + up, os.O_RDONLY, dir_fd=number), 100_000)))
""",
    ),
    Attack(
        name="kernels-of-others",
        theme="reading",
        attempts="Looks for connection files of other kernels, whose keys would open them.",
        first="""
from ipykernel.kernelapp import IPKernelApp
own = os.path.realpath(IPKernelApp.instance().abs_connection_file)
near = os.path.dirname(own)
looked = [near, os.path.dirname(near), os.environ.get("JUPYTER_RUNTIME_DIR", "."), PLACES["home"]]
for folder in looked:
    for path in glob.glob(folder + "/**/*.json", recursive=True):
        if os.path.realpath(path) != own and '"shell_port"' in open(path).read():
            won(path)
""",
    ),
    Attack(
        name="core-files",
        theme="reading",
        attempts="Lets a child dump its core, and looks where the system puts it.",
        first="""
import resource
tried(resource.setrlimit, resource.RLIMIT_CORE, (-1, -1))
child = os.fork()
if not child:
    os.abort()
status = os.waitpid(child, 0)[1]
if os.WCOREDUMP(status) and resource.getrlimit(resource.RLIMIT_CORE)[0] != 0:
    won("core")
""",
    ),
)
