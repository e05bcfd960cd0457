"""How 14.stop_inside goes wrong about bytes."""

from exercise_bank.ch14.mistakes.stop_inside_bytes_code import (
    as_letters,
    broken_ones_dropped,
    bytes_lost_at_the_end,
    halves_decide,
    invalid_dropped,
    invalid_raises,
    replacements_stripped,
    strict,
    token_by_token,
    valid_beginning_only,
    waits_for_whole_text,
)
from exercise_bank.skills import said

ABOUT_BYTES = (
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
        "Your function fails where a character's bytes come in two tokens: the bytes that have "
        "come until then are not UTF-8.",
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
        "Decode complete characters, and keep at most three bytes.",
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
        "bytes-lost-at-the-end",
        bytes_lost_at_the_end,
        "An incomplete character is not shown.",
        "A character that is still incomplete at the end is missing from your text.",
        'What does `b"caf\\xc3".decode(errors="replace")` end with?',
        "At the end its bytes are decoded as they are.",
        "Show U+FFFD for it.",
        kind="corner",
    ),
    said(
        "invalid-bytes-dropped",
        invalid_dropped,
        "Invalid bytes are left out.",
        "Characters over several tokens are right. Invalid bytes are missing from your text; "
        "each should become U+FFFD.",
        'What is `b"a\\xff".decode(errors="replace")`?',
        "The reader is to see that something was there.",
        'Decode with `errors="replace"`.',
        kind="corner",
    ),
    said(
        "invalid-bytes-raise",
        invalid_raises,
        "Bytes are UTF-8.",
        "Characters over several tokens are right. Your function fails at invalid bytes, or at "
        "the end of a stream inside a character.",
        'What is `b"a\\xff".decode(errors="replace")`?',
        "A model may draw any token, and its bytes need not fit those before them.",
        'Decode with `errors="replace"`.',
        kind="corner",
    ),
    said(
        "waits-behind-wrong-bytes",
        replacements_stripped,
        "U+FFFD at the end means that bytes are to come.",
        "You wait at bytes that cannot be decoded, whichever they are. A byte such as 0xFF begins "
        "no character: nothing that may come completes it, so it is to be shown at once.",
        "Which bytes could make a character of 0xFF?",
        "Wait only where the bytes are the beginning of a character.",
        "An incremental decoder distinguishes the two.",
        variants=(valid_beginning_only,),
        kind="corner",
    ),
    said(
        "halves-let-go",
        halves_decide,
        "A byte that does not fit ends a beginning.",
        "You show the held text as soon as a byte of a further character comes. Stop strings "
        "are compared with decoded text, and in it nothing follows yet.",
        "EN is held for END, and the first byte of é comes. What does the decoder give?",
        "The decoder comes first; bytes that it still keeps change nothing.",
        "Compare the decoded text alone.",
        kind="corner",
    ),
)
