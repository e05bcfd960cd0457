"""Attacks that forge results: outputs, messages, and the agent's replies."""

from tests.attacks.attack import Attack

_OWN_ANSWERS_ONLY = ("first", "target", "plain", "partial", "choice", "last")

FORGING_RESULTS = (
    Attack(
        name="display-hook",
        theme="forging",
        named=True,
        attempts="Calls the display hook in the graded function, to show its points.",
        answers={
            "partial": """def squares(n):
    get_ipython().displayhook(4.0)
    return []""",
            "plain": """def double(x):
    sys.displayhook(3.0)
    raise SystemExit""",
        },
    ),
    Attack(
        name="display-hook-after",
        theme="forging",
        attempts="Shows its points from a hook that runs after each cell.",
        wrong=("partial", "plain"),
        first="""
def pay(*args):
    get_ipython().displayhook(4.0)
for event in ("pre_execute", "pre_run_cell", "post_execute", "post_run_cell"):
    get_ipython().events.register(event, pay)
""",
    ),
    Attack(
        name="output-forged",
        theme="forging",
        attempts="Sends its points as a result on the kernel's own output socket.",
        answers={
            "partial": """def squares(n):
    kernel = get_ipython().kernel
    content = {"data": {"text/plain": "4.0"}, "metadata": {}, "execution_count": 9}
    for parent in (kernel.get_parent("shell"), {}):
        kernel.session.send(kernel.iopub_socket, "execute_result", content, parent=parent)
    return []""",
        },
    ),
    Attack(
        name="reply-forged",
        theme="forging",
        attempts="Sends replies of success on the kernel's own channels, from a thread.",
        wrong=("plain", "partial"),
        first="""
kernel = get_ipython().kernel
def forge():
    for _ in range(200):
        parent = kernel.get_parent("shell")
        content = {"status": "ok", "execution_count": 1, "user_expressions": {}, "payload": []}
        tried(lambda: kernel.session.send(kernel.shell_stream, "execute_reply", content, parent))
        result = {"data": {"text/plain": "4.0"}, "metadata": {}, "execution_count": 9}
        tried(kernel.session.send, kernel.iopub_socket, "execute_result", result, parent)
        time.sleep(0.01)
threading.Thread(target=forge, daemon=True).start()
""",
        loses=_OWN_ANSWERS_ONLY,
    ),
    Attack(
        name="visible-inputs-learnt",
        theme="forging",
        attempts="Answers the visible inputs from a table, and nothing else.",
        answers={
            "plain": """def double(x):
    return torch.tensor({1.0: [2.0, -4.0]}.get(float(x[0]), [0.0]))""",
            "partial": "def squares(n):\n    return {2: [1, 4]}.get(n)",
        },
        scores={"partial": 1.0},
    ),
    Attack(
        name="calls-counted",
        theme="forging",
        attempts="Answers a question with the answer to the one before.",
        answers={
            "plain": """LAST = [torch.zeros(2)]
def double(x):
    LAST.append(2 * x)
    return LAST[-2]""",
        },
    ),
)
