"""Exercise 12.bytes_moved: the tile that fits a chip and moves the fewest bytes."""

import math
from typing import Any

from torch import Generator

from exercise_bank.ch12.mistakes.bytes_moved import MISCONCEPTIONS
from exercise_bank.ch12.mistakes.bytes_moved_more import MORE
from exercise_bank.draws import more, some
from exercise_bank.skills import rung
from plaincourse.exercise import Alternative, Exercise, Inputs

Tile = tuple[int, int]
NAMES = ("b", "h", "g", "q", "k", "d", "e", "room", "itemsize")


def needs(tile: Tile, d: int, e: int) -> int:
    """Return the number of elements in a tile, its inputs and its results."""
    height, width = tile
    return (height + width) * (d + e) + height * width + 2 * height


def work(*sizes: int, tiles: list[Tile]) -> Inputs:
    return {**dict(zip(NAMES, sizes, strict=True)), "tiles": tiles}


def around(room: int, d: int, e: int, width: int) -> list[Tile]:
    """Return tiles of one width: the tallest that fits, with lower and higher ones."""
    fits = (room - width * (d + e)) // (d + e + width + 2) // 16 * 16
    low = 16, max(16, fits // 48 * 16)
    heights = (fits - 16, fits + 32, fits, fits + 16, fits + 48, fits + 96, *low)
    return [(height, width) for height in dict.fromkeys(heights) if height > 0]


def one_width(g: Generator) -> list[Inputs]:
    """Draw long rows, for which each further row of a tile saves bytes."""
    q = 40_000 + 7 * some(g, 0, 999)
    found = []
    for d, e, width, room in (
        (16, 16, 16, 2_911),
        (64, 64, 64, 20_608),
        (64, 64, 64, 20_600),
        (64, 32, 16, 14_850),
        (32, 64, 32, 12_000 + some(g, 0, 2_000)),
        (128, 128, 128, 65_536),
    ):
        found.append(work(1, 1, 1, q, q, d, e, room, 2, tiles=around(room, d, e, width)))
    return found


def one_block(g: Generator) -> list[Inputs]:
    return [
        work(1, 1, 1, 16, 64 + more(g, 9), 16, 16, 4_000, 2, tiles=[(16, 16)]),
        work(1, 1, 1, 5, 101 + more(g, 9), 32, 32, 9_000, 2, tiles=[(16, 32), (512, 32)]),
        work(1, 1, 1, 7, 90 + more(g, 9), 16, 40, 9_000, 2, tiles=[(48, 16)]),
        work(1, 1, 1, 1, some(g, 500, 999), 64, 64, 20_000, 2, tiles=[(16, 48)]),
    ]


def several_blocks(g: Generator) -> list[Inputs]:
    a, b = more(g, 9), more(g, 9)
    return [
        work(1, 1, 1, 32, 40 + a, 8, 8, 1_000, 2, tiles=[(16, 16)]),
        work(1, 1, 1, 256, 200 + b, 64, 32, 30_000, 2, tiles=[(64, 64), (32, 64)]),
        work(1, 1, 1, 33, 70 + a, 8, 16, 2_000, 2, tiles=[(32, 16), (16, 16)]),
        work(1, 1, 1, 165 + some(g, 0, 9), 301, 64, 32, 25_000, 2, tiles=[(48, 64), (80, 32)]),
    ]


def equal_bytes(g: Generator) -> list[Inputs]:
    a, in_the_prompt = some(g, 0, 9), [(64, 16), (16, 16), (128, 16)]
    return [
        work(1, 4, 1, 1, 64, 16, 16, 4_000, 2, tiles=in_the_prompt),
        work(1, 1, 1, 64, 90 + more(g, 99), 16, 16, 9_000, 2, tiles=[(64, 32), (64, 16), (64, 48)]),
        work(1, 1, 1, 90 + a, 128, 32, 32, 20_000, 2, tiles=[(80, 16), (64, 16), (48, 32)]),
        work(1, 1, 1, 1, 2_000 + a, 64, 64, 40_000, 1, tiles=[(128, 32), (64, 64), (32, 64)]),
        work(1, 1, 1, 100, 300 + a, 16, 32, 15_000, 2, tiles=[(96, 16), (64, 64), (80, 16)]),
    ]


def shared(g: Generator) -> list[Inputs]:
    a, b = some(g, 0, 9), more(g, 9)
    return [
        work(1, 4, 1, 16, 65 + b, 16, 16, 4_600, 2, tiles=[(16, 48), (64, 16), (96, 16)]),
        work(1, 8, 2, 9, 130 + b, 64, 32, 14_000, 2, tiles=[(16, 64), (48, 32), (96, 48)]),
        work(1, 6, 2, 40 + a, 61, 16, 32, 9_000, 2, tiles=[(48, 64), (80, 16), (32, 16)]),
        work(1, 12, 4, 70 + a, 203, 64, 64, 26_000, 2, tiles=[(96, 32), (64, 80), (128, 64)]),
    ]


def whole_models(g: Generator) -> list[Inputs]:
    tiles = [(64, 128), (128, 64), (96, 64), (192, 64)]
    a, b = some(g, 2, 9), some(g, 2, 9)
    return [
        work(2, 2, 1, 17, 19 + more(g, 9), 16, 8, 4_000, 4, tiles=[(16, 16), (32, 16)]),
        work(3, 4, 2, 32, 51 + more(g, 9), 16, 24, 6_000, 1, tiles=[(32, 32), (48, 16)]),
        work(a, 32, 8, 4_096, 4_096, 128, 128, 60_000, 2, tiles=tiles),
        work(b, 32, 8, 1, 30_000, 128, 64, 60_000, 1, tiles=tiles),
    ]


def read(answer: Any) -> tuple[Tile, float] | None:
    """Read an answer as a tile and a number, or return ``None`` if it is something else."""
    try:
        (height, width), nbytes = answer
        return (int(height), int(width)), float(nbytes)
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return None


def choice(inputs: Inputs, answer: Any) -> str | None:
    """Return why a tile is not the right one."""
    found = read(answer)
    if found is None:
        return "return a tuple of two: the tile, which is a pair, and the bytes"
    d, e, room = inputs["d"], inputs["e"], inputs["room"]
    (tile, _), best = found, bytes_moved(**inputs)[0]
    if tile == best:
        return None
    if tile not in [tuple(each) for each in inputs["tiles"]]:
        return f"your tile is {tile}, and the tiles are {inputs['tiles']}"
    if needs(tile, d, e) > room:
        return f"your tile {tile} needs {needs(tile, d, e)} numbers; the chip has room for {room}"
    mine, least = moved(tile[0], inputs), moved(best[0], inputs)
    if mine > least:
        return f"your tile {tile} moves {mine} bytes; {best} fits as well and moves {least}"
    return (
        f"your tile {tile} and {best} both move {least} bytes; yours takes {needs(tile, d, e)} "
        f"numbers of the chip, the other {needs(best, d, e)}"
    )


def traffic(inputs: Inputs, answer: Any, *, sums: tuple[int, ...] = ()) -> str | None:
    """Compare the bytes with those of the tile that the answer chose.

    With ``sums``, log-sum-exps of these sizes in bytes also pass, and too few of them: they have
    their own requirement.
    """
    found = read(answer)
    if found is None:
        return "return a tuple of two: the tile, which is a pair, and the bytes"
    (height, _), nbytes = found
    if height < 1:
        return f"your tile has the height {height}"
    h, g, q = (inputs[name] for name in ("h", "g", "q"))
    wanted, b = moved(height, inputs), inputs["b"]
    counts = (b * h * q, b * g * q, b * q) if sums else (b * h * q,)
    rest = wanted - 4 * b * h * q
    if any(nbytes == rest + size * count for size in (4, *sums) for count in counts):
        return None
    rows = h // g * q
    blocks = -(-rows // height)
    return (
        f"{g} head{'s' * (g > 1)} of keys and values, each read by {rows} rows of queries in "
        f"{blocks} block{'s' * (blocks > 1)} of {height}: {wanted} bytes move; yours are {nbytes:g}"
    )


def matrices(inputs: Inputs, answer: Any) -> str | None:
    return traffic(inputs, answer, sums=(0, inputs["itemsize"], 8))


def both(inputs: Inputs, answer: Any) -> str | None:
    return choice(inputs, answer) or matrices(inputs, answer)


def moved(height: int, inputs: Inputs) -> int:
    b, h, g, q, k, d, e = (inputs[name] for name in NAMES[:7])
    blocks = -(-(h // g * q) // height)
    numbers = (h * q + g * blocks * k) * (d + e)
    found: int = b * (numbers * inputs["itemsize"] + 4 * h * q)
    return found


def bytes_moved(
    b: int, h: int, g: int, q: int, k: int, d: int, e: int, room: int, itemsize: int,
    tiles: list[Tile],
) -> tuple[Tile, int]:  # fmt: skip
    """Return the tile to use, (height, width), and the bytes that it moves."""
    found = []
    for height, width in tiles:
        needed = (height + width) * (d + e) + height * width + 2 * height
        if needed <= room:
            blocks = math.ceil(h // g * q / height)
            numbers = (h * q + g * blocks * k) * (d + e)
            nbytes = b * (numbers * itemsize + 4 * h * q)
            found.append((nbytes, needed, (height, width)))
    nbytes, _, tile = min(found)
    return tile, nbytes


def block_by_block(
    b: int, h: int, g: int, q: int, k: int, d: int, e: int, room: int, itemsize: int,
    tiles: list[Tile],
) -> tuple[Tile, int]:  # fmt: skip
    def count(height: int) -> int:
        total = 0
        for _ in range(b * g):
            for start in range(0, h // g * q, height):
                rows = min(start + height, h // g * q) - start
                total += (rows * (d + e) + k * (d + e)) * itemsize + 4 * rows
        return total

    def held(height: int, width: int) -> int:
        return height * (d + e + 2) + width * d + width * e + height * width

    fitting = sorted((t for t in tiles if held(*t) <= room), key=lambda t: held(*t))
    best = min(fitting, key=lambda t: -(-(h * q // g) // t[0]))  # the first of several
    return best, count(best[0])


def term_by_term(
    b: int, h: int, g: int, q: int, k: int, d: int, e: int, room: int, itemsize: int,
    tiles: list[Tile],
) -> tuple[Tile, int]:  # fmt: skip
    best: tuple[Tile, int] | None = None
    rows = h * q // g
    for tile in sorted(tiles, key=lambda each: needs(each, d, e)):
        if needs(tile, d, e) > room:
            break
        passes = (rows + tile[0] - 1) // tile[0]
        reads = b * (h * q * d + g * passes * (k * d + k * e))
        nbytes = (reads + b * h * q * e) * itemsize + b * h * q * 4
        if best is None or nbytes < best[1]:
            best = (tile[0], tile[1]), nbytes
    assert best is not None
    return best


CHIP, READ, SHARED = "what lies on the chip", "keys are read by each block", "heads share tiles"

TASK = Exercise(
    id="12.bytes_moved",
    title="Which tile for which chip",
    level="medium",
    minutes=9,
    concepts=("memory-hierarchy", "io-awareness", "tiling"),
    reference=bytes_moved,
    rungs=(
        rung("the tallest tile that fits, among tiles of one width", 0.5, one_width, choice, CHIP),
        rung("the bytes of one block of rows", 0.25, one_block, matrices, READ),
        rung("the bytes of several blocks", 0.5, several_blocks, matrices, READ),
        rung("equal bytes: the tile that takes least room", 0.5, equal_bytes, choice),
        rung("heads that share keys share tiles", 0.5, shared, both, SHARED),
        rung("batches, and numbers of one, two or four bytes", 0.25, whole_models, matrices),
        rung(
            "all bytes together, with the log-sum-exps",
            0.5,
            lambda g: one_block(g) + shared(g),
            traffic,
        ),
    ),
    misconceptions=(*MISCONCEPTIONS, *MORE),
    alternatives=(
        Alternative(name="block by block", answer=block_by_block),
        Alternative(name="term by term, from the smallest tile", answer=term_by_term),
    ),
    hints=(
        "Write down what lies on the chip while one tile is computed. Which of these grow with the "
        "height, which with the width, and which with both?",
        "Into how many blocks do the rows of one key/value head fall? How often are its keys read?",
        "Of the tiles that fit, some may make the same number of blocks. Compare pairs of bytes "
        "and room.",
    ),
)
