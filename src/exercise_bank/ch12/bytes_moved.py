"""Exercise 12.bytes_moved: bytes of a tiling in which the heads that share keys share tiles."""

import itertools
import math

from torch import Generator

from exercise_bank.ch12.mistakes.bytes_moved import MISCONCEPTIONS
from exercise_bank.ch12.mistakes.bytes_moved_more import MORE
from exercise_bank.ch12.numbers import two_whole
from exercise_bank.draws import more, some
from plaincourse.exercise import Alternative, Exercise, Inputs, Rung


def sizes(
    b: int, h: int, g: int, q: int, k: int, d: int, e: int, width: int, room: int, itemsize: int = 2
) -> Inputs:
    names = ("b", "h", "g", "q", "k", "d", "e", "width", "room", "itemsize")
    return dict(zip(names, (b, h, g, q, k, d, e, width, room, itemsize), strict=True))


def chips(g: Generator) -> list[Inputs]:
    d, e = 8 * some(g, 3, 9), 8 * some(g, 10, 20)
    return [
        sizes(1, 1, 1, 64, 64, 16, 16, 16, 1_600),
        sizes(1, 1, 1, 256, 256, 64, 64, 64, 20_608),
        sizes(1, 1, 1, 256, 256, 64, 64, 64, 20_600),
        sizes(1, 1, 1, 100, 300, 64, 32, 16, 14_850),
        sizes(1, 1, 1, 50, 50, 128, 64, 64, 40_000),
        sizes(1, 1, 1, 512, 512, 128, 128, 128, 65_536),
        sizes(1, 1, 1, 99, 99, d, e, 32, 24_000 + some(g, 0, 9_999)),
    ]


def one_block(g: Generator) -> list[Inputs]:
    return [
        sizes(1, 1, 1, 16, 64 + more(g, 9), 16, 16, 16, 4_000),
        sizes(1, 1, 1, 5, 100 + more(g, 9), 32, 32, 32, 8_000),
        sizes(1, 1, 1, 1, some(g, 500, 999), 64, 64, 16, 20_000),
        sizes(1, 1, 1, 7, 90 + more(g, 9), 16, 40, 16, 8_000),
    ]


def several(g: Generator) -> list[Inputs]:
    a, b = more(g, 9), more(g, 9)
    return [
        sizes(1, 1, 1, 32, 32 + 16 * a, 8, 8, 16, 1_000),
        sizes(1, 1, 1, 256, 192 + 64 * b, 64, 64, 64, 20_608),
        sizes(1, 1, 1, 160, 40 * some(g, 2, 9), 16, 16, 16, 1_600),
    ]


def a_rest(g: Generator) -> list[Inputs]:
    return [
        sizes(1, 1, 1, 33, 32 + more(g, 9), 8, 8, 16, 1_000),
        sizes(1, 1, 1, 65, 70 + more(g, 9), 16, 16, 16, 1_600),
        sizes(1, 1, 1, 165 + some(g, 0, 9), 301, 64, 32, 16, 14_850),
    ]


def grouped(g: Generator) -> list[Inputs]:
    return [
        sizes(1, 4, 1, 1, 64 + more(g, 9), 16, 16, 16, 4_000),
        sizes(1, 8, 2, 3, 128 + more(g, 9), 64, 64, 64, 20_608),
        sizes(1, 6, 2, 40, 60 + more(g, 9), 16, 32, 16, 4_000),
        sizes(1, 4, 4, 20, 50, 16, 16, 16, 1_600),
        sizes(1, 12, 4, 17 + some(g, 0, 9), 200, 64, 64, 32, 16_384),
    ]


def whole_models(g: Generator) -> list[Inputs]:
    return [
        sizes(2, 1, 1, 16, 16 + more(g, 9), 16, 16, 16, 4_000, 4),
        sizes(3, 4, 2, 32, 48 + more(g, 9), 16, 16, 16, 1_600, 1),
        sizes(some(g, 2, 9), 32, 8, 4096, 4096, 128, 128, 64, 65_536, 2),
        sizes(some(g, 2, 9), 32, 8, 1, 30_000, 128, 128, 64, 65_536, 1),
    ]


def heights(inputs: Inputs, answer: object) -> str | None:
    """Return whether the tiles fit, and whether higher ones would."""
    found = two_whole(answer)
    if found is None:
        return "return a tuple of two whole numbers, height and nbytes"
    d, e, width, room = (inputs[name] for name in ("d", "e", "width", "room"))
    right, mine = bytes_moved(**inputs)[0], found[0]
    if mine == right:
        return None
    if mine < 1 or mine % 16:
        return f"a height is a multiple of 16; yours is {mine}"
    needs = mine * (d + e + 2) + width * (d + e) + mine * width
    if needs > room:
        return f"tiles of {mine} x {width} need {needs} numbers; the chip has room for {room}"
    needs = right * (d + e + 2) + width * (d + e) + right * width
    return (
        f"tiles of {right} x {width} fit, with d = {d} and e = {e}: they take {needs} of {room} "
        f"numbers; yours are {mine} high"
    )


def all_on_the_chip(inputs: Inputs, answer: object) -> str | None:
    """Say that tiles are too high for the chip, or far too low, however they are rounded."""
    found = two_whole(answer)
    if found is None:
        return "return a tuple of two whole numbers, height and nbytes"
    d, e, width, room = (inputs[name] for name in ("d", "e", "width", "room"))
    fits = (room - width * (d + e)) / (d + e + width + 2)
    if fits / 3 < found[0] < fits + 16:
        return None
    return (
        f"on a chip with room for {room} numbers, d = {d}, e = {e} and tiles {width} wide, "
        f"{int(fits)} rows fit; yours are {found[0]}"
    )


def traffic(inputs: Inputs, answer: object, *, sums: tuple[int, ...] = ()) -> str | None:
    """Compare the bytes with those of tiles as high as the answer says.

    The log-sum-exps may have other sizes, in bytes for each query: a rung of its own asks for them.
    """
    found = two_whole(answer)
    if found is None:
        return "return a tuple of two whole numbers, height and nbytes"
    if found[0] < 1:
        return f"a height is a multiple of 16; yours is {found[0]}"
    h, g, q = (inputs[name] for name in ("h", "g", "q"))
    right = moved(found[0], inputs)
    queries = inputs["b"] * h * q, h * q
    if any(found[1] == right + (size - 4) * n for size in (4, *sums) for n in queries):
        return None
    rows = h // g * q
    blocks = -(-rows // found[0])
    return (
        f"{g} head{'s' * (g > 1)} of keys and values, each read by {rows} rows of queries in "
        f"{blocks} block{'s' * (blocks > 1)}, as high as you say: {right} bytes move; yours are "
        f"{found[1]}"
    )


def matrices(inputs: Inputs, answer: object) -> str | None:
    return traffic(inputs, answer, sums=(0, inputs["itemsize"], 8))


def moved(height: int, inputs: Inputs) -> int:
    b, h, g, q, k, d, e = (inputs[name] for name in ("b", "h", "g", "q", "k", "d", "e"))
    blocks = -(-(h // g * q) // height)
    numbers = h * q * (d + e) + g * blocks * k * (d + e)
    found: int = b * (numbers * inputs["itemsize"] + 4 * h * q)
    return found


def bytes_moved(
    b: int, h: int, g: int, q: int, k: int, d: int, e: int, width: int, room: int, itemsize: int
) -> tuple[int, int]:
    """Return the height of the highest tile that fits, and the bytes moved."""
    fits = (room - width * (d + e)) // (d + e + width + 2)
    height = fits - fits % 16
    blocks = math.ceil(h // g * q / height)
    numbers = (h * q + g * blocks * k) * (d + e)
    return height, b * (numbers * itemsize + 4 * h * q)


def by_trial(
    b: int, h: int, g: int, q: int, k: int, d: int, e: int, width: int, room: int, itemsize: int
) -> tuple[int, int]:
    def needed(height: int) -> int:
        rows = height * d + height * e + 2 * height
        return rows + width * d + width * e + height * width

    height = max(n for n in range(16, room, 16) if needed(n) <= room)
    nbytes = 0
    for _ in range(b * g):
        for start in range(0, h // g * q, height):
            rows = min(start + height, h // g * q) - start
            nbytes += (rows * (d + e) + k * (d + e)) * itemsize + 4 * rows
    return height, nbytes


def term_by_term(
    b: int, h: int, g: int, q: int, k: int, d: int, e: int, width: int, room: int, itemsize: int
) -> tuple[int, int]:
    steps = itertools.count(1)
    height = 16 * next(
        n - 1 for n in steps if 16 * n * (d + e + 2 + width) > room - width * d - width * e
    )
    passes = (h * q // g + height - 1) // height
    reads = b * (h * q * d + g * passes * (k * d + k * e))
    writes = b * h * q * e
    return height, int((reads + writes) * itemsize + b * h * q * 4)


TASK = Exercise(
    id="12.bytes_moved",
    title="Bytes of tiles that heads share",
    level="hard",
    minutes=11,
    concepts=("memory-hierarchy", "io-awareness", "tiling"),
    reference=bytes_moved,
    rungs=(
        Rung(
            name="a height that is roughly right",
            points=1.25,
            idea="what lies on the chip",
            draw=chips,
            law=all_on_the_chip,
            compare=False,
        ),
        Rung(
            name="the highest tile that fits",
            points=0.75,
            draw=chips,
            law=heights,
            compare=False,
        ),
        Rung(
            name="one block of rows: each number is moved once",
            points=0.5,
            idea="keys are read by each block",
            draw=one_block,
            law=matrices,
            compare=False,
        ),
        Rung(
            name="several blocks of rows",
            points=0.75,
            idea="keys are read by each block",
            draw=several,
            law=matrices,
            compare=False,
        ),
        Rung(
            name="a last block of few rows",
            points=0.75,
            idea="keys are read by each block",
            draw=a_rest,
            law=matrices,
            compare=False,
        ),
        Rung(
            name="heads that share keys share tiles",
            points=1.0,
            idea="heads that share tiles",
            draw=grouped,
            law=matrices,
            compare=False,
        ),
        Rung(
            name="batches, and numbers of one, two or four bytes",
            points=0.25,
            draw=whole_models,
            law=matrices,
            compare=False,
        ),
        Rung(
            name="all bytes together, with the log-sum-exps",
            points=0.75,
            draw=lambda g: one_block(g) + whole_models(g),
            law=traffic,
            compare=False,
        ),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
    alternatives=(
        Alternative(name="by trial, block by block", answer=by_trial),
        Alternative(name="term by term", answer=term_by_term),
    ),
    hints=(
        "Write down what lies on the chip while one tile is computed. Which of these grow with the "
        "height, which with the width, and which with both?",
        "Into how many blocks do the rows of one key/value head fall? How often are its keys read?",
        "Queries, outputs and log-sum-exps are moved once for each query head. Keys and values are "
        "moved once for each key/value head and block of rows. Only the log-sum-exps have a size "
        "of their own.",
    ),
)
