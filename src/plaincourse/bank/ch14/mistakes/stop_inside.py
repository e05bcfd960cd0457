"""How 14.stop_inside goes wrong."""

from plaincourse.exercise import Misconception


def decoded(pieces: list[bytes], errors: str = "replace") -> list[str]:
    """Decode tokens one after the other; the last text is what the end brings."""
    import codecs

    decoder = codecs.getincrementaldecoder("utf-8")(errors)
    return [*(decoder.decode(each) for each in pieces), decoder.decode(b"", True)]


def held_back(held: str, stops: list[str]) -> int:
    """Say how many letters at the end may begin a stop string."""
    sizes = [n for stop in stops for n in range(1, len(stop)) if held.endswith(stop[:n])]
    return max(sizes, default=0)


def first_in(held: str, stops: list[str]) -> int | None:
    return min((held.index(stop) for stop in stops if stop in held), default=None)


def streamed(texts: list[str], stops: list[str], *, flush: bool = True) -> list[str]:
    """Stream texts, of which the last belongs to the end."""
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


def last_occurrence(pieces: list[bytes], stops: list[str]) -> list[str]:
    shown: list[str] = []
    held = ""
    texts = decoded(pieces)
    for text in texts[:-1]:
        held += text
        places = [held.rindex(stop) for stop in stops if stop in held]
        if places:
            return [*shown, held[: max(places)]]
        safe = len(held) - held_back(held, stops)
        shown.append(held[:safe])
        held = held[safe:]
    return [*shown, held + texts[-1]]


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


def nothing_at_the_end(pieces: list[bytes], stops: list[str]) -> list[str]:
    result = streamed(decoded(pieces), stops)
    return result if len(result) <= len(pieces) else [*result[:-1], ""]


def no_last_text(pieces: list[bytes], stops: list[str]) -> list[str]:
    result = streamed(decoded(pieces), stops)
    return result[: len(pieces)]


def bytes_lost_at_the_end(pieces: list[bytes], stops: list[str]) -> list[str]:
    return streamed([*decoded(pieces)[:-1], ""], stops)


def beginnings_lost_at_the_end(pieces: list[bytes], stops: list[str]) -> list[str]:
    return streamed(decoded(pieces), stops, flush=False)


def goes_on_silently(pieces: list[bytes], stops: list[str]) -> list[str]:
    result = streamed(decoded(pieces), stops)
    return result + [""] * (len(pieces) + 1 - len(result))


def only_texts(pieces: list[bytes], stops: list[str]) -> list[str]:
    return [text for text in streamed(decoded(pieces), stops) if text]


def said(name: str, answer: object, believed: str, says: str, *hints: str) -> Misconception:
    return Misconception(name=name, answer=answer, believed=believed, says=says, hints=hints)


MISCONCEPTIONS = (
    said(
        "tokens-only",
        tokens_only,
        "A stop string is a token.",
        "You stop where a token equals a stop string. One that lies inside a token, or across two, "
        "goes by.",
        "The stop string is END. Which tokens may bring it?",
        "A stop string is a matter of the text, not of the tokens.",
        "Search the text that has come so far.",
    ),
    said(
        "within-one-token",
        within_one_token,
        "A stop string lies in one token.",
        "You search each token by itself, so a stop string across two tokens goes by.",
        "The tokens are E and ND. In which of them is END?",
        "Search the text, over the borders of tokens.",
        "Keep what may be a beginning, and put the next token behind it.",
    ),
    said(
        "at-the-end-only",
        at_the_end_only,
        "A text stops when it ends with a stop string.",
        "You ask whether the text *ends* with a stop string. Where the token goes on behind it, "
        "you do not stop.",
        "What does your function do with the token a#b and the stop string #?",
        "A token may hold more than the end of a stop string.",
        "Ask whether the stop string is anywhere in the text.",
    ),
    said(
        "stop-is-shown",
        stop_is_shown,
        "The stop string is the end of the text.",
        "You show the stop string too. It is there for the program, not for the reader.",
        "What comes last in your text?",
        "The text ends before the stop string.",
        "Cut where the stop string begins.",
    ),
    said(
        "whole-token-dropped",
        whole_token_dropped,
        "The token with the stop string is not shown.",
        "Where you stop you show nothing of what was still to be shown, not even the text before "
        "the stop string.",
        "What is shown of the token on# when # is the stop string?",
        "Only what begins with the stop string is left out.",
        "Return the text up to the place where it begins.",
    ),
    said(
        "nothing-held-back",
        nothing_held,
        "What has come can be shown.",
        "You show the beginning of a stop string before you know that it is one. What a reader has "
        "seen cannot be taken back.",
        "The stop string is END, and the text ends with EN. What may be shown?",
        "An end of the text with which a stop string begins has to wait.",
        "Hold the longest such end back until the next token tells.",
    ),
    said(
        "fixed-delay",
        fixed_delay,
        "The length of a stop string has to be held back.",
        "You always hold back as many letters as a stop string has, less one. The reader waits "
        "for text that cannot begin a stop string.",
        "The stop string is END, and the text ends with mu. What is there to wait for?",
        "Only an end with which a stop string begins has to wait.",
        "Compare the ends of the text with the beginnings of the stop strings.",
    ),
    said(
        "only-a-whole-beginning",
        all_or_nothing,
        "What is held is a beginning or it is not.",
        "You hold back only where *all* that has not been shown begins a stop string. In a token "
        "such as `the E` it is the last letter alone, and you show it.",
        "The stop string is END, and a token is `the E`. What may be shown?",
        "Look at every end of the text.",
        "Show what stands before the longest end with which a stop string begins.",
    ),
    said(
        "whole-text-held",
        whole_held,
        "Where a beginning is, everything waits.",
        "Where the text ends with the beginning of a stop string you show nothing at all. What "
        "stands before that beginning could be shown.",
        "The stop string is END, and a token is `the E`. What may be shown?",
        "Only the beginning itself has to wait.",
        "Cut the text before it.",
    ),
    said(
        "shortest-beginning",
        shortest_beginning,
        "Any beginning will do.",
        "You hold back the shortest end with which a stop string begins. A longer one may "
        "begin one as well, and its first letters are then shown.",
        "The stop string is aab, and the text ends with aa. How many letters wait?",
        "Several ends of a text may be beginnings.",
        "Take the longest.",
    ),
    said(
        "first-letter-only",
        first_letters_only,
        "A stop string is known by its first letter.",
        "You hold back one letter at most. When two letters of a stop string have come, the first "
        "of them is shown.",
        "The stop string is END, and the text ends with EN. How many letters wait?",
        "Each beginning counts, not only the first letter.",
        "Compare the ends of the text with all beginnings.",
    ),
    said(
        "one-stop-string",
        one_stop,
        "There is one stop string.",
        "You look for the first stop string of the list only.",
        "How many stop strings may there be?",
        "Any of them ends the text.",
        "Search for each of them, and hold back for each.",
    ),
    said(
        "first-in-the-list",
        first_listed,
        "The order of the list counts.",
        "Where a token brings two stop strings you cut at the one that stands first in the list. "
        "The reader sees the other one in the text.",
        "Which of the two begins first in the text?",
        "Nothing behind a stop string is shown.",
        "Cut at the least of the places.",
    ),
    said(
        "last-in-the-text",
        last_occurrence,
        "The text goes up to the last stop string.",
        "You cut at the last of several stop strings, so the reader sees those before it.",
        "What is shown of a#b#c when # is the stop string?",
        "The first one ends the text.",
        "Cut at the least of the places.",
    ),
    said(
        "decoded-token-by-token",
        token_by_token,
        "A token is text.",
        "You decode each token by itself. A character whose bytes come in two tokens becomes two "
        "or more replacement characters.",
        "How many bytes has the character €?",
        "The bytes of one character belong together.",
        "Keep the bytes of an incomplete character until the rest comes.",
    ),
    said(
        "halves-dropped",
        broken_ones_dropped,
        "What cannot be decoded is left out.",
        "Characters whose bytes come in two tokens are missing from your text.",
        "How many bytes has the character €?",
        "An incomplete character is not wrong yet.",
        "Keep its bytes until the rest comes.",
    ),
    said(
        "halves-raise",
        strict,
        "A token is text.",
        "Your function fails where a character's bytes come in two tokens: each token by itself is "
        "not UTF-8.",
        "How many bytes has the character €?",
        "An incomplete character is not wrong yet.",
        "Keep its bytes until the rest comes.",
    ),
    said(
        "waits-for-whole-text",
        waits_for_whole_text,
        "What cannot be decoded yet waits as a whole.",
        "Where the bytes end in the middle of a character you show nothing, not even the "
        "characters before it. And a byte that is never valid holds back everything behind it.",
        "The bytes of caf and the first byte of é have come. What may be shown?",
        "Only the last character is incomplete.",
        "Decode what is complete, and keep at most three bytes.",
    ),
    said(
        "bytes-as-letters",
        as_letters,
        "A byte is a letter.",
        "You make a letter of each byte. In UTF-8 that holds for ASCII only.",
        "How many letters does your text have for €?",
        "The bytes of one character belong together.",
        "Decode as UTF-8.",
    ),
    said(
        "nothing-at-the-end",
        nothing_at_the_end,
        "What is held back is not part of the text.",
        "Your last text is empty where tokens run out. What was held back was no stop string "
        "after all, and the reader never sees it.",
        "The stop string is END, and the text ends with EN, for good. What is missing?",
        "At the end there is nothing to wait for.",
        "Show what is still held, bytes too.",
    ),
    said(
        "no-last-text",
        no_last_text,
        "There is one text for each token.",
        "You return one text for each token and leave out the one at the end.",
        "How long is the list when no stop string comes?",
        "Where tokens run out, what was held back is shown.",
        "Put one more text at the end, which may be empty.",
    ),
    said(
        "bytes-lost-at-the-end",
        bytes_lost_at_the_end,
        "An incomplete character is not shown.",
        "A character that is still incomplete at the end is missing from your text.",
        'What does `b"caf\\xc3".decode(errors="replace")` end with?',
        "At the end its bytes are decoded as they are.",
        "Show U+FFFD for it.",
    ),
    said(
        "beginnings-lost-at-the-end",
        beginnings_lost_at_the_end,
        "Only bytes are left at the end.",
        "At the end you show what incomplete bytes give, and lose the letters that were held back "
        "as the beginning of a stop string.",
        "The stop string is END, and the text ends with EN, for good. What is missing?",
        "At the end there is nothing to wait for.",
        "Show the letters that are held, then what the bytes give.",
    ),
    said(
        "goes-on-silently",
        goes_on_silently,
        "Behind the stop string nothing is shown.",
        "Behind the stop string you go on with empty texts. These tokens are never read: the "
        "model would have computed them for nothing.",
        "How long is your list when the first token holds a stop string?",
        "The text of the token that brings the stop string is the last one.",
        "Return as soon as you find it.",
    ),
    said(
        "empty-texts-left-out",
        only_texts,
        "Nothing need not be said.",
        "You leave out the empty texts, so that nobody can tell which token brought what.",
        "How long is your list when a token is held back?",
        "There is a text for each token that was read.",
        "Keep the empty ones.",
    ),
)
