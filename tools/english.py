"""Count marks of unidiomatic English, and compare the counts with their records.

    python -m tools.english [-v] PATHS    count in pages and Python files; -v shows each place
    python -m tools.english [-v]          compare every unit with its record
    python -m tools.english --check       show only the units above their record
    python -m tools.english --record      lower the records to the current counts

A mark is a symptom: find a better sentence, not another word. A *unit* is a page of the book, the
tasks of a chapter, or the docstrings and comments of a package. Its record in ``english.json`` is
``[marks, words]``, and its rate, marks per words, may only fall. A text that gets shorter without
more marks passes. A unit without a record may have one mark in every 1000 words.
"""

import argparse
import ast
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = Path(__file__).with_suffix(".json")
NEW = [1, 1000]
"""The rate allowed for a unit without a record."""

# A space also matches a line break, but not the end of a paragraph, heading or item.
MARKS = {
    "an actor without a name": r"\b(?:some|any|no)body\b|\bwhoever\b",
    "'is no' for 'is not'": r"(?<!there )(?<!here )\b(?:is|are|was|were) (?:no|none)\b"
    r"(?! (?:longer|more|less|fewer|doubt|reason))",
    "a clause for a noun": r"\bwhat (?:is|are|was|were|has|had|can|may|must|does|did|comes|came"
    r"|a|an|the|each|it|they|we|you|one)\b(?![^.!?]*\?)",
    "'where there is' for 'if' or 'without'": r"\bwhere (?:there|none|no|nothing|nobody)\b",
    "stand": r"\bst(?:and|ands|ood|anding)\b",
    "tell": r"\bt(?:ell|ells|old)\b",
    "say": r"\bsays? (?:of|so|that|whether|which|what|how|where)\b|\bit is said\b",
    "a private verb": r"\b(?:sought|mend(?:s|ed|ing)?|hand(?:s|ed)? over|let(?:s|ting)? go"
    r"|(?:held|holds) to|may look|looks? nowhere|turned away|carried home|gives? away)\b",
    "'takes X for Y'": r"\b(?:takes?|took|taken)(?: [\w'’]+){0,6} for"
    r" (?:a|an|the|one|nothing|another|its|what)\b",
    "a clipped verdict": r"^- \([a-e]\) (?:is|has|would|takes|forgets|counts|needs|wants|gives|adds"
    r"|drops|treats|holds|asks|names|keeps|mixes|confuses|describes|reads)\b",
    "'of' in front": r"(?:(?<=[.!?] )|^)of (?:a|all|an|each|every|many|several|the|these|those|two"
    r"|three|four|five|six)\b",
    "'as many' for 'the same number'": r"\b(?:as|so) (?:many|much)\b(?! [\w-]+ as\b| as\b)",
    "'is another' for 'differs'": r"\b(?:is|are|was|were) (?:another|other)\b|\bnone other\b",
    "a calque": r"\bone after the other\b|\bby itself alone\b|\bin the cold\b"
    r"|\bbeside (?:it|them|its|one another|each other)\b",
    "a thing as a person": r"\b(?:answer|cache|code|formula|guess|guesse|head|key|layer|mask|model"
    r"|number|page|queries|query|row|rule|sentence|sequence|test|text|token|word)s?"
    r" (?:asks?|believes?|forgets?|hopes?|knows?|likes?|minds?|remembers?|says?|sees?|speaks?"
    r"|wants?)\b",
}
_FENCE = re.compile(r"(`{3,}|~{3,}|:{3,})(?:\{|\w*\s*$)")
_COMMENT = re.compile(
    r'"""(?:\\.|[^\\])*?"""|'
    r"'''(?:\\.|[^\\])*?'''|"
    r'"(?:\\.|[^"\\\n])*"|'
    r"'(?:\\.|[^'\\\n])*'|#[#: ]*(?P<said>[^\n]*)",
    re.DOTALL,
)
_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_ORDER = re.compile(r"noqa|type: ignore|fmt: |mypy: |pragma")
_WORD = re.compile(r"[A-Za-z][\w'’-]*")
_MARKS = {name: re.compile(pattern, re.MULTILINE) for name, pattern in MARKS.items()}


@dataclass(frozen=True)
class Prose:
    """The sentences of a file on their own lines, with everything else blank."""

    name: str
    text: str

    def places(self) -> Iterator[tuple[int, str, str]]:
        """Yield the line, the mark and its context, for each mark."""
        stripped = "\n".join(line.strip() for line in self.text.split("\n"))
        joined = re.sub(r"(?<=\S)\n(?![\n#*-])", " ", stripped)
        lower = joined.lower()
        for mark, pattern in _MARKS.items():
            for hit in pattern.finditer(lower):
                around = joined[max(0, hit.start() - 40) : hit.end() + 40]
                yield stripped.count("\n", 0, hit.start()) + 1, mark, " ".join(around.split())


def of_page(text: str) -> str:
    """Return the prose of a page in Markdown, without code, formulas, tables and alt text."""
    text = re.sub(r"\A---\n.*?\n---\n|<!--.*?-->|\$\$.*?\$\$", _blank, text, flags=re.DOTALL)
    lines, open_fences = [""], list[str]()
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        last = open_fences[-1] if open_fences else ""
        if fence and last and line.rstrip() == _FENCE.match(last)[1]:  # type: ignore[index]
            open_fences.pop()
        elif fence and not _hidden(last):
            open_fences.append(line)
        elif not _hidden(last) and not re.match(r"[|:]|\+\+\+|\([\w-]+\)=", line):
            lines.append(line)
            continue
        lines.append("")
    text = "\n".join(lines[1:])
    text = re.sub(r"(?:\{[\w:]+\})?`[^`]*`|\$[^$]*\$", _name, text)
    text = re.sub(r"\]\([^)]*\)|https?://\S+", _blank, text)
    return re.sub(r"[*_\[\]]", "", text)


def _hidden(fence: str) -> bool:
    """Return whether a fence, given by its opening line or an empty text, contains no prose."""
    return bool(fence) and not re.search(r"\{(?!code-cell|equation|math)[\w-]+\}", fence)


def of_code(text: str) -> str:
    """Return the docstrings and comments of a Python file, without their examples."""
    lines = [""] * (text.count("\n") + 2)
    for docstring in _docstrings(ast.parse(text)):
        for number, line in enumerate(str(docstring.value).split("\n"), start=docstring.lineno):
            if not re.match(r"\s*(?:>>>|\.\.\. )", line):
                lines[number - 1] = line.strip()
    number, last = 1, 0
    for found in _COMMENT.finditer(text):
        if (said := found["said"]) and not _ORDER.match(said):
            number, last = number + text.count("\n", last, found.start()), found.start()
            lines[number - 1] += f" {said}"
    return re.sub(r"``?[^`]*``?", _name, "\n".join(lines))


def _docstrings(node: ast.AST) -> Iterator[ast.Constant]:
    """Yield the docstrings of a node and of the functions and classes in it."""
    body = getattr(node, "body", [])
    if isinstance(node, _DOCUMENTED) and body and isinstance(body[0], ast.Expr):
        first = body[0].value
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield first
    for each in [*body, *getattr(node, "orelse", [])] if isinstance(body, list) else []:
        if hasattr(each, "body"):
            yield from _docstrings(each)


def of_data(text: str) -> str:
    """Return the strings in a Python file that have four words or more."""
    tree, lines = ast.parse(text), [""] * (text.count("\n") + 2)
    skipped = {id(docstring) for docstring in _docstrings(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [p.value if isinstance(p, ast.Constant) else "X" for p in node.values]
            skipped |= {id(part) for part in node.values}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            parts = [] if id(node) in skipped else [node.value]
        else:
            continue
        said = re.sub(r"`[^`]*`", "X", " ".join("".join(map(str, parts)).split()))
        if len(_WORD.findall(said)) >= 4:
            lines[node.lineno - 1] += f" {said}"
    return "\n".join(lines)


def _blank(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


def _name(found: re.Match[str]) -> str:
    return "X" + _blank(found)


def read(path: Path) -> Prose:
    """Return the prose of a page or of a Python file."""
    text = path.read_text("utf-8")
    return Prose(_short(path), of_code(text) if path.suffix == ".py" else of_page(text))


def _short(path: Path) -> str:
    return str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else str(path)


def files(paths: list[Path]) -> list[Path]:
    """List the pages and Python files that are named, or inside named folders."""
    kinds = ("*.py", "*.md")
    held = [sorted(f for k in kinds for f in p.rglob(k)) if p.is_dir() else [p] for p in paths]
    return [path for each in held for path in each]


def units(root: Path = ROOT) -> dict[str, list[Prose]]:
    """Return the prose of each unit of a course."""
    found: dict[str, list[Prose]] = {}
    for path in sorted((root / "book").rglob("*.md")):
        name = "book/api" if path.parent.name == "api" else _short(path)
        found.setdefault(name, []).append(read(path))
    for path in sorted((root / "solutions").glob("*/*.md")):
        bank = root / "src/exercise_bank" / f"ch{path.name[:2]}"
        data = [Prose(_short(p), of_data(p.read_text("utf-8"))) for p in files([bank])]
        found[f"tasks of chapter {path.name[:2]}"] = [read(path), *data]
    for package in ("src/exercise_bank", "src/plaincourse", "src/plainformer", "tests"):
        for path in files([root / package]):
            inner = path.relative_to(root / package).parts[:-1]
            name = package if package == "src/exercise_bank" else "/".join([package, *inner[:1]])
            if path.suffix == ".py":
                found.setdefault(name, []).append(read(path))
    return found


def count(unit: list[Prose]) -> list[int]:
    """Return the number of marks and of words."""
    marks = sum(1 for prose in unit for _ in prose.places())
    return [marks, sum(len(_WORD.findall(prose.text)) for prose in unit)]


def higher(now: list[int], before: list[int]) -> bool:
    """Return whether the rate of marks is higher than another."""
    return now[0] * before[1] > before[0] * now[1]


def above(now: list[int], before: list[int]) -> bool:
    """Return whether a unit fails its record: more marks, at a higher rate."""
    return now[0] > before[0] and higher(now, before)


def rate(counted: list[int]) -> float:
    """Return the marks per 10,000 words."""
    return 10_000 * counted[0] / max(1, counted[1])


def lowered(record: dict[str, list[int]], now: dict[str, list[int]]) -> dict[str, list[int]]:
    """Return the record with every lower count in it, without units that are gone.

    Raises:
        ValueError: a count is above its record; the message names the units.
    """
    if high := [name for name in now if above(now[name], record.get(name, NEW))]:
        raise ValueError(f"above the record, which is never raised: {', '.join(high)}")
    better = {name: now[name] for name in now if higher(record.get(name, NEW), now[name])}
    return {name: better.get(name, record.get(name, now[name])) for name in sorted(now)}


def load() -> dict[str, list[int]]:
    """Return the record."""
    known: dict[str, list[int]] = json.loads(RECORD.read_text("utf-8"))
    return known


def written(record: dict[str, list[int]]) -> str:
    """Return the record as text, one unit per line."""
    lines = ",\n".join(f"  {json.dumps(name)}: {record[name]}" for name in sorted(record))
    return f"{{\n{lines}\n}}\n"


def shown(unit: list[Prose]) -> str:
    """Return the places of a unit's marks, one per line."""
    return "\n".join(
        f"{prose.name}:{line}: {mark}: …{around}…"
        for prose in unit
        for line, mark, around in sorted(prose.places())
    )


def main(arguments: list[str]) -> int:
    """Run the command; return 1 if a unit is above its record."""
    parser = argparse.ArgumentParser(prog="python -m tools.english", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("paths", nargs="*", type=Path, help="pages, Python files, folders")
    parser.add_argument("-v", "--verbose", action="store_true", help="show each place")
    parser.add_argument("--check", action="store_true", help="show only what fails")
    parser.add_argument("--record", action="store_true", help="lower the records")
    options = parser.parse_args(arguments)
    if options.paths:
        unit = [read(path.resolve()) for path in files(options.paths)]
        if options.verbose:
            print(shown(unit))
        by_mark = Counter(mark for prose in unit for _, mark, _ in prose.places())
        print("\n".join(f"{number:5}  {mark}" for mark, number in by_mark.most_common()))
        total = count(unit)
        print(f"{total[0]} marks in {total[1]} words: {rate(total):.0f} per 10,000")
        return 0
    found, record = units(), load()
    now = {name: count(unit) for name, unit in found.items()}
    for name, each in now.items():
        over = above(each, record.get(name, NEW))
        if over or options.verbose:
            print(shown(found[name]))
        if over or not options.check:
            print(f"{rate(each):5.0f}  {name}{'  ABOVE ITS RECORD' if over else ''}")
    if options.record:
        try:
            RECORD.write_text(written(lowered(record, now)), "utf-8", newline="\n")
        except ValueError as error:
            print(error, file=sys.stderr)
            return 1
    return any(above(now[name], record.get(name, NEW)) for name in now)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
