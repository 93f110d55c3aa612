"""Pictures of a Scene: `svg` for pages and paper, `text` for terminals and mail. A Scene in, text out."""

from __future__ import annotations

from hedgerow.draw.ansi import text
from hedgerow.draw.svg import svg, svg_lines
from hedgerow.scene import Scene

__all__ = ["Scene", "svg", "svg_lines", "text"]
