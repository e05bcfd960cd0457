"""Convert formulas to MathML, which browsers render without a script.

MathJax would have to be fetched, or would add two megabytes to each page. The formulas of prompts
and answers are short, so a small part of TeX is enough; other formulas stay as typed.
"""

import re
from collections.abc import Callable
from html import escape

_FOUND = re.compile(
    r"(?P<code>```.*?```|~~~.*?~~~|(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))"
    r"|\$\$(?P<block>.+?)\$\$"
    # Few names, not nested in themselves; otherwise a long text of \begin takes minutes.
    r"|(?P<environment>\\begin\{(?P<name>(?:equation|align|gather|multline|eqnarray|cases|array|"
    r"[pb]?matrix)\*?)\}(?:(?!\\begin\{(?P=name)\}).)+?\\end\{(?P=name)\})"
    r"|(?<![\\\w$])\$(?P<line>(?=\S)(?:\\.|[^$\\\n]|\n(?!\s*\n))+?(?<=\S))\$(?![\w$])",
    flags=re.DOTALL,
)
_TOKEN = re.compile(r"\s*(\\[A-Za-z]+|\\.|\d+(?:\.\d+)?|.)", flags=re.DOTALL)
_LETTERS = dict(
    pair.split(":")
    for pair in "alpha:α beta:β gamma:γ delta:δ epsilon:ε varepsilon:ε zeta:ζ eta:η theta:θ "
    "lambda:λ mu:μ nu:ν pi:π rho:ρ sigma:σ tau:τ phi:φ varphi:φ chi:χ psi:ψ omega:ω Delta:Δ "
    "Sigma:Σ Omega:Ω ell:ℓ infty:∞ partial:∂ nabla:∇ top:⊤".split()
)
_SIGNS = dict(
    pair.split(":", 1)
    for pair in "cdot:· times:× le:≤ leq:≤ ge:≥ geq:≥ ne:≠ neq:≠ approx:≈ in:∈ to:→ "
    "rightarrow:→ sum:∑ prod:∏ int:∫ ldots:… dots:… cdots:⋯ pm:± odot:⊙ mid:| sim:∼ propto:∝ "
    "lvert:| rvert:| lVert:‖ rVert:‖ |:‖ {:{ }:} langle:⟨ rangle:⟩ equiv:≡ "
    "ll:≪ gg:≫ forall:∀ exists:∃".split()
)
_SPACES = {",": "0.17em", ";": "0.28em", ":": "0.22em", " ": "0.3em", "quad": "1em"}
_WORDS = frozenset("ln log exp sin cos tan tanh max min argmax softmax det lim sup inf".split())
_TEXTS = frozenset({"\\text", "\\mathrm", "\\operatorname", "\\mathbf", "\\textbf", "\\mathit"})
_FENCES = {"matrix": ("", ""), "pmatrix": ("(", ")"), "bmatrix": ("[", "]")}
_FENCES |= dict.fromkeys(("align", "align*", "aligned"), ("", ""))
_BRACKETS = frozenset("()[]{}|‖⟨⟩")
_PRIVATE = re.compile("[\ue000-\uf8ff]")
_TAG_OR_PRIVATE = re.compile("""<(?:"[^"]*"|'[^']*'|[^"'>])*>|[\ue000-\uf8ff]""")


class _UnknownError(ValueError):
    """The formula uses TeX that is not supported."""


def formulas(text: str, *, typed: bool = False) -> tuple[str, Callable[[str], str]]:
    """Take the formulas out of Markdown, and return a function that puts them into its HTML.

    Args:
        text: the Markdown.
        typed: whether to put them back as typed.
    """
    made: list[str] = []

    def out(match: re.Match[str]) -> str:
        if match["code"]:
            return match[0]
        if len(made) >= 6000:
            return match[0]
        block = match["block"] or match["environment"]
        made.append(
            escape(match[0]) if typed else mathml(block or match["line"], block=bool(block))
        )
        return chr(0xE000 + len(made) - 1)

    left = _FOUND.sub(out, _PRIVATE.sub("", text))

    def back(match: re.Match[str]) -> str:
        if match[0].startswith("<"):  # not into an attribute
            return _PRIVATE.sub("", match[0])
        number = ord(match[0]) - 0xE000
        return made[number] if number < len(made) else ""

    return left, lambda html: _TAG_OR_PRIVATE.sub(back, html)


def mathml(tex: str, *, block: bool = False) -> str:
    """Return a formula as MathML, or as code if it uses TeX that is not supported."""
    show = ' display="block"' if block else ""
    try:
        tokens = _TOKEN.findall(tex.strip())
        row = _row(tokens, None)
    except (_UnknownError, RecursionError):
        return f"<code>{escape(tex.strip())}</code>"
    return f"<math{show}><mrow>{row}</mrow></math>"


def _row(tokens: list[str], end: str | None) -> str:
    parts: list[str] = []
    before = ""
    while tokens:
        if tokens[0] == end:
            tokens.pop(0)
            return "".join(parts)
        kind = _kind(tokens[0])
        if "word" in (before, kind) and before and kind:  # as TeX sets \ln 3, and not \ln(3)
            parts.append(_space(","))
        parts.append(_scripted(tokens))
        before = kind
    if end is not None:
        raise _UnknownError(end)
    return "".join(parts)


def _kind(token: str) -> str:
    """Return whether a token begins a function, or a letter, number or group; otherwise empty."""
    name = token.removeprefix("\\")
    if token.startswith("\\") and (name in _WORDS or name == "operatorname"):
        return "word"
    group = token in {"{", "\\frac", "\\tfrac", "\\dfrac", "\\sqrt", *_TEXTS}
    return "plain" if group or token.isalnum() or (token != name and name in _LETTERS) else ""


def _space(name: str) -> str:
    return f'<mspace width="{_SPACES[name]}"></mspace>'


def _scripted(tokens: list[str]) -> str:
    base = _atom(tokens)
    found: dict[str, str] = {}
    while tokens and tokens[0] in "_^" and tokens[0] not in found:
        mark = tokens.pop(0)
        found[mark] = _atom(tokens)
    if not found:
        return base
    if len(found) == 2:
        return f"<msubsup>{base}{found['_']}{found['^']}</msubsup>"
    (mark, script), *_ = found.items()
    tag = "msub" if mark == "_" else "msup"
    return f"<{tag}>{base}{script}</{tag}>"


def _atom(tokens: list[str]) -> str:
    if not tokens:
        raise _UnknownError("nothing")
    token = tokens.pop(0)
    name = token.removeprefix("\\")
    if token == "{":
        return f"<mrow>{_row(tokens, '}')}</mrow>"
    if token in ("\\frac", "\\tfrac", "\\dfrac"):
        above, under = _atom(tokens), _atom(tokens)
        return f"<mfrac>{above}{under}</mfrac>"
    if token == "\\sqrt":
        return f"<msqrt>{_atom(tokens)}</msqrt>"
    if token in _TEXTS:
        return f"<mtext>{escape(_words(tokens))}</mtext>"
    if token == "\\begin":
        return _matrix(tokens)
    if token == "\\left":
        before, inside = _fence(tokens), _row(tokens, "\\right")
        return f"<mrow>{before}{inside}{_fence(tokens)}</mrow>"
    if token in ("\\!", "\\bigl", "\\bigr", "\\big"):
        return "" if token == "\\!" else _atom(tokens)
    if token.startswith("\\"):
        if name in _LETTERS:
            return f"<mi>{_LETTERS[name]}</mi>"
        if name in _SIGNS:
            return _sign(_SIGNS[name])
        if name in _SPACES:
            return _space(name)
        if name in _WORDS:
            return f"<mi>{name}</mi>"
        raise _UnknownError(token)
    if token[0].isdigit():
        return f"<mn>{token}</mn>"
    if token in "}_^&":
        raise _UnknownError(token)
    return f"<mi>{token}</mi>" if token.isalpha() else _sign(token)


def _sign(sign: str) -> str:
    """Return an operator; a bracket keeps its height unless it is made to stretch."""
    stays = ' stretchy="false"' if sign in _BRACKETS else ""
    return f"<mo{stays}>{escape(sign)}</mo>"


def _fence(tokens: list[str]) -> str:
    """Return one of two brackets that stretch; a dot means no bracket."""
    token = tokens.pop(0) if tokens else ""
    sign = _SIGNS.get(token[1:], "") if token.startswith("\\") else token
    if sign not in {*_BRACKETS, ".", "/"}:
        raise _UnknownError(token)
    return "" if sign == "." else f"<mo>{sign}</mo>"


def _matrix(tokens: list[str]) -> str:
    kind, rows = _words(tokens), [[""]]
    while tokens and tokens[0] != "\\end":
        if tokens[0] == "&":
            tokens.pop(0)
            rows[-1].append("")
        elif tokens[0] == "\\\\":
            tokens.pop(0)
            rows.append([""])
        else:
            rows[-1][-1] += _scripted(tokens)
    if kind not in _FENCES or not tokens or (tokens.pop(0), _words(tokens))[1] != kind:
        raise _UnknownError("begin")
    cells = ("".join(f"<mtd>{cell}</mtd>" for cell in row) for row in rows)
    table = "".join(f"<mtr>{row}</mtr>" for row in cells)
    before, after = _FENCES[kind]
    lines = ' class="aligned"' if kind.startswith("align") else ""
    return f"<mrow><mo>{before}</mo><mtable{lines}>{table}</mtable><mo>{after}</mo></mrow>"


def _words(tokens: list[str]) -> str:
    if tokens and tokens[0].isalnum():  # \mathbf x takes one letter
        return tokens.pop(0)
    if not tokens or tokens.pop(0) != "{" or "}" not in tokens:
        raise _UnknownError("text")
    end = tokens.index("}")
    words = "".join(tokens[:end])
    del tokens[: end + 1]
    return words
