"""Attacks that use forbidden functions without detection by the check on calls."""

from tests.attacks.attack import Attack

_SOFTLY = "def softmax_rows(scores):\n    return {}"
#: Each uses the softmax that `first` forbids, and must earn no points.
_WAYS = {
    "library-by-its-file": (
        "Runs code whose file is said to be the course's.",
        """import plaincourse
_space = {"torch": torch}
exec(compile("def softly(x): return torch.softmax(x, -1)", plaincourse.__file__, "exec"), _space)
softly = _space["softly"]""",
        "softly(scores)",
    ),
    "library-by-its-name": (
        "Runs code whose module is said to be PyTorch's.",
        """import types
_space = vars(types.ModuleType("torch.nn.extra"))
_space["torch"] = torch
exec("def softly(x): return torch.softmax(x, -1)", _space)
softly = _space["softly"]""",
        "softly(scores)",
    ),
    "thread-of-the-kernel": (
        "Has a thread of the kernel do it, which ran before anything was watched.",
        """def softly(scores):
    done = []
    loop = get_ipython().kernel.iopub_thread.io_loop
    loop.add_callback(lambda: done.append(torch.softmax(scores, -1)))
    while not done:
        time.sleep(0.01)
    return done[0]""",
        "softly(scores)",
    ),
    "text-of-a-warning": (
        "Does it while a warning is written, after the call has ended.",
        """import warnings
class Told(UserWarning):
    def __init__(self, scores, into):
        self.scores, self.into = scores, into
    def __str__(self):
        self.into.copy_(torch.softmax(self.scores, -1))
        return "told"
def softly(scores):
    into = torch.zeros_like(scores)
    warnings.warn(Told(scores, into))
    return into""",
        "softly(scores)",
    ),
    "thread-from-a-closure": (
        "Starts a thread with the starter that the watch has replaced.",
        """import _thread
starters = [cell.cell_contents for cell in (_thread.start_new_thread.__closure__ or ())]
starters = [each for each in starters if callable(each)] + [_thread.start_new_thread]
def softly(scores):
    done = []
    starters[0](lambda: done.append(torch.softmax(scores, -1)), ())
    for _ in range(300):
        if done:
            break
        time.sleep(0.01)
    return done[0]""",
        "softly(scores)",
    ),
    "filled-in-later": (
        "Returns a tensor and fills it in the next call, which may be watched less.",
        """owed = []
def softly(scores):
    for into, given in owed:
        into.copy_(torch.softmax(given, -1))
    into = torch.full_like(scores, 1 / scores.shape[-1])
    owed[:] = [(into, scores.clone())]
    return into""",
        "softly(scores)",
    ),
    "watch-put-aside": (
        "Puts the watch aside for as long as it works.",
        """def softly(scores):
    noticing = sys.modules["plaincourse.checking.noticing"]
    before = noticing.Watch.ran
    noticing.Watch.ran = lambda *args: None
    try:
        return torch.softmax(scores, -1)
    finally:
        noticing.Watch.ran = before""",
        "softly(scores)",
    ),
}
BLINDING = tuple(
    Attack(
        name=name,
        theme="forging",
        attempts=attempts,
        answers={"first": f"{source}\n{_SOFTLY.format(call)}"},
    )
    for name, (attempts, source, call) in _WAYS.items()
)
