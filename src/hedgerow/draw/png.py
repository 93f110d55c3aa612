"""A Scene as a PNG, for letters: drawn from its SVG by resvg, with a font of our own, the same on every machine."""

from __future__ import annotations

import struct
from functools import cache
from importlib import resources

from hedgerow.draw.svg import svg
from hedgerow.draw.themes import flat_style
from hedgerow.scene import Scene

THEME, WIDTH = "day", 440
"""How a picture looks unless somebody says otherwise, and how many pixels wide it is."""
FONT = "DejaVu Sans"


def png(scene: Scene, theme: str = THEME, width: int = WIDTH) -> bytes:
    """The picture of a scene with its labels. It takes up to 100 ms, in which no other thread goes on."""
    return rendered(drawing(scene, theme), theme, width)


def drawing(scene: Scene, theme: str = THEME) -> str:
    """The SVG that `rendered` makes a picture of."""
    return svg(scene, theme, styled=False, sparse=True)


def rendered(drawing: str, theme: str = THEME, width: int = WIDTH) -> bytes:
    """A drawing as a PNG: what a process of its own can do."""
    import resvg_py  # only where letters are written

    return resvg_py.svg_to_bytes(
        svg_string=drawing,
        style_sheet=_style(theme),
        width=width,
        skip_system_fonts=True,
        font_files=[_font()],
        font_family=FONT,
        sans_serif_family=FONT,
        serif_family=FONT,
        cursive_family=FONT,
    )


def size_of(picture: bytes) -> tuple[int, int]:
    """The width and the height of a PNG."""
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


@cache
def _style(theme: str) -> str:
    return flat_style(theme)


@cache
def _font() -> str:
    return str(resources.files("hedgerow.draw").joinpath("fonts", "DejaVuSans.ttf"))
