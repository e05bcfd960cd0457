"""How 09.same_word_score goes wrong."""

from exercise_bank.ch09.mistakes import same_word_score_code as code
from exercise_bank.skills import said
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    said(
        "one-score-for-all-heads",
        code.heads_averaged,
        "A score is one number.",
        "All your heads have the same score: you average over heads too.",
        "What is the score of each head alone?",
        "Keep the axis of heads.",
    ),
    said(
        "first-of-a-word-counted",
        code.first_of_a_word_counted,
        "Every query whose token occurs twice has an earlier copy.",
        "You divide by all queries whose token occurs more than once. The first of them has no "
        "earlier occurrence, so it does not belong to the mean.",
        "How many queries of 8 5 8 have an earlier occurrence?",
        "Count a query only if an equal token comes before it.",
        variants=(code.first_counted_and_latest_only, code.first_counted_and_itself),
    ),
    Misconception(
        name="itself-too",
        answer=code.itself_too,
        believed="A word is an occurrence of itself.",
        says="You count the query's own cell, so every query takes part, and a head in which each "
        "token attends only to itself would score 1.",
        hints=(
            "What would your score be on a text in which no word is repeated?",
            "Does the diagonal belong to the earlier positions?",
            "Use tril(-1), not tril().",
        ),
    ),
    Misconception(
        name="itself-where-it-came-back",
        answer=code.itself_where_it_came_back,
        believed="The query's own position belongs to the sum, but not to the count.",
        says="Your sum includes the diagonal, the weight of every query on itself.",
        hints=(
            "Which cells are in your sum but not in your count?",
            "Leave the diagonal out of both.",
            "Use tril(-1) for the cells that you add up.",
        ),
    ),
    Misconception(
        name="later-too",
        answer=code.later_too,
        believed="Any other occurrence counts.",
        says="You count occurrences after the query, too. The random maps give weight to later "
        "keys. In causal maps these cells are 0, but the first of two occurrences would still be "
        "counted as a query.",
        hints=(
            "Which of two equal words is the query with an earlier occurrence?",
            "Earlier means a smaller position.",
            "Keep only the cells below the diagonal.",
        ),
    ),
    Misconception(
        name="later-too-for-repeats",
        answer=code.later_of_repeats,
        believed="Any other occurrence counts, if there was an earlier one.",
        says="For a query whose token occurred before, you count the later occurrences, too. It "
        "shows if a map gives weight to later keys; in causal maps these cells are 0.",
        hints=(
            "Which keys do you add up for the second of three equal words?",
            "Earlier means a smaller position.",
            "Keep only the cells below the diagonal.",
        ),
    ),
    Misconception(
        name="latest-only",
        answer=code.latest_only,
        believed="Only the last occurrence matters, as with induction.",
        says="If a word has occurred several times, you take the latest occurrence alone. Here the "
        "weight on all of them counts.",
        hints=(
            "In 6 6 6, how many earlier occurrences has the last word?",
            "Add up the weights instead of choosing one.",
            "Multiply the map by the whole pattern of earlier equal words.",
        ),
    ),
    Misconception(
        name="one-later",
        answer=code.one_later,
        believed="This is the induction score.",
        says="You add up the weight one position after the occurrence. That is the induction "
        "score; here the weight on the same word itself counts.",
        hints=(
            "Which word is at the key that should count?",
            "The word at the key equals the word at the query.",
            "Drop the + 1.",
        ),
    ),
    Misconception(
        name="over-all-queries",
        answer=code.over_all_queries,
        variants=(code.of_each_over_all_queries,),
        believed="A mean divides by the number of positions.",
        says="You divide by the number of all positions, including those whose word had not "
        "occurred before. A perfect head would score less than 1.",
        hints=(
            "Which queries could have scored at all?",
            "Count queries with at least one earlier occurrence.",
            "Divide by that count.",
        ),
    ),
    Misconception(
        name="over-all-but-the-first",
        answer=code.over_all_but_the_first,
        variants=(code.latest_over_all_but_the_first,),
        believed="Only the first position has no earlier occurrence.",
        says="You divide by all queries but the first of each sequence. A query belongs to the "
        "mean only if its own word occurred before, not any word.",
        hints=(
            "How many queries of 5 1 5 2 have an earlier occurrence of their own word?",
            "Count queries with at least one earlier occurrence.",
            "Divide by that count.",
        ),
    ),
    said(
        "over-sequences",
        code.over_the_batch,
        "A mean over a batch divides by its sequences.",
        "You divide by the number of sequences. A sequence with more repeated words then gets a "
        "larger score.",
        "What would a perfect head score on 6 6 6 6?",
        "Divide by the number of queries that have an earlier occurrence.",
    ),
    said(
        "over-repeated-words",
        code.over_words_that_repeat,
        "Each word that is repeated counts once.",
        "You divide by the number of words that are repeated. Each query whose word occurred "
        "before counts, so a word that occurs three times counts twice.",
        "How many queries of 6 6 6 have an earlier occurrence?",
        "Count queries, not words.",
    ),
    Misconception(
        name="over-all-pairs",
        answer=code.over_all_pairs,
        believed="Each pair of equal words counts as one.",
        says="You divide by the number of pairs. If a head gives all its weight to three earlier "
        "occurrences of a query, that query then adds 1 to the sum and 3 to the count.",
        hints=(
            "What would a perfect head score on 6 6 6 6?",
            "The weights on several occurrences share one total of 1.",
            "Count queries, with any over the keys, and not cells.",
        ),
    ),
    Misconception(
        name="turned",
        answer=code.turned,
        believed="weights[..., k, q] is the weight that q gives to k.",
        says="Your score is the weight that the earlier word gives to the later one, which is 0 in "
        "causal maps. Either you read the map with queries and keys exchanged, or you keep the "
        "cells above the diagonal.",
        hints=(
            "Rows are queries. Is the row the earlier or the later of the two?",
            "The query is the later word.",
            "Do not transpose the weights.",
        ),
    ),
    Misconception(
        name="mean-of-sequences",
        answer=code.mean_of_sequences,
        variants=(code.mean_of_those_with_repeats,),
        believed="Average each sequence, then average the averages.",
        says="You average within each sequence first. So a sequence with one repeated word counts "
        "as much as one with ten.",
        hints=(
            "What should a sequence without any repeated word do to the score?",
            "All queries of all sequences count alike.",
            "Keep one sum and one count for the whole batch.",
        ),
    ),
    said(
        "mean-of-sequences-or-nan",
        code.mean_of_sequences_or_nan,
        "Every sequence has a repeated word.",
        "You average within each sequence first, although all queries of the batch count alike. "
        "And a sequence without a repeated word is 0 / 0 in yours, so the score is nan.",
        "What does your function return for a sequence of three different words?",
        "Keep one sum and one count for the whole batch, and divide by 1 at least.",
    ),
    said(
        "mean-of-the-copies",
        code.mean_of_copies,
        "Several copies are averaged.",
        "You average over the copies of one query. Their weights should be added: the score is the "
        "weight on all copies together.",
        "Query 2 of the example gives 0.3 and 0.4. What does it count?",
        "Divide by the number of queries, and by nothing else.",
    ),
    said(
        "sum-not-mean",
        code.sum_not_mean,
        "A score is a sum.",
        "You add up the weights and do not divide, so a longer text gets a larger score.",
        "Can a share be above 1?",
        "Divide by the number of queries with an earlier occurrence.",
    ),
    said(
        "word-0-left-out",
        code.zero_is_filler,
        "0 is filler.",
        "You leave out the token 0. Here it is an ordinary token.",
        "What is the score of the tokens 0 5 0?",
        "The task has no fillers; leave the test out.",
    ),
    said(
        "nan-for-nothing",
        code.nan_for_nothing,
        "Some token is always repeated.",
        "If no token is repeated, you divide by 0, and your scores are nan. They should be 0.",
        "What is 0 / 0 in PyTorch?",
        "Divide by 1 at least.",
        kind="corner",
    ),
    said(
        "first-sequence-for-all",
        code.across_sequences,
        "One sequence of tokens serves the batch.",
        "You look for copies in the tokens of the first sequence, for all sequences. But each "
        "sequence has its own tokens.",
        "What changes in your score when the tokens of sequence 1 change?",
        "Compare each sequence with itself.",
    ),
    said(
        "largest-copy-only",
        code.largest_copy,
        "A head attends to one copy.",
        "If a word has occurred several times, you take the largest of its weights. Here the "
        "weights on all of them are added.",
        "Query 2 of the example gives 0.3 and 0.4. What does it count?",
        "Sum over the keys.",
    ),
    said(
        "first-occurrence-only",
        code.first_only,
        "The first occurrence counts.",
        "You count the first occurrence and leave out the later copies before the query.",
        "Which cells count for the last query of 6 6 6?",
        "All earlier occurrences count together.",
    ),
    said(
        "one-copy-over-all-queries",
        code.latest_over_all_queries,
        "A token has one earlier copy, and every query counts.",
        "You take the weight on one earlier copy, although all of them count together. And you "
        "divide by the number of all queries, although only those with an earlier copy belong to "
        "the mean.",
        "In 8 8 8, which cells count for the last query, and how many queries count?",
        "Add up all cells before the query with its token, and count the queries that have one.",
        variants=(code.first_over_all_queries,),
    ),
    said(
        "later-copies-over-all-queries",
        code.itself_over_all_queries,
        "Any other copy counts, and every query does.",
        "You count later copies, too. And you divide by the number of all queries, although only "
        "those with an earlier copy belong to the mean.",
        "In 8 5 8, which cells count, and how many queries count?",
        "Keep the cells below the diagonal, and count the queries that have a cell there.",
    ),
)
