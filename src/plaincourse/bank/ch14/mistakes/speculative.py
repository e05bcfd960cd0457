"""How 14.speculative goes wrong."""

from plaincourse.bank.ch14.mistakes.speculative_code import (
    absolute,
    bonus_of_the_row_before,
    drawn_from_p,
    drawn_from_q,
    goes_on,
    guess_after_all,
    keeps_all,
    keeps_at_zero,
    keeps_by_p,
    keeps_if_larger,
    keeps_the_likeliest,
    keeps_the_refused,
    likeliest_bonus,
    likeliest_of_the_rest,
    next_row,
    no_bonus,
    not_clipped,
    nothing_for_a_refused,
    other_way,
    ratio_upside_down,
    residual_not_scaled,
    same_number_twice,
    softmax_of_the_rest,
    without_the_guess,
)
from plaincourse.exercise import Misconception


def said(name: str, answer: object, believed: str, says: str, *hints: str) -> Misconception:
    return Misconception(name=name, answer=answer, believed=believed, says=says, hints=hints)


MISCONCEPTIONS = (
    said(
        "keeps-all",
        keeps_all,
        "The draft is good enough.",
        "You keep every guess. Your tokens are then distributed as the draft's.",
        "A guess has p = 0 and q = 0.5. How often may it come?",
        "A guess that the draft makes too often is kept with probability p/q.",
        "Compare its number with p/q.",
    ),
    said(
        "keeps-by-p",
        keeps_by_p,
        "A guess is kept as often as the model would draw it.",
        "You keep a guess with probability p. The draft has drawn it with q already: together "
        "that is p · q, too seldom.",
        "Where p and q are equal, how often should a guess be kept?",
        "Drawn with q and kept with p/q gives p.",
        "Divide by q.",
    ),
    said(
        "ratio-upside-down",
        ratio_upside_down,
        "The ratio is q/p.",
        "You keep a guess with probability q/p: always where the draft makes it too often, and "
        "sometimes where it makes it too seldom.",
        "A guess has p = 0. How often do you keep it?",
        "Drawn with q and kept with p/q gives p.",
        "Exchange p and q.",
    ),
    said(
        "keeps-the-refused",
        keeps_the_refused,
        "A number above the ratio keeps.",
        "You keep the guesses that are to be refused, and refuse those that are to be kept.",
        "A guess has p = q. Which numbers keep it?",
        "A number is below p/q with probability p/q.",
        "Turn your comparison round.",
    ),
    said(
        "no-chance",
        keeps_if_larger,
        "A guess is kept if the model likes it more than the draft does.",
        "You keep a guess where p is at least q, and refuse it otherwise: your decisions do not "
        "depend on its number.",
        "A guess has p = 0.4 and q = 0.5. How often is it kept?",
        "Where p is below q, chance decides.",
        "Compare the number with p/q.",
    ),
    said(
        "greedy",
        keeps_the_likeliest,
        "The model's token is the likeliest.",
        "Your tokens are the model's likeliest ones, and chance has no part. That is right for "
        "temperature 0 only, where p has one token.",
        "Which tokens have p above 0 and never come?",
        "A guess that is not the likeliest may be kept as well.",
        "Compare the number with p/q; draw the last token by its number.",
    ),
    said(
        "keeps-the-impossible",
        keeps_at_zero,
        "At the border a guess is kept.",
        "You keep a guess where its number equals p/q. With p = 0 and a number of 0 that is a "
        "token which the model never draws.",
        "What does `<=` make of 0 and 0?",
        "The number is to be *below* p/q.",
        "Leave the border out.",
    ),
    said(
        "replaced-from-p",
        drawn_from_p,
        "In place of a refused guess the model draws.",
        "You replace a refused guess by a draw from p. The tokens that the draft guesses "
        "too often got their whole share from kept guesses; now they get more.",
        "A guess is refused because the draft makes it too often. May the same token replace it?",
        "What is still missing when guesses have been kept is p - q, where that is above 0.",
        "Draw from it in place of p.",
    ),
    said(
        "replaced-from-q",
        drawn_from_q,
        "The draft guesses once more.",
        "You replace a refused guess by a draw from q, so the tokens that the draft neglects stay "
        "neglected.",
        "Which tokens does the draft guess too seldom?",
        "What is still missing when guesses have been kept is p - q, where that is above 0.",
        "Draw from it in place of q.",
    ),
    said(
        "not-clipped",
        not_clipped,
        "The difference is what is missing.",
        "Your residual has negative numbers: the running sum of p - q falls, and ends at 0.",
        "What is the sum of all p - q?",
        "Where the draft guesses a token too often, nothing of it is missing.",
        "Put 0 in place of what is negative.",
    ),
    said(
        "absolute-difference",
        absolute,
        "The distance is what is missing.",
        "Your residual is the absolute difference, so tokens that the draft guesses too often "
        "replace guesses as well.",
        "A guess is refused because the draft makes it too often. May the same token replace it?",
        "Where p is below q, nothing is missing.",
        "Put 0 in place of what is negative.",
    ),
    said(
        "residual-the-other-way",
        other_way,
        "What the draft has too much is what is missing.",
        "Your residual is q - p where that is above 0: you replace a refused guess by the tokens "
        "that the draft makes too often.",
        "Which tokens are missing when guesses have been kept?",
        "Those with p above q.",
        "Exchange p and q.",
    ),
    said(
        "residual-not-scaled",
        residual_not_scaled,
        "The residual is a distribution.",
        "You compare the number with a running sum that ends below 1. All numbers above its end "
        "give your last token.",
        "What does the residual sum to?",
        "The running sum is to be that of shares.",
        "Divide the residual by its sum.",
    ),
    said(
        "all-but-the-guess",
        without_the_guess,
        "Anything else may replace a refused guess.",
        "You replace a refused guess by a draw from p without that guess. Other tokens "
        "that the draft makes too often may come, though nothing of them is missing.",
        "Two tokens have p below q. One is refused. May the other replace it?",
        "That is right only where the draft was certain.",
        "Draw from p - q, with 0 where that is negative.",
    ),
    said(
        "softmax-of-the-rest",
        softmax_of_the_rest,
        "A softmax makes shares of anything.",
        "You take a softmax of p - q. It gives every token a share, and those of negative "
        "difference too.",
        "What is the share of a token whose difference is negative?",
        "The residual is not made of logits.",
        "Put 0 in place of what is negative, and divide by the sum.",
    ),
    said(
        "likeliest-of-the-rest",
        likeliest_of_the_rest,
        "What is missing most comes.",
        "You replace a refused guess by the token that is missing most, whatever the last number.",
        "Which other tokens have p above q?",
        "The last number decides.",
        "Draw from the residual as you draw the last token.",
    ),
    said(
        "same-number-twice",
        same_number_twice,
        "Each guess has its number.",
        "You draw the replacement by the number that refused the guess. Such a number is never "
        "small, so the tokens with small numbers come too seldom.",
        "A guess has p/q = 0.9 and is refused. Which numbers can it have had?",
        "The last number of `uniform` is there for the last token.",
        "Draw by it.",
    ),
    said(
        "bonus-from-the-row-before",
        bonus_of_the_row_before,
        "The last row is the last guess's.",
        "Behind n kept guesses you draw from p[n - 1]. That row speaks of the last guess; the "
        "one of the token behind it is p[n].",
        "How many rows have p and q?",
        "p[i] is about guess i.",
        "Take the row that no guess belongs to.",
    ),
    said(
        "no-bonus",
        no_bonus,
        "A round gives as many tokens as were guessed.",
        "Where all guesses are kept, your round lacks its last token. The model has read them all, "
        "so it has said what follows.",
        "p has one row more than q. What is it for?",
        "Every round ends with a token of the model's own.",
        "Draw one more, from p[n].",
    ),
    said(
        "likeliest-bonus",
        likeliest_bonus,
        "The bonus is the likeliest token.",
        "Behind kept guesses your last token is the likeliest one, whatever the last number.",
        "How often should the second likeliest come?",
        "The last number decides.",
        "Draw it as you draw in place of a refused guess.",
    ),
    said(
        "no-replacement",
        nothing_for_a_refused,
        "A refused guess ends the round.",
        "Where a guess is refused your round ends before it. A round whose first guess is refused "
        "gives nothing, and the tokens that come are too often the draft's.",
        "What follows if the first guess is refused, round after round?",
        "Every round ends with a token of the model's own.",
        "Draw one from the residual.",
    ),
    said(
        "goes-on-behind-a-refusal",
        goes_on,
        "Each guess is judged for itself.",
        "You go on behind a refused guess. The next one was guessed for a text in which the "
        "refused one stands.",
        "Which token did the draft see before its second guess?",
        "What replaces a guess is the last token of the round.",
        "Return as soon as a guess is refused.",
    ),
    said(
        "replaced-from-the-next-row",
        next_row,
        "The model goes on with its next row.",
        "You replace refused guess i by a draw from p[i + 1]. That row is about the token behind "
        "the guess, in a text that holds it.",
        "Which place in the text does the new token take?",
        "It takes the place of the guess.",
        "Draw from what p[i] has and q[i] lacks.",
    ),
    said(
        "guess-and-replacement",
        guess_after_all,
        "The model's token comes behind the guess.",
        "Your round holds the refused guess, and what replaces it behind it.",
        "How many tokens has a round whose first guess is refused?",
        "A refused guess does not come.",
        "Leave it out.",
    ),
)
