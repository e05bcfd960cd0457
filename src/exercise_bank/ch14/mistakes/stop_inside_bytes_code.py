"""Wrong answers to 14.stop_inside about bytes, as code."""

from exercise_bank.ch14.mistakes.stop_inside_code import (
    decoded,
    first_in,
    held_back,
    streamed,
)


def token_by_token(pieces: list[bytes], stops: list[str]) -> list[str]:
    return streamed([*(each.decode("utf-8", "replace") for each in pieces), ""], stops)


def broken_ones_dropped(pieces: list[bytes], stops: list[str]) -> list[str]:
    return streamed([*(each.decode("utf-8", "ignore") for each in pieces), ""], stops)


def strict(pieces: list[bytes], stops: list[str]) -> list[str]:
    return streamed([*(each.decode("utf-8") for each in pieces), ""], stops)


def waits_for_whole_text(pieces: list[bytes], stops: list[str]) -> list[str]:
    texts, waiting = [], b""
    for piece in pieces:
        waiting += piece
        try:
            texts.append(waiting.decode("utf-8"))
            waiting = b""
        except UnicodeDecodeError:
            texts.append("")
    return streamed([*texts, waiting.decode("utf-8", "replace")], stops)


def as_letters(pieces: list[bytes], stops: list[str]) -> list[str]:
    return streamed([*(each.decode("latin-1") for each in pieces), ""], stops)


def bytes_lost_at_the_end(pieces: list[bytes], stops: list[str]) -> list[str]:
    return streamed([*decoded(pieces)[:-1], ""], stops)


def invalid_dropped(pieces: list[bytes], stops: list[str]) -> list[str]:
    return streamed(decoded(pieces, "ignore"), stops)


def invalid_raises(pieces: list[bytes], stops: list[str]) -> list[str]:
    return streamed(decoded(pieces, "strict"), stops)


def replacements_stripped(pieces: list[bytes], stops: list[str]) -> list[str]:
    """Decode all bytes so far, and wait if the text ends in U+FFFD."""
    texts: list[str] = []
    data, seen = b"", 0
    for piece in pieces:
        data += piece
        text = data.decode("utf-8", "replace").rstrip("\ufffd")
        texts.append(text[seen:])
        seen = max(seen, len(text))
    return streamed([*texts, data.decode("utf-8", "replace")[seen:]], stops)


def valid_beginning_only(pieces: list[bytes], stops: list[str]) -> list[str]:
    """Decode the longest valid beginning, and wait at the first invalid byte."""
    texts, waiting = [], b""
    for piece in pieces:
        waiting += piece
        try:
            valid = len(waiting.decode("utf-8").encode())
        except UnicodeDecodeError as error:
            valid = error.start
        texts.append(waiting[:valid].decode("utf-8"))
        waiting = waiting[valid:]
    return streamed([*texts, waiting.decode("utf-8", "replace")], stops)


def prefix_each_time(pieces: list[bytes], stops: list[str]) -> list[str]:
    """Decode all bytes so far after each token, and show the difference."""
    texts: list[str] = []
    seen = 0
    for i in range(len(pieces)):
        text = b"".join(pieces[: i + 1]).decode("utf-8", "replace")
        texts.append(text[seen:])
        seen = max(seen, len(text))
    return streamed([*texts, ""], stops)


def nothing_without_tokens(pieces: list[bytes], stops: list[str]) -> list[str]:
    return streamed(decoded(pieces), stops) if pieces else []


def rest_with_the_last_token(pieces: list[bytes], stops: list[str]) -> list[str]:
    shown = streamed(decoded(pieces), stops)
    if not pieces or len(shown) <= len(pieces):
        return shown
    return [*shown[:-2], shown[-2] + shown[-1]]


def halves_decide(pieces: list[bytes], stops: list[str]) -> list[str]:
    """Release the held text when the bytes of a further character begin."""
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    shown: list[str] = []
    held = ""
    for piece in pieces:
        held += decoder.decode(piece)
        place = first_in(held, stops)
        if place is not None:
            return [*shown, held[:place]]
        waiting, _ = decoder.getstate()
        safe = len(held) - (0 if waiting else held_back(held, stops))
        shown.append(held[:safe])
        held = held[safe:]
    return [*shown, held + decoder.decode(b"", final=True)]
