"""Figures for light and dark pages, at a third of their weight, each with its size.

A plot is stored in its notebook as a PNG on a light plate. Of each the site gets two pictures in
lossless WebP: the plot as it is, and its dark twin, in which the lightness of every colour is
turned round in OKLab (https://bottosson.github.io/posts/oklab/) while its hue stays. The paper
becomes exactly the plate of the drawings in dark, and the ink their light ink; a map of weights
then runs from dark to light, and its colour bar with it. The page holds both as ``<img>``, lazy, so
that the browser loads the one that the theme's switch shows.
"""

import re
from concurrent.futures import Future, ThreadPoolExecutor
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from docutils import nodes
from PIL import Image
from sphinx.application import Sphinx

# Paper and ink of a plot (plainformer.plotting.style), and of the drawings in dark.
INK, DARK_PLATE, DARK_INK = "#22262b", "#1c2128", "#e6e9ed"
PHONE = 0.4  # a pixel on a telephone: letters of 10 points, at 200 to the inch, are 11 high
WIDE, MIDDLING = 950, 690  # pixels; such a plot scrolls there, or on a small one
RASTER = {".png", ".jpg", ".jpeg", ".webp"}
FRAME = 8  # pixels at the edge, of which most are paper
BLUE, FULL_BLUE, LESS_BLUE = np.array([-0.34, -0.94]), 0.05, 0.21  # its place in OKLab; see below
WHITER = 20  # times lighter than paper is white: numbers on the darkest cells become black

# OKLab of linear sRGB, and back.
TO_CONES = np.array([[0.4122214708, 0.5363325363, 0.0514459929],
                     [0.2119034982, 0.6806995451, 0.1073969566],
                     [0.0883024619, 0.2817188376, 0.6299787005]])  # fmt: skip
TO_LAB = np.array([[0.2104542553, 0.7936177850, -0.0040720468],
                   [1.9779984951, -2.4285922050, 0.4505937099],
                   [0.0259040371, 0.7827717662, -0.8086757660]])  # fmt: skip
FROM_LAB, FROM_CONES = np.linalg.inv(TO_LAB), np.linalg.inv(TO_CONES)


def hexed(colour: str) -> np.ndarray:
    """Turn "#rrggbb" into three bytes."""
    return np.frombuffer(bytes.fromhex(colour.removeprefix("#")), dtype=np.uint8)


def oklab(rgb: np.ndarray) -> np.ndarray:
    """Turn bytes of sRGB, n by 3, into lightness, green to red, blue to yellow."""
    share = rgb / 255.0
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    lab: np.ndarray = np.cbrt(linear @ TO_CONES.T) @ TO_LAB.T
    return lab


def linear(lab: np.ndarray) -> np.ndarray:
    """Turn OKLab into linear sRGB; outside 0 to 1 no screen shows it."""
    rgb: np.ndarray = (lab @ FROM_LAB.T) ** 3 @ FROM_CONES.T
    return rgb


def srgb(lab: np.ndarray) -> np.ndarray:
    """Turn OKLab into bytes of sRGB: lightness and hue are kept, and as much chroma as there is."""
    lab = lab.copy()
    lab[:, 0] = lab[:, 0].clip(0, 1)
    low, high = np.zeros(len(lab)), np.ones(len(lab))
    for _ in range(12):
        middle = (low + high) / 2
        tried = linear(lab * np.stack([np.ones_like(middle), middle, middle], axis=1))
        fits = ((tried > -1e-4) & (tried < 1 + 1e-4)).all(axis=1)
        low, high = np.where(fits, middle, low), np.where(fits, high, middle)
    kept = np.where(low > 0.999, 1.0, low)  # what fits as it is loses nothing
    light = linear(lab * np.stack([np.ones_like(kept), kept, kept], axis=1)).clip(0, 1)
    share = np.where(light <= 0.0031308, light * 12.92, 1.055 * light ** (1 / 2.4) - 0.055)
    rgb: np.ndarray = np.rint(share * 255).astype(np.uint8)
    return rgb


def recoloured(rgb: np.ndarray, paper: np.ndarray) -> np.ndarray:
    """Turn colours round for a dark page, n by 3 bytes: paper to plate, ink to light ink.

    Between the two, and beyond, lightness runs on a straight line. Blue, of which weights are made,
    rises less, and white falls to black: so a number in a cell is read as well as before.
    """
    light, ink = oklab(np.stack([paper, hexed(INK)]))
    plate, bright = oklab(np.stack([hexed(DARK_PLATE), hexed(DARK_INK)]))
    if light[0] < (1 + ink[0]) / 2:
        return rgb  # a picture on a dark ground
    lab = oklab(rgb)
    depth = ((light[0] - lab[:, 0]) / (light[0] - ink[0]))[:, None]
    hue = lab[:, 1:] - (light + depth * (ink - light))[:, 1:]
    depth = np.where(depth < 0, WHITER * depth, depth)
    depth = depth * (1 - LESS_BLUE * (hue @ BLUE).clip(0, FULL_BLUE) / FULL_BLUE)[:, None]
    turned = plate + depth * (bright - plate)
    turned[:, 1:] += hue
    return srgb(turned)


def opened(path: Path) -> np.ndarray:
    """Read a picture as bytes, height by width by 3; what is see-through lies on white."""
    picture = Image.open(path).convert("RGBA")
    white = Image.new("RGBA", picture.size, "white")
    return np.asarray(Image.alpha_composite(white, picture).convert("RGB"))


def dark(pixels: np.ndarray) -> np.ndarray:
    """Make the dark twin of a picture, pixel by pixel."""
    inside = np.zeros(pixels.shape[:2], dtype=bool)
    inside[FRAME:-FRAME, FRAME:-FRAME] = True
    codes = pixels.astype(np.uint32) @ np.array([65536, 256, 1], dtype=np.uint32)
    edge, often = np.unique(codes[~inside], return_counts=True)
    colours, where = np.unique(codes, return_inverse=True)
    rgb = np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1).astype(np.uint8)
    paper = rgb[np.searchsorted(colours, edge[often.argmax()])]
    twin: np.ndarray = recoloured(rgb, paper)[where.reshape(codes.shape)]
    return twin


def write(pixels: np.ndarray, path: Path) -> None:
    """Write a picture without loss."""
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(pixels).save(path, "WEBP", lossless=True, method=2, quality=60)


def write_both(path: Path, light: Path, dark_twin: Path) -> None:
    """Write a picture and its dark twin."""
    pixels = opened(path)
    write(pixels, light)
    write(dark(pixels), dark_twin)


_pool = ThreadPoolExecutor(2)
_writing: list[Future[None]] = []


def finish(app: Sphinx, error: Exception | None) -> None:
    """Wait until every picture is written; they are written beside the pages."""
    while _writing:
        _writing.pop().result()


def size(node: nodes.image, natural: tuple[float, float], phone: float = 0) -> str:
    """Write width and height, so that the page keeps the room before the picture is there.

    A notebook says how wide a figure is shown; the proportion is the picture's own. Its share of
    the pixels is how wide a plot is on a telephone, course.css.
    """
    wide, high = natural
    said = re.fullmatch(r"(\d+)(?:px)?", str(node.get("width", "")))
    width = int(said[1]) if said else round(wide)
    style = "" if said or "width" not in node else f' style="width: {escape(node["width"])}"'
    if said and phone:
        style = f' style="--phone: {round(phone * wide)}px"'
    return f' width="{width}" height="{round(width * high / wide)}"{style}'


def drawn_size(path: Path) -> tuple[float, float] | None:
    """Read the size of a drawing from its first line."""
    box = re.search(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', path.read_text(encoding="utf-8")[:2000])
    return (float(box[1]), float(box[2])) if box else None


def image(node: nodes.image, address: str, sides: str, *classes: str) -> str:
    """Write one ``<img>``; a hidden one is neither loaded nor read out, so both have the words.

    As Sphinx has it, a picture that is given a width leads to itself alone, to be seen larger.
    """
    aligned = [f"align-{node['align']}"] if "align" in node else []
    named = " ".join([*node["classes"], *aligned, *classes])
    made = (
        f'<img class="{named}" src="{escape(address)}" alt="{escape(node.get("alt", ""))}"'
        f'{sides} loading="lazy" decoding="async">'
    )
    if "width" not in node or isinstance(node.parent, nodes.reference):
        return made
    link = " ".join(["reference internal image-reference", *classes])
    return f'<a class="{link}" href="{escape(address)}">{made}</a>'


def pair(app: Sphinx, document: nodes.document, page: str) -> None:
    """Put two pictures in the place of each figure of a page, and write them."""
    builder: Any = app.builder
    if builder.format != "html" or builder.name == "epub":
        return
    up = "../" * builder.get_target_uri(page).count("/") if builder.name == "html" else ""
    for node in list(document.findall(nodes.image)):
        uri = node.get("candidates", {}).get("*", node["uri"])
        path = Path(app.srcdir) / uri
        if uri not in app.env.images or not path.is_file():
            continue  # Sphinx says what is missing
        name = Path(app.env.images[uri][1])
        folder = Path(app.outdir) / builder.imagedir
        if path.suffix in RASTER:
            both = (folder / f"{name.stem}{end}.webp" for end in ("", "-dark"))
            _writing.append(_pool.submit(write_both, path, *both))
            with Image.open(path) as picture:
                natural = picture.size
            sides = size(node, natural, PHONE)
            wide = ["middling-plot"] if natural[0] > MIDDLING else []
            if natural[0] > WIDE:
                wide = ["wide-plot"]
            made = "".join(
                image(node, f"{up}{builder.imagedir}/{name.stem}{end}.webp", sides, shown, *wide)
                for end, shown in (("", "only-light"), ("-dark", "only-dark"))
            )
        elif path.suffix == ".svg" and (drawn := drawn_size(path)):
            builder.images[uri] = name.name  # Sphinx copies it
            made = image(node, f"{up}{builder.imagedir}/{name.name}", size(node, drawn))
        else:
            continue
        anchors = "".join(f'<span id="{each}"></span>' for each in node["ids"])
        node.replace_self(nodes.raw("", anchors + made, format="html"))


def setup(app: Sphinx) -> dict[str, Any]:
    """Pair the figures of each page before it is written."""
    app.connect("doctree-resolved", pair)
    app.connect("build-finished", finish, priority=100)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
