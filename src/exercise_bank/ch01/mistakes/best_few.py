"""How 01.best_few goes wrong."""

from functools import partial

from exercise_bank.ch01.mistakes import best_few_code as code
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    Misconception(
        name="the-worst",
        answer=code.the_worst,
        believed="np.argsort puts the largest first.",
        says="With n = 1 your answer is the value of the key that matches worst.",
        hints=(
            "Which places does np.argsort([3, 1, 2]) give?",
            "It sorts upwards.",
            "Take the other end.",
        ),
    ),
    Misconception(
        name="the-first",
        answer=code.the_first,
        believed="The best n are the first n.",
        says="Your answer does not change when the cards behind the first n change.",
        hints=(
            "Are the cards sorted?",
            "The scores decide who stays.",
            "Find the places of the n largest scores.",
        ),
    ),
    Misconception(
        name="not-divided-again",
        answer=code.not_divided_again,
        believed="The weights that are left still sum to 1.",
        says="The weights that you keep sum to less than 1: the softmax ran over all keys, and "
        "the weight of those left out is lost.",
        hints=(
            "Put ones into value. What should come out?",
            "The chosen ones must share the whole unit.",
            "Choose before the softmax, or divide once more after it.",
        ),
    ),
    Misconception(
        name="score-zero",
        answer=code.score_zero,
        believed="A score of 0 takes a card out.",
        says="The keys that you drop still get a weight: their score is 0, and exp(0) is 1.",
        hints=(
            "Which score gives a weight of exactly 0?",
            "With scores -5, -6, -7, who wins after you have set one to 0?",
            "Leave them out of the softmax, or give them the score -np.inf.",
        ),
    ),
    Misconception(
        name="plain-average",
        answer=code.plain_average,
        believed="The best few count alike.",
        says="Your answer is the plain mean of the chosen values: among them a better match gets "
        "no more.",
        hints=(
            "Do two chosen keys with scores 5 and 1 count alike?",
            "Among the chosen, softmax still decides.",
            "Weigh the chosen values by the softmax of their scores.",
        ),
    ),
    Misconception(
        name="always-one",
        answer=code.always_one,
        believed="The best few means the best.",
        says="Your answer is the same for every n: the value of the best key alone.",
        hints=(
            "Which argument does your function never use?",
            "Try n = 2 with two equal keys.",
            "argmax gives one place; you need n.",
        ),
    ),
    Misconception(
        name="always-all",
        answer=code.always_all,
        believed="Small weights do not matter.",
        says="Your answer is the same for every n: all keys take part in it.",
        hints=(
            "Which argument does your function never use?",
            "Put a value of a million on the worst card.",
            "Choose n cards, then blend these.",
        ),
    ),
    Misconception(
        name="first-values",
        answer=code.first_values,
        believed="Sorted scores go with the first values.",
        says="Your weights go to the wrong values: those of the sorted scores meet the first n "
        "values in their old order.",
        hints=(
            "Which card does your largest weight multiply?",
            "np.sort forgets where each score came from.",
            "Keep the places, with np.argsort, and use them for scores and values.",
        ),
    ),
    Misconception(
        name="largest-in-size",
        answer=code.longest_keys,
        variants=(code.without_signs,),
        believed="A large score is one far from 0.",
        says="You also choose keys that point away from the query, because you rank the scores "
        "without their sign.",
        hints=(
            "Which of the scores 2 and -9 is the better match?",
            "A negative score is a bad match.",
            "Sort the scores as they are.",
        ),
    ),
    Misconception(
        name="one-too-many",
        answer=code.one_too_many,
        believed="The last index counts too.",
        says="Where n is smaller than the number of keys, you let n + 1 keys take part.",
        hints=(
            "With n = 1, how many values enter your answer?",
            "A slice ends before its end.",
            "Take the last n places of the order.",
        ),
    ),
    Misconception(
        name="one-too-few",
        answer=code.one_too_few,
        variants=(code.one_too_few_but_one, code.one_too_few_by_index),
        believed="The threshold lies above the n-th score.",
        says="With n above 1 you let n - 1 keys take part: the n-th best is left out, whatever the "
        "number of keys.",
        hints=(
            "With two keys and n = 2, how many enter your answer?",
            "The n-th best takes part: >=, not >.",
            "Keep scores from the n-th largest upwards.",
        ),
    ),
    Misconception(
        name="worst-out-of-all",
        answer=code.worst_of_all_out,
        variants=(code.worst_of_all_out_to_nan, code.worst_of_all_out_to_zero),
        believed="There is always a best score among those that stay out.",
        says="Where n is the number of keys, you leave out the worst key. If you compare with a "
        "threshold: either yours is the best score that stays out, and none stays out there; or it "
        "takes part itself, and > leaves it out.",
        hints=(
            "Which score stays out if n is the number of keys?",
            "Your threshold is then the score of a key that takes part.",
            "Compare with the worst score that takes part, by >=.",
        ),
    ),
    Misconception(
        name="none-of-all",
        answer=code.threshold_wraps,
        variants=(code.threshold_wraps_to_nan,),
        believed="There is always a best score among those that stay out.",
        says="Where n is the number of keys, no key takes part in your answer. Either your "
        "threshold is the best score that is left out, and there none is left out; or a slice from "
        "-0 on drops all keys.",
        hints=(
            "Which score stays out if n is the number of keys?",
            "In Python the index -1 is the last place, and a slice from -0 on holds every place.",
            "Compare with the worst score that takes part, by >=.",
        ),
    ),
    Misconception(
        name="scaled-as-well",
        answer=code.scaled_as_well,
        believed="Scores are divided by the root of the width.",
        says="You divide the scores by the root of the width, or by the length of the query, which "
        "is the same number here. With keys wider than 1 this makes your weights too even.",
        hints=(
            "With keys of width 1 your divisor changes nothing. What is 1 there?",
            "The task has the plain dot product.",
            "Leave the division out.",
        ),
    ),
    Misconception(
        name="weights-of-scores",
        answer=code.weights_of_scores,
        believed="Shares are scores divided by their sum.",
        says="You divide the scores by their sum, without the exponential.",
        hints=(
            "What happens where scores have both signs?",
            "A softmax takes exponentials first.",
            "Use np.exp.",
        ),
    ),
    Misconception(
        name="not-normalised",
        answer=code.not_normalised,
        believed="Exponentials are weights.",
        says="The exponentials of your chosen keys are not divided by their sum: with n = 1 "
        "your answer is not the best value.",
        hints=(
            "With n = 1, which weight should the best key have?",
            "Weights sum to 1.",
            "Divide by the sum over the chosen.",
        ),
    ),
    Misconception(
        name="values-by-rank",
        answer=code.values_sorted,
        believed="Values follow their own order.",
        says="The largest values are averaged, not those of the best keys.",
        hints=(
            "Change the values only. Should other keys be chosen?",
            "Keys decide, values follow.",
            "Index values with the places of the best scores.",
        ),
    ),
    Misconception(
        name="summed-not-shared",
        answer=code.divided_by_n,
        believed="n keys share, so divide by n.",
        says="You divide by n and not by the sum of the exponentials, so the weights do not "
        "sum to 1.",
        hints=(
            "Put ones into value. Is your answer 1?",
            "Weights are shares of their sum.",
            "Divide by the sum of the chosen exponentials.",
        ),
    ),
    Misconception(
        name="nearest-keys",
        answer=code.nearest_keys,
        variants=(code.nearest_by_distance,),
        believed="The nearest keys match best.",
        says="You choose the n keys that lie nearest to the query. The task ranks the keys by "
        "their dot product with it.",
        hints=(
            "Which key wins for the query (1): 1 or 2?",
            "A dot product grows with the length of the key.",
            "Sort key @ query.",
        ),
    ),
    Misconception(
        name="averages-the-keys",
        answer=code.averages_the_keys,
        believed="A query gets back the keys.",
        says="You average the keys that you choose. The answer is an average of their values.",
        hints=(
            "Which argument does your function never use?",
            "How wide is a value, and how wide is your answer?",
            "Look at the right-hand side of your last product.",
        ),
    ),
    Misconception(
        name="the-nth-best-alone",
        answer=code.nth_best_only,
        believed="n is the rank of the key to choose.",
        says="You return the value of a single key, the n-th best. The n best keys are to share "
        "the weight.",
        hints=(
            "With n = 2, how many values enter your answer?",
            "A slice takes several places, an index takes one.",
            "Take the last n places of the order.",
        ),
    ),
    Misconception(
        name="softmax-twice",
        answer=code.softmax_twice,
        believed="The weights of the best are the scores of a new softmax.",
        says="You take the exponentials of weights. The best n share in proportion to the "
        "exponentials of their scores, and one exponential is enough.",
        hints=(
            "Two scores differ by 5. How much do their weights differ at most, and what is the "
            "ratio of the exponentials of those?",
            "Divide the n weights by their sum, or begin again with the n scores.",
        ),
    ),
    Misconception(
        name="a-low-score",
        answer=code.hidden_below_0,
        variants=(
            partial(code.hidden_below_0, low=-10.0),
            partial(code.hidden_below_0, low=-5.0),
            partial(code.hidden_below_0, low=-2.0),
        ),
        believed="A negative score gives no weight.",
        says="The keys that you drop still get a weight: you give them a low score, and the "
        "exponential of any number is above 0.",
        hints=(
            "What is exp(-1), and what exp(-10)?",
            "Which score has an exponential of exactly 0?",
            "Leave these keys out, or give them the score -inf.",
        ),
    ),
)
