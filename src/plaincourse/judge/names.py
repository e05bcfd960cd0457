"""Which names a cell binds, and which it reads."""

import ast
import symtable
from collections.abc import Iterator


def bound(source: str) -> set[str]:
    """Return the global names that a cell binds, in whatever way. Empty where it has no syntax."""
    try:
        table = symtable.symtable(source, "cell", "exec")
    except (SyntaxError, ValueError):
        return set()
    found = {each.get_name() for each in table.get_symbols() if _binds(each)}
    for inner in _inside(table):
        for each in inner.get_symbols():
            if each.is_declared_global() and _binds(each):
                found.add(each.get_name())
    return found


def read(source: str) -> set[str]:
    """Return the global names that a cell reads, its functions included."""
    try:
        table = symtable.symtable(source, "cell", "exec")
    except (SyntaxError, ValueError):
        return set()
    found = {each.get_name() for each in table.get_symbols() if each.is_referenced()}
    for inner in _inside(table):
        found |= {each.get_name() for each in inner.get_symbols() if each.is_global()}
    return found


def imported(source: str) -> list[str]:
    """Return the import statements at the top level of a cell."""
    return [ast.unparse(each) for each in _statements(source) if _is_import(each)]


def definitions(source: str) -> list[str]:
    """Return the top-level statements of a cell that define or import, one by one."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return [
        ast.unparse(each)
        for each in _statements(source)
        if _is_import(each) or isinstance(each, kinds)
    ]


def _binds(symbol: symtable.Symbol) -> bool:
    return symbol.is_assigned() or symbol.is_imported()


def _inside(table: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    for each in table.get_children():
        yield each
        yield from _inside(each)


def _statements(source: str) -> list[ast.stmt]:
    try:
        return ast.parse(source).body
    except (SyntaxError, ValueError):
        return []


def _is_import(node: ast.stmt) -> bool:
    return isinstance(node, (ast.Import, ast.ImportFrom))
