"""How 14.log_probability goes wrong."""

from exercise_bank.ch14.mistakes.log_probability_code import (
    a_loss,
    a_token_too_few,
    about_padding,
    as_on_the_left,
    as_on_the_right,
    at_padding,
    divided_by_nothing,
    exponential_overflows,
    filled_with_infinity,
    in_bits,
    likeliest,
    log_of_a_share,
    log_of_the_mean,
    not_a_logarithm,
    not_shifted,
    not_shifted_without_the_first,
    over_all_columns,
    over_all_tokens,
    over_positions,
    over_the_batch,
    padding_counted,
    perplexity,
    probabilities_added,
    raw_logits,
    shifted_the_other_way,
    the_mean_twice,
    times_zero,
)
from plaincourse.exercise import Misconception


def said(name: str, answer: object, believed: str, says: str, *hints: str) -> Misconception:
    return Misconception(name=name, answer=answer, believed=believed, says=says, hints=hints)


MISCONCEPTIONS = (
    said(
        "not-shifted",
        not_shifted,
        "Row t of the logits is about token t.",
        "You look each token up in the logits of its own column, the first one too. The model "
        "had read that token when it computed them: they are about the token after it.",
        "Which tokens had the model read when it computed row t?",
        "Row 0 speaks of token 1.",
        "Pair the rows 0 to n - 2 with the tokens 1 to n - 1.",
    ),
    said(
        "own-column-without-the-first",
        not_shifted_without_the_first,
        "The first token has no prediction, the others have their own row.",
        "You leave the first token out, which is right, and look the others up in the logits of "
        "their own columns. Those were computed after the token had been read.",
        "Which tokens had the model read when it computed row t?",
        "The row that is about token 1 is row 0, not row 1.",
        "Leave out the last row of the logits instead of the first.",
    ),
    said(
        "shifted-the-other-way",
        shifted_the_other_way,
        "A row looks back.",
        "You look each token up in the logits of the next column. That is what the model says "
        "after it has read the token and one more.",
        "Which of the two comes first: the row that predicts, or the token that is predicted?",
        "Row t speaks of token t + 1.",
        "Shift the other way round.",
    ),
    said(
        "raw-logits",
        raw_logits,
        "A logit is a log-probability.",
        "You add logits up. Your numbers change when the same constant is added to all logits of "
        "a row, and its probabilities do not.",
        "What do the exponentials of one row of logits sum to?",
        "A log-probability is a logit less the log-sum-exp of its row.",
        "Take `log_softmax` over the vocabulary first.",
    ),
    said(
        "probabilities-added",
        probabilities_added,
        "Probabilities of tokens add up.",
        "You add probabilities up. The probability of a text is a product, so it is the logarithms "
        "that are added.",
        "Two tokens have probability 1/2 each. What has the text of both?",
        "Your total grows with each token; a text gets less likely with each.",
        "Take the logarithm of each probability before the sum.",
    ),
    said(
        "not-a-logarithm",
        not_a_logarithm,
        "The result is a probability.",
        "Your numbers are probabilities: the exponentials of what is asked for. Of a text of "
        "thousands of tokens nothing but 0 would be left.",
        "Which sign has the logarithm of a probability?",
        "The sum of the logarithms is the result.",
        "Leave out the exponential.",
    ),
    said(
        "in-bits",
        in_bits,
        "Logarithms are to base 2.",
        "Your numbers are in bits, 1.4427 times those in nats.",
        "What is the logarithm of 1/2 to base e?",
        "`torch.log` is the natural logarithm.",
        "Leave out the division by log 2.",
    ),
    said(
        "a-loss",
        a_loss,
        "What is computed is the loss.",
        "Your numbers have the opposite sign: they are losses. A log-probability is never above 0.",
        "Which sign has the logarithm of 1/2?",
        "Cross-entropy is minus the log-probability.",
        "Turn the sign.",
    ),
    said(
        "over-positions",
        over_positions,
        "The axis of the softmax does not matter.",
        "Your softmax runs over the positions. The probabilities of all tokens of the vocabulary "
        "sum to 1 at each position; in yours, those of one token over all positions do.",
        "Of what are the numbers of one row of logits the scores?",
        "The last axis is the vocabulary.",
        "Take the softmax over the last axis.",
    ),
    said(
        "padding-counted",
        padding_counted,
        "What stands in the batch is text.",
        "You add up all columns. A text that is padded gets the log-probability of its padding "
        "too, so it depends on its neighbours' lengths.",
        "Does your answer use `real`?",
        "A prediction counts if it is made at a token and about a token.",
        "Set all others to 0 before you sum.",
    ),
    said(
        "predicted-by-padding",
        at_padding,
        "What is about a token counts.",
        "You count each prediction that is about a real token. Behind padding on the left, the "
        "first of them is made by padding: the first token of a text is predicted by nothing.",
        "A row is padded on the left. Which column predicts its first token?",
        "Without padding you leave out the first token. With padding you count it.",
        "Ask also whether the column that predicts is real.",
    ),
    said(
        "predicts-padding",
        about_padding,
        "What is predicted at a token counts.",
        "You count each prediction that is made at a real token. On the right, the last of them is "
        "about padding.",
        "A row is padded on the right. What follows its last token?",
        "On the left your answer is right; on the right one too many is counted.",
        "Ask also whether the column that is predicted is real.",
    ),
    said(
        "nan-times-zero",
        times_zero,
        "What is multiplied by 0 is gone.",
        "You multiply by the mask. Where the model returned nan for padding, your total is nan, "
        "because nan times 0 is nan.",
        "What is `float('nan') * 0`?",
        "A mask that multiplies keeps nan and makes one of infinity.",
        "Choose with `torch.where` or `masked_fill`.",
    ),
    said(
        "mean-over-all-columns",
        over_all_columns,
        "All rows have as many predictions.",
        "Your totals are right. You divide all of them by n - 1, so a short text gets a mean "
        "too near to 0.",
        "How many tokens of a text of two are predicted?",
        "Each row has a divisor of its own.",
        "Divide by the number of predictions that count.",
    ),
    said(
        "mean-over-all-tokens",
        over_all_tokens,
        "A mean over a text divides by its tokens.",
        "Your totals are right. You divide by all tokens of a text, and the first one is not "
        "predicted: a text of two tokens has one prediction.",
        "How many numbers were added up for a text of two tokens?",
        "Divide by as many as you have added.",
        "That is one fewer than the text has tokens.",
    ),
    said(
        "mean-over-the-batch",
        over_the_batch,
        "One mean for the batch.",
        "Your means are all the same: that of all tokens of the batch. Each text has its own.",
        "Which shape has the mean?",
        "Sum over the columns only.",
        "Divide each total by its own count.",
    ),
    said(
        "zero-over-zero",
        divided_by_nothing,
        "Every text predicts something.",
        "The mean of your text of one token is nan. It is asked for as 0.",
        "How many predictions does a text of one token have?",
        "0 divided by 0 is nan.",
        "Divide by at least 1.",
    ),
    said(
        "mean-twice",
        the_mean_twice,
        "The log-probability of a text is its mean.",
        "Both of your outputs are the mean. The first is the log-probability of the whole text.",
        "Which of the two grows with the length of a text?",
        "The first output is a sum.",
        "Return the sum first.",
    ),
    said(
        "perplexity-for-the-mean",
        perplexity,
        "A mean per token is a perplexity.",
        "Your totals are right. Your second output is the perplexity, the exponential of minus the "
        "mean; the mean itself is asked for.",
        "Can a mean of log-probabilities be above 0?",
        "Perplexity is computed from the mean.",
        "Leave out the sign and the exponential.",
    ),
    said(
        "logarithm-of-the-mean",
        log_of_the_mean,
        "A mean may be taken before the logarithm.",
        "Your totals are right. Your second output is the logarithm of a mean probability, which "
        "is never below the mean of the logarithms.",
        "Two tokens have probabilities 1 and 1/4. What is the mean of their logarithms?",
        "The mean is that of the numbers that you have added up.",
        "Divide the total by their number.",
    ),
    said(
        "minus-infinity-in-a-sum",
        filled_with_infinity,
        "What is masked gets minus infinity.",
        "You put minus infinity where nothing counts, and add it up. That is for scores before a "
        "softmax; here a single column of padding makes the total minus infinity.",
        "Which number changes no sum?",
        "A softmax makes 0 of minus infinity, a sum does not.",
        "Put 0 there.",
    ),
    said(
        "padding-is-on-the-right",
        as_on_the_right,
        "A text of c tokens stands in the first c columns.",
        "You count the real tokens of a row and take the first columns. With padding on the left "
        "the text stands further on.",
        "In which columns does a text stand that is padded by two on the left?",
        "A number of tokens does not say where they are.",
        "Use `real` column by column.",
    ),
    said(
        "padding-is-on-the-left",
        as_on_the_left,
        "A text of c tokens stands in the last c columns.",
        "You count the real tokens of a row and take the last columns. With padding on the right "
        "the text ends before them.",
        "In which columns does a text stand that is padded by two on the right?",
        "A number of tokens does not say where they are.",
        "Use `real` column by column.",
    ),
    said(
        "one-too-few",
        a_token_too_few,
        "The first token is left out, and then the shift.",
        "You leave out two tokens of each text: the first, and once more the first of those that "
        "are predicted.",
        "How many predictions does a text of two tokens have?",
        "The shift leaves out the first token already.",
        "Leave out one.",
    ),
    said(
        "likeliest-tokens",
        likeliest,
        "A text is worth what its best tokens are.",
        "You add up the log-probabilities of the likeliest tokens, not those of the tokens that "
        "stand in the text: your answer does not depend on `tokens`.",
        "What changes in your answer when another text is given?",
        "Each token of the text is looked up in the row before it.",
        "Use `gather` with the tokens.",
    ),
    said(
        "exponential-overflows",
        exponential_overflows,
        "A softmax is exp over a sum of exps.",
        "You take the exponential of logits as they come. That of 2,000 is inf, and inf / inf is "
        "nan.",
        "What is `torch.tensor(2000.0).exp()`?",
        "A constant that is subtracted from a row of logits changes nothing.",
        "Use `log_softmax`, which subtracts the largest logit first.",
    ),
    said(
        "logarithm-of-a-share",
        log_of_a_share,
        "The logarithm undoes the exponential.",
        "You take the logarithm of a probability. One that is below the smallest float is 0 by "
        "then, and its logarithm minus infinity.",
        "What is `torch.tensor([0.0, 1500.0]).softmax(-1).log()`?",
        "The logarithm of a softmax can be had without the softmax.",
        "Use `log_softmax`.",
    ),
)
