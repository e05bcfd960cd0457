"""Wrong answers to 14.stop_inside, as code."""

from collections.abc import Callable


def decoded(pieces: list[bytes], errors: str = "replace") -> list[str]:
    """Decode tokens in turn; the last text is the rest at the end of the stream."""
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")(errors)
    return [*(decoder.decode(each) for each in pieces), decoder.decode(b"", True)]


def held_back(held: str, stops: list[str]) -> int:
    """Return the number of letters at the end that may begin a stop string."""
    sizes = [n for stop in stops for n in range(1, len(stop)) if held.endswith(stop[:n])]
    return max(sizes, default=0)


def first_in(held: str, stops: list[str]) -> int | None:
    return min((held.index(stop) for stop in stops if stop in held), default=None)


def streamed(texts: list[str], stops: list[str], *, flush: bool = True) -> list[str]:
    """Stream texts, the last of which belongs to the end."""
    shown: list[str] = []
    held = ""
    for text in texts[:-1]:
        held += text
        place = first_in(held, stops)
        if place is not None:
            return [*shown, held[:place]]
        safe = len(held) - held_back(held, stops)
        shown.append(held[:safe])
        held = held[safe:]
    return [*shown, held + texts[-1] if flush else texts[-1]]


def tokens_only(pieces: list[bytes], stops: list[str]) -> list[str]:
    shown: list[str] = []
    texts = decoded(pieces)
    for text in texts[:-1]:
        if text in stops:
            return [*shown, ""]
        shown.append(text)
    return [*shown, texts[-1]]


def within_one_token(pieces: list[bytes], stops: list[str]) -> list[str]:
    shown: list[str] = []
    texts = decoded(pieces)
    for text in texts[:-1]:
        place = first_in(text, stops)
        if place is not None:
            return [*shown, text[:place]]
        shown.append(text)
    return [*shown, texts[-1]]


def at_the_end_only(pieces: list[bytes], stops: list[str]) -> list[str]:
    shown: list[str] = []
    held = ""
    texts = decoded(pieces)
    for text in texts[:-1]:
        held += text
        ends = [stop for stop in stops if held.endswith(stop)]
        if ends:
            return [*shown, held[: len(held) - max(map(len, ends))]]
        safe = len(held) - held_back(held, stops)
        shown.append(held[:safe])
        held = held[safe:]
    return [*shown, held + texts[-1]]


def stop_is_shown(pieces: list[bytes], stops: list[str]) -> list[str]:
    shown: list[str] = []
    held = ""
    texts = decoded(pieces)
    for text in texts[:-1]:
        held += text
        place = first_in(held, stops)
        if place is not None:
            size = min(len(s) for s in stops if held.startswith(s, place))
            return [*shown, held[: place + size]]
        safe = len(held) - held_back(held, stops)
        shown.append(held[:safe])
        held = held[safe:]
    return [*shown, held + texts[-1]]


def whole_token_dropped(pieces: list[bytes], stops: list[str]) -> list[str]:
    shown: list[str] = []
    held = ""
    texts = decoded(pieces)
    for text in texts[:-1]:
        held += text
        if first_in(held, stops) is not None:
            return [*shown, ""]
        safe = len(held) - held_back(held, stops)
        shown.append(held[:safe])
        held = held[safe:]
    return [*shown, held + texts[-1]]


def nothing_held(pieces: list[bytes], stops: list[str]) -> list[str]:
    shown: list[str] = []
    text = ""
    texts = decoded(pieces)
    for new in texts[:-1]:
        before = len(text)
        text += new
        place = first_in(text, stops)
        if place is not None:
            return [*shown, text[before:place]]
        shown.append(new)
    return [*shown, texts[-1]]


def fixed_delay(pieces: list[bytes], stops: list[str]) -> list[str]:
    delay = max((len(stop) - 1 for stop in stops), default=0)
    shown: list[str] = []
    held = ""
    texts = decoded(pieces)
    for text in texts[:-1]:
        held += text
        place = first_in(held, stops)
        if place is not None:
            return [*shown, held[:place]]
        safe = max(len(held) - delay, 0)
        shown.append(held[:safe])
        held = held[safe:]
    return [*shown, held + texts[-1]]


def all_or_nothing(pieces: list[bytes], stops: list[str]) -> list[str]:
    shown: list[str] = []
    held = ""
    texts = decoded(pieces)
    for text in texts[:-1]:
        held += text
        place = first_in(held, stops)
        if place is not None:
            return [*shown, held[:place]]
        begins = any(stop.startswith(held) for stop in stops)
        shown.append("" if begins else held)
        held = held if begins else ""
    return [*shown, held + texts[-1]]


def whole_held(pieces: list[bytes], stops: list[str]) -> list[str]:
    shown: list[str] = []
    held = ""
    texts = decoded(pieces)
    for text in texts[:-1]:
        held += text
        place = first_in(held, stops)
        if place is not None:
            return [*shown, held[:place]]
        begins = held_back(held, stops) > 0
        shown.append("" if begins else held)
        held = held if begins else ""
    return [*shown, held + texts[-1]]


def shortest_beginning(pieces: list[bytes], stops: list[str]) -> list[str]:
    shown: list[str] = []
    held = ""
    texts = decoded(pieces)
    for text in texts[:-1]:
        held += text
        place = first_in(held, stops)
        if place is not None:
            return [*shown, held[:place]]
        sizes = [n for stop in stops for n in range(1, len(stop)) if held.endswith(stop[:n])]
        safe = len(held) - min(sizes, default=0)
        shown.append(held[:safe])
        held = held[safe:]
    return [*shown, held + texts[-1]]


def last_stop_decides(pieces: list[bytes], stops: list[str], *, any_size: bool = True) -> list[str]:
    """Hold back for the last stop string of the list, or for the last that has begun."""
    shown: list[str] = []
    held = ""
    texts = decoded(pieces)
    for text in texts[:-1]:
        held += text
        place = first_in(held, stops)
        if place is not None:
            return [*shown, held[:place]]
        sizes = [n for stop in stops if (n := held_back(held, [stop])) or any_size]
        safe = len(held) - (sizes[-1] if sizes else 0)
        shown.append(held[:safe])
        held = held[safe:]
    return [*shown, held + texts[-1]]


def first_letters_only(pieces: list[bytes], stops: list[str]) -> list[str]:
    shown: list[str] = []
    held = ""
    texts = decoded(pieces)
    for text in texts[:-1]:
        held += text
        place = first_in(held, stops)
        if place is not None:
            return [*shown, held[:place]]
        begins = any(len(stop) > 1 and held.endswith(stop[0]) for stop in stops)
        safe = len(held) - begins
        shown.append(held[:safe])
        held = held[safe:]
    return [*shown, held + texts[-1]]


def one_stop(pieces: list[bytes], stops: list[str]) -> list[str]:
    return streamed(decoded(pieces), stops[:1])


def first_listed(pieces: list[bytes], stops: list[str]) -> list[str]:
    shown: list[str] = []
    held = ""
    texts = decoded(pieces)
    for text in texts[:-1]:
        held += text
        for stop in stops:
            if stop in held:
                return [*shown, held[: held.index(stop)]]
        safe = len(held) - held_back(held, stops)
        shown.append(held[:safe])
        held = held[safe:]
    return [*shown, held + texts[-1]]


def last_occurrence(
    pieces: list[bytes], stops: list[str], *, of_all: Callable[[list[int]], int] = max
) -> list[str]:
    shown: list[str] = []
    held = ""
    texts = decoded(pieces)
    for text in texts[:-1]:
        held += text
        places = [held.rindex(stop) for stop in stops if stop in held]
        if places:
            return [*shown, held[: of_all(places)]]
        safe = len(held) - held_back(held, stops)
        shown.append(held[:safe])
        held = held[safe:]
    return [*shown, held + texts[-1]]


def nothing_at_the_end(pieces: list[bytes], stops: list[str]) -> list[str]:
    result = streamed(decoded(pieces), stops)
    return result if len(result) <= len(pieces) else [*result[:-1], ""]


def no_last_text(pieces: list[bytes], stops: list[str]) -> list[str]:
    result = streamed(decoded(pieces), stops)
    return result[: len(pieces)]


def beginnings_lost_at_the_end(pieces: list[bytes], stops: list[str]) -> list[str]:
    return streamed(decoded(pieces), stops, flush=False)


def goes_on_silently(pieces: list[bytes], stops: list[str]) -> list[str]:
    result = streamed(decoded(pieces), stops)
    return result + [""] * (len(pieces) + 1 - len(result))


def only_texts(pieces: list[bytes], stops: list[str]) -> list[str]:
    return [text for text in streamed(decoded(pieces), stops) if text]


def first_completed(pieces: list[bytes], stops: list[str]) -> list[str]:
    """Stop at the first letter that completes a stop string."""
    shown: list[str] = []
    held = ""
    texts = decoded(pieces)
    for text in texts[:-1]:
        for letter in text:
            held += letter
            place = first_in(held, stops)
            if place is not None:
                return [*shown, held[:place]]
        safe = len(held) - held_back(held, stops)
        shown.append(held[:safe])
        held = held[safe:]
    return [*shown, held + texts[-1]]


def match_starts_over(pieces: list[bytes], stops: list[str]) -> list[str]:
    """Discard a beginning together with the letter that does not fit."""
    shown: list[str] = []
    held = ""
    texts = decoded(pieces)
    for text in texts[:-1]:
        out = ""
        for letter in text:
            held += letter
            if held in stops:
                return [*shown, out]
            if not any(stop.startswith(held) for stop in stops):
                out, held = out + held, ""
        shown.append(out)
    return [*shown, held + texts[-1]]


def needs_a_stop(pieces: list[bytes], stops: list[str]) -> list[str]:
    """Compute the longest of the stop strings, which fails if there are none."""
    assert max(len(stop) for stop in stops) > 0
    return streamed(decoded(pieces), stops)


def whole_text_each_time(pieces: list[bytes], stops: list[str]) -> list[str]:
    """Return the whole text so far after each token, instead of the new part."""
    result = streamed(decoded(pieces), stops)
    return ["".join(result[: i + 1]) for i in range(len(result))]


def still_a_last_text(pieces: list[bytes], stops: list[str]) -> list[str]:
    shown = streamed(decoded(pieces), stops)
    return shown if len(shown) > len(pieces) else [*shown, ""]


def empty_last_text_left_out(pieces: list[bytes], stops: list[str]) -> list[str]:
    shown = streamed(decoded(pieces), stops)
    return shown[:-1] if len(shown) > len(pieces) and not shown[-1] else shown


def begun_with_a_letter(pieces: list[bytes], stops: list[str]) -> list[str]:
    """Hold back from the first letter that any stop string begins with."""
    shown: list[str] = []
    held = ""
    texts = decoded(pieces)
    for text in texts[:-1]:
        held += text
        place = first_in(held, stops)
        if place is not None:
            return [*shown, held[:place]]
        safe = min((held.index(x[0]) for x in stops if x[0] in held), default=len(held))
        shown.append(held[:safe])
        held = held[safe:]
    return [*shown, held + texts[-1]]


def newest_token_only(pieces: list[bytes], stops: list[str]) -> list[str]:
    """Hold back only the end of the newest token."""
    shown: list[str] = []
    held = ""
    texts = decoded(pieces)
    for text in texts[:-1]:
        held += text
        place = first_in(held, stops)
        if place is not None:
            return [*shown, held[:place]]
        safe = len(held) - held_back(text, stops)
        shown.append(held[:safe])
        held = held[safe:]
    return [*shown, held + texts[-1]]
