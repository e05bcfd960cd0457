"""How 14.top_p goes wrong."""

from collections.abc import Callable
from functools import partial

from torch import Tensor

from exercise_bank.ch14.mistakes.top_p_code import (
    at_least_p,
    each_on_the_whole,
    evenly,
    exponential_overflows,
    first_row_for_all,
    from_the_unlikeliest,
    in_the_order_of_the_vocabulary,
    k_ignored,
    k_likeliest_at_least,
    k_out_of_range,
    largest_of_the_batch,
    mask_in_order_of_size,
    min_p_absolute,
    min_p_first,
    min_p_ignored,
    min_p_without_the_temperature,
    more_than_min_p,
    multiplied,
    no_minus_infinity,
    none_may_be_left,
    not_renormalised,
    of_shares,
    of_the_sum_of_the_batch,
    one_too_many,
    over_the_batch,
    p_ignored,
    softmax_of_shares,
    sorted_out,
    tail_of_one_cut,
    temperature_last,
    ties_cut,
    ties_of_k_cut,
    ties_of_p_cut,
    without_the_crossing,
    zeros_for_the_others,
)
from exercise_bank.skills import said


def finitely(answer: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Write -1e9 for minus infinity: where every token is out, a row is even instead of nan."""
    return partial(answer, out=-1e9)


def but_the_likeliest(answer: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Let the likeliest token in, whatever its share."""
    return partial(answer, best=True)


MISCONCEPTIONS = (
    said(
        "multiplied-by-the-temperature",
        multiplied,
        "A high temperature makes logits large.",
        "You multiply by the temperature, so a high one makes the likeliest token likelier still. "
        "A high temperature flattens.",
        "Which of 0.5 and 2 should make the draws bolder?",
        "As the temperature goes to 0, the draw becomes greedy.",
        "Divide.",
    ),
    said(
        "temperature-last",
        temperature_last,
        "First the tokens are chosen, then their shares are spread.",
        "You apply the temperature when the tokens have been chosen. It changes what they hold "
        "together, so p lets other tokens in when it comes first.",
        "With a temperature of 0.5, how much do the two likeliest of your tokens hold?",
        "The order is temperature, k, p, min_p.",
        "Divide the logits before anything else.",
    ),
    said(
        "shares-divided",
        of_shares,
        "Temperature divides probabilities.",
        "Your temperature has no effect. Perhaps you left it out, or divided shares by it: "
        "those that are all divided by the same number, and then by their sum, are what they were.",
        "What do you get with a temperature of 2, and what with 1?",
        "Temperature acts before the softmax.",
        "Divide the logits.",
    ),
    said(
        "softmax-twice",
        softmax_of_shares,
        "What a softmax is taken of does not matter.",
        "You take a softmax of probabilities. These lie between 0 and 1, so that even the "
        "unlikeliest token keeps a large share.",
        "What is the softmax of 0.9 and 0.1?",
        "A softmax turns logits into shares, once.",
        "Divide the logits by the temperature, not the shares.",
    ),
    said(
        "p-of-the-whole",
        each_on_the_whole,
        "A token is let in if each rule lets it in.",
        "Your p counts the shares of all tokens, as if it came before k or beside it. After k, the "
        "tokens that are left share the whole among them, and fewer of them reach p.",
        "Two tokens of shares 0.4 and 0.3 are left after k. What is the share of the first now?",
        "A rule works on what the one before has left: temperature, k, p, min_p.",
        "Set the logits that k shuts out to minus infinity before you compute the shares for p.",
    ),
    said(
        "min-p-first",
        min_p_first,
        "min_p may come at any time.",
        "You apply min_p before p. Which tokens min_p lets in is the same then, but the shares "
        "that p counts are larger, so p lets fewer in.",
        "What do the tokens that min_p leaves hold together?",
        "The order is temperature, k, p, min_p.",
        "Apply min_p last.",
    ),
    said(
        "without-the-one-that-crosses",
        without_the_crossing,
        "The tokens must not hold more than p.",
        "You leave out the token with which p is reached (but never the first one). What you let "
        "in holds less than p.",
        "With shares 0.5, 0.3, 0.2 and p = 0.6, how much do your tokens hold?",
        "The fewest that reach p hold p or more.",
        "Ask what the tokens *before* one hold, without itself.",
    ),
    said(
        "none-may-be-left",
        none_may_be_left,
        "A token is out when the sum up to it passes p.",
        "You shut out the token with which p is reached. Where the first token has more than p by "
        "itself, nothing is left, and the shares are nan.",
        "With shares 0.7, 0.2, 0.1 and p = 0.6, which tokens do you let in?",
        "The running sum of a token contains the token.",
        "Ask what the tokens before one hold, without itself.",
    ),
    said(
        "one-too-many",
        one_too_many,
        "The first token behind p is let in as well.",
        "You let one token more in than p needs: those before it had reached p.",
        "With shares 0.5, 0.3, 0.2 and p = 0.6, which tokens do you let in?",
        "A token is let in if those before it hold less than p.",
        "Move your border by one.",
    ),
    said(
        "each-has-p",
        at_least_p,
        "p is the least probability of a token.",
        "You compare the share of each token by itself with p. The shares of several tokens "
        "together are to reach p.",
        "With shares 0.5, 0.3, 0.2 and p = 0.6, which token has a share of 0.6?",
        "p is about a sum, from the likeliest on.",
        "Sort, and take a running sum.",
        variants=(finitely(at_least_p), but_the_likeliest(at_least_p)),
    ),
    said(
        "p-ignored",
        p_ignored,
        "k says enough.",
        "Your output does not depend on p.",
        "With shares 0.5, 0.3, 0.2 and p = 0.6, which tokens do you let in?",
        "p comes after k.",
        "Sort what is left, take a running sum, and find where it reaches p.",
    ),
    said(
        "min-p-ignored",
        min_p_ignored,
        "p says enough.",
        "Your output does not depend on min_p.",
        "With shares 0.5, 0.3, 0.2 and min_p = 0.5, which tokens do you let in?",
        "min_p comes last.",
        "Compare each share with min_p times the largest one of its row.",
    ),
    said(
        "min-p-absolute",
        min_p_absolute,
        "min_p is the least probability of a token.",
        "You compare shares with min_p itself. It is a share of the largest probability: with "
        "many tokens left, nothing may be as large as min_p.",
        "With shares 0.5, 0.3, 0.2 and min_p = 0.5, what is the least share that is let in?",
        "The likeliest token is always let in.",
        "Multiply min_p by the largest share of the row.",
        variants=(finitely(min_p_absolute), but_the_likeliest(min_p_absolute)),
    ),
    said(
        "not-renormalised",
        not_renormalised,
        "What is shut out is gone.",
        "You let the right tokens in, and keep the shares that they had. They no longer sum to 1.",
        "What does a row of your output sum to?",
        "What was shut out is shared among the others.",
        "Divide each row by its sum at the end.",
    ),
    said(
        "left-in-order-of-size",
        sorted_out,
        "The order of the tokens does not matter.",
        "Your probabilities are right, but the largest of each row comes first. Column x "
        "of the output belongs to token x.",
        "Which token does the first column of your output stand for?",
        "Sorting is needed only to find a border.",
        "Compare the logits, in their own order, with the least logit that is let in.",
    ),
    said(
        "ties-of-k-cut",
        ties_of_k_cut,
        "k is exact.",
        "You let in exactly k tokens. Where others are as likely as the last of them, which of "
        "them you take hangs on their numbers in the vocabulary.",
        "For the logits 1, 0, 1 and k = 1, which token do you take, and why not the other?",
        "The k-th largest logit is a border.",
        "Let in whatever is not below it.",
        kind="corner",
    ),
    said(
        "ties-of-p-cut",
        ties_of_p_cut,
        "The fewest is the fewest.",
        "With p you let in as many as are needed. Where others are as likely as the last "
        "of them, which of them you take hangs on the sort.",
        "For the shares 0.3, 0.3, 0.3, 0.1 and p = 0.4, which two do you take?",
        "The least logit that p needs is a border.",
        "Let in whatever is not below it.",
        kind="corner",
    ),
    said(
        "ties-cut",
        ties_cut,
        "A place in the sorted row decides.",
        "You cut by rank, with k and with p. Of tokens that are equally likely you let some in "
        "and shut others out, by the order in which the sort leaves them.",
        "For the logits 1, 0, 1 and k = 1, which token do you take, and why not the other?",
        "The last token that is let in gives a border.",
        "Let in whatever is not below it.",
        kind="corner",
    ),
    said(
        "k-out-of-range",
        k_out_of_range,
        "k is at most the size of the vocabulary.",
        "Your function fails where k is larger than v: `topk` cannot return more tokens than "
        "there are.",
        "How many tokens should k = 9 let in when there are 3?",
        "If k is larger than v, all stay.",
        "Take the smaller of k and v.",
        kind="corner",
    ),
    said(
        "first-row-for-all",
        first_row_for_all,
        "One choice serves the batch.",
        "You let the same tokens in for all rows: those of row 0.",
        "Which tokens does your second row let in?",
        "Each row has its own border.",
        "Keep the axis of the batch in your comparison.",
    ),
    said(
        "either-rule",
        k_likeliest_at_least,
        "One of the rules is enough.",
        "You let a token in if k or p lets it in. Both have to.",
        "With p = 1, which tokens does k = 2 let in, and which do you?",
        "Each rule takes tokens away.",
        "Apply p to what k has left.",
    ),
    said(
        "more-than-min-p",
        more_than_min_p,
        "A token needs more than min_p times the largest.",
        "You shut out tokens that are exactly min_p times as likely as the likeliest. With "
        "min_p = 1 that is the likeliest itself: every token of the row is shut out.",
        "Which tokens does min_p = 1 let in?",
        "At least means that the border is inside.",
        "Shut out only what is below it.",
        variants=(finitely(more_than_min_p),),
        kind="form",
    ),
    said(
        "min-p-without-the-temperature",
        min_p_without_the_temperature,
        "min_p is about the logits as they came.",
        "Your min_p compares probabilities from before the temperature. With a temperature of 2 "
        "the ratio of two tokens becomes its square root.",
        "Two logits differ by 2. What is the ratio of their shares with a temperature of 2?",
        "Each rule works on what the one before has left, and the temperature comes first.",
        "Use the divided logits.",
    ),
    said(
        "zeros-before-the-softmax",
        zeros_for_the_others,
        "A logit of 0 is no probability.",
        "You set the logits of what is shut out to 0 before the softmax, which gives them a share, "
        "and perhaps a large one.",
        "What is the exponential of 0?",
        "The logit of an impossible token is minus infinity.",
        "Put minus infinity in place of 0, or zeros behind the softmax, and divide by the sum.",
    ),
    said(
        "softmax-over-the-batch",
        over_the_batch,
        "The axis of the softmax does not matter.",
        "Your softmax runs over the rows of the batch: each column sums to 1, instead of each row.",
        "What do the probabilities of one row sum to?",
        "The last axis is the vocabulary.",
        "Take the softmax over the last axis.",
    ),
    said(
        "k-ignored",
        k_ignored,
        "p says enough.",
        "Your output does not depend on k.",
        "With shares 0.5, 0.3, 0.2, k = 1 and p = 1, which tokens do you let in?",
        "k comes after the temperature.",
        "Shut out what is below the k-th largest logit of its row.",
    ),
    said(
        "from-the-unlikeliest",
        from_the_unlikeliest,
        "A sort puts the likeliest first.",
        "Your running sum begins with the unlikeliest token, so p keeps the tail and shuts "
        "out the likeliest.",
        "Does `sort` put the largest first or last?",
        "The likeliest token is always let in.",
        "Sort with `descending=True`.",
    ),
    said(
        "evenly",
        evenly,
        "What is let in is drawn from.",
        "You let the right tokens in, and give all of them the same probability.",
        "Two tokens of shares 0.6 and 0.2 are left. How often does each come?",
        "What is left keeps its proportions.",
        "Divide the shares of what is left by their sum.",
    ),
    said(
        "zero-times-infinity",
        no_minus_infinity,
        "Infinity times False is nothing.",
        "Your output is nan: you multiply a mask by infinity, and 0 times infinity is nan.",
        "What is `0 * float('inf')`?",
        "A mask chooses; it should not multiply.",
        "Use `masked_fill` or `torch.where`.",
    ),
    said(
        "mask-in-order-of-size",
        mask_in_order_of_size,
        "A mask fits the row that it was made from, in any order.",
        "You find what p lets in on the sorted row, and apply the mask to the row as it came: "
        "the tokens are cut by their number, not by their share.",
        "Which token does the first place of a sorted row stand for?",
        "Sorting is needed only to find a border.",
        "Compare the logits, in their own order, with the least logit that is let in.",
    ),
    said(
        "in-the-order-of-the-vocabulary",
        in_the_order_of_the_vocabulary,
        "A running sum adds what comes next.",
        "For p you add up shares in the order of the vocabulary, so tokens with small numbers are "
        "let in, however unlikely.",
        "Which token of a row is the first to be let in?",
        "The fewest tokens that reach p are the likeliest ones.",
        "Sort the shares before you add them up.",
    ),
    said(
        "share-of-the-batch",
        of_the_sum_of_the_batch,
        "`sum()` is the sum of a row.",
        "The shares that p counts are divided by the sum over all rows, so a batch of three rows "
        "never holds more than 1/3 in a row.",
        "What do the shares of one row sum to?",
        "Each row has its own sum.",
        "Sum over the last axis, with `keepdim=True`.",
    ),
    said(
        "largest-of-the-batch",
        largest_of_the_batch,
        "`max()` is the largest of a row.",
        "You compare with the largest share of the whole batch. A row that is less sure than "
        "another loses tokens, perhaps all of them.",
        "What is the largest share of each row?",
        "Each row has its own likeliest token.",
        "Use `amax(dim=-1, keepdim=True)`.",
        kind="form",
    ),
    said(
        "exponential-overflows",
        exponential_overflows,
        "A softmax is exp over a sum of exps.",
        "You take the exponential of logits as they come. That of 2,000 is inf, and inf / inf is "
        "nan.",
        "What is `torch.tensor(2000.0).exp()`?",
        "A constant that is subtracted from a row of logits changes nothing.",
        "Subtract the largest logit of each row first, or use `softmax`.",
        kind="corner",
    ),
    said(
        "tail-of-one-cut",
        tail_of_one_cut,
        "A running sum reaches 1 at its end.",
        "With p = 1 you shut out unlikely tokens. Floating-point numbers have a last digit: your "
        "running sum has reached 1 before the tail, whose shares are too small to change it.",
        "What is `1 + 1e-20`?",
        "With p = 1 and min_p = 0 the rules shut nothing out.",
        "Leave the rule out where p is 1.",
        kind="corner",
    ),
)
