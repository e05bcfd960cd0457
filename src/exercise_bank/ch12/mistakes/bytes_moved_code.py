"""Choices of a tile with one mistake each."""

import math
from typing import Any

Tile = tuple[int, int]


def room_of(kind: str, tile: Tile, d: int, e: int) -> int:
    """Count the elements of a tile, with one mistake."""
    height, width = tile
    a_row = {
        "no output": d + 2,
        "no sums": d + e,
        "one sum": d + e + 1,
        "three sums": d + e + 3,
        "queries off the chip": e + 2,
        "rows of d": 2 * d + 2,
        "neither tile nor sums": d + e,
    }.get(kind, d + e + 2)
    a_key = {"no keys": 0, "keys alone": d, "values alone": e}.get(kind, d + e)
    of_tile = {"no tile": 0, "neither tile nor sums": 0, "two tiles": 2}.get(kind, 1)
    return height * a_row + width * a_key + of_tile * height * width


def bytes_of(
    kind: str, tile: Tile, b: int, h: int, g: int, q: int, k: int, d: int, e: int, itemsize: int
) -> float:
    """Count the bytes that a tile moves, with one mistake."""
    height, width = tile
    rows = h // g * q
    passes: float = g * math.ceil(rows / height)
    passes = {
        "floor": g * max(1, rows // height),
        "floor to 0": g * (rows // height),
        "fraction": g * rows / height,
        "head by head": h * math.ceil(q / height),
        "all heads": math.ceil(h * q / height),
        "queries only": g * math.ceil(q / height),
        "once": g,
        "read by each": h * math.ceil(rows / height),
        "g heads stacked": h // g * math.ceil(g * q / height),
        "columns": passes * math.ceil(k / width),
        "keys of one sequence": passes / b,
        "batch stacked": g * math.ceil(b * rows / height) / b,
    }.get(kind, passes)
    queries = {"queries of g": g * q, "padded": passes * height}.get(kind, h * q)
    read = math.ceil(k / width) * width if kind == "whole blocks of keys" else k
    terms = {
        "query": queries * d,
        "output": queries * (d if kind in ("output d", "all d") else e),
        "key": passes * read * d,
        "value": passes * read * (d if kind in ("values d", "all d") else e),
    }
    if kind == "width":
        terms["key"], terms["value"] = g * k * d, g * k * e
        terms["query"] = h * math.ceil(k / width) * q * d
    if kind == "output twice":
        terms["output"] *= 2
    terms.pop(kind.removesuffix(" not moved"), None)
    numbers = sum(terms.values()) + (2 * h * q * k if kind == "scores" else 0)
    sums = {"lse itemsize": itemsize, "no lse": 0, "m and l": 8}.get(kind, 4)
    lses = {"lse of g": g * q, "lse of one head": q, "lse of one sequence": h * q / b}
    all_of_them = numbers * itemsize + sums * lses.get(kind, h * q)
    found = (1 if kind == "no batch" else b) * all_of_them
    return int(found) if found == int(found) else found


def slip(
    kind: str, b: int, h: int, g: int, q: int, k: int, d: int, e: int, room: int, itemsize: int,
    tiles: list[Tile],
) -> tuple[Any, Any]:  # fmt: skip
    """Choose correctly except for one thing."""
    chip = room // itemsize if kind.startswith("room in bytes") else room
    if kind == "room in bytes, or none" and all(room_of(kind, t, d, e) > chip for t in tiles):
        raise ValueError("the error of min() if no tile fits")
    fitting = [t for t in tiles if room_of(kind, t, d, e) <= chip] or tiles[:1]
    if kind == "nothing is too large":
        fitting = tiles
    nbytes = {t: bytes_of(kind, t, b, h, g, q, k, d, e, itemsize) for t in fitting}
    held = {t: room_of(kind, t, d, e) for t in fitting}
    order = {
        "tallest": lambda t: (-t[0], held[t]),
        "widest": lambda t: (-t[1], held[t]),
        "largest": lambda t: -t[0] * t[1],
        "fills the chip": lambda t: -held[t],
        "least room": lambda t: held[t],
        "first of equals": lambda t: nbytes[t],
        "most room of equals": lambda t: (nbytes[t], -held[t]),
        "first that fits": lambda t: 0,
    }.get(kind, lambda t: (nbytes[t], held[t]))
    tile = min(fitting, key=order)
    found = nbytes[tile]
    if kind == "exchanged":
        return found, tile
    if kind == "width first":
        return tile[::-1], found
    return tile, found
