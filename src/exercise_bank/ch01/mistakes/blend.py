"""How 01.blend goes wrong."""

from exercise_bank.ch01.mistakes import blend_code as code
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    Misconception(
        name="multiplies",
        answer=code.multiplies,
        believed="A higher temperature makes the weights sharper.",
        says="You multiply the scores by the temperature. A higher temperature then moves your "
        "answer towards the best match, and it should move it towards the plain average.",
        hints=(
            "At a very high temperature the blend should be the plain average. Is yours?",
            "Look at your step before np.exp: how does it change the scores?",
            "Differences of scores must become smaller as the temperature grows.",
        ),
    ),
    Misconception(
        name="ignores-temperature",
        answer=code.ignores_temperature,
        believed="The temperature is only for sampling.",
        says="Your answer is the same at every temperature. Either you do not use the temperature, "
        "or it cancels when the exponentials are divided by their sum.",
        hints=(
            "Call your function with temperature=0.1 and temperature=100. What should differ?",
            "The temperature acts on the scores.",
            "It acts before the exponential, on all scores alike.",
        ),
    ),
    Misconception(
        name="cools-the-weights",
        answer=code.cools_the_weights,
        believed="The weights are divided by the temperature.",
        says="You divide the weights by the temperature, so they no longer sum to 1. The scores "
        "are to be divided by it, before the exponential.",
        hints=(
            "What do your weights sum to at temperature 2?",
            "Whatever is divided before the softmax leaves the sum at 1.",
            "Move the temperature in front of np.exp.",
        ),
    ),
    Misconception(
        name="cools-twice",
        answer=code.cools_twice,
        believed="Query and key are both divided by the temperature.",
        says="You divide by the temperature twice: your weights are those of the temperature "
        "squared.",
        hints=(
            "By how much does the dot product shrink if both vectors are halved?",
            "The score should be divided once.",
            "Cool one of the two, or the score itself.",
        ),
    ),
    Misconception(
        name="no-exponential",
        answer=code.no_exponential,
        believed="Scores divided by their sum are weights.",
        says="You divide by a number that can be 0 or below, as the sum of the scores can. The sum "
        "of their exponentials cannot. And in scores divided by their sum the temperature "
        "cancels.",
        hints=(
            "Print your weights for scores 2 and -1.",
            "What makes any number positive and keeps the order?",
            "Raise e to the scores before you divide.",
        ),
    ),
    Misconception(
        name="not-divided",
        answer=code.not_divided,
        believed="np.exp makes weights.",
        says="Your exponentials are not divided by their sum: put ones into value, and the answer "
        "should be 1.",
        hints=(
            "What do your weights sum to?",
            "Softmax is two steps. Which is missing?",
            "Divide by the sum of the exponentials.",
        ),
    ),
    Misconception(
        name="takes-the-best",
        answer=code.takes_the_best,
        believed="The best match is the answer.",
        says="Your answer is a single value, the one whose key matches best. A blend holds a share "
        "of every value.",
        hints=(
            "What does your function return if two keys are equal?",
            "Nothing is chosen. Everything is weighted.",
            "Replace argmax by weights.",
        ),
    ),
    Misconception(
        name="averages-the-keys",
        answer=code.averages_the_keys,
        believed="A query gets back the keys.",
        says="Your answer has the width of the keys and does not change when the values change.",
        hints=(
            "Which argument does your function never use?",
            "Keys are found, values are read.",
            "Look at the right-hand side of your last product.",
        ),
    ),
    Misconception(
        name="compares-the-values",
        answer=code.compares_the_values,
        believed="The query is compared with the values.",
        says="Your weights do not change when the keys change: you compare the query with the "
        "values.",
        hints=(
            "Which argument does your function never use?",
            "A query is as wide as a key. A value may have another width.",
            "Look at the first product.",
        ),
    ),
    Misconception(
        name="scaled-as-well",
        answer=code.scaled_as_well,
        believed="A dot product is always divided by the root of d.",
        says="You divide the scores by √d, the root of the width. The task divides them by the "
        "temperature and by nothing else.",
        hints=(
            "Which keys give you the right weights at temperature 1: of which width?",
            "The root of d is a temperature. Here the temperature is given.",
            "Divide by the temperature and by nothing else.",
        ),
    ),
    Misconception(
        name="divided-by-the-largest",
        answer=code.divided_by_the_largest,
        believed="The best match has weight 1.",
        says="You subtract the largest score or divide by the largest weight, and do not divide by "
        "the sum. Your best key has the weight 1, so with two keys or more your weights sum to "
        "more than 1.",
        hints=(
            "Put ones into value. Is your answer 1?",
            "Taking off the largest score changes no ratio; it does not make the sum 1.",
            "Divide by the sum of the exponentials.",
        ),
    ),
    Misconception(
        name="root-of-the-temperature",
        answer=code.root_of_temperature,
        believed="A temperature is a square.",
        says="You divide the scores by the root of the temperature.",
        hints=(
            "Which number do you divide by at temperature 4?",
            "The root belongs to the width, in another score.",
            "Divide by the temperature itself.",
        ),
    ),
    Misconception(
        name="at-least-1",
        answer=code.at_least_1,
        believed="A small temperature makes the exponentials overflow.",
        says="Below temperature 1 you compute with temperature 1. A temperature below 1 makes the "
        "weights sharper.",
        hints=(
            "Call your function with temperature=0.1 and with temperature=1. What should differ?",
            "Every temperature above 0 is allowed.",
            "Divide by the temperature that is given; take the largest score off if exp overflows.",
        ),
    ),
    Misconception(
        name="angles",
        answer=code.angles,
        believed="Likeness is the cosine.",
        says="Your weights do not change when a key becomes twice as long: you score by the "
        "angle. The task asks for the dot product.",
        hints=(
            "Make a key twice as long. Does its weight change?",
            "A dot product grows with both lengths.",
            "Leave the lengths in.",
        ),
    ),
    Misconception(
        name="distances",
        answer=code.distances,
        believed="The nearest key matches best.",
        says="Your best key is the one nearest to the query. With a dot product a longer key "
        "in the same direction scores higher.",
        hints=(
            "Which key wins for the query (1): 1 or 2?",
            "The dot product is key @ query.",
            "Score by the dot product.",
        ),
    ),
    Misconception(
        name="scores-for-weights",
        answer=code.scores_for_weights,
        believed="Scores are weights.",
        says="You average with the scores themselves. Scores may be negative, and they do not sum "
        "to 1.",
        hints=(
            "What should the answer be if all values are equal?",
            "Which two steps make weights of scores?",
            "Take exponentials, and divide by their sum.",
        ),
    ),
    Misconception(
        name="powers-of-two",
        answer=code.powers_of_two,
        believed="Any base will do.",
        says="Your weights are in the ratio of powers of 2. A softmax takes powers of e.",
        hints=(
            "With scores 0 and 1, how many times the weight of the first should the second get?",
            "np.exp is e to the power.",
        ),
    ),
    Misconception(
        name="divided-by-the-mean",
        answer=code.divided_by_the_mean,
        believed="Weights are 1 on average.",
        says="You divide by the mean of the exponentials, so your weights sum to the number of "
        "keys.",
        hints=(
            "Put ones into value. Is your answer 1?",
            "Weights sum to 1.",
            "Divide by the sum.",
        ),
    ),
    Misconception(
        name="divided-by-the-length",
        answer=code.divided_by_the_length,
        believed="To normalise is to give a vector the length 1.",
        says="You divide the exponentials by the length of their vector, so that their squares sum "
        "to 1. The weights themselves should sum to 1.",
        hints=(
            "Put ones into value. Is your answer 1?",
            "Which number is np.linalg.norm of (3, 4), and what is their sum?",
            "Divide by the sum.",
        ),
    ),
    Misconception(
        name="rounded",
        answer=code.rounded_down,
        variants=(code.rounded,),
        believed="// divides.",
        says="The scores that you put into np.exp are whole numbers: something rounds them, such "
        "as // or np.round.",
        hints=(
            "What is 3.0 // 2.0 in Python?",
            "Two keys with the scores 1.1 and 1.9 should get different weights. Do they?",
            "Divide with a single /, and round nothing.",
        ),
    ),
    Misconception(
        name="temperature-in-one-place",
        answer=code.hot_above_only,
        variants=(code.hot_below_only,),
        believed="The temperature is needed once.",
        says="A softmax has the exponential of the scores twice, in the numerator and in the sum "
        "below. You divide by the temperature in one of the two only, so your weights do not sum "
        "to 1.",
        hints=(
            "What do your weights sum to at temperature 2?",
            "Divide the scores first, and give the result a name.",
            "Take the exponentials once, and divide them by their own sum.",
        ),
    ),
    Misconception(
        name="a-list",
        kind="form",
        answer=code.as_a_list,
        believed="A list of numbers is an array.",
        says="You return the right numbers in a list. The task asks for a NumPy array.",
        hints=(
            "What is the type of your result?",
            "Leave out tolist(), or use np.array.",
        ),
    ),
    Misconception(
        name="size-of-the-score",
        answer=code.of_the_size,
        believed="A large score is a good match, whatever its sign.",
        says="You take the scores without their signs, so a key that points away from the query "
        "gets as much weight as one that points along it.",
        hints=(
            "Which weight gets a key with the score -5?",
            "The exponential of a negative score is small, and still above 0.",
            "Leave out np.abs.",
        ),
    ),
    Misconception(
        name="worst-gets-most",
        answer=code.worst_first,
        believed="A small score is a small distance.",
        says="You take the exponentials of the negative scores, so the worst match gets the "
        "largest weight.",
        hints=(
            "Which of your keys gets the largest weight, and which score has it?",
            "A dot product is larger for a better match.",
            "Leave out the minus.",
        ),
    ),
    Misconception(
        name="weights-to-a-power",
        answer=code.weights_to_a_power,
        believed="A temperature is a power of the weights.",
        says="You raise the weights to the power 1 over the temperature and do not divide by their "
        "sum again. At another temperature than 1 your weights do not sum to 1.",
        hints=(
            "What do your weights sum to at temperature 2?",
            "The scores are divided by the temperature before the exponential.",
            "Or divide by the sum once more, at the end.",
        ),
    ),
)
