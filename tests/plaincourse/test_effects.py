"""Forbidden functions are noticed by their effects, under any name and from any source."""

import contextlib
import itertools
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
import torch

import plainformer.masks
from plaincourse.checking.effects import UNSEEN, is_told
from plaincourse.checking.forbidden import find
from plaincourse.checking.grader import grade
from plaincourse.checking.noticing import watched
from tests.plaincourse.split_students import student

pytestmark = pytest.mark.filterwarnings("ignore")  # PyTorch warns about some of these calls
_START = """
import base64, functools, gc, importlib, importlib.util, sys
import torch, torch.nn.functional as F
from torch import nn
import plainformer.masks
def hidden(text): return base64.b64decode(text).decode()
KERNEL = vars(torch.ops.aten)["_softmax"].default if "_softmax" in vars(torch.ops.aten) else (
    torch.ops.aten._softmax.default)
RAW = KERNEL._op_dk
CPU = torch._C.DispatchKey.CPU
def cube(x): return (x * x * x).sum()
def ready(x): return x.clone().requires_grad_()
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): ctx.save_for_backward(x); return x ** 3
    @staticmethod
    def backward(ctx, g): return 3 * g * ctx.saved_tensors[0] ** 2
"""
#: Ways to compute a derivative without naming it in a line.
DERIVATIVES = {
    "autograd.grad": "x = ready(x); return torch.autograd.grad(cube(x), x)[0]",
    "backward": "x = ready(x); cube(x).backward(); return x.grad",
    "the engine itself": "x = ready(x); return torch.autograd.Variable._execution_engine"
        ".run_backward((cube(x),), (torch.ones(()),), False, False, (x,), allow_unreachable=True,"
        " accumulate_grad=False)[0]",
    "func.grad": "return torch.func.grad(cube)(x)",
    "func.vjp": "return torch.func.vjp(cube, x)[1](torch.ones(()))",
    "func.jacrev": "return torch.func.jacrev(cube)(x)",
    "func.jacfwd": "return torch.func.jacfwd(cube)(x)",
    "func.jvp": "return torch.func.jvp(cube, (x,), (torch.ones_like(x),))",
    "func.linearize": "return torch.func.linearize(cube, x)[1](torch.ones_like(x))",
    "functional.jacobian": "return torch.autograd.functional.jacobian(cube, x)",
    "functional.hvp": "return torch.autograd.functional.hvp(cube, x, torch.ones_like(x))",
    "dual numbers": "torch._C._enter_dual_level()\n    d = torch._VF._make_dual(x, x, level=0)\n"
        "    y = torch._VF._unpack_dual(d * d, level=0)\n    torch._C._exit_dual_level(level=0)\n"
        "    return y.tangent",
    "a Function": "x = ready(x); Cube.apply(x).sum().backward(); return x.grad",
    "a hook": "x = ready(x); got = []; x.register_hook(got.append); cube(x).backward(); return got",
    "a compiled function": "x = ready(x)\n"
        "    y = torch.compile(cube, backend='eager')(x); y.backward(); return x.grad",
    "the operation of a backward pass":
        "return torch.ops.aten._softmax_backward_data(x, x, -1, x.dtype)",
}  # fmt: skip
#: Ways to compute a softmax.
SOFTMAXES = {
    "special": "return torch.special.softmax(x, -1)",
    "log": "return torch.log_softmax(x, -1).exp()",
    "softmin": "return F.softmin(-x, dim=-1)",
    "a module for pictures": "return nn.Softmax2d()(x[:, None, None])[:, 0, 0]",
    "gumbel": "return F.gumbel_softmax(x, hard=False)",
    "masked": "return torch.masked.softmax(x, -1)",
    "sparse": "return torch.sparse.softmax(x[None].to_sparse(), -1).to_dense()[0]",
    "cross-entropy": "return F.cross_entropy(x[None], torch.tensor([0])).neg().exp()",
    "adaptive": "return nn.AdaptiveLogSoftmaxWithLoss(2, 4, [1, 2]).log_prob(x[None])",
    "attention": "return F.scaled_dot_product_attention(x[None], x[None], x[None])",
    "attention of a module": "return nn.MultiheadAttention(2, 1)(x[None], x[None], x[None])[0]",
    "a layer": "return nn.TransformerEncoderLayer(2, 1, 4, dropout=0.0)(x[None])",
    "a graph": "from torch.fx.experimental.proxy_tensor import make_fx\n"
        "    return make_fx(lambda y: getattr(torch, hidden('c29mdG1heA=='))(y, -1))(x)(x)",
    "compiled": "return torch.compile(\n"
        "        lambda y: getattr(torch, hidden('c29mdG1heA=='))(y, -1), backend='eager')(x)",
    "its kernel": "return getattr(KERNEL, hidden('X29wX2Rr'))(CPU, x, -1, False)",
    "its kernel's key": "return getattr(KERNEL, hidden('cmVkaXNwYXRjaA=='))(\n"
        "        torch._C.DispatchKeySet(CPU), x, -1, False)",
    "no mode": "with getattr(torch.utils._python_dispatch,\n"
        "                 hidden('X2Rpc2FibGVfY3VycmVudF9tb2Rlcw=='))():\n"
        "        return getattr(x, hidden('c29mdG1heA=='))(-1)",
}  # fmt: skip
#: Ways to call a function of the course's package that runs no PyTorch operation.
PACKAGE = {
    "an import": "return vars(importlib.import_module(hidden('cGxhaW5mb3JtZXIucGxhbnM=')))",
    "sys.modules": "return sys.modules[hidden('cGxhaW5mb3JtZXIubWFza3M=')].Layout.of(3, 4)",
    "an attribute": "return getattr(plainformer, hidden('bWFza3M=')).Layout.of(3, 4)",
    "the garbage collector": "return next(each for each in gc.get_objects()\n"
        "        if isinstance(each, type(hidden)) and each.__name__ == 'pure'\n"
        "        and each.__module__ == hidden('cGxhaW5mb3JtZXIubWFza3M='))()",
    "its text": "with open(sys.modules[hidden('cGxhaW5mb3JtZXI=')].__file__) as f: return f.read()",
    "a second copy": "spec = importlib.util.find_spec(hidden('cGxhaW5mb3JtZXIubWFza3M='))\n"
        "    spec.loader.exec_module(importlib.util.module_from_spec(spec))",
}  # fmt: skip


def answer_of(body: str) -> Any:
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(f"{_START}\ndef answer(x):\n    {body}", space)
    return space["answer"]


def seen(body: str, *forbid: str, given: tuple[Any, ...] = ()) -> str:
    answer = answer_of(body)
    with watched(answer, forbid, given) as watch:
        answer(torch.tensor([0.5, 2.0]))
    return watch.seen


@pytest.mark.parametrize("what", DERIVATIVES)
def test_a_derivative_of_whatever_engine_is_noticed(what: str) -> None:
    assert seen(DERIVATIVES[what], "autograd", "backward") in {"autograd", "backward"}


#: Library functions equivalent to a forbidden one: body, forbidden name, reported name.
READY_MADE = {
    "a decomposition": ("D._softmax(x, -1, False)", "softmax", "softmax"),
    "another": ("D._log_softmax(x, -1, False).exp()", "softmax", "softmax"),
    "its logarithm": ("D._log_softmax(x, -1, False)", "log_softmax", "log_softmax"),
    "a norm": (
        "importlib.import_module('torch._refs').native_layer_norm(x, [2], None, None, 1e-5)",
        "layer_norm", "layer_norm"),
    "an attention": (
        "D.scaled_dot_product_flash_attention_for_cpu(*[x[None, None, None]] * 3)",
        "scaled_dot_product_attention", "scaled_dot_product_attention"),
    "a model's attention": (
        "importlib.import_module('transformers.models.llama.modeling_llama')."
        "eager_attention_forward(M, *[x[None, None, None]] * 3, None, 1.0)",
        "scaled_dot_product_attention", "a ready-made function of transformers"),
    "a model's function": (
        "importlib.import_module('transformers.models.llama.modeling_llama').rotate_half(x)",
        "plainformer", "a ready-made function of transformers"),
    "a model's norm": (
        "importlib.import_module('transformers.models.llama.modeling_llama').LlamaRMSNorm(2)(x)",
        "softmax", "a ready-made function of transformers"),
}  # fmt: skip


@pytest.mark.parametrize("what", READY_MADE)
def test_a_ready_made_function_of_a_library_is_noticed(what: str) -> None:
    body, forbidden, noticed = READY_MADE[what]
    start = "D = importlib.import_module('torch._decomp.decompositions')"
    module = "M = nn.Identity().eval(); M.num_key_value_groups = 1"
    body = f"{start}\n    {module}\n    return {body}"
    assert seen(body, forbidden) == noticed
    assert seen(body) == ""


#: PyTorch functions that are written in Python, and their effects.
IN_PYTHON = {
    "softmax(x, -1)": "softmax",
    "softmax(x, 0, torch.float64)": "softmax",
    "nn.functional.softmin(x, -1)": "softmax",
    "special.softmax(x, -1)": "softmax",
    "special.log_softmax(x, -1)": "softmax",
    "native_layer_norm(x, [2], None, None, 1e-5)": "layer_norm",
    "amax(x, -1)": "",
    "sum(x, -1)": "",
    "var(x, -1)": "",
}


@pytest.mark.parametrize("call", IN_PYTHON)
def test_a_function_that_derives_nothing_is_not_called_a_derivative(call: str) -> None:
    body = f"return importlib.import_module('torch._refs').{call}"
    for forbidden in itertools.permutations(["autograd", "softmax", "layer_norm"]):
        assert seen(body, *forbidden, "backward") == IN_PYTHON[call]
    if not IN_PYTHON[call]:
        assert seen(body, "autograd") == ""


@pytest.mark.parametrize(
    "body",
    [
        "from einops import rearrange; return rearrange(x, 'a -> a 1').exp()",
        "return np.asarray(x).sum() + torch.from_numpy(np.exp(x.numpy()))",
        "from tqdm import tqdm\n    for each in tqdm([x], disable=True): each.exp()",
        "from jaxtyping import jaxtyped\n    @jaxtyped(typechecker=None)\n"
        "    def inner(x): return torch.exp(x)\n    return inner(x)",
        "return functools.reduce(torch.add, [x, x]).exp() / nn.Linear(2, 2)(x)",
    ],
)
def test_a_tool_is_no_ready_made_function(body: str) -> None:
    assert seen(f"import numpy as np\n    {body}", "softmax", "plainformer") == ""


def test_the_use_of_a_library_is_told_by_a_name_and_nothing_else() -> None:
    assert is_told("softmax", ["softmax"])
    assert is_told(UNSEEN, ["softmax"])
    assert not is_told(UNSEEN, [])
    assert is_told("a ready-made function of transformers", ["softmax"])
    for lie in ("backward", "a ready-made function of <b>", "a ready-made function of ", 1, None):
        assert not is_told(lie, ["softmax"])
    assert not is_told("a ready-made function of transformers", [])


@pytest.mark.parametrize("what", SOFTMAXES)
def test_a_softmax_of_whatever_name_is_noticed(what: str) -> None:
    assert seen(SOFTMAXES[what], "softmax") == (UNSEEN if what == "no mode" else "softmax")
    assert seen("return (x - x.logsumexp(-1)).exp()", "softmax") == ""


@pytest.mark.parametrize(
    "body",
    [
        "return torch.vmap(lambda row: row * 2)(x)",
        "with torch.no_grad(): return nn.Linear(2, 2)(x)",
        "x = ready(x); return cube(x).detach()",
        "return repr(x), x.tolist(), x.cumsum(-1), x.sort()",
        "return torch.stack([(x + h).square() for h in (1e-3, -1e-3)])",
    ],
)
def test_what_differentiates_nothing_is_not_noticed(body: str) -> None:
    assert seen(body, "plainformer", "autograd", "backward", "softmax") == ""


@pytest.mark.parametrize(
    "body",
    [
        "return F.group_norm(x[None], 1)",
        "return nn.InstanceNorm1d(1)(x[None, None])",
        "return F.batch_norm(x[:, None], None, None, training=True)",
        "return torch.native_layer_norm(x, [2], None, None, 1e-5)",
    ],
)
def test_a_norm_of_whatever_name_is_a_layer_norm(body: str) -> None:
    assert seen(body, "layer_norm") == "layer_norm"


def pure() -> int:
    return 3


@pytest.fixture
def package(monkeypatch: pytest.MonkeyPatch) -> FunctionType:
    """Add a function that runs no operation to the package, and a class with such a method."""

    class Layout:
        @staticmethod
        def of(q: int, k: int) -> int:
            return q * k

    Layout.__module__ = Layout.of.__module__ = "plainformer.masks"
    own = FunctionType(pure.__code__, {**globals(), "__name__": "plainformer.masks"}, "pure")
    own.__module__ = "plainformer.masks"
    monkeypatch.setattr(plainformer.masks, "Layout", Layout, raising=False)
    monkeypatch.setattr(plainformer.masks, "pure", own, raising=False)
    return own


def forget_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    from plaincourse.checking import packages

    monkeypatch.setattr(packages, "_packages", {})


@pytest.mark.parametrize("what", [each for each in PACKAGE if each != "an import"])
def test_pure_python_of_the_package_is_noticed(
    what: str, package: FunctionType, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget_the_package(monkeypatch)
    assert seen(PACKAGE[what], "plainformer") == "plainformer"
    assert seen(PACKAGE[what], "softmax") == ""


def test_a_reference_of_a_task_is_noticed() -> None:
    from exercise_bank.ch16 import percentiles

    space: dict[str, Any] = {"__name__": "__main__", "held": [percentiles.percentiles]}
    exec("def answer(x): return [each({}, 50, 1.0, 1.0) for each in held]", space)
    with watched(space["answer"], ["plainformer"]) as watch, contextlib.suppress(Exception):
        space["answer"](None)
    assert watch.seen == "plainformer"


def test_a_box_of_the_tests_may_use_the_package(
    package: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget_the_package(monkeypatch)

    def box() -> int:
        return package()

    answer = answer_of("return x()")
    for given in (box, [box], {"box": box}):
        with watched(answer, ["plainformer"], [given]) as watch:
            assert answer(box) == 3
        assert watch.seen == ""


def test_functions_still_tell_after_a_module_of_the_package_ran_among_many_calls(
    package: FunctionType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A module that runs again is searched again, and some of its functions are instrumented."""
    from plaincourse.checking import packages

    forget_the_package(monkeypatch)
    answer = answer_of("return x()")
    anew = compile("", str(Path(plainformer.masks.__file__).with_name("anew.py")), "exec")
    with packages.held():
        with watched(answer, ["plainformer"]):
            exec(anew, {})
        with watched(answer, ["plainformer"]):
            pass
    with watched(answer, ["plainformer"]) as watch:
        assert answer(package) == 3
    assert watch.seen == "plainformer"


def test_functions_are_as_before_when_they_are_not_watched(
    package: FunctionType, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget_the_package(monkeypatch)
    code = plainformer.masks.causal.__code__
    with watched(answer_of("return x"), ["plainformer"]):
        assert plainformer.masks.causal.__code__ is not code
        assert plainformer.masks.causal(2).tolist() == [[True, False], [True, True]]
    assert plainformer.masks.causal.__code__ is code
    assert "_op_dk" not in vars(torch._ops.OpOverload)


#: Places for a callable so that the answer's code does not name it.
PLACES = {
    "a list": ("TOOLS = [torch.softmax]", "return TOOLS[0](x, -1)"),
    "a dictionary": ("TOOLS = {1: {2: torch.softmax}}", "return TOOLS[1][2](x, -1)"),
    "a partial": ("TOOL = functools.partial(functools.partial(torch.softmax), dim=-1)",
                  "return TOOL(x)"),
    "a module": ("TOOL = nn.Sequential(nn.Linear(2, 2), nn.Softmax(dim=-1))", "return TOOL(x)"),
    "a kernel": ("TOOL = RAW", "return TOOL(CPU, x, -1, False)"),
    "a bound method": ("TOOL = torch.ones(2).softmax", "return TOOL(-1)"),
    "an object": ("class Tool:\n    def __call__(self, x): return self.run(x, -1)\n"
                  "TOOL = Tool(); TOOL.run = torch.softmax", "return TOOL(x)"),
}  # fmt: skip


@pytest.mark.parametrize("what", PLACES)
def test_a_callable_is_found_in_what_holds_it(what: str) -> None:
    held, body = PLACES[what]
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(f"{_START}\n{held}\ndef answer(x):\n    {body}", space)
    assert find(space["answer"], ("softmax",)) == ("_op_dk" if what == "a kernel" else "softmax")


@pytest.mark.parametrize("default", ["f=torch.softmax", "*, f=torch.softmax", "f=[torch.softmax]"])
def test_a_callable_is_found_in_a_default(default: str) -> None:
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(f"{_START}\ndef answer(x, {default}): return f(x, -1)", space)
    assert find(space["answer"], ("softmax",)) == "softmax"


def test_data_beside_an_answer_is_no_callable() -> None:
    held = "TABLE = {'softmax': [1.0], 'names': ('softmax', 'grad')}; BIG = list(range(10 ** 6))"
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(f"{_START}\n{held}\ndef answer(x):\n    return TABLE['names'], BIG[3]", space)
    assert find(space["answer"], ("softmax", "grad")) is None


def test_it_is_noticed_in_the_students_process_too() -> None:
    body = (
        "score = getattr(torch, hidden('ZnVuYw=='))\n"
        "    f = lambda z: F.cross_entropy(z, targets, label_smoothing=smoothing)\n"
        "    return getattr(score, hidden('amFjcmV2'))(f)(logits)"
    )
    source = f"{_START}\ndef answer(logits, targets, smoothing, kappa):\n    {body}"
    with student(source) as session:
        report = grade("08.loss_gradient", session.names(["answer"])["answer"], seed=5)
    assert report.score == 0
    assert "is not allowed here" in report.headline
