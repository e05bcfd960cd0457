"""A needle test with many possible mistakes, each chosen by its own argument."""

import re
import string
from collections.abc import Callable
from typing import Any

Found = tuple[dict[Any, float], list[Any]]
ERRORS = {each.__name__: each for each in (ZeroDivisionError, AssertionError, Exception)}


def words(text: str) -> list[str]:
    return re.findall("[a-z]+", text.lower())


def right(reply: str, value: str, facts: list[tuple[str, str]], how: str) -> bool:
    """Score a reply by one of many rules."""
    others = [v for _, v in facts if v != value]
    if how == "equal":
        return reply == value
    if how == "equal but for case":
        return reply.strip().lower() == value
    if how == "equal but for case and point":
        return reply.strip(" .!?\"'").lower() == value
    if how == "exact case":
        return value in re.findall("[A-Za-z]+", reply) and not any(
            v in re.findall("[A-Za-z]+", reply) for v in others
        )
    if how == "inside":
        return value in reply.lower()
    if how == "inside, exact case":
        return value in reply
    if how == "inside, one only":
        return value in reply.lower() and not any(v in reply.lower() for v in others)
    if how == "others inside":
        return value in words(reply) and not any(v in reply.lower() for v in others)
    if how == "ends with":
        return words(reply)[-1:] == [value]
    if how == "word characters":
        found = re.findall(r"\w+", reply.lower())
        return value in found and not any(v in found for v in others)
    if how == "apostrophes":
        found = re.findall("[a-z']+", reply.lower())
        return value in found and not any(v in found for v in others)
    if how == "marks stripped":
        found = [word.strip(string.punctuation) for word in reply.lower().split()]
        return value in found and not any(v in found for v in others)
    if how == "split at spaces":
        split = reply.lower().split()
        return value in split and not any(v in split for v in others)
    if how == "the last value":
        named = [w for w in words(reply) if w in [v for _, v in facts]]
        return named[-1:] == [value]
    if how == "the first value":
        named = [w for w in words(reply) if w in [v for _, v in facts]]
        return named[:1] == [value]
    if how == "several":
        return value in words(reply)
    if how == "once":
        return [w for w in words(reply) if w in [v for _, v in facts]] == [value]
    return value in words(reply) and not any(v in words(reply) for v in others)


def leaks(sentences: list[str], key: str, value: str, how: str, n: int) -> bool:
    """Return whether the haystack reveals a fact, by one of many rules."""
    text = " ".join(sentences[: n - 1] if how == "used" else sentences)
    told = words(text)
    if how == "no":
        return False
    if how == "key":
        return key.lower() in told
    if how == "key in exact case":
        return key in re.findall("[A-Za-z]+", text) or value in told
    if how == "value":
        return value in told
    if how == "both":
        return key.lower() in told and value in told
    if how == "one sentence":
        return any(key.lower() in words(s) and value in words(s) for s in sentences)
    if how == "inside":
        return key.lower() in text.lower() or value in text.lower()
    if how == "inside, key in exact case":
        return key in text or value in text.lower()
    if how == "inside, exact case":
        return key in text or value in text
    if how == "value inside":
        return value in text.lower()
    if how == "exact case":
        found = re.findall("[A-Za-z]+", text)
        return key in found or value in found
    if how == "spaces":
        found = text.split()
        return key in found or value in found
    if how == "word characters":
        return not {key.lower(), value}.isdisjoint(re.findall(r"\w+", text.lower()))
    if how == "apostrophes":
        return not {key.lower(), value}.isdisjoint(re.findall("[a-z']+", text.lower()))
    if how == "marks stripped":
        stripped = {word.strip(string.punctuation) for word in text.lower().split()}
        return not stripped.isdisjoint((key.lower(), value))
    if how == "spaces but for case":
        return bool({key.lower(), value} & set(text.lower().split()))
    if how == "needle":
        return f"The word of {key} is {value}." in sentences
    return key.lower() in told or value in told


def place_of(depth: float, n: int, how: str) -> int:
    """Return the number of fillers before the needle, by one of many rules."""
    if how == "floor":
        return int(depth * (n - 1))
    if how == "ceil":
        return -int(-depth * (n - 1) // 1)
    if how == "length, floor":
        return int(depth * n)
    if how == "length":
        return min(round(depth * n), n - 1)
    if how == "length, to the end":
        return round(depth * n)
    if how == "minus one":
        return -1 if depth == 1 else round(depth * (n - 1))
    if how == "one less":
        return round(depth * max(n - 2, 0))
    if how == "from the end":
        return n - 1 - round(depth * (n - 1))
    if how == "start":
        return 0
    if how == "end":
        return n - 1
    if how == "after":
        return min(round(depth * (n - 1)) + 1, n - 1)
    return round(depth * (n - 1))


def judged(
    model: Callable[[list[str], str], str],
    sentences: list[str],
    facts: list[tuple[str, str]],
    lengths: list[int],
    depths: list[float],
    score: str = "",
    leak: str = "",
    place: str = "",
    fill: str = "",
    known: str = "",
    result: str = "",
    empty: str = "",
) -> Found:
    """Test a model; each of the last arguments changes one part of the test."""

    def ask(prompt: list[str], key: str, value: str) -> bool:
        question = f"What is the word of {key}?"
        return right(model(prompt, question), value, rivals, score)

    kept: list[tuple[str, str]] = []
    rivals = facts
    for key, value in facts:
        guessed = ask([], key, value) if known != "no" else False
        if known == "any reply":
            guessed = "do not know" not in model([], f"What is the word of {key}?")
        if known.startswith("equal"):
            guessed = right(model([], f"What is the word of {key}?"), value, facts, known)
        if known == "any value":
            guess = words(model([], f"What is the word of {key}?"))
            guessed = any(v in guess for _, v in facts)
        if known == "haystack":
            guessed = ask(sentences, key, value)
        if known == "fillers":
            guessed = ask(sentences[: min(lengths) - 1], key, value)
        if known == "several":
            guessed = value in words(model([], f"What is the word of {key}?"))
        if not guessed and not leaks(sentences, key, value, leak, max(lengths)):
            kept.append((key, value))
    if not kept:
        if empty in ERRORS:
            raise ERRORS[empty]
        if empty:
            return {(n, d): float(empty) for n in lengths for d in depths}, []
        raise ValueError("no fact is left")
    rivals = kept if score == "among those left" else facts
    scores = {}
    for n in lengths:
        for depth in depths:
            hits = []
            for i, (key, value) in enumerate(facts if result == "asks all" else kept):
                line = f"The word of {key} is {value}."
                line = line.lower() if fill == "lower case" else line
                count = {"too many": n, "too few": n - 2, "all": len(sentences)}.get(fill, n - 1)
                prompt = sentences[: max(count, 0)]
                if fill == "last":
                    prompt = sentences[len(sentences) - count :]
                at = place_of(depth, n, place)
                if place == "of the haystack":
                    at = round(depth * len(sentences))
                    prompt = sentences[: max(at, n - 1) if fill == "up to it" else n - 1]
                if fill == "all needles":
                    at = min(at, max(n - len(kept), 0))
                    lines = [f"The word of {k} is {v}." for k, v in kept]
                    prompt = sentences[: max(n - len(kept), 0)]
                    prompt[at:at] = lines
                elif fill == "replaces":
                    prompt[at : at + 1] = [line]
                elif fill == "shares the places":
                    if i % len(depths) != depths.index(depth):
                        continue
                    prompt[at:at] = [line]
                else:
                    prompt[at:at] = [line]
                hits.append(ask(prompt, key, value))
            total = len(facts) if result == "of all facts" else max(len(hits), 1)
            found = sum(hits) / total
            scores[n, depth] = {
                "counts": sum(hits),
                "missed": 1 - found,
                "per cent": 100 * found,
                "two decimals": round(found, 2),
                "all or nothing": float(all(hits)),
            }.get(result, found)
    return _returned(scores, kept, facts, result)


def _returned(
    scores: dict[Any, float],
    kept: list[tuple[str, str]],
    facts: list[tuple[str, str]],
    result: str,
) -> Found:
    if result == "depth first":
        scores = {(depth, n): share for (n, depth), share in scores.items()}
    if result == "dropped":
        return scores, [key for key, value in facts if (key, value) not in kept]
    if result == "pairs":
        return scores, kept
    if result == "sorted":
        return scores, sorted(key for key, _ in kept)
    if result == "lower case":
        return scores, [key.lower() for key, _ in kept]
    if result == "values":
        return scores, [value for _, value in kept]
    if result == "every key":
        return scores, [key for key, _ in facts]
    return scores, [key for key, _ in kept]
