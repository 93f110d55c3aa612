"""Several Scenes on one sheet, each with a caption: one standalone SVG of boards side by side."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from hedgerow.draw.markup import clean, number
from hedgerow.draw.svg import svg_lines
from hedgerow.draw.themes import THEMES, style
from hedgerow.scene import Scene

WIDTH, GAP, CAPTION, TITLE = 440.0, 24.0, 40.0, 52.0
"""How wide a board is, the room around boards, and that of a caption and of the title."""
_BOX = re.compile(r'viewBox="(\S+) (\S+) (\S+) (\S+)"')
_SIZE = re.compile(r' role="img"')


def sheet(
    entries: Sequence[tuple[Scene, str]],
    theme: str | None = None,
    columns: int | None = None,
    *,
    title: str = "",
    styled: bool = True,
    sparse: bool = False,
) -> str:
    """Scenes with their captions in reading order; without `columns`, about as many as rows."""
    theme = theme or next(iter(THEMES))
    across = min(len(entries), columns or columns_for(len(entries)))
    drawn = [
        svg_lines(scene, theme, key=str(number), styled=False, sparse=sparse)
        for number, (scene, _) in enumerate(entries)
    ]
    height = max(WIDTH * _ratio(lines[0]) for lines in drawn)
    rows, head = math.ceil(len(entries) / across), TITLE if title else 0.0
    whole = (GAP + across * (WIDTH + GAP), head + GAP + rows * (height + CAPTION + GAP))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="hedgerow theme-{theme}" viewBox="0 0 {number(whole[0])}'
        f' {number(whole[1])}">',
        f"<title>{clean(title or entries[0][0].title)}</title>",
        f"<style>\n{style(theme)}\n</style>" if styled else "",
        f'<rect class="ground" width="{number(whole[0])}" height="{number(whole[1])}"/>',
        _words(whole[0] / 2, GAP + 14, 26, title) if title else "",
    ]
    for at, (lines, (_, caption)) in enumerate(zip(drawn, entries)):
        left = GAP + at % across * (WIDTH + GAP)
        top = head + GAP + at // across * (height + CAPTION + GAP)
        parts += [_placed(lines, left, top), _words(left + WIDTH / 2, top + height + CAPTION / 2, 19, caption)]
    return "\n".join([*(part for part in parts if part), "</svg>"])


def columns_for(count: int) -> int:
    """How many boards stand side by side where nobody says otherwise.

    >>> [columns_for(count) for count in (1, 2, 3, 4, 5, 9, 10)]
    [1, 2, 3, 2, 3, 3, 4]
    """
    return count if count < 4 else math.ceil(math.sqrt(count))


def _ratio(head: str) -> float:
    """Height by width of a drawing, by its first line."""
    found = _BOX.search(head)
    return float(found[4]) / float(found[3]) if found else 1.0


def _placed(lines: list[str], left: float, top: float) -> str:
    """A drawing where it belongs."""
    size = f' role="img" x="{number(left)}" y="{number(top)}" width="{number(WIDTH)}"'
    size += f' height="{number(WIDTH * _ratio(lines[0]))}"'
    return "\n".join([_SIZE.sub(size, lines[0], count=1), *(line for line in lines[1:] if line)])


def _words(middle: float, line: float, letters: int, words: str) -> str:
    if not words:
        return ""
    place = f'x="{number(middle)}" y="{number(line)}" font-size="{letters}"'
    return f'<text class="mover" {place} text-anchor="middle">{clean(words)}</text>'
