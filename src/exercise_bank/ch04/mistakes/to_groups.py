"""How 04.to_groups goes wrong."""

from functools import partial
from itertools import product

from torch import Tensor

from plaincourse.exercise import Misconception


def summed(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    m, width = w.shape
    d = width // n_heads
    return w.reshape(m, n_kv_heads, n_heads // n_kv_heads, d).sum(dim=2).flatten(1)


def first_of_each(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    m, width = w.shape
    d = width // n_heads
    return w.reshape(m, n_kv_heads, n_heads // n_kv_heads, d)[:, :, 0].flatten(1)


def divided_by_the_root(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    return summed(w, n_heads, n_kv_heads) / (n_heads / n_kv_heads) ** 0.5


def striped(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    m, width = w.shape
    d = width // n_heads
    return w.reshape(m, n_heads // n_kv_heads, n_kv_heads, d).mean(dim=1).flatten(1)


def neighbouring_columns(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    m, width = w.shape
    size = n_heads // n_kv_heads
    return w.reshape(m, width // size, size).mean(dim=2)


def rows_averaged(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    m, width = w.shape
    d = width // n_heads
    heads = w.T.reshape(m, n_kv_heads, n_heads // n_kv_heads, d)
    return heads.mean(dim=2).flatten(1)


def mean_repeated(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    m, width = w.shape
    mean = w.reshape(m, n_heads, width // n_heads).mean(dim=1)
    return mean.repeat(1, n_kv_heads)


def first_heads_only(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    d = w.shape[1] // n_heads
    return w[:, : n_kv_heads * d]


def width_kept(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    m, width = w.shape
    d, size = width // n_heads, n_heads // n_kv_heads
    mean = w.reshape(m, n_kv_heads, size, d).mean(dim=2, keepdim=True)
    return mean.expand(m, n_kv_heads, size, d).flatten(1)


def divided_by_heads(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    heads = w.reshape(len(w), n_kv_heads, n_heads // n_kv_heads, -1)
    return heads.sum(dim=2).flatten(1) / n_heads


def last_of_each(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    return w.reshape(len(w), n_kv_heads, n_heads // n_kv_heads, -1)[:, :, -1].flatten(1)


def groups_of_g(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    return w.reshape(len(w), n_heads // n_kv_heads, n_kv_heads, -1).mean(dim=2).flatten(1)


def components_mixed(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    m, width = w.shape
    heads = w.reshape(m, width // n_heads, n_kv_heads, n_heads // n_kv_heads)
    return heads.mean(dim=3).transpose(1, 2).flatten(1)


def middle_of_each(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    heads = w.reshape(len(w), n_kv_heads, n_heads // n_kv_heads, -1)
    return ((heads.amin(dim=2) + heads.amax(dim=2)) / 2).flatten(1)


def three_axes(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    return w.reshape(len(w), n_kv_heads, n_heads // n_kv_heads, -1).mean(dim=2)


def divided_by_groups(w: Tensor, n_heads: int, n_kv_heads: int) -> Tensor:
    return summed(w, n_heads, n_kv_heads) / n_kv_heads


#: Wrong groups, and the message for each.
GROUPED = {
    "striped": "If there are several groups, you put heads together that lie g apart. Neighbours "
    "should share.",
    "columns": "You put neighbouring columns together. If heads are wider than one column, these "
    "are different components.",
    "components": "You cut the width as if component 0 of all heads came first, which is wrong for "
    "heads wider than one column.",
}
#: Wrong divisors, and the message for each.
DIVIDED = {
    "added": "And you add what should be averaged.",
    "by-all-heads": "And you divide the sum by h, even if there are several groups: it has h / g "
    "parts.",
    "by-groups": "And you divide the sum by g, but it has h / g parts.",
}


def grouped(w: Tensor, n_heads: int, n_kv_heads: int, *, groups: str, divided: str) -> Tensor:
    """Make wrong groups, and divide their sums by a wrong number."""
    ways = {"striped": striped, "columns": neighbouring_columns, "components": components_mixed}
    by = {"added": 1, "by-all-heads": n_heads, "by-groups": n_kv_heads}[divided]
    return ways[groups](w, n_heads, n_kv_heads) * (n_heads // n_kv_heads) / by


MISCONCEPTIONS = (
    Misconception(
        name="summed",
        answer=summed,
        believed="The heads of a group are added.",
        says="Your numbers are h / g times too large: you add the heads of a group.",
        hints=(
            "If all heads of a group are equal, what should the group's head be?",
            "Divide by how many you add.",
            "Take the mean over the heads of the group.",
        ),
    ),
    Misconception(
        name="first-of-each",
        answer=first_of_each,
        believed="One head of a group is enough.",
        says="You keep the first head of each group. The others leave no trace in your result.",
        hints=(
            "Change the second head of a group. Does your result move?",
            "All heads of the group should count alike.",
            "Take their mean.",
        ),
    ),
    Misconception(
        name="striped",
        answer=striped,
        believed="Head r belongs to group r modulo g.",
        says="You average heads that lie g apart. In this layout neighbours share: with four heads "
        "and two groups, heads 0 and 1.",
        hints=(
            "With four heads and two groups, which heads do you average for group 0?",
            "Which order do repeat and repeat_interleave give?",
            "The group is the slower of the two numbers: group first, then head within it.",
        ),
    ),
    Misconception(
        name="neighbouring-columns",
        answer=neighbouring_columns,
        believed="Neighbouring columns are averaged.",
        says="You average neighbouring columns, and they hold different components. The "
        "mean of a group takes the same component of each of its heads.",
        hints=(
            "Which columns does head 0 own?",
            "Component 0 of one head goes with component 0 of another.",
            "Separate heads from components before you average.",
        ),
    ),
    Misconception(
        name="rows-averaged",
        answer=rows_averaged,
        believed="Heads are rows of w.",
        says="You cut the matrix after transposing it. Keys are x @ w here, so heads are blocks of "
        "columns of w itself.",
        hints=(
            "In x @ w, which axis of w becomes the components of the keys?",
            "Leave the first axis, m, alone.",
            "Reshape the second axis only.",
        ),
    ),
    Misconception(
        name="mean-repeated",
        answer=mean_repeated,
        believed="All groups get the mean of all heads.",
        says="All your groups are equal: each holds the mean of all heads. That is one key head, "
        "kept several times.",
        hints=(
            "Which heads should count for group 1?",
            "With as many groups as heads, nothing should change. Does yours?",
            "Average within each group.",
        ),
    ),
    Misconception(
        name="first-heads-only",
        answer=first_heads_only,
        believed="The first g heads are kept.",
        says="You keep the first g heads and drop the rest.",
        hints=(
            "Change the last head. Does your result move?",
            "Every head belongs to a group.",
            "Average the heads of each group.",
        ),
    ),
    Misconception(
        name="width-kept",
        answer=width_kept,
        believed="Each head is replaced by its group's mean.",
        says="Your matrix is as wide as before, with each mean several times. Each is to be there "
        "once, for its group.",
        hints=(
            "How many key heads should be left?",
            "Repeating is done when attending, not in the weights.",
            "Keep each mean once.",
        ),
    ),
    Misconception(
        name="divided-by-all-heads",
        answer=divided_by_heads,
        believed="The mean divides by the number of heads.",
        says="You add the heads of a group and divide by the number of all heads, h. A group has "
        "h / g heads.",
        hints=(
            "With four heads in two groups, how many numbers does each mean have?",
            "If all heads of a group are equal, what should the group's head be?",
            "Divide by h / g.",
        ),
    ),
    Misconception(
        name="last-of-each",
        answer=last_of_each,
        believed="One head of a group is enough.",
        says="You keep the last head of each group. The others leave no trace in your result.",
        hints=(
            "Change the first head of a group. Does your result move?",
            "All heads of the group should count alike.",
            "Take their mean.",
        ),
    ),
    Misconception(
        name="groups-of-g",
        answer=groups_of_g,
        believed="n_kv_heads is the size of a group.",
        says="You make groups of g heads. The task asks for g groups; your matrix has h / g heads.",
        hints=(
            "With six heads and two groups, how many heads does your matrix have?",
            "n_kv_heads counts the heads of the result.",
            "A group has h / g heads.",
        ),
    ),
    Misconception(
        name="components-mixed",
        answer=components_mixed,
        believed="The width is cut with the components in front.",
        says="You cut the width as if component 0 of all heads came first. A head is d "
        "neighbouring columns.",
        hints=(
            "Which columns does head 0 own?",
            "The three parts of the width are: group, head within it, component.",
            "Put the component last.",
        ),
    ),
    Misconception(
        name="middle-of-the-extremes",
        answer=middle_of_each,
        believed="The middle between the smallest and the largest is the mean.",
        says="You compute the middle between the smallest and the largest number of a group. That "
        "is the mean only for one or two heads.",
        hints=(
            "Of 0, 0 and 3, what is the mean?",
            "Every head of a group counts.",
            "Add them up and divide by how many there are.",
        ),
    ),
    Misconception(
        name="three-axes",
        kind="form",
        answer=three_axes,
        believed="Groups are an axis of their own.",
        says="Your result has the axes (m, g, d). The task asks for a matrix (m, g·d), with the "
        "heads side by side.",
        hints=(
            "How many axes has your result?",
            "Groups and components become one axis again.",
            "Flatten the last two.",
        ),
    ),
    Misconception(
        name="divided-by-the-root",
        answer=divided_by_the_root,
        believed="A sum of r numbers is divided by the root of r.",
        says="You add the heads of a group and divide by the root of their number. A mean divides "
        "by their number.",
        hints=(
            "If all heads of a group are equal, what should the group's head be?",
            "A root keeps the variance of a sum. What does the task ask for?",
            "Divide by h / g.",
        ),
    ),
    Misconception(
        name="divided-by-groups",
        answer=divided_by_groups,
        believed="The mean divides by the number of groups.",
        says="You add the heads of a group and divide by g, the number of groups. A group has "
        "h / g heads.",
        hints=(
            "With six heads in two groups, how many numbers does each mean have?",
            "If all heads of a group are equal, what should the group's head be?",
            "Divide by h / g.",
        ),
    ),
    *(
        Misconception(
            name=f"{groups}-and-{divided}",
            answer=partial(grouped, groups=groups, divided=divided),
            believed="The shape is right, so the numbers are.",
            says=f"{GROUPED[groups]} {DIVIDED[divided]}",
            hints=(
                "With four heads and two groups, which columns does column 0 of your result hold?",
                "Give the second axis three parts: group, head within it, component.",
                "Take the mean over the second of the three.",
            ),
        )
        for groups, divided in product(GROUPED, DIVIDED)
    ),
)
