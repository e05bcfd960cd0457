"""How 05.alibi_bias goes wrong."""

from exercise_bank.ch05.mistakes import alibi_bias_code as code
from exercise_bank.skills import said
from plaincourse.exercise import Misconception

MISCONCEPTIONS = (
    said(
        "from-the-last-key",
        code.from_the_last_key,
        "Distances are counted from the end of the text.",
        "All your queries have the same distances, counted from the last key. Each query counts "
        "from its own position.",
        "With q = k, what is the distance of query 0 to key 0?",
        "Query i is at position i + k − q.",
    ),
    said(
        "squared",
        code.squared,
        "The penalty is the square of the distance.",
        "Your bias grows with the square of the distance. ALiBi is linear: each further step costs "
        "the slope once more.",
        "What does a key two steps away cost, in slopes?",
        "Leave out the square.",
    ),
    Misconception(
        name="plus",
        answer=code.plus,
        believed="The bias is slope times distance.",
        says="Your bias grows with the distance: far keys win. It should be 0 on the own position "
        "and negative elsewhere.",
        hints=(
            "Which key should lose most?",
            "Softmax rewards large scores.",
            "A sign.",
        ),
    ),
    Misconception(
        name="top-left",
        answer=code.top_left,
        believed="Query 0 is at position 0.",
        says="You put the first query at position 0. That is right for q = k; with fewer queries "
        "than keys, the queries are the last q positions.",
        hints=(
            "One query, five keys, as in cached decoding. Which key is nearest to it?",
            "Query i is at position i + k − q.",
            "Let the positions of the queries end where those of the keys end.",
        ),
    ),
    Misconception(
        name="one-formula",
        answer=code.one_formula,
        believed="The formula holds for any number of heads.",
        says="Your slopes are 2 to the power −8(r + 1)/h for every h. That is right for powers of "
        "two; for 3, 6 or 12 heads the published code has other slopes.",
        hints=(
            "Which slopes has a model with 6 heads in the published code?",
            "Begin with the slopes of the power of two below.",
            "Fill up with every other slope of twice as many heads.",
        ),
    ),
    Misconception(
        name="same-ratio",
        answer=code.same_ratio,
        believed="Further heads go on where the power of two ends.",
        says="Your slopes are right up to the power of two below h. The heads beyond it go on with "
        "the same ratio, below 2⁻⁸, where they hardly tax any distance; in the published code they "
        "lie between the others.",
        hints=(
            "Which is the smallest slope of a model with 6 heads in the published code?",
            "No slope is below 2 to the power −8.",
            "Fill up with every other slope of twice as many heads.",
        ),
    ),
    Misconception(
        name="cut-off",
        answer=code.cut_off,
        believed="Take the slopes of the next power of two, and drop the last.",
        says="For 6 heads you take the first 6 slopes of 8, so that the flattest are missing.",
        hints=(
            "Which is your flattest slope for 6 heads? It should be 1/256.",
            "Begin with the power of two below, not above.",
            "From the one above, take every other slope, and only as many as are missing.",
        ),
    ),
    Misconception(
        name="sorted",
        answer=code.sorted_slopes,
        believed="Slopes fall from head to head.",
        says="You have the right slopes in another order. Yours are sorted from steep to flat. In "
        "the published code the slopes of the power of two come first, and the further heads come "
        "behind them.",
        hints=(
            "Which slope has head 2 of 3?",
            "The heads of the power of two come first.",
            "Append, and do not sort.",
        ),
    ),
    Misconception(
        name="no-absolute",
        answer=code.no_absolute,
        believed="Keys are never later than the query.",
        says="Keys after the query get a positive bias from you, larger with the distance. The "
        "task asks for the distance in both directions.",
        hints=(
            "What is the distance of position 0 to position 3?",
            "A distance has no sign.",
            "Something is missing around the difference.",
        ),
    ),
    Misconception(
        name="from-zero",
        answer=code.from_zero,
        believed="The first head has n = 0.",
        says="Your first head has the slope 1, and your flattest is too steep: n counts from 1.",
        hints=(
            "Which slope has the first of 8 heads?",
            "It should be 1/2, and the last 1/256.",
            "Where does n begin?",
        ),
    ),
    Misconception(
        name="flat-first",
        answer=code.flat_first,
        believed="The order of heads does not matter.",
        says="Your slopes come in the reverse order: your first head has the slope of the last.",
        hints=(
            "Which slope has the first of 8 heads?",
            "A checkpoint has learned with head 0 steep.",
            "The order.",
        ),
    ),
    Misconception(
        name="second-of-each",
        answer=code.second_of_each,
        believed="Every other slope begins with the second.",
        says="For 3 heads two of yours have the same slope: of the slopes of the power of two "
        "above you take the second, fourth and so on, which are those of the power below again.",
        hints=(
            "Print the slopes of 4 heads and of 8 heads. Which do they share?",
            "Those that they share would be there twice.",
            "Take the first, the third, the fifth.",
        ),
    ),
    said(
        "in-float32",
        code.in_float32,
        "Any float will do.",
        "Your numbers are right, and their dtype is float32. The task asks for float64.",
        "What dtype has your tensor of slopes?",
        "Give torch.tensor dtype=torch.float64.",
        kind="form",
    ),
    said(
        "first-slopes-above",
        code.first_above,
        "What is missing are the first slopes of the power of two above.",
        "For a number of heads between two powers of two you fill up with the slopes of the power "
        "above one after the other. Every second of those belongs to the power below, so with 6 "
        "heads two of yours have the slope 1/4.",
        "Print the slopes of 4 heads and of 8 heads. Which do they share?",
        "Those that they share would be there twice.",
        "Take the first, the third, the fifth.",
    ),
    said(
        "halved-from-head-to-head",
        code.halving,
        "The slopes are 1/2, 1/4, 1/8, …",
        "Your slopes halve from head to head. That holds for 8 heads only: the last slope is 1/256 "
        "for any power of two.",
        "What is the slope of a single head?",
        "The exponents run evenly up to 8.",
        "Head n of h has the exponent 8n/h.",
    ),
    said(
        "causal",
        code.causal,
        "ALiBi is for decoders.",
        "You forbid what stands ahead. Nobody asks for a mask here: distance costs in both "
        "directions.",
        "What does query 0 pay for key 2?",
        "Leave out the mask.",
        variants=(code.a_billion_ahead,),
    ),
    said(
        "free-ahead",
        code.free_ahead,
        "Only what lies behind costs.",
        "You give keys after the query a bias of 0. Distance counts in both directions.",
        "What does query 0 pay for key 2?",
        "Take the distance without its sign.",
    ),
    said(
        "one-step-too-many",
        code.one_more,
        "The nearest key is one step away.",
        "Your query pays one step for itself. Its distance from itself is 0.",
        "What is on your diagonal?",
        "Distances count from 0.",
    ),
    said(
        "heads-last",
        code.heads_last,
        "The order of axes does not matter.",
        "Your heads are the last axis; the shape asked for is (h, q, k).",
        "To what is the bias added, and what shape has that?",
        "Put the heads first.",
    ),
    said(
        "one-slope-for-all",
        code.same_for_all,
        "There is one slope.",
        "All your heads have the slope 1/256. Each head has its own, from steep to flat.",
        "What are the slopes of 8 heads?",
        "They begin with 1/2 there.",
    ),
    said(
        "between-first",
        code.between_first,
        "The heads that are left over come first.",
        "You have the right slopes in another order: the slopes of the power of two come first.",
        "What are the first 4 of 6 slopes?",
        "Swap the two lists.",
    ),
    said(
        "last-slopes-above",
        code.last_slopes_above,
        "The heads that are left over get the flattest slopes of 2b heads.",
        "For a number of heads between two powers of two you take the missing slopes from the end "
        "of those of 2b heads. They are its first, third, fifth, … slope.",
        "Which slope has head 2 of 3?",
        "It is the first of the slopes of 4 heads, 1/4.",
    ),
    said(
        "power-of-two-taken-for-between",
        code.power_below_itself,
        "The power of two below 8 is 4.",
        "For 2, 4, 8 and 16 heads you fill up the slopes of half as many heads. A power of two has "
        "its own slopes, from steep to flat.",
        "What are your slopes of 2 heads? They should be 1/16 and 1/256.",
        "Compare with <= where you look for the power of two.",
    ),
    said(
        "keys-moved-on",
        code.keys_at_the_end,
        "The keys are the last k positions.",
        "You moved the keys on by k − q and left the queries at 0. The queries are the last: query "
        "i is at position i + k − q, and key j at j.",
        "One query, five keys. Which key is nearest to it in yours?",
        "A sign of k − q has to change.",
    ),
    said(
        "queries-off-by-one",
        code.one_place_early,
        "The last query is at position k − 2, or at k.",
        "Your queries are one position off, so a query pays for its own position. The last of q "
        "queries is at position k − 1.",
        "With q = k, what does your query 0 pay for key 0?",
        "Query i is at position i + k − q.",
        variants=(code.one_place_late,),
    ),
    said(
        "heads-left-out-of-the-exponent",
        code.by_the_exponent_alone,
        "Head n has the slope 2 to the power −8n.",
        "Your slopes are 2⁻⁸, 2⁻¹⁶, 2⁻²⁴: the number of heads does not divide the exponent. The "
        "flattest slope of a power of two is 2⁻⁸.",
        "What are the slopes of 2 heads? They should be 1/16 and 1/256.",
        "Divide 8n by h.",
    ),
    said(
        "slopes-of-one-over-n",
        code.reciprocals,
        "Head n has the slope 1/n.",
        "Your slopes are 1, 1/2, 1/3. The slopes of ALiBi are powers of two: each of a power of "
        "two's is the one before times 2 to the power −8/h.",
        "What are the slopes of 2 heads? They should be 1/16 and 1/256.",
        "Head n of h has the exponent −8n/h.",
    ),
    said(
        "queries-last",
        code.queries_last,
        "The order of axes does not matter.",
        "Your rows are keys and your columns are queries. The shape asked for is (h, q, k).",
        "To what is the bias added, and what shape has that?",
        "Swap the last two axes.",
    ),
)
