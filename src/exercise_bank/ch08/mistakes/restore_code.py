"""Ways of restoring spans that are wrong in one place."""

from itertools import pairwise


def spans_of(target: list[int], sentinels: list[int], end: int) -> dict[int, list[int]]:
    spans: dict[int, list[int]] = {}
    current: list[int] = []
    for token in target[: target.index(end)]:
        if token in sentinels:
            spans[token] = current = []
        else:
            current.append(token)
    return spans


def from_the_first_sentinel_on(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    return _by_number(source, target, end, sentinels[0])


def from_the_least_sentinel_on(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    return _by_number(source, target, end, min(sentinels))


def from_the_least_sentinel_on_and_filler(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    """Recognise sentinels by their size, and read the source to its last token."""
    spans: dict[int, list[int]] = {}
    mark = -1
    for token in target[: target.index(end)]:
        if token >= min(sentinels):
            mark = token
            spans[mark] = []
        else:
            spans[mark].append(token)
    whole = []
    for token in source:
        whole += spans.get(token, []) if token >= min(sentinels) else [token]
    return whole


def _by_number(source: list[int], target: list[int], end: int, least: int) -> list[int]:
    marks = [token for token in {*source, *target} if token >= least and token != end]
    spans, whole = spans_of(target, marks, end), []
    for token in source[: source.index(end)]:
        whole += spans.get(token, []) if token in marks else [token]
    return whole


def keeps_sentinels(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    spans, whole = spans_of(target, sentinels, end), []
    for token in source[: source.index(end)]:
        whole += [token, *spans.get(token, [])]
    return whole


def keeps_end(source: list[int], target: list[int], sentinels: list[int], end: int) -> list[int]:
    spans, whole = spans_of(target, sentinels, end), []
    for token in source[: source.index(end) + 1]:
        whole += spans.get(token, [token])
    return whole


def one_word_each(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    whole = []
    for token in source[: source.index(end)]:
        whole.append(target[target.index(token) + 1] if token in sentinels else token)
    return whole


def last_word_each(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    spans, name = {}, -1
    for token in target[: target.index(end)]:
        if token in sentinels:
            name = token
        else:
            spans[name] = token
    kept = source[: source.index(end)]
    return [spans.get(token, 0) if token in sentinels else token for token in kept]


def last_word_each_and_filler(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    words = [token for token in source if token != end]
    return last_word_each([*words, end], target, sentinels, end)


def all_at_the_first(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    missing = [t for t in target[: target.index(end)] if t not in sentinels]
    whole = []
    for token in source[: source.index(end)]:
        if token == sentinels[0]:
            whole += missing
        elif token not in sentinels:
            whole.append(token)
    return whole


def at_the_end(source: list[int], target: list[int], sentinels: list[int], end: int) -> list[int]:
    both = source[: source.index(end)] + target[: target.index(end)]
    return [token for token in both if token not in sentinels]


def sentinel_closes(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    spans: dict[int, list[int]] = {}
    current: list[int] = []
    for token in target[: target.index(end)]:
        if token in sentinels:
            spans[token], current = current, []
        else:
            current.append(token)
    whole = []
    for token in source[: source.index(end)]:
        whole += spans.get(token, [token])
    return whole


def reversed_spans(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    spans = [span for span in spans_of(target, sentinels, end).values() if span]
    whole = []
    for token in source[: source.index(end)]:
        whole += spans.pop() if token in sentinels else [token]
    return whole


def filler_stays(source: list[int], target: list[int], sentinels: list[int], end: int) -> list[int]:
    spans, whole = spans_of(target, sentinels, end), []
    for token in source:
        if token != end:
            whole += spans.get(token, [token])
    return whole


def by_number(source: list[int], target: list[int], sentinels: list[int], end: int) -> list[int]:
    marks = {token for token in target[: target.index(end)] if token >= max(sentinels) - 8}
    spans, whole = spans_of(target, sorted(marks), end), []
    for token in source[: source.index(end)]:
        whole += spans.get(token, [token])
    return whole


def in_the_order_of_the_list(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    spans, whole = spans_of(target, sentinels, end), []
    names = iter(sentinels)
    for token in source[: source.index(end)]:
        whole += spans.get(next(names), []) if token in sentinels else [token]
    return whole


def spans_in_the_order_of_the_list(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    """Name the spans of the target by the list of sentinels, in its order."""
    spans, names, name = {}, iter(sentinels), -1
    for token in target[: target.index(end)]:
        if token in sentinels:
            name = next(names)
            spans[name] = list[int]()
        else:
            spans[name].append(token)
    whole = []
    for token in source[: source.index(end)]:
        whole += spans.get(token, []) if token in sentinels else [token]
    return whole


def spans_in_the_order_of_the_list_and_filler(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    words = [token for token in source if token != end]
    return spans_in_the_order_of_the_list([*words, end], target, sentinels, end)


def in_the_order_of_the_list_and_filler(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    words = [token for token in source if token != end]
    return in_the_order_of_the_list([*words, end], target, sentinels, end)


def between_neighbours_of_the_list(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    target, whole, n = target[: target.index(end)], [], 0
    for token in source[: source.index(end)]:
        if token in sentinels:
            whole += target[target.index(sentinels[n]) + 1 : target.index(sentinels[n + 1])]
            n += 1
        else:
            whole.append(token)
    return whole


def in_the_order_of_numbers(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    spans, whole = spans_of(target, sentinels, end), []
    names = iter(sorted(spans))
    for token in source[: source.index(end)]:
        whole += spans[next(names)] if token in sentinels else [token]
    return whole


def _until(
    source: list[int], target: list[int], sentinels: list[int], end: int, follows: dict[int, int]
) -> list[int]:
    target, whole = target[: target.index(end)], []
    for token in source[: source.index(end)]:
        if token not in sentinels:
            whole.append(token)
            continue
        last = follows.get(token, -1)
        stop = target.index(last) if last in target else len(target)
        whole += target[target.index(token) + 1 : stop]
    return whole


def next_in_the_list_ends(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    follows = dict(pairwise(sentinels))
    return _until(source, target, sentinels, end, follows)


def next_in_the_round_ends(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    follows = dict(pairwise([*sentinels, sentinels[0]]))
    return _until(source, target, sentinels, end, follows)


def next_number_ends(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    follows = {token: token + 1 for token in sentinels}
    return _until(source, target, sentinels, end, follows)


def next_in_the_list_or_nothing(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    target = target[: target.index(end)]
    spans = {
        a: target[target.index(a) + 1 : target.index(b)]
        for a, b in pairwise(sentinels)
        if a in target and b in target
    }
    whole = []
    for token in source[: source.index(end)]:
        whole += spans.get(token, []) if token in sentinels else [token]
    return whole


def zeros_dropped(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    spans, whole = spans_of(target, sentinels, end), []
    for token in source[: source.index(end)]:
        whole += spans.get(token, [token])
    return [token for token in whole if token != 0]


def last_span_lost(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    marks = [i for i, token in enumerate(target) if token in sentinels][:-1]
    spans = {target[a]: target[a + 1 : b] for a, b in pairwise(marks)}
    whole = []
    for token in source[: source.index(end)]:
        whole += spans.get(token, []) if token in sentinels else [token]
    return whole


def words_after_lost(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    spans, whole = spans_of(target, sentinels, end), []
    for token in source[: source.index(end)]:
        whole += spans.get(token, [token])
        if token in sentinels and token == max(t for t in source if t in sentinels):
            break
    return whole


def up_to_the_neighbour(
    source: list[int], target: list[int], sentinels: list[int], end: int
) -> list[int]:
    whole = []
    for token in source[: source.index(end)]:
        if token in sentinels:
            after = sentinels[sentinels.index(token) + 1]
            whole += target[target.index(token) + 1 : target.index(after)]
        else:
            whole.append(token)
    return whole


def target_only(source: list[int], target: list[int], sentinels: list[int], end: int) -> list[int]:
    return [t for t in target[: target.index(end)] if t not in sentinels]


def source_only(source: list[int], target: list[int], sentinels: list[int], end: int) -> list[int]:
    return [t for t in source[: source.index(end)] if t not in sentinels]
