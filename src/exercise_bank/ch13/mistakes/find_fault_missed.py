"""Faults that an answer to 13.find_fault may miss, and the inputs that reveal each of them."""

from exercise_bank.naming import Fault

FAULTS = (
    Fault(
        name="first key",
        box="the decoder that never writes its first key",
        shows="It is wrong in the simplest call: with one token its output is 0, and not the "
        "token's value.",
        hints=("What does this decoder give for a single token?", "Send one token alone."),
        instead=("none", "top left"),
    ),
    Fault(
        name="top left",
        box="the decoder whose mask starts at the top left of each chunk",
        shows="Without a window that mask is right in the first chunk. In a later chunk the first "
        "token attends to key 0 only.",
        hints=("What does token 1 see when each chunk has one token?", "Send single tokens."),
        instead=("none", "stale pointer"),
    ),
    Fault(
        name="stale pointer",
        box="the decoder that moves its pointer by 1 after each chunk",
        shows="That is right as long as each chunk has one token. It shows in what follows a chunk "
        "of several tokens.",
        hints=(
            "After which of your chunks is a pointer wrong that moves by 1?",
            "Send several tokens in the first chunk, then single ones.",
        ),
        instead=("none", "drops early", "sees ahead"),
    ),
    Fault(
        name="sees ahead",
        box="the decoder that lets a later chunk look ahead",
        shows="The last token of a chunk has nothing ahead of it, so its output is right, and so "
        "is everything in the first chunk and in chunks of one token. The fault shows in the "
        "earlier rows of a later chunk.",
        hints=(
            "Which rows of a later chunk do you compare?",
            "Send one token, then several at once, without a window, and compare all rows.",
        ),
        instead=("none", "drops early", "window + 1", "stale pointer"),
    ),
    Fault(
        name="window + 1",
        box="the decoder whose window is one token too wide",
        shows="It is right without a window, and as long as the text fits into the window.",
        hints=(
            "How many tokens do you send, and how large is your window?",
            "Send single tokens, more than the window holds.",
        ),
        instead=("none", "drops early"),
    ),
    Fault(
        name="drops early",
        box="the decoder that drops old keys before a chunk attends",
        shows="It is right for every chunk of one token, and as long as the text fits into the "
        "window.",
        hints=(
            "Does a chunk hold several tokens when you set a window?",
            "Send five tokens at once with a window of 3.",
        ),
        instead=("none", "window + 1"),
        kind="idea",
    ),
)
