"""How 05.alibi_bias goes wrong."""

from functools import partial

from exercise_bank.ch05.mistakes import alibi_bias_code as code
from exercise_bank.skills import said
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    said(
        "from-the-last-key",
        code.from_the_last_key,
        "Distances are counted from the end of the text.",
        "All your queries have the same distances, counted from the last key. The distances of a "
        "query should be counted from its own position.",
        "With q = k, what is the distance of query 0 to key 0?",
        "Query i is at position i + k − q.",
    ),
    said(
        "squared",
        code.squared,
        "The penalty is the square of the distance.",
        "Your bias grows with the square of the distance. ALiBi is linear, so each further step "
        "costs the slope once more.",
        "How many slopes does a key two steps away cost?",
        "Leave out the square.",
    ),
    Misconception(
        name="plus",
        answer=code.plus,
        believed="The bias is slope times distance.",
        says="Your bias grows with the distance, so it favours far keys. It should be 0 at the "
        "query's own position and negative elsewhere.",
        hints=(
            "Which key should get the largest penalty?",
            "Softmax gives the most weight to the largest scores.",
            "The sign of the bias has to change.",
        ),
    ),
    Misconception(
        name="top-left",
        answer=code.top_left,
        believed="Query 0 is at position 0.",
        says="You put the first query at position 0. That is right for q = k, but if there are "
        "fewer queries than keys, the queries are the last q positions.",
        hints=(
            "One query, five keys, as in cached decoding. Which key is nearest to it?",
            "Query i is at position i + k − q.",
            "The positions of queries and keys should end at the same number.",
        ),
    ),
    Misconception(
        name="one-formula",
        answer=code.one_formula,
        believed="The formula holds for any number of heads.",
        says="For every number of heads h, your slopes are 2 to the powers −8/h, −16/h, …, −8. "
        "That is right for powers of two; for 3, 6 or 12 heads the published code has other "
        "slopes.",
        hints=(
            "Which slopes does the published code give to a model with 6 heads?",
            "Begin with the slopes of the power of two below.",
            "Add every other slope of the next power of two, from its first on.",
        ),
    ),
    said(
        "one-formula-and-top-left",
        partial(code.at_the_top_left, slopes=code.powers),
        "One formula holds for all heads, and query 0 is at position 0.",
        "Two things are wrong. For every number of heads h, your slopes are 2 to the powers −8/h, "
        "−16/h, …, −8; that is right for powers of two alone. And your first query is at position "
        "0; with fewer queries than keys, the queries are the last q positions.",
        "One query, five keys. Which key is nearest to it in yours?",
        "Let the positions of the queries end where those of the keys end.",
        "Begin with the slopes of the power of two below h, and fill up with the first, third and "
        "fifth slope of the power above.",
    ),
    said(
        "other-slopes-and-top-left",
        partial(code.at_the_top_left, slopes=code.halves),
        "Slopes follow one rule, and query 0 is at position 0.",
        "Two things are wrong. Your slopes are not those of the published code for every number of "
        "heads. And your first query is at position 0; with fewer queries than keys, the queries "
        "are the last q positions.",
        "One query, five keys. Which key is nearest to it in yours?",
        "Let the positions of the queries end where those of the keys end.",
        "Compare your slopes of 2, of 6 and of 8 heads with the published ones.",
        variants=tuple(
            partial(code.at_the_top_left, slopes=slopes)
            for slopes in (
                code.same_ratio_slopes,
                code.cut_off_slopes,
                code.sorted_published,
                code.first_above_slopes,
            )
        ),
    ),
    Misconception(
        name="same-ratio",
        answer=code.same_ratio,
        believed="Further heads continue the slopes of the power of two.",
        says="Your slopes are right up to the power of two below h. The heads beyond it continue "
        "with the same ratio, below 2⁻⁸, where they hardly penalise any distance. In the published "
        "code, their slopes lie between the others.",
        hints=(
            "What is the smallest slope of a model with 6 heads in the published code?",
            "No slope is below 2 to the power −8.",
            "Add every other slope of the next power of two, from its first on.",
        ),
    ),
    Misconception(
        name="cut-off",
        answer=code.cut_off,
        variants=(code.nearest_power,),
        believed="Take the slopes of the next power of two, and drop the last.",
        says="For 6 heads you take the first 6 slopes of 8 heads, so the flattest ones are "
        "missing.",
        hints=(
            "What is your flattest slope for 6 heads? It should be 1/256.",
            "Begin with the power of two below, not above.",
            "From the one above, take every other slope until you have h slopes.",
        ),
    ),
    Misconception(
        name="sorted",
        answer=code.sorted_slopes,
        believed="Slopes fall from head to head.",
        says="You have the right slopes in the wrong order: yours are sorted from steep to flat. "
        "In the published code, the slopes of the power of two come first, and those of the "
        "further heads follow.",
        hints=(
            "Which slope does head 2 of 3 have?",
            "The heads of the power of two come first.",
            "Append the further slopes, and do not sort.",
        ),
    ),
    Misconception(
        name="no-absolute",
        answer=code.no_absolute,
        believed="Keys are never later than the query.",
        says="You give keys after the query a positive bias, which grows with the distance. The "
        "task asks for a penalty on the distance in both directions.",
        hints=(
            "What is the distance of position 0 to position 3?",
            "A distance has no sign.",
            "Take the absolute value of the difference.",
        ),
    ),
    Misconception(
        name="from-zero",
        answer=code.from_zero,
        believed="The first head has n = 0.",
        says="Your first head has the slope 1, and your flattest slope is too steep, because you "
        "count n from 0. It counts from 1.",
        hints=(
            "Which slope does the first of 8 heads have?",
            "It should be 1/2, and the last 1/256.",
            "Where does n begin?",
        ),
    ),
    Misconception(
        name="flat-first",
        answer=code.flat_first,
        believed="The order of heads does not matter.",
        says="Your slopes are in the reverse order: your first head has the slope of the last.",
        hints=(
            "Which slope does the first of 8 heads have?",
            "A checkpoint was trained with the steepest slope in head 0.",
            "Reverse the order of the slopes.",
        ),
    ),
    Misconception(
        name="second-of-each",
        answer=code.second_of_each,
        believed="Every other slope begins with the second.",
        says="For 3 heads two of your slopes are equal: the further heads get slopes of the power "
        "of two below once more, which are the second, fourth and so on of the power above.",
        hints=(
            "Print the slopes of 4 heads and of 8 heads. Which do they share?",
            "Slopes that they share would occur twice.",
            "Take the first, the third, the fifth and so on.",
        ),
    ),
    said(
        "in-float32",
        code.in_float32,
        "Any float will do.",
        "The dtype of your numbers is float32. The task asks for float64.",
        "What is the dtype of your tensor of slopes?",
        "Pass dtype=torch.float64 to torch.tensor.",
        kind="form",
    ),
    said(
        "first-slopes-above",
        code.first_above,
        "The missing slopes are the first ones of the power of two above.",
        "For a number of heads between two powers of two, you add the first slopes of the power "
        "above, without leaving any out. Every second one of those also belongs to the power "
        "below, so with 6 heads two of yours have the slope 1/4.",
        "Print the slopes of 4 heads and of 8 heads. Which do they share?",
        "Slopes that they share would occur twice.",
        "Take the first, the third, the fifth and so on.",
    ),
    said(
        "halved-from-head-to-head",
        code.halving,
        "The slopes are 1/2, 1/4, 1/8, …",
        "Your slopes halve from head to head. That is right for 8 heads, but not for 2, 4 or "
        "16, because the last slope is 1/256 for any power of two.",
        "What is the slope of the last of 2 heads?",
        "The exponents run evenly up to 8.",
        "Head n of h has the exponent 8n/h.",
        variants=(code.halving_from_2,),
    ),
    said(
        "causal",
        code.causal,
        "ALiBi is for decoders.",
        "You mask the keys after the query. The task does not ask for a mask: distance is "
        "penalised in both directions.",
        "What bias should query 0 get for key 2?",
        "Leave out the mask.",
        variants=(code.a_billion_ahead,),
    ),
    said(
        "free-ahead",
        code.free_ahead,
        "Only keys before the query are penalised.",
        "You give keys after the query a bias of 0. Distance should be penalised in both "
        "directions.",
        "What bias should query 0 get for key 2?",
        "Take the distance without its sign.",
    ),
    said(
        "one-step-too-many",
        code.one_more,
        "The nearest key is one step away.",
        "You penalise a query's own position by one step. Its distance from itself is 0.",
        "Which numbers are on your diagonal for q = k?",
        "Distances count from 0.",
    ),
    said(
        "heads-last",
        code.heads_last,
        "The order of axes does not matter.",
        "Your heads are the last axis, but the task asks for the shape (h, q, k).",
        "To which tensor is the bias added, and what is its shape?",
        "Put the heads first.",
    ),
    said(
        "one-slope-for-all",
        code.same_for_all,
        "There is one slope.",
        "All your heads have the slope 1/256. Each head should have its own, from steep to flat.",
        "What are the slopes of 8 heads?",
        "The slopes of 8 heads begin with 1/2.",
    ),
    said(
        "between-first",
        code.between_first,
        "The further heads come first.",
        "You have the right slopes in the wrong order: the slopes of the power of two should come "
        "first.",
        "What are the first 4 of 6 slopes?",
        "Swap the two lists.",
    ),
    said(
        "last-slopes-above",
        code.last_slopes_above,
        "The further heads get the flattest slopes of 2b heads.",
        "For a number of heads between two powers of two, you take the missing slopes from the end "
        "of those of 2b heads. They should be the first, third, fifth, … of these.",
        "Which slope does head 2 of 3 have?",
        "It is the first of the slopes of 4 heads, 1/4.",
    ),
    said(
        "power-of-two-taken-for-between",
        code.power_below_itself,
        "The power of two below 8 is 4.",
        "For 2, 4, 8 and 16 heads you start from the slopes of half that number and add more. A "
        "power of two has its own slopes, from steep to flat.",
        "What are your slopes for 2 heads? They should be 1/16 and 1/256.",
        "Use <= in the comparison that finds the power of two.",
    ),
    said(
        "keys-moved-on",
        code.keys_at_the_end,
        "The keys are the last k positions.",
        "In your distances k − q has the wrong sign, as if the keys were moved by it and the "
        "queries started at 0. Query i is at position i + k − q, and key j at j.",
        "With one query and five keys, which key is nearest to the query by your distances?",
        "The sign of k − q has to change.",
    ),
    said(
        "queries-off-by-one",
        code.one_place_early,
        "The last query is at position k − 2, or at k.",
        "Your queries are one position off, so a query gets a penalty at its own position. The "
        "last of q queries is at position k − 1.",
        "With q = k, what bias does your query 0 get for key 0?",
        "Query i is at position i + k − q.",
        variants=(code.one_place_late,),
    ),
    said(
        "heads-left-out-of-the-exponent",
        code.by_the_exponent_alone,
        "Head n has the slope 2 to the power −8n.",
        "Your slopes are 2⁻⁸, 2⁻¹⁶, 2⁻²⁴, because you do not divide the exponent by the number of "
        "heads. The flattest slope of a power of two is 2⁻⁸.",
        "What are your slopes for 2 heads? They should be 1/16 and 1/256.",
        "Divide 8n by h.",
    ),
    said(
        "slopes-of-one-over-n",
        code.reciprocals,
        "Head n has the slope 1/n.",
        "Your slopes are 1, 1/2, 1/3. If h is a power of two, each slope of ALiBi is the one "
        "before it times 2 to the power −8/h.",
        "What are your slopes for 2 heads? They should be 1/16 and 1/256.",
        "Head n of h has the exponent −8n/h.",
    ),
    said(
        "queries-last",
        code.queries_last,
        "The order of axes does not matter.",
        "Your rows are keys and your columns are queries. The shape asked for is (h, q, k).",
        "To which tensor is the bias added, and what is its shape?",
        "Swap the last two axes.",
    ),
)
