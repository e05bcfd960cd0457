"""Attacks that change how IPython runs cells."""

from tests.attacks.attack import Attack

_ALL = ("target", "plain", "partial", "choice")

FORGING_IPYTHON = (
    Attack(
        name="asserts-stripped",
        theme="forging",
        named=True,
        attempts="Lets an input transformer strip the asserts from later cells.",
        wrong=("plain",),
        first="""
def strip(lines):
    return [line for line in lines if "assert" not in line]
get_ipython().input_transformers_cleanup.append(strip)
""",
    ),
    Attack(
        name="asserts-unparsed",
        theme="forging",
        attempts="Removes asserts from the syntax tree, and comparisons with them.",
        wrong=("plain", "partial"),
        first="""
import ast
class Strip(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.copy_location(ast.Pass(), node)
    def visit_If(self, node):
        node.test = ast.copy_location(ast.Constant(True), node.test)
        return node
get_ipython().ast_transformers.append(Strip())
""",
    ),
    Attack(
        name="errors-handled",
        theme="forging",
        attempts="Registers a handler that swallows every error of later cells.",
        wrong=("plain",),
        answers={"target": "del scores_of_nobody"},
        first="get_ipython().set_custom_exc((Exception,), lambda *args, **kwargs: None)",
    ),
    Attack(
        name="errors-not-shown",
        theme="forging",
        attempts="Keeps errors of later cells from being shown.",
        wrong=("plain",),
        first="""
shell = get_ipython()
shell.showtraceback = shell._showtraceback = lambda *args, **kwargs: None
""",
    ),
    Attack(
        name="cells-not-run",
        theme="forging",
        attempts="Makes IPython skip the cells that test.",
        wrong=_ALL,
        first="""
shell, real = get_ipython(), get_ipython().run_cell_async
async def run(raw, *args, **kwargs):
    tests = "check(" in raw or "assert" in raw or "earned" in raw
    return await real("" if tests else raw, *args, **{**kwargs, "transformed_cell": None})
shell.run_cell_async = run
""",
        loses=("first", "last"),
    ),
    Attack(
        name="kernel-replies-itself",
        theme="forging",
        attempts="Replaces the kernel's own way to run cells by one that always reports success.",
        wrong=("target", "plain", "partial", "choice"),
        first="""
kernel = get_ipython().kernel
async def do_execute(code, silent, **kwargs):
    return {"status": "ok", "execution_count": 7, "user_expressions": {}, "payload": []}
kernel.do_execute = do_execute
""",
        answers={"first": "softmax_rows = None", "last": "attention = None"},
    ),
)
