"""An SVG of ours as a PNG in all its colours, whole: slower than `png`, and as fine as a file should be."""

from __future__ import annotations

import io

from hedgerow.draw.png import Frame, one_drawing


def raster(svg: str, theme: str, width: int) -> bytes:
    """The picture of an unstyled drawing or sheet in a theme."""
    head, _, inside = svg.strip().removesuffix("</svg>").partition("\n")
    frame, made = Frame.of(head, width), io.BytesIO()
    one_drawing(theme, frame, head, inside, frame.whole).save(made, "PNG", optimize=True)
    return made.getvalue()
