"""Exercise 14.stop_inside: a stream that stops inside a token and shows nothing too early."""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Generator

from exercise_bank.ch14.mistakes.stop_inside import MISCONCEPTIONS
from exercise_bank.draws import more
from exercise_bank.skills import rung, through
from plaincourse.checking.drawing import Fresh
from plaincourse.exercise import Alternative, Exercise, Inputs

LETTERS = "äx€y🙂z "


def tokens(*pieces: str | bytes, stops: tuple[str, ...] = ()) -> Inputs:
    given = [each.encode() if isinstance(each, str) else each for each in pieces]
    return {"pieces": given, "stops": list(stops)}


def cut(g: Generator, data: bytes, longest: int) -> list[bytes]:
    """Cut bytes into tokens of 1 to ``longest``."""
    pieces = []
    while data:
        n = int(torch.randint(1, longest + 1, (), generator=g))
        pieces.append(data[:n])
        data = data[n:]
    return pieces


def letters(g: Generator, alphabet: str, n: int) -> str:
    return "".join(alphabet[i] for i in torch.randint(0, len(alphabet), (n,), generator=g).tolist())


def begun(g: Generator, every: list[Inputs]) -> list[Inputs]:
    """Insert a piece of harmless letters before nonempty hidden inputs."""
    return [
        {**each, "pieces": [letters(g, "QWUVJ", 1 + more(g)).encode(), *each["pieces"]]}
        if isinstance(g, Fresh) and each["pieces"]
        else each
        for each in every
    ]


def no_stops(g: Generator) -> list[Inputs]:
    return [tokens("Once", " upon"), tokens("a", "b", "c"), tokens(*cut(g, b"and so on", 3))]


def at_the_end_of_a_token(g: Generator) -> list[Inputs]:
    return [
        tokens("go", " on", "#", "more", stops=("#",)),
        tokens("a", "b", "END", "c", stops=("END",)),
        tokens("You: hi", "\n", "Me: ho", "\n", stops=("\n",)),
    ]


def simple(g: Generator) -> list[Inputs]:
    drawn = tokens(*cut(g, b"and so on", 3), stops=("#",))
    none = tokens(stops=("#",))
    return [tokens("Once", " upon", stops=("#",)), drawn, *at_the_end_of_a_token(g), none]


def inside_a_token(g: Generator) -> list[Inputs]:
    drawn = [
        tokens("go", " on#mo", "re", stops=("#",)),
        tokens("a|b;", "c", stops=("|",)),
        tokens("one", " two, three. Four", " five", stops=(". ",)),
        tokens("xENDy", "z", stops=("END",)),
    ]
    return begun(g, drawn)


def across_tokens(g: Generator) -> list[Inputs]:
    drawn = [
        tokens("go", " E", "ND", " on", stops=("END",)),
        tokens("the E", "mu is", " tall. EN", "D. So", stops=("END",)),
        tokens("a", "\n", "\n", "b", stops=("\n\n",)),
        tokens("x E", "N", "D y", stops=("END",)),
        tokens("x", "<|", "end", "|>", "y", stops=("<|end|>",)),
        tokens("xa", "a", "a", "b!", "c", stops=("aab",)),
    ]
    return begun(g, drawn)


def beginnings(g: Generator) -> list[Inputs]:
    """Draw texts that often resemble a stop string without containing it."""
    found = [
        tokens("the E", "mu", stops=("END",)),
        tokens("x E", "N", "T", stops=("END",)),
        tokens("a", "a", "a", "a", "b", "c", stops=("aab",)),
        tokens("x\n", "y\n", "\n", "z", stops=("\n\n",)),
        tokens("ab", "ab", "aa", "x", stops=("abac",)),
    ]
    for stop in ("aaba", "abab"):
        text = letters(g, "ab", 24).replace(stop, "")
        found.append(tokens(*cut(g, text.encode(), 3), stops=(stop,)))
    return found


def the_first_of_several(g: Generator) -> list[Inputs]:
    """Draw texts with several stop strings, or with one several times."""
    drawn = [
        tokens("one#two#three", stops=("#",)),
        tokens("a|b;", "c", stops=(";", "|")),
        tokens("a|b", "c", stops=(";", "|")),
        tokens("one", " two, three. Four", " five", stops=(". ", ", ")),
        tokens("xENDEDy", stops=("ENDED", "ND")),
        tokens("x ", "EN", "D", stops=("ENDED", "D!")),
        tokens("ab", "ab", "aa", "x", stops=("abac", "ba!")),
    ]
    text = letters(g, "ab", 24).replace("aaba", "")
    return begun(g, [*drawn, tokens(*cut(g, text.encode(), 3), stops=("aaba", "bbbbb"))])


def halves(g: Generator) -> list[Inputs]:
    """Draw text whose characters take several bytes, cut anywhere."""
    euro, face = "€".encode(), "🙂".encode()
    found = [
        tokens(b"caf\xc3", b"\xa9 au", b" lait", stops=("#",)),
        tokens(b"5 ", euro[:1], euro[1:2], euro[2:] + b"!", b"?", stops=("#",)),
        tokens(b"ok " + face[:3], face[3:] + face[:1], face[1:], stops=("#",)),
    ]
    for n in (6, 12):
        found.append(tokens(*cut(g, letters(g, LETTERS, n).encode(), 3), stops=("#",)))
    return found


def halves_and_stops(g: Generator) -> list[Inputs]:
    end = "…ende".encode()
    text = letters(g, "ä€", 9)
    return [
        tokens(b"so" + end[:2], end[2:4], end[4:], b"x", stops=("…ende",)),
        tokens("5 €", b"uro", b" ", stops=("€uro",)),
        tokens("un EN", b"\xc3", b"\xa9", b"!", stops=("END",)),
        tokens(*cut(g, text.encode(), 4), stops=("ä€ä",)),
    ]


def ends(g: Generator) -> list[Inputs]:
    """Draw streams that end while text is held back, and bytes that are not valid text."""
    drawn = [
        tokens("the EN", stops=("END",)),
        tokens("a", "b", "aa", stops=("aab",)),
        tokens(b"caf\xc3", stops=("#",)),
        tokens(b"caf\xc3", b"\xa9 E", stops=("END",)),
        tokens(b"a\xff", b"b\xe2\x82", b"c", stops=("#",)),
        tokens("5 ", b"\xe2\x82", b"E", stops=("END",)),
        tokens(b"a", b"\xf0\x9f\x99", b"", b"b", stops=("#",)),
        tokens(stops=("END",)),
    ]
    return begun(g, drawn)


def stop_inside(pieces: list[bytes], stops: list[str]) -> list[str]:
    """Return what is shown after each token that is read, and at the end."""
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    shown: list[str] = []
    held = ""
    for piece in pieces:
        held += decoder.decode(piece)
        begins = [held.index(stop) for stop in stops if stop in held]
        if begins:
            return [*shown, held[: min(begins)]]
        safe = len(held)
        for stop in stops:
            for n in range(1, len(stop)):
                if held.endswith(stop[:n]):
                    safe = min(safe, len(held) - n)
        shown.append(held[:safe])
        held = held[safe:]
    return [*shown, held + decoder.decode(b"", final=True)]


def from_the_whole(pieces: list[bytes], stops: list[str]) -> list[str]:
    def incomplete(data: bytes) -> int:
        for n in (1, 2, 3):
            if len(data) >= n and data[-n] >= 0xC0:
                size = 2 if data[-n] < 0xE0 else 3 if data[-n] < 0xF0 else 4
                valid = 0xC2 <= data[-n] <= 0xF4
                return n if valid and size > n else 0
            if len(data) < n or data[-n] < 0x80:
                return 0
        return 0

    done, result = 0, []
    for t in range(1, len(pieces) + 1):
        data = b"".join(pieces[:t])
        text = data[: len(data) - incomplete(data)].decode("utf-8", errors="replace")
        places = [text.find(stop) for stop in stops if text.find(stop) >= 0]
        if places:
            result.append(text[done : min(places)])
            return result
        until = done
        while until < len(text) and not any(stop.startswith(text[until:]) for stop in stops):
            until += 1
        result.append(text[done:until])
        done = until
    result.append(b"".join(pieces).decode("utf-8", errors="replace")[done:])
    return result


def letter_by_letter(pieces: list[bytes], stops: list[str]) -> list[str]:
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    shown: list[str] = []
    held = ""
    for piece in pieces:
        out, found = "", False
        text = held + decoder.decode(piece)
        for i in range(len(text)):
            found = any(text.startswith(stop, i) for stop in stops)
            if found or any(stop.startswith(text[i:]) for stop in stops):
                break
            out += text[i]
        # a beginning may be open while a shorter stop string is complete after it
        places = [text.index(stop) for stop in stops if stop in text]
        if places:
            return [*shown, text[: min(places)]]
        shown.append(out)
        held = text[len(out) :]
    return [*shown, held + decoder.decode(b"", True)]


def by_patterns(pieces: list[bytes], stops: list[str]) -> list[str]:
    import re

    whole = "|".join(map(re.escape, stops))
    begins = "|".join(re.escape(stop[:n]) for stop in stops for n in range(1, len(stop)))

    def texts() -> Iterator[str]:
        left, held = b"", ""
        for piece in pieces:
            data, left = left + piece, b""
            for n in (1, 2, 3):
                try:
                    data[-n:].decode()
                except UnicodeDecodeError as error:
                    if error.start == 0 and error.reason == "unexpected end of data":
                        left = data[-n:]
            held += data[: len(data) - len(left)].decode(errors="replace")
            if whole and (found := re.search(whole, held)):
                yield held[: found.start()]
                return
            opened = re.search(rf"(?:{begins})\Z", held) if begins else None
            safe = opened.start() if opened else len(held)
            yield held[:safe]
            held = held[safe:]
        yield held + left.decode(errors="replace")

    return list(texts())


def the_stream(inputs: Inputs, answer: Any) -> str | None:
    """Report the token after which the shown text is wrong."""
    wanted = stop_inside(**inputs)
    if not isinstance(answer, (list, tuple)) or not all(isinstance(x, str) for x in answer):
        return f"return a list of texts; yours is {answer!r:.60}"
    read = len(inputs["pieces"])
    for i, (x, y) in enumerate(zip(wanted, answer, strict=False)):
        if x != y:
            when = f"after token {i}" if i < read else "at the end"
            return (
                f"{when} {x!r} is shown; yours shows {y!r}. The whole list is {wanted!r:.160}, "
                f"yours {list(answer)!r:.160}"
            )
    if len(answer) != len(wanted):
        ends = "a stop string ends this stream" if len(wanted) <= read else "no stop string comes"
        return f"{ends}: the list's length is {len(wanted)}, yours {len(answer)}"
    return None


def of_the_length(inputs: Inputs, answer: Any) -> Any:
    """Remove empty texts after the last one, or add one if only that is missing."""
    read, n = len(inputs["pieces"]), len(stop_inside(**inputs))
    if not isinstance(answer, (list, tuple)):
        return answer
    if len(answer) > n and not any(answer[n:]):
        return answer[:n]
    return [*answer, ""] if len(answer) == read == n - 1 else answer


def but_for_the_end(inputs: Inputs, answer: Any) -> Any:
    """Put the right text at the end of a stream, which has its own requirement."""
    read, wanted = len(inputs["pieces"]), stop_inside(**inputs)
    answer = of_the_length(inputs, answer)
    if isinstance(answer, (list, tuple)) and len(answer) == len(wanted) == read + 1:
        return [*answer[:read], wanted[read]]
    return answer


SHOWN = through(but_for_the_end, the_stream)
FOUND = "a stop is found in the text, not in tokens"
HELD = "only a possible beginning of a stop is held back"
WAIT = "bytes wait for their character, decoding first"

TASK = Exercise(
    id="14.stop_inside",
    title="A stream that stops in time",
    level="hard",
    minutes=13,
    concepts=("stopping",),
    reference=stop_inside,
    rungs=(
        rung("a text for each token that is read", 0.25, simple, the_stream),
        rung("a stop string inside a token", 0.5, inside_a_token, SHOWN, FOUND),
        rung("a stop string across tokens", 1.5, across_tokens, SHOWN, FOUND),
        rung("beginnings are held back no longer than they must", 0.75, beginnings, SHOWN, HELD),
        rung("characters whose bytes come in several tokens", 1.5, halves, SHOWN, WAIT),
        rung("such characters and stop strings", 0.25, halves_and_stops, SHOWN, WAIT),
        rung("the end, with something held back", 0.5, ends, through(of_the_length, the_stream)),
        rung("the first one of several stop strings", 0.5, the_first_of_several, SHOWN),
        rung("no stop strings", 0.25, no_stops, SHOWN),
    ),
    misconceptions=MISCONCEPTIONS,
    alternatives=(
        Alternative(name="from the whole text each time", answer=from_the_whole),
        Alternative(name="letter by letter", answer=letter_by_letter),
        Alternative(name="by patterns", answer=by_patterns),
    ),
    hints=(
        "The stop string is END, and the text so far ends with E. May the E be shown? And when the "
        "next token is mu?",
        "Keep the text that has been read and not shown. Is a stop string in it? If not, which "
        "is the longest end of it with which a stop string begins?",
        "For bytes, `codecs.getincrementaldecoder` keeps the beginning of a character until the "
        "rest comes. By hand: the first byte determines how many bytes its character has.",
    ),
    equivalents={
        "stop_inside: line 13: 1 becomes 0 in range(1, len(stop))": (
            "a beginning of no letters moves nothing"
        ),
        "stop_inside: line 15: safe and len(held) - n swapped in min(safe, len(held) - n)": (
            "a minimum has no order"
        ),
        "stop_inside: line 15: held becomes begins in len(held)": (
            "no stop string begins there: -n counts from the end"
        ),
    },
)
