"""Faults that an answer to 15.find_fault may miss, and the inputs that reveal each of them."""

from exercise_bank.naming import Fault

FAULTS = (
    Fault(
        name="formula",
        box="the model that uses the formula instead of 1.2",
        shows="It multiplies queries and keys by 1.1386 each, so scores of layers 0 and 2 by "
        "1.2965 instead of 1.44.",
        hints=(
            "How much is (0.1 · ln 4 + 1)²?",
            "Look at a score of layer 0 between a query and a key at the same position.",
        ),
        instead=("none", "once", "twice", "new length"),
    ),
    Fault(
        name="twice",
        box="the model that multiplies queries and keys by 1.2 twice",
        shows="Its scores in layers 0 and 2 are multiplied by 1.2⁴ = 2.0736 instead of 1.44.",
        hints=(
            "How much is 1.2 to the power of 4?",
            "Look at a score of layer 0 between a query and a key at the same position.",
        ),
        instead=("none", "formula", "once", "new length"),
    ),
    Fault(
        name="once",
        box="the model that multiplies its queries by 1.2, and its keys by 1",
        shows="Its scores in layers 0 and 2 are multiplied by 1.2 instead of 1.44.",
        hints=(
            "Which factor does a score get if only the queries have the 1.2?",
            "Look at a score of layer 0 between a query and a key at the same position.",
        ),
        instead=("none", "formula", "twice", "new length"),
    ),
    Fault(
        name="every layer",
        box="the model that stretches layers 1 and 3, too",
        shows="It is right in layers 0 and 2, so only a score of layer 1 or 3 shows the fault.",
        hints=(
            "Which of your calls ask for layer 1 or 3?",
            "In layer 1 a query and a key at the same position have the score q · k / √8.",
        ),
        instead=("none", "new length", "old keys"),
        kind="idea",
    ),
    Fault(
        name="new length",
        box="the model that counts turns within 1,024 positions",
        shows="It differs in layers 0 and 2, in plane 1 and hardly in plane 2, and only between "
        "positions that are apart.",
        hints=(
            "How far apart are your queries and keys, and which planes do they use?",
            "Ask for plane 1 at a distance of 20.",
        ),
        instead=("none", "old keys", "every layer"),
        kind="idea",
    ),
    Fault(
        name="old keys",
        box="the model that keeps old keys in its cache",
        shows="It is right in a single chunk. In later chunks its scores differ for keys of the "
        "first chunk, but not for the key at position 0, which is not rotated.",
        hints=(
            "Does your first chunk have several tokens, and do you compare its keys in a later "
            "chunk?",
            "Send two chunks of 10 tokens, and look at a later key of the first.",
        ),
        instead=("none", "new length", "every layer"),
        kind="idea",
    ),
)
