"""How 05.rotate_part goes wrong."""

import torch
from torch import Tensor

from exercise_bank.skills import said
from plaincourse.exercise import Misconception


def angles_of(positions: Tensor, width: int, planes: int) -> Tensor:
    return positions[:, None] * 10_000.0 ** (-2 * torch.arange(planes).double() / width)


def turned(x: Tensor, angles: Tensor, rotated: int) -> Tensor:
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., : rotated // 2], x[..., rotated // 2 : rotated]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, x[..., rotated:]], dim=-1)


def in_pairs(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    angles = angles_of(positions, rotated, rotated // 2)
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., 0:rotated:2], x[..., 1:rotated:2]
    part = torch.stack([a * cos - b * sin, b * cos + a * sin], dim=-1).flatten(-2)
    return torch.cat([part, x[..., rotated:]], dim=-1)


def frequencies_of_the_width(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    return turned(x, angles_of(positions, x.shape[-1], rotated // 2), rotated)


def everything(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    d = x.shape[-1] // 2 * 2
    return turned(x, angles_of(positions, d, d // 2), d)


def backwards(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    return turned(x, -angles_of(positions, rotated, rotated // 2), rotated)


def counts_rows(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    rows = torch.arange(x.shape[-2])
    return turned(x, angles_of(rows, rotated, rotated // 2), rotated)


def half_exponent(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    return turned(x, angles_of(positions, 2 * rotated, rotated // 2), rotated)


def last_part(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    rest = x.shape[-1] - rotated
    part = turned(x[..., rest:], angles_of(positions, rotated, rotated // 2), rotated)
    return torch.cat([x[..., :rest], part], dim=-1)


def mixed_tables(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    angles = angles_of(positions, rotated, rotated // 2).repeat_interleave(2, dim=-1)
    part = x[..., :rotated]
    first, second = part.chunk(2, dim=-1)
    part = part * angles.cos() + torch.cat([-second, first], dim=-1) * angles.sin()
    return torch.cat([part, x[..., rotated:]], dim=-1)


def swapped(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    angles = angles_of(positions, rotated, rotated // 2)
    cos, sin = angles.sin(), angles.cos()
    a, b = x[..., : rotated // 2], x[..., rotated // 2 : rotated]
    return torch.cat([a * cos - b * sin, b * cos + a * sin, x[..., rotated:]], dim=-1)


def rest_dropped(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    return turned(x, angles_of(positions, rotated, rotated // 2), rotated)[..., :rotated]


def two_minuses(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    angles = angles_of(positions, rotated, rotated // 2)
    cos, sin = angles.cos(), angles.sin()
    a, b = x[..., : rotated // 2], x[..., rotated // 2 : rotated]
    return torch.cat([a * cos - b * sin, b * cos - a * sin, x[..., rotated:]], dim=-1)


def rest_in_front(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    out = turned(x, angles_of(positions, rotated, rotated // 2), rotated)
    return torch.cat([out[..., rotated:], out[..., :rotated]], dim=-1)


def whole_positions(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    return turned(x, angles_of(positions.long(), rotated, rotated // 2), rotated)


def planes_from_one(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    angles = angles_of(positions, rotated, rotated // 2) * 10_000.0 ** (-2 / rotated)
    return turned(x, angles, rotated)


def half_the_width(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    width = x.shape[-1] // 2
    if width < rotated:
        return turned(x, angles_of(positions, rotated, rotated // 2), rotated)
    angles = angles_of(positions, rotated, rotated // 2)
    a, b = x[..., : rotated // 2], x[..., width : width + rotated // 2]
    out = x.clone()
    out[..., : rotated // 2] = a * angles.cos() - b * angles.sin()
    out[..., width : width + rotated // 2] = b * angles.cos() + a * angles.sin()
    return out


def one_speed(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    angles = positions[:, None] * torch.ones(rotated // 2, dtype=torch.float64)
    return turned(x, angles, rotated)


def rest_set_to_0(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    return torch.cat([rest_dropped(x, positions, rotated), 0 * x[..., rotated:]], dim=-1)


def to_the_last_plane(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    planes = rotated // 2
    exponent = torch.arange(planes).double() / max(planes - 1, 1)
    return turned(x, positions[:, None] * 10_000.0**-exponent, rotated)


def rising(x: Tensor, positions: Tensor, rotated: int) -> Tensor:
    return turned(x, angles_of(positions, -rotated, rotated // 2), rotated)


MISCONCEPTIONS = (
    said(
        "to-the-last-plane",
        to_the_last_plane,
        "The exponents run from 0 to 1.",
        "Your last plane has the frequency 1/10,000: your exponents run to −1. The exponent of "
        "plane r is −2r/rotated, so the last one stays above −1.",
        "With 4 components turning, the second frequency should be 1/100. What is yours?",
        "Divide 2r by rotated, not r by the number of the last plane.",
    ),
    Misconception(
        name="in-pairs",
        answer=in_pairs,
        believed="Neighbouring components make a plane.",
        says="You turn neighbours, 0 with 1 and 2 with 3. The task asks for halves: component 0 "
        "turns with component rotated / 2. With one plane both are the same.",
        hints=(
            "Of 6 components that turn, which one is the partner of component 0?",
            "First half and second half of what turns.",
            "Partners are rotated / 2 apart.",
        ),
    ),
    Misconception(
        name="frequencies-of-the-width",
        answer=frequencies_of_the_width,
        believed="The exponent counts along the whole width.",
        says="The right components turn, but from the second plane on by wrong angles wherever "
        "only a part turns: your exponents are divided by the whole width.",
        hints=(
            "With 6 of 10 components turning, what is the frequency of the last plane?",
            "The part that turns is a small RoPE of its own.",
            "Divide the exponent by rotated.",
        ),
    ),
    Misconception(
        name="everything",
        answer=everything,
        believed="All components turn.",
        says="You turn all the components that make planes, whatever `rotated` says.",
        hints=(
            "Which of your arguments do you not use?",
            "Compare the last components of input and output.",
            "Components from `rotated` on are passed on as they are.",
        ),
    ),
    Misconception(
        name="backwards",
        answer=backwards,
        believed="The minus belongs to the second half.",
        says="You turn to the right: by the angle with the other sign. If queries and keys both "
        "turn so, the scores are those of turning to the left; the vectors are not.",
        hints=(
            "Turn (1, 0) by position 1. The second component should be sin 1 ≈ 0.84. Is it?",
            "One of the two sines carries a minus.",
            "Which column of the rotation matrix holds −sin?",
        ),
    ),
    Misconception(
        name="counts-rows",
        answer=counts_rows,
        believed="The first row is at position 0.",
        says="You number the rows from 0 and do not use the positions that are given. In cached "
        "decoding every new token would be at position 0.",
        hints=(
            "Which of your arguments do you not use?",
            "A single row at position 7: which angle does plane 0 turn by?",
            "Multiply frequencies with `positions`.",
        ),
    ),
    Misconception(
        name="half-exponent",
        answer=half_exponent,
        believed="The frequency of plane r is the base to the power −r/rotated.",
        says="Your planes slow down too little: your exponents run from 0 to −1/2 instead of −1.",
        hints=(
            "With 4 components turning, the second frequency should be 1/100. What is yours?",
            "The exponent of plane r is −2r/rotated.",
            "A factor of 2.",
        ),
    ),
    Misconception(
        name="last-part",
        answer=last_part,
        believed="The last components turn.",
        says="You turn the last `rotated` components and pass on the first.",
        hints=(
            "Compare input and output: which components are unchanged?",
            "The part that turns comes first.",
            "Look at your slices.",
        ),
    ),
    Misconception(
        name="mixed-tables",
        answer=mixed_tables,
        believed="Each cosine is repeated side by side in every layout.",
        says="With two planes or more, your result changes the lengths of vectors. Your table "
        "repeats each angle side by side, which fits pairs, but your partners are those of "
        "halves.",
        hints=(
            "Compare the norm of a row before and after. A rotation keeps it.",
            "Components r and r + rotated/2 must get the same angle.",
            "How is the table of angles doubled, and how should it be for halves?",
        ),
    ),
    Misconception(
        name="swapped",
        answer=swapped,
        believed="Cosine and sine may change places.",
        says="At position 0 your vectors change: cosine and sine have changed places.",
        hints=(
            "What should come out at position 0?",
            "cos 0 = 1 and sin 0 = 0.",
            "Look at which of the two is multiplied with a component by itself.",
        ),
    ),
    said(
        "rest-dropped",
        rest_dropped,
        "Only what turns is returned.",
        "You do not pass on the rest: behind the part that turned you return zeros, or nothing. "
        "The rest belongs there, unchanged.",
        "How wide is your output? And x?",
        "The result has three pieces side by side.",
        variants=(rest_set_to_0,),
    ),
    said(
        "two-minuses",
        two_minuses,
        "Both lines of a rotation have a minus.",
        "Your planes do not turn: both of your lines have a minus, and lengths change.",
        "Where does a quarter turn take (1, 0)? And yours?",
        "One of the two sines has a plus.",
    ),
    said(
        "rest-in-front",
        rest_in_front,
        "What turned goes to the end.",
        "Your numbers are right, but in another order: you put the rest first. It belongs behind "
        "the part that turned, where it was.",
        "Which components of your output equal those of x?",
        "Swap two pieces of the cat.",
    ),
    said(
        "whole-positions",
        whole_positions,
        "Positions are whole numbers.",
        "You cut positions down to whole numbers. In the example the position is a quarter turn, "
        "which is 1.57.",
        "What does your function give for the example in the task?",
        "Use the positions as they come.",
        kind="form",
    ),
    said(
        "planes-from-one",
        planes_from_one,
        "The first plane is plane 1.",
        "Your first plane is too slow: you count planes from 1. Plane 0 has the frequency 1.",
        "By which angle does your first plane turn at position 1?",
        "Let r begin with 0.",
    ),
    said(
        "halves-of-the-whole",
        half_the_width,
        "Halves are halves of x.",
        "The partner of your component 0 is half the whole width away. The part that turns is a "
        "RoPE of its own, and its halves are halves of that part.",
        "With rotated = 2, which two components turn?",
        "The second half begins at rotated / 2.",
    ),
    said(
        "one-speed",
        one_speed,
        "Every plane turns by the position.",
        "All your planes turn at one speed. Only plane 0 has the frequency 1.",
        "By which angle does plane 1 of 2 turn at position 1?",
        "Multiply each plane's angle by its frequency.",
    ),
    said(
        "speeds-that-rise",
        rising,
        "Each further plane turns faster.",
        "Your planes turn faster and faster: the frequencies are 10,000 to a power above 0. They "
        "fall from 1.",
        "Which plane turns slowest in RoPE?",
        "The exponent has a minus.",
    ),
)
