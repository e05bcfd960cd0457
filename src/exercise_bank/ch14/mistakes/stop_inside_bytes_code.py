"""Wrong answers to 14.stop_inside about bytes, as code."""

from exercise_bank.ch14.mistakes.stop_inside_code import decoded, streamed


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
    """Decode all that has come, and wait wherever U+FFFD stands at the end."""
    texts: list[str] = []
    data, seen = b"", 0
    for piece in pieces:
        data += piece
        text = data.decode("utf-8", "replace").rstrip("\ufffd")
        texts.append(text[seen:])
        seen = max(seen, len(text))
    return streamed([*texts, data.decode("utf-8", "replace")[seen:]], stops)


def valid_beginning_only(pieces: list[bytes], stops: list[str]) -> list[str]:
    """Decode as far as all is valid, and wait at the first byte that is not."""
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
