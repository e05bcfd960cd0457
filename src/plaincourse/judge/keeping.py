"""Find in the text of cells a function that stores something from one call to the next.

A report on public inputs reveals nothing of hidden ones, unless the answer has received hidden
inputs in an earlier test and has stored a part of them. The search of the text can be deceived; it
only serves to count the information in a submission's feedback, and costs no points.
"""

import ast
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeGuard

from plaincourse.exercise.course import subject
from plaincourse.judge.source_names import statements

_CHANGES = frozenset(
    "append appendleft extend insert add update setdefault push put write writelines send set "
    "pop popleft popitem remove discard clear sort reverse load_state_dict zero_grad train eval "
    "step setflags add_module register_hook __setitem__ __delitem__ __iadd__ __ior__ __next__ "
    "__setattr__".split()
)
"""Methods that change their object; those whose name ends in "_" do, too."""
_SETS = frozenset("manual_seed seed save dump umask chdir putenv".split())
"""Functions of a module, or methods, that change hidden state.

Those whose names begin with "set" do, too, except for those of sets.
"""
_STARTS = ("set", "register", "add_", "enable_", "disable_", "use_", "rename_", "define", "impl")
_PURE = re.compile("set(diff|xor)|(enable|disable)_grad")
"""Beginnings of such names, and names that begin alike and change nothing."""
_FILES = frozenset(
    "tofile savez savez_compressed savetxt savefig memmap open_memmap from_file DataSource "
    "custom_op Library use ion ioff rc rcdefaults wrap swap_tensors Manager as_strided "
    "__enter__".split()
)
"""Functions that leave a file or a setting behind, or reach any memory, with any arguments."""
_INTO = frozenset(
    "copyto put place putmask fill_diagonal shuffle heappush heappop heapify heapreplace "
    "heappushpop setitem delitem insort insort_left insort_right at iadd isub imul ior iconcat "
    "constant swap_tensors".split()
)
"""Functions that write into their first argument; those whose names end in "_" do, too."""
_NO_WRITES = frozenset("str_ bool_ bytes_ object_ int_ float_ complex_ string_ ix_".split())
"""Types and functions of NumPy whose names end in "_" and that write into no argument."""
_OPERATIONS = frozenset(
    "_neg_view _conj _conj_copy _conj_physical _softmax _log_softmax _safe_softmax _masked_softmax "
    "_shape_as_tensor _stack _unique2 _trilinear _euclidean_dist _weight_norm _aminmax _int_mm "
    "_linalg_det _linalg_eigh _linalg_svd _logcumsumexp _assert".split()
)
"""Operations of PyTorch that only compute, although their names begin with "_"."""
_DRAWS = frozenset(
    "random integers normal standard_normal uniform choice permutation permuted bytes randint "
    "randrange sample gauss getrandbits spawn".split()
)
"""Methods of a generator that change its state."""
_STREAMS = frozenset("iter map filter zip enumerate reversed".split())
"""Functions whose result yields each item only once."""
_WRITES = frozenset({"open", "exec", "eval", "globals"})
_CALLS = _WRITES | {"next", "setattr", "delattr", "vars"}
"""Functions with which a call can leave something behind: anywhere, or in their argument."""
_CACHES = frozenset({"cache", "lru_cache", "cached_property"})
_PLAIN = frozenset(
    "__future__ abc bisect cmath collections copy dataclasses decimal einops enum fractions "
    "functools heapq itertools jaxtyping json math matplotlib numbers numpy operator plaincourse "
    "pprint random re scipy statistics string textwrap time torch types typing".split()
)
"""Modules whose functions leave nothing behind, except for those named above.

A function of any other module may: ``csv.field_size_limit`` and ``gc.freeze`` do, and their names
do not show it.
"""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_MAKERS = frozenset({"list", "dict", "set", "bytearray", "deque", "defaultdict", "Counter"})
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def keeps(code: Sequence[str]) -> str:
    """Return the first line with which a function of these cells stores something; "" if none does.

    The search detects ``global`` and ``nonlocal``; writes into a name from outside of the function,
    also by a method that changes its object; lists and objects as defaults of arguments, or of a
    class; random generators that are seeded, and functions that can write anywhere.

    Args:
        code: a submission's cells.
    """
    bodies = [statements(cell) for cell in code]
    modules, rooms = _brought(each for body in bodies for each in body)
    rooms |= _streams(each for body in bodies for each in body)
    for cell, body in zip(code, bodies, strict=True):
        lines = (_line(node, known, modules, rooms) for node, known in _parts(body))
        if found := next(filter(None, lines), 0):
            return cell.splitlines()[found - 1].strip()
    return ""


def _brought(body: Iterable[ast.stmt]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the imported names, and those of them by which something can be stored."""
    origins: dict[str, tuple[str, str]] = {}
    for each in body:
        if isinstance(each, (ast.Import, ast.ImportFrom)):
            module = (getattr(each, "module", None) or "").partition(".")[0]
            for alias in each.names:
                first = alias.name.partition(".")[0]
                origins[alias.asname or first] = (module or first, first if module else "")
    rooms = {
        name
        for name, (module, part) in origins.items()
        if module not in {*_PLAIN, *subject()} or (module == "functools" and part in {"", *_CACHES})
    }
    return frozenset(origins), frozenset(rooms)


def _parts(body: list[ast.stmt]) -> Iterator[tuple[ast.AST, frozenset[str]]]:
    """Yield each function and class, with the names around it that end with the call that makes it.

    No recursion is used, because a sum of many terms is deeper than Python's stack.
    """
    todo: deque[tuple[ast.AST, frozenset[str]]] = deque((each, frozenset()) for each in body)
    while todo:
        node, known = todo.popleft()
        inside = known
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            yield node, known
        if isinstance(node, _FUNCTIONS):
            inside = frozenset() if _returns_one(node) else known | _local(node)
        todo.extend((each, inside) for each in ast.iter_child_nodes(node))


def _line(
    node: ast.AST, known: frozenset[str], modules: frozenset[str], rooms: frozenset[str]
) -> int:
    """Return the line at which a function or class stores something, or 0."""
    if isinstance(node, ast.ClassDef):
        values = (each.value for each in node.body if isinstance(each, (ast.Assign, ast.AnnAssign)))
        return next((each.lineno for each in values if _is_container(each)), 0)
    return _kept(node, known, modules, rooms) if isinstance(node, _FUNCTIONS) else 0


def _is_container(value: ast.expr | None) -> TypeGuard[ast.expr]:
    """Return whether a value is a mutable object that is made once for all calls."""
    if isinstance(value, ast.Call):
        return isinstance(value.func, ast.Name) and value.func.id in _MAKERS
    return isinstance(value, (ast.List, ast.Dict, ast.Set, ast.ListComp, ast.DictComp, ast.SetComp))


def _kept(
    function: Function, known: frozenset[str], modules: frozenset[str], rooms: frozenset[str]
) -> int:
    for each in getattr(function, "decorator_list", ()):
        if _cached(each, rooms):
            return int(each.lineno)
    for default in (*function.args.defaults, *filter(None, function.args.kw_defaults)):
        if _is_container(default):
            return default.lineno
    own = known | _local(function)
    for node in _own_nodes(function):
        if isinstance(node, (ast.Global, ast.Nonlocal)) and not known.issuperset(node.names):
            return node.lineno
        if isinstance(node, (ast.Attribute, ast.Subscript)) and _is_written_outside(node, own):
            return node.lineno
        if isinstance(node, ast.Call) and _call_keeps(node, own, modules):
            return node.lineno
        if isinstance(node, ast.Attribute) and _is_inner(node, modules - own):
            return node.lineno
        if isinstance(node, ast.Attribute) and _is_method_of_outside(node, own | modules):
            return node.lineno
        if isinstance(node, ast.Name) and node.id in rooms - own - modules:
            return node.lineno
        if isinstance(node, ast.Call) and _root(node.func) in rooms - own and not _makes(node):
            return node.lineno
    return 0


def _streams(body: Iterable[ast.stmt]) -> frozenset[str]:
    """Return the names of values that yield each item only once: generators, files, counts."""
    names = set[str]()
    for each in body:
        if not isinstance(each, (ast.Assign, ast.AnnAssign)):
            continue
        made = each.value.func if isinstance(each.value, ast.Call) else each
        named = isinstance(made, ast.Name) and made.id in _STREAMS
        if isinstance(each.value, ast.GeneratorExp) or named or _root(made) == "itertools":
            targets = each.targets if isinstance(each, ast.Assign) else [each.target]
            names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return frozenset(names)


def _is_method_of_outside(node: ast.Attribute, known: frozenset[str]) -> bool:
    """Return whether a method that changes its object is looked up on an object from outside."""
    root = _root(node)
    return (node.attr in _CHANGES or node.attr == "grad") and bool(root) and root not in known


def _writes_into(call: ast.Call, name: str, own: frozenset[str]) -> bool:
    """Return whether a call writes into an argument that is not the function's own."""
    given = [each.value for each in call.keywords if each.arg in {"out", "generator"}]
    in_place = name.endswith("_") and not name.endswith("__") and name not in _NO_WRITES
    if name in _INTO or in_place:
        given += call.args[:1]
    roots = [_root(each) for each in given]
    return any(root and root not in own for root in roots)


def _is_inner(node: ast.AST, names: frozenset[str]) -> bool:
    """Return whether a private part of a module is read, such as the cache of `re`."""
    if not isinstance(node, ast.Attribute) or not re.match(r"_[^_]", node.attr):
        return False
    computes = isinstance(node.value, ast.Name) and node.value.id == "torch"
    return _root(node) in names and not (computes and node.attr in _OPERATIONS)


def _is_written_outside(node: ast.Attribute | ast.Subscript, own: frozenset[str]) -> bool:
    root = _root(node)
    return not isinstance(node.ctx, ast.Load) and bool(root) and root not in own


def _call_keeps(call: ast.Call, own: frozenset[str], modules: frozenset[str]) -> bool:
    """Return whether a call changes something that is not the function's own."""
    to = call.func
    name = to.id if isinstance(to, ast.Name) else getattr(to, "attr", "")
    of_library = not isinstance(to, ast.Name) or name in modules - own
    leaves = name in _FILES and not _is_of_torch(to, own)
    if of_library and (leaves or _writes_into(call, name, own)):
        return True
    if isinstance(to, ast.Name):
        first = _root(call.args[0]) if call.args else ""
        outside = bool(first) and first not in own
        return to.id in _CALLS and to.id not in own and (outside or to.id in _WRITES)
    if not isinstance(to, ast.Attribute) or any(isinstance(each, ast.Call) for each in _chain(to)):
        return False  # the result of a call is a new object in most cases
    root = _root(to)
    in_place = to.attr in _CHANGES or (to.attr.endswith("_") and not to.attr.endswith("__"))
    sets = to.attr.startswith(_STARTS) and not _PURE.match(to.attr)
    changes = to.attr in _SETS or (sets and root in modules) or (in_place and root not in modules)
    of_outside = to.attr in _DRAWS or to.attr.startswith("register")
    changes = changes or (of_outside and root not in modules)
    return changes and bool(root) and root not in own


def _is_of_torch(to: ast.expr, own: frozenset[str]) -> bool:
    """Return whether a view is PyTorch's, which checks its bounds, and not NumPy's."""
    view = isinstance(to, ast.Attribute) and to.attr == "as_strided"
    return view and (_root(to) == "torch" or _root(to) in own)


def _cached(decorator: ast.expr, rooms: frozenset[str]) -> bool:
    """Return whether a decorator caches results."""
    if isinstance(decorator, ast.Call):
        return _cached(decorator.func, rooms)
    if isinstance(decorator, ast.Attribute):
        return decorator.attr in _CACHES and _root(decorator) in rooms
    return isinstance(decorator, ast.Name) and decorator.id in rooms


def _makes(call: ast.Call) -> bool:
    """Return whether a function of `functools` only makes another, or calculates."""
    return isinstance(call.func, ast.Attribute) and call.func.attr in {"partial", "reduce", "wraps"}


def _local(function: Function) -> frozenset[str]:
    """Return the names that a call makes anew: its parameters, and the names that it binds."""
    names = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    told = set[str]()
    for node in _own_nodes(function):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            told.update(node.names)
    return frozenset(names - told)


def _own_nodes(function: Function) -> Iterator[ast.AST]:
    """Yield all nodes of a function's body except those of functions in it."""
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    todo: deque[ast.AST] = deque(body)
    while todo:
        node = todo.popleft()
        yield node
        if not isinstance(node, _FUNCTIONS):
            todo.extend(ast.iter_child_nodes(node))


def _returns_one(function: Function) -> bool:
    """Return whether a function returns a function made in it, whose names then live on."""
    made = {node.name for node in _own_nodes(function) if isinstance(node, ast.FunctionDef)}
    returned = [node.value for node in _own_nodes(function) if isinstance(node, ast.Return)]
    return any(
        isinstance(each, ast.Lambda) or (isinstance(each, ast.Name) and each.id in made)
        for value in filter(None, returned)
        for each in ast.walk(value)
    )


def _chain(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes from which an attribute, an item or a call's result is reached, in order."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        node = node.func if isinstance(node, ast.Call) else node.value
        yield node


def _root(node: ast.AST) -> str:
    """Return the name at the root of an expression; "" if the root is not a name."""
    *_, last = node, *_chain(node)
    return last.id if isinstance(last, ast.Name) else ""
