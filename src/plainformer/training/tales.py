"""The rules of the tales: foxes, owls, and verbs that agree over a distance."""

from plainformer.training.grammar_checks import Given

NOUNS = (
    "fox/foxes owl/owls hen/hens king/kings child/children giant/giants mouse/mice witch/witches"
)
SEEING = "sees/see hears/hear fears/fear loves/love follows/follow"
SLEEPING = "sleeps/sleep sings/sing waits/wait runs/run"
ADJECTIVES = "old young small brave quiet"


def _pick(pairs: str, number: int) -> list[tuple[float | int, str]]:
    return [(1, pair.split("/")[number]) for pair in pairs.split()]


def _rules() -> Given:
    rules: dict[str, list[tuple[float | int, str]]] = {
        "S": [(1, "Tale0 ."), (1, "Tale1 .")],
        "Anyone": [(1, "Some0"), (1, "Some1")],
        "Known": [(1, "the Noun0"), (1, "the Noun1")],
        "Adjective": [(1, word) for word in ADJECTIVES.split()],
        "How": [(1, word) for word in "today often alone".split()],
    }
    for n in (0, 1):  # 0 = one, 1 = many
        rules |= {
            f"Tale{n}": [(1, f"Some{n} Does{n}")],
            f"Some{n}": [
                (5, f"the Noun{n}"),
                (2, f"the Adjective Noun{n}"),
                (2, f"the Noun{n} near Known"),
                (1.5, f"the Noun{n} that Sees{n} Anyone"),
                (0.75, f"the Noun{n} that the Noun0 Sees0"),
                (0.75, f"the Noun{n} that the Noun1 Sees1"),
            ],
            f"Does{n}": [(3, f"Sees{n} Anyone"), (2, f"Sleeps{n}"), (1, f"Sleeps{n} How")],
            f"Noun{n}": _pick(NOUNS, n),
            f"Sees{n}": _pick(SEEING, n),
            f"Sleeps{n}": _pick(SLEEPING, n),
        }
    return rules


TALE_RULES = _rules()
