"""How 09.induction_score goes wrong."""

from collections.abc import Callable

import torch
from torch import Tensor

from exercise_bank.ch09.mistakes.induction_score_pairs import pairs
from exercise_bank.skills import said
from plaincourse.exercise import Misconception


def _scored(
    weights: Tensor,
    tokens: Tensor,
    key: Callable[[list[int], int], int],
    *,
    turned: bool = False,
) -> list[list[Tensor]]:
    """List the weights that count, by sequence."""
    found: list[list[Tensor]] = []
    for b, row in enumerate(tokens.tolist()):
        found.append([])
        for i, word in enumerate(row):
            earlier = [j for j in range(i) if row[j] == word]
            if earlier:
                j = key(earlier, i)
                found[-1].append(weights[b, :, j, i] if turned else weights[b, :, i, j])
    return found


def _mean(found: list[list[Tensor]], weights: Tensor) -> Tensor:
    each = [w for row in found for w in row]
    return torch.stack(each).mean(dim=0) if each else weights.new_zeros(weights.shape[1])


def on_the_word_itself(weights: Tensor, tokens: Tensor) -> Tensor:
    return _mean(_scored(weights, tokens, lambda earlier, i: earlier[-1]), weights)


def first_occurrence(weights: Tensor, tokens: Tensor) -> Tensor:
    return _mean(_scored(weights, tokens, lambda earlier, i: earlier[0] + 1), weights)


def word_before(weights: Tensor, tokens: Tensor) -> Tensor:
    return _mean(_scored(weights, tokens, lambda earlier, i: max(earlier[-1] - 1, 0)), weights)


def key_looks_at_query(weights: Tensor, tokens: Tensor) -> Tensor:
    found = _scored(weights, tokens, lambda earlier, i: earlier[-1] + 1, turned=True)
    return _mean(found, weights)


def over_all_queries(weights: Tensor, tokens: Tensor) -> Tensor:
    found = _scored(weights, tokens, lambda earlier, i: earlier[-1] + 1)
    each = [w for row in found for w in row]
    return sum(each, weights.new_zeros(weights.shape[1])) / tokens.numel()


def word_before_or_last(weights: Tensor, tokens: Tensor) -> Tensor:
    return _mean(_scored(weights, tokens, lambda earlier, i: earlier[-1] - 1), weights)


def over_all_but_the_first(weights: Tensor, tokens: Tensor) -> Tensor:
    found = _scored(weights, tokens, lambda earlier, i: earlier[-1] + 1)
    each = [w for row in found for w in row]
    count = tokens.shape[0] * (tokens.shape[1] - 1)
    return sum(each, weights.new_zeros(weights.shape[1])) / max(count, 1)


def over_repeated_words(weights: Tensor, tokens: Tensor) -> Tensor:
    found = _scored(weights, tokens, lambda earlier, i: earlier[-1] + 1)
    each = [w for row in found for w in row]
    count = sum(len({x for x in row if row.count(x) > 1}) for row in tokens.tolist())
    return sum(each, weights.new_zeros(weights.shape[1])) / max(count, 1)


def over_sequences(weights: Tensor, tokens: Tensor) -> Tensor:
    found = _scored(weights, tokens, lambda earlier, i: earlier[-1] + 1)
    each = [w for row in found for w in row]
    return sum(each, weights.new_zeros(weights.shape[1])) / len(tokens)


def mean_of_sequences(weights: Tensor, tokens: Tensor) -> Tensor:
    found = _scored(weights, tokens, lambda earlier, i: earlier[-1] + 1)
    zero = weights.new_zeros(weights.shape[1])
    return torch.stack([sum(row, zero) / max(len(row), 1) for row in found]).mean(dim=0)


def mean_of_those_with_repeats(weights: Tensor, tokens: Tensor) -> Tensor:
    found = _scored(weights, tokens, lambda earlier, i: earlier[-1] + 1)
    return _mean([[torch.stack(row).mean(dim=0)] for row in found if row], weights)


def sum_not_mean(weights: Tensor, tokens: Tensor) -> Tensor:
    found = _scored(weights, tokens, lambda earlier, i: earlier[-1] + 1)
    return sum((w for row in found for w in row), weights.new_zeros(weights.shape[1]))


def nan_for_nothing(weights: Tensor, tokens: Tensor) -> Tensor:
    found = _scored(weights, tokens, lambda earlier, i: earlier[-1] + 1)
    each = [w for row in found for w in row]
    return sum(each, weights.new_zeros(weights.shape[1])) / torch.tensor(float(len(each)))


def all_followers(weights: Tensor, tokens: Tensor) -> Tensor:
    same = (tokens[:, :, None] == tokens[:, None, :]).tril(-1)
    after = torch.zeros_like(same)
    after[..., 1:] = same[..., :-1]
    total = (weights * after[:, None]).sum(dim=(0, 2, 3))
    return total / same.any(dim=-1).sum().clamp_min(1)


def all_followers_over_all_queries(weights: Tensor, tokens: Tensor) -> Tensor:
    same = (tokens[:, :, None] == tokens[:, None, :]).tril(-1)
    after = torch.zeros_like(same)
    after[..., 1:] = same[..., :-1]
    return (weights * after[:, None]).sum(dim=-1).mean(dim=(0, 2))


def all_followers_over_pairs(weights: Tensor, tokens: Tensor) -> Tensor:
    pairs = (tokens[:, :, None] == tokens[:, None, :]).tril(-1).sum()
    repeats = (tokens[:, :, None] == tokens[:, None, :]).tril(-1).any(dim=-1).sum()
    return all_followers(weights, tokens) * repeats / pairs.clamp_min(1)


def first_without_neighbours(weights: Tensor, tokens: Tensor) -> Tensor:
    kept: list[list[Tensor]] = []
    for b, row in enumerate(tokens.tolist()):
        past = [i for i in range(1, len(row)) if row[i] in row[:i] and row[i - 1] != row[i]]
        kept.append([weights[b, :, i, row.index(row[i]) + 1] for i in past])
    return _mean(kept, weights)


def after_the_query(weights: Tensor, tokens: Tensor) -> Tensor:
    n = tokens.shape[1]
    return _mean(_scored(weights, tokens, lambda earlier, i: min(i + 1, n - 1)), weights)


def neighbour_left_out(weights: Tensor, tokens: Tensor) -> Tensor:
    found = _scored(weights, tokens, lambda earlier, i: earlier[-1] + 1)
    kept: list[list[Tensor]] = []
    for b, row in enumerate(tokens.tolist()):
        past = [i for i, word in enumerate(row) if word in row[:i]]
        pairs = zip(past, found[b], strict=True)
        kept.append([w for i, w in pairs if row[i - 1] != row[i]])
    return _mean(kept, weights)


def zero_is_filler(weights: Tensor, tokens: Tensor) -> Tensor:
    total, count = weights.new_zeros(weights.shape[1]), 0
    for b, row in enumerate(tokens.tolist()):
        for i, word in enumerate(row):
            earlier = [j for j in range(i) if row[j] == word]
            if earlier and word:
                total = total + weights[b, :, i, earlier[-1] + 1]
                count += 1
    return total / max(count, 1)


def last_query_only(weights: Tensor, tokens: Tensor) -> Tensor:
    found = _scored(weights, tokens, lambda earlier, i: earlier[-1] + 1)
    return _mean([row[-1:] for row in found], weights)


def heads_averaged(weights: Tensor, tokens: Tensor) -> Tensor:
    score = _mean(_scored(weights, tokens, lambda earlier, i: earlier[-1] + 1), weights)
    return score.mean().expand(len(score)).clone()


def neighbour_not_seen(weights: Tensor, tokens: Tensor) -> Tensor:
    kept: list[list[Tensor]] = []
    for b, row in enumerate(tokens.tolist()):
        places = [[j for j in range(i - 1) if row[j] == word] for i, word in enumerate(row)]
        kept.append([weights[b, :, i, js[-1] + 1] for i, js in enumerate(places) if js])
    return _mean(kept, weights)


def first_of_a_word_counted(weights: Tensor, tokens: Tensor) -> Tensor:
    found = _scored(weights, tokens, lambda earlier, i: earlier[-1] + 1)
    each = [w for row in found for w in row]
    count = sum(row.count(word) > 1 for row in tokens.tolist() for word in row)
    return sum(each, weights.new_zeros(weights.shape[1])) / max(count, 1)


MISCONCEPTIONS = (
    said(
        "over-all-but-the-first",
        over_all_but_the_first,
        "Only the first position has no earlier occurrence.",
        "You divide by all queries but the first of each sequence. A query counts only if its own "
        "token occurred before, not any token.",
        "How many queries of 5 1 5 2 have an earlier occurrence of their own token?",
        "Divide by the number of queries that have one.",
    ),
    said(
        "over-repeated-words",
        over_repeated_words,
        "Each word that is repeated counts once.",
        "You divide by the number of words that are repeated. Each query whose token occurred "
        "before counts, so a token that comes three times counts twice.",
        "How many queries of 6 6 6 have an earlier occurrence?",
        "Count queries, not words.",
        kind="form",
    ),
    said(
        "over-sequences",
        over_sequences,
        "A mean over a batch divides by its sequences.",
        "You divide by the number of sequences. A sequence with more repeats then gets a larger "
        "score.",
        "What would a perfect head score on 6 6 6 6?",
        "Divide by the number of queries that have an earlier occurrence.",
    ),
    Misconception(
        name="on-the-word-itself",
        answer=on_the_word_itself,
        believed="An induction head looks at the earlier occurrence.",
        says="You add up the weight on the earlier occurrence itself. That is the score of a head "
        "that finds the same word; from there it can only read that word again, not the one that "
        "follows.",
        hints=(
            "After '... sing brave ... sing', which word must be read to predict 'brave'?",
            "The key is one position later than the occurrence.",
            "Use j + 1, where j is the latest earlier occurrence.",
        ),
    ),
    Misconception(
        name="first-occurrence",
        answer=first_occurrence,
        believed="The first occurrence of a word counts.",
        says="If a word has occurred several times, you take its first occurrence. The task asks "
        "for the latest.",
        hints=(
            "In 1 2 1 3 1, which two occurrences come before the last 1?",
            "The latest occurrence is the largest j below i.",
            "Take earlier[-1], or the maximum, in place of the first.",
        ),
    ),
    Misconception(
        name="word-before",
        answer=word_before,
        variants=(word_before_or_last,),
        believed="The neighbour that counts is the one before.",
        says="You take the weight on the word before the earlier occurrence. To predict the next "
        "word, a head needs the word after it.",
        hints=(
            "Does the next word come before or after the occurrence?",
            "Is it j - 1 or j + 1?",
            "The key is j + 1.",
        ),
    ),
    Misconception(
        name="key-looks-at-query",
        answer=key_looks_at_query,
        believed="weights[..., k, q] is the weight that q gives to k.",
        says="The numbers that you add up are 0, or nearly all. Either you read the weights with "
        "query and key exchanged, and in causal maps that cell lies in the future of its row, or "
        "you find no earlier occurrence.",
        hints=(
            "Rows are queries. Which of your two indices is the row?",
            "The query is the later of the two positions.",
            "In the weights, the axis before the last is that of the query i, and the last is "
            "that of the key j + 1.",
        ),
    ),
    Misconception(
        name="over-all-queries",
        answer=over_all_queries,
        believed="A mean divides by the number of positions.",
        says="You divide by the number of all positions, including those whose word had not "
        "occurred before. A perfect head would score less than 1.",
        hints=(
            "Which queries could have scored at all?",
            "Count the queries that have an earlier occurrence.",
            "Divide by that count.",
        ),
    ),
    Misconception(
        name="mean-of-sequences",
        answer=mean_of_sequences,
        variants=(mean_of_those_with_repeats,),
        believed="Average each sequence, then average the averages.",
        says="You average within each sequence first. So a sequence with one repeated word counts "
        "as much as one with ten.",
        hints=(
            "What should a sequence without any repeated word do to the score?",
            "All queries of all sequences count alike.",
            "Keep one sum and one count for the whole batch.",
        ),
    ),
    Misconception(
        name="sum-not-mean",
        answer=sum_not_mean,
        believed="The score is the total weight.",
        says="Your score grows with the length of the text, because it is the sum and not the "
        "mean. With many repeats it can exceed 1, although no weight does.",
        hints=(
            "What is the largest score that a head can have?",
            "How many queries did you add up?",
            "Divide by their number.",
        ),
    ),
    Misconception(
        name="nan-for-nothing",
        kind="corner",
        answer=nan_for_nothing,
        believed="There is always a word that is repeated.",
        says="If no word is repeated, you divide 0 by 0 and return nan. The score should be 0.",
        hints=(
            "What do you divide by for the text 0 1 2 3?",
            "Divide by at least 1.",
            "Divide by 1 if the count is 0.",
        ),
    ),
    said(
        "after-every-occurrence",
        all_followers,
        "Every token that followed counts.",
        "You add up the weight on the token after every earlier occurrence. Only the latest "
        "occurrence counts.",
        "For the tokens 1 2 1 3 1, which keys does your last query count?",
        "If there are several earlier places, take the largest.",
        variants=(all_followers_over_all_queries, all_followers_over_pairs),
    ),
    said(
        "after-the-query",
        after_the_query,
        "Induction looks at the next token.",
        "You look up the weight on the position after the query. A causal head gives no weight to "
        "it; the task asks for the position after the earlier occurrence.",
        "Which position comes after the earlier occurrence?",
        "The key is j + 1 for the earlier place j, not i + 1.",
    ),
    said(
        "neighbours-left-out",
        neighbour_left_out,
        "A token right before the query is not an earlier occurrence.",
        "You do not count an occurrence right before the query: you leave such a query out, or "
        "take an older occurrence. It is an earlier occurrence, too, and the token after it is the "
        "query itself.",
        "For the tokens 6 6, which key counts for the second?",
        "j + 1 may be i.",
        variants=(neighbour_not_seen,),
    ),
    said(
        "first-occurrence-without-neighbours",
        first_without_neighbours,
        "The first occurrence counts, and a neighbour does not.",
        "If a token has occurred several times, you take its first occurrence, not the latest. And "
        "you leave out a query if its token comes right before it.",
        "For the tokens 6 6 6, which key counts for the last?",
        "The key is j + 1, where j is the latest earlier occurrence, also if that is i.",
    ),
    said(
        "first-of-a-word-counted",
        first_of_a_word_counted,
        "Every query whose token comes twice has a copy.",
        "You divide by all queries whose token occurs more than once. The first of them has no "
        "earlier occurrence, so it does not belong to the mean.",
        "How many queries of 8 5 8 have an earlier occurrence?",
        "Count a query only if an equal token comes before it.",
    ),
    said(
        "word-0-left-out",
        zero_is_filler,
        "0 is not a token.",
        "You leave out queries with the token 0. But 0 is an ordinary token.",
        "What is the score of the tokens 0 5 0?",
        "Ask whether there is an earlier place, not whether the token is true.",
    ),
    said(
        "one-query-a-sequence",
        last_query_only,
        "Only the last query counts.",
        "In each sequence you count only the last query whose token occurred before. All such "
        "queries count.",
        "How many queries of 6 6 6 have an earlier occurrence?",
        "Average over all such queries.",
    ),
    said(
        "one-score-for-all-heads",
        heads_averaged,
        "A score is one number.",
        "All your heads have the same score: you average over heads too.",
        "What is the score of each head alone?",
        "Keep the axis of heads.",
    ),
    *pairs(),
)
