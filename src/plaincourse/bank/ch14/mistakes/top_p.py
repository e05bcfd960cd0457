"""How 14.top_p goes wrong."""

import torch
from torch import Tensor

from plaincourse.exercise import Misconception


def likeliest(logits: Tensor, k: int) -> Tensor:
    """Shut out what is below the k-th largest."""
    border = logits.topk(min(k, logits.shape[-1]), dim=-1).values[:, -1:]
    return logits.masked_fill(logits < border, -torch.inf)


def reaching(logits: Tensor, p: float, *, more: int = 0) -> Tensor:
    """Shut out what is behind the share p; ``more`` moves the border by as many tokens."""
    falling = logits.sort(dim=-1, descending=True).values
    shares = falling.softmax(dim=-1)
    needed = ((shares.cumsum(dim=-1) - shares) < p).sum(dim=-1, keepdim=True)
    last = (needed - 1 + more).clamp(0, logits.shape[-1] - 1)
    return logits.masked_fill(logits < falling.gather(-1, last), -torch.inf)


def near_the_top(logits: Tensor, min_p: float) -> Tensor:
    """Shut out what has less than a share of the largest probability."""
    shares = logits.softmax(dim=-1)
    return logits.masked_fill(shares < min_p * shares.amax(dim=-1, keepdim=True), -torch.inf)


def multiplied(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = reaching(likeliest(logits * temperature, k), p)
    return near_the_top(logits, min_p).softmax(dim=-1)


def temperature_last(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = near_the_top(reaching(likeliest(logits, k), p), min_p)
    return (logits / temperature).softmax(dim=-1)


def of_shares(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    shares = logits.softmax(dim=-1) / temperature
    shares = shares / shares.sum(dim=-1, keepdim=True)
    logits = reaching(likeliest(shares.log(), k), p)
    return near_the_top(logits, min_p).softmax(dim=-1)


def softmax_of_shares(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = logits.softmax(dim=-1) / temperature
    logits = reaching(likeliest(logits, k), p)
    return near_the_top(logits, min_p).softmax(dim=-1)


def each_on_the_whole(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = logits / temperature
    inside = likeliest(logits, k).isfinite() & reaching(logits, p).isfinite()
    inside = inside & near_the_top(logits, min_p).isfinite()
    return logits.masked_fill(~inside, -torch.inf).softmax(dim=-1)


def min_p_first(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = likeliest(near_the_top(logits / temperature, min_p), k)
    return reaching(logits, p).softmax(dim=-1)


def without_the_crossing(
    logits: Tensor, temperature: float, k: int, p: float, min_p: float
) -> Tensor:
    logits = likeliest(logits / temperature, k)
    if p < 1:
        logits = reaching(logits, p, more=-1)
    return near_the_top(logits, min_p).softmax(dim=-1)


def none_may_be_left(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = likeliest(logits / temperature, k)
    falling, order = logits.sort(dim=-1, descending=True)
    outside = falling.softmax(dim=-1).cumsum(dim=-1) > p
    outside = torch.zeros_like(outside).scatter(-1, order, outside)
    return near_the_top(logits.masked_fill(outside, -torch.inf), min_p).softmax(dim=-1)


def one_too_many(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = reaching(likeliest(logits / temperature, k), p, more=1)
    return near_the_top(logits, min_p).softmax(dim=-1)


def at_least_p(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = likeliest(logits / temperature, k)
    shares = logits.softmax(dim=-1)
    if p < 1:
        logits = logits.masked_fill(shares < p, -torch.inf)
    return near_the_top(logits, min_p).softmax(dim=-1)


def p_ignored(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    return near_the_top(likeliest(logits / temperature, k), min_p).softmax(dim=-1)


def min_p_ignored(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    return reaching(likeliest(logits / temperature, k), p).softmax(dim=-1)


def min_p_absolute(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = reaching(likeliest(logits / temperature, k), p)
    shares = logits.softmax(dim=-1)
    return logits.masked_fill(shares < min_p, -torch.inf).softmax(dim=-1)


def not_renormalised(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = logits / temperature
    inside = near_the_top(reaching(likeliest(logits, k), p), min_p) > -torch.inf
    return logits.softmax(dim=-1) * inside


def sorted_out(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = logits.sort(dim=-1, descending=True).values
    logits = reaching(likeliest(logits / temperature, k), p)
    return near_the_top(logits, min_p).softmax(dim=-1)


def ties_of_k_cut(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = logits / temperature
    order = logits.topk(min(k, logits.shape[-1]), dim=-1).indices
    outside = torch.ones_like(logits, dtype=torch.bool).scatter(-1, order, False)
    logits = reaching(logits.masked_fill(outside, -torch.inf), p)
    return near_the_top(logits, min_p).softmax(dim=-1)


def k_out_of_range(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = logits / temperature
    border = logits.topk(k, dim=-1).values[:, -1:]
    logits = reaching(logits.masked_fill(logits < border, -torch.inf), p)
    return near_the_top(logits, min_p).softmax(dim=-1)


def by_rank(logits: Tensor, p: float) -> Tensor:
    """Shut out what is behind the share p in the order of the sort."""
    falling, order = logits.sort(dim=-1, descending=True, stable=True)
    shares = falling.softmax(dim=-1)
    outside = (shares.cumsum(dim=-1) - shares) >= p
    outside = torch.zeros_like(outside).scatter(-1, order, outside)
    return logits.masked_fill(outside, -torch.inf)


def ties_of_p_cut(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = by_rank(likeliest(logits / temperature, k), p)
    return near_the_top(logits, min_p).softmax(dim=-1)


def ties_cut(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = logits / temperature
    order = logits.argsort(dim=-1, descending=True, stable=True)[:, :k]
    outside = torch.ones_like(logits, dtype=torch.bool).scatter(-1, order, False)
    logits = by_rank(logits.masked_fill(outside, -torch.inf), p)
    return near_the_top(logits, min_p).softmax(dim=-1)


def first_row_for_all(logits: Tensor, temperature: float, k: int, p: float, min_p: float) -> Tensor:
    logits = logits / temperature
    inside = near_the_top(reaching(likeliest(logits, k), p), min_p) > -torch.inf
    return logits.masked_fill(~inside[:1], -torch.inf).softmax(dim=-1)


def k_likeliest_at_least(
    logits: Tensor, temperature: float, k: int, p: float, min_p: float
) -> Tensor:
    logits = logits / temperature
    kept_by_p = reaching(logits, p)
    inside = (likeliest(logits, k) > -torch.inf) | (kept_by_p > -torch.inf)
    logits = logits.masked_fill(~inside, -torch.inf)
    return near_the_top(logits, min_p).softmax(dim=-1)


def said(name: str, answer: object, believed: str, says: str, *hints: str) -> Misconception:
    return Misconception(name=name, answer=answer, believed=believed, says=says, hints=hints)


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
        "Your temperature has no effect: shares that are all divided by the same number, and then "
        "by their sum, are what they were.",
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
        "You let in the tokens whose own share is p or more. The shares of several tokens together "
        "are to reach p.",
        "With shares 0.5, 0.3, 0.2 and p = 0.6, which token has a share of 0.6?",
        "p is about a sum, from the likeliest on.",
        "Sort, and take a running sum.",
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
)
