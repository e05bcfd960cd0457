"""Other weights with the same output, which show that attention weights are not an explanation."""

import torch
from jaxtyping import Float
from torch import Tensor

SMALL = 1e-9  # a slope below this is rounding error


def other_weights(
    weights: Float[Tensor, "k"], value: Float[Tensor, "k e"], *, towards: int
) -> Float[Tensor, "k"]:
    """Move as much weight as possible to one key without changing the output.

    With more keys than value components there are directions in which the weights can change while
    their sum and the average of the values stay constant. The function moves along the one that
    increases the weight of ``towards`` most. A weight that reaches 0 is fixed there, and the
    direction changes; it is released again if increasing it would help. The end is the largest
    weight that ``towards`` can have: the solution of a linear programme.

    Args:
        weights: one query's weights, none negative, summing to 1.
        value: the values.
        towards: the key whose weight is increased.

    Returns:
        Weights, none negative, with the same sum and the same ``weights @ value``. They are
        unchanged if there is no such direction.

    Raises:
        ValueError: there is no key ``towards``.

    Cost: one least-squares problem of (k, e + 1) for each turn, at most 10·k of them.

    Ref: Rosen 1960 (gradient projection); Jain and Wallace 2019, section 4.2
    (adversarial attention); Brunner et al. 2020, section 3 (the null space).
    """
    k = weights.shape[0]
    if not 0 <= towards < k:
        raise ValueError(f"towards={towards}: expected a key from 0 to {k - 1}")
    held = torch.cat([value.T, value.new_ones(1, k)])  # the constraints
    goal = torch.zeros_like(weights)
    goal[towards] = 1
    moved, free = weights.clone(), torch.ones_like(weights, dtype=torch.bool)
    for _ in range(10 * k):
        seen = torch.linalg.lstsq(held[:, free].T, goal[free], driver="gelsd").solution
        slope = goal - held.T @ seen  # of ``towards``, for a small change of each weight
        way = torch.where(free, slope, 0)
        if way.abs().max() < SMALL:
            slope[free] = 0
            if slope.max() < SMALL:
                break
            free[slope.argmax()] = True
            continue
        room = torch.where(way < 0, moved / -way, torch.inf)
        moved = (moved + room.min() * way).clamp_min(0)
        free[room.argmin()] = False
    return moved
