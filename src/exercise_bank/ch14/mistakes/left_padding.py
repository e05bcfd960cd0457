"""How 14.left_padding goes wrong."""

from exercise_bank.ch14.mistakes.left_padding_code import (
    all_from_one,
    all_ones_for_the_others,
    all_others_taken_off,
    anti_causal,
    as_on_the_right,
    by_column,
    causal_only,
    columns_of_the_real,
    empty_rows,
    first_real,
    from_one,
    from_the_first,
    largest_position,
    last_before_the_first_refused,
    last_column,
    left_only,
    not_itself,
    one_behind,
    one_column_for_all,
    others_look_back,
    others_look_back_and_may_be_empty,
    others_look_back_at_all,
    others_minus_one,
    others_one,
    others_repeat,
    queries_only,
    sees_ahead,
    start_and_count,
    tokens_not_themselves,
    turned_round,
)
from plaincourse.exercise import Misconception


def said(name: str, answer: object, believed: str, says: str, *hints: str) -> Misconception:
    return Misconception(name=name, answer=answer, believed=believed, says=says, hints=hints)


MISCONCEPTIONS = (
    said(
        "by-column",
        by_column,
        "A token's position is its column.",
        "Your positions are column numbers, of all columns. A prompt behind two columns of padding "
        "then starts at 2 where, alone, it would start at 0.",
        "Which positions does the same text get when it is not padded?",
        "What does not count takes no position.",
        "Count only the columns where `real` is True.",
    ),
    said(
        "columns-of-the-real",
        columns_of_the_real,
        "Padding gets 0, the others their column.",
        "Your padding is at 0, as it should be, and each real token at its column: everything "
        "before it is counted, real or not.",
        "Which positions does the same text get when it is not padded?",
        "The first real token of a row is at 0.",
        "Use a running sum of `real`.",
    ),
    said(
        "from-one",
        from_one,
        "The running sum is the position.",
        "Your first real token is at 1. The running sum counts the token itself; positions count "
        "from 0.",
        "How many real tokens stand before the first one?",
        "A running sum includes its own column.",
        "Take one off, for real tokens only.",
    ),
    said(
        "from-the-first-real-column",
        from_the_first,
        "Behind its first token a row has no gaps.",
        "You subtract the column in which the row begins. Behind a refused guess your positions "
        "have a gap, which the same text without that guess would not have.",
        "In the row 1 0 1, how many real tokens stand before the last one?",
        "A gap in the middle counts as little as padding at the left.",
        "Count the real tokens before a column.",
    ),
    said(
        "others-repeat",
        others_repeat,
        "What the others get does not matter.",
        "Your real tokens are right. A refused guess repeats the position before it; it is asked "
        "for as 0.",
        "What do you return for the last column of 1 1 0?",
        "A lower bound of 0 mends padding at the left only.",
        "Write 0 wherever `real` is False.",
    ),
    said(
        "others-minus-one",
        others_minus_one,
        "A position that does not exist is -1.",
        "Your real tokens are right, and the other columns are at -1. They are asked for as 0.",
        "What does `table[-1]` return?",
        "The mask hides those columns; their position only has to be a valid one.",
        "Write 0 wherever `real` is False.",
    ),
    said(
        "others-one",
        others_one,
        "Padding gets 1.",
        "Your real tokens are right, and the other columns are at 1, as some libraries have it. "
        "They are asked for as 0.",
        "What do you return for the first column of 0 1 1?",
        "The mask hides those columns, so any valid position would do; 0 is asked for.",
        "Write 0 wherever `real` is False.",
    ),
    said(
        "all-others-taken-off",
        all_others_taken_off,
        "What does not count is subtracted, wherever it stands.",
        "You subtract all columns of a row that do not count, those behind a token too. A token "
        "then loses places for guesses that were refused after it.",
        "Can a guess that is refused later move a token?",
        "Each column has another number of such columns before it.",
        "Use a running sum.",
    ),
    said(
        "not-itself",
        not_itself,
        "A token sees what was before it.",
        "Your tokens do not see themselves. The first token of a row then sees nothing.",
        "What does the first token of a text see?",
        "The diagonal belongs to the causal mask.",
        "Let a query see keys up to its own column, and that one too.",
    ),
    said(
        "causal-only",
        causal_only,
        "The causal mask is enough.",
        "Your mask is the same for all rows: tokens see the padding before them and the guesses "
        "that were refused.",
        "Does your mask use `real`?",
        "What was refused is not part of the text any more.",
        "Hide the keys that are not real.",
    ),
    said(
        "padding-only",
        left_only,
        "Only the padding at the left has to be hidden.",
        "Your mask hides what stands before the first token of a row. Tokens behind a refused "
        "guess still see it, and refused guesses see text.",
        "In the row 1 0 1, what does the last column see?",
        "A refused guess is hidden as padding is.",
        "Use `real` itself, not only where it begins.",
    ),
    said(
        "sees-ahead",
        sees_ahead,
        "Real tokens see each other.",
        "Your tokens see those that come after them. The cache of a decoder holds what was "
        "computed without these.",
        "May the first token see the second?",
        "The mask is causal too.",
        "Let a query see keys up to its own column.",
    ),
    said(
        "turned-round",
        turned_round,
        "True means hidden.",
        "Your mask is exactly the opposite: True where a query may not look.",
        "What does True mean in a mask of this course?",
        "Some libraries call True what is hidden.",
        "Turn it round.",
    ),
    said(
        "empty-rows",
        empty_rows,
        "What does not count sees nothing.",
        "Your tokens see what they should. The rows of the other columns are all False: a softmax "
        "over nothing is nan.",
        "What is the softmax of a row that holds minus infinity only?",
        "Each of those columns sees one key: which one cannot hurt anybody?",
        "Let every column see itself.",
    ),
    said(
        "others-look-back",
        others_look_back,
        "It does not matter what the others see.",
        "Your tokens see what they should. Columns that do not count see the real keys before them "
        "besides themselves; they are to see themselves only.",
        "In the row 1 0, what does the last column see?",
        "A condition on the query is missing.",
        "Ask that both columns be real, then add the diagonal.",
    ),
    said(
        "keys-only",
        others_look_back_and_may_be_empty,
        "A mask of padding is about keys.",
        "Your tokens see what they should. Padding at the left sees nothing, which makes a softmax "
        "nan, and a refused guess sees the text before it.",
        "In the row 0 1 0, what do the first and the last column see?",
        "A column that does not count sees itself and nothing else.",
        "Ask that query and key be real, then add the diagonal.",
    ),
    said(
        "queries-only",
        queries_only,
        "What does not count may not look.",
        "You hide queries, not keys: your tokens still see padding and refused guesses before "
        "them, and only those columns themselves are blind.",
        "In the row 0 1, what does the last column see?",
        "Rows of a mask are queries, columns are keys.",
        "Ask that the key be real as well.",
    ),
    said(
        "queries-and-keys-exchanged",
        anti_causal,
        "Rows are keys.",
        "Your mask is transposed: each token sees itself and what comes after it.",
        "Row 0 of a mask belongs to the first query. What may it see?",
        "Axes are (b, q, k): rows are queries.",
        "Exchange the last two axes.",
    ),
    said(
        "last-column",
        last_column,
        "With padding at the left, the last column is read.",
        "You read the last column of each row. That is right as long as every row ends with a real "
        "token; here the last guess may have been refused.",
        "In the row 1 1 0, after which column does the next token come?",
        "The text of a row ends with its last real token.",
        "Look for the last True in each row.",
    ),
    said(
        "number-of-tokens",
        as_on_the_right,
        "The last of c tokens stands in column c - 1.",
        "You count the real tokens and take one off. That is the last token's column where a row "
        "begins with its text; padding before it moves it on.",
        "In the row 0 1 1, which column is the last token in?",
        "A count is a position, not a column.",
        "Take the largest column number that is real.",
    ),
    said(
        "first-real",
        first_real,
        "argmax finds the token.",
        "You read the first real column of each row: `argmax` of equal numbers returns the first "
        "of them.",
        "Which token is the first column's output about?",
        "What follows the text is said at its end.",
        "Turn the row round before you search, or search for the largest column number.",
    ),
    said(
        "one-behind",
        one_behind,
        "What is read is where the next token will stand.",
        "Your row to read is one behind the last token. That column holds no output for this row: "
        "the next token is drawn from the logits of the last one.",
        "Which column's logits say what follows the last token?",
        "Logits in a column are about the token after it.",
        "Take one off.",
    ),
    said(
        "before-the-first-gap",
        last_before_the_first_refused,
        "A row ends where it is first interrupted.",
        "You read the last token before the first refused guess. Rows went on behind it in later "
        "rounds.",
        "In the row 1 0 1, which is the last real column?",
        "A gap may stand in the middle.",
        "Search from the end of the row.",
    ),
    said(
        "largest-position",
        largest_position,
        "The last token has the largest position.",
        "You read where the position is largest. In a row with a single token all positions are 0, "
        "and the first column is read, though it may be padding.",
        "In the row 0 1 0 0, which column do you read?",
        "Columns that do not count have a position, too.",
        "Take the largest column number that is real.",
    ),
    said(
        "begin-and-count",
        start_and_count,
        "A row's tokens stand side by side.",
        "You add the number of tokens to the column in which the row begins. Refused guesses in "
        "the middle move the last token on.",
        "In the row 1 0 1, which column is the last token in?",
        "A gap may stand in the middle.",
        "Take the largest column number that is real.",
    ),
    said(
        "tokens-not-themselves",
        tokens_not_themselves,
        "Only the others see themselves.",
        "Your columns that do not count see themselves, as they should, and your tokens do not: "
        "the first token of a row sees nothing.",
        "What does the first token of a text see?",
        "A token sees itself and those before it.",
        "Add the diagonal for all columns.",
    ),
    said(
        "all-counted-from-one",
        all_from_one,
        "Counting begins at 1.",
        "Your positions and your row to read are one too large: both count from 0.",
        "What number has the first column?",
        "Everything in this notebook counts from 0.",
        "Take one off each.",
    ),
    said(
        "others-see-all",
        all_ones_for_the_others,
        "What does not count may look at anything.",
        "Your tokens see what they should. The columns that do not count see everything; that "
        "keeps their softmax from nan, but they are to see themselves only.",
        "In the row 1 0 1, what does the middle column see?",
        "One key is enough for a softmax.",
        "Give those rows the diagonal alone.",
    ),
    said(
        "others-look-back-at-all",
        others_look_back_at_all,
        "For columns that do not count the causal mask is enough.",
        "Your tokens see what they should. Columns that do not count see all columns before "
        "them; they are to see themselves only.",
        "In the row 0 1 0, what does the last column see?",
        "One key is enough for a softmax.",
        "Ask that query and key be real, then add the diagonal.",
    ),
    said(
        "one-column-for-all",
        one_column_for_all,
        "The batch ends in one column.",
        "You read the same column in all rows: the last in which any row has a token. Other rows "
        "end before it.",
        "In the rows 1 1 0 and 1 1 1, which column does the first one end in?",
        "Each row has a last token of its own.",
        "Take the largest column number that is real, row by row.",
    ),
)
